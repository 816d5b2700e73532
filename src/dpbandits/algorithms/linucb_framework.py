"""The framework of Chowdhury and Zhou: Algorithm 1 of arXiv 2202.05567, of which every LinUCB here is one setting.

    V_0 = lambda I, u_0 = 0, theta_0 = 0; for every round t of batch m:
    L1  a_t = argmax over a of <x_a, theta_{m-1}> + beta_{m-1} sqrt(x_a' V_{m-1}^-1 x_a); ties to the lowest index
    L2  the user sends R1(x_t y_t) and R2(x_t x_t')
    L3  at the end of a batch: u_m = u_{m-1} + A1(S1(messages)), V_m = V_{m-1} + A2(S2(messages)), theta_m = V_m^-1 u_m

Randomiser R, shuffler S and analyser A are the black boxes in which the algorithms differ; together they are a
`Protocol`, and a kernel draws what they add to the sums of a batch.

beta_m = constant + scale sqrt(confidence + d ln(start + t_m / (d floor))), t_m the rounds in closed batches.

The arms are the same in every round, so that a batch plays one arm: its rewards are one binomial draw, its noise is
one draw for every entry, exactly. Where no noise is added, V^-1 and the widths follow rank-one updates.

A noisy V need not be positive definite. The paper excludes it with high probability and defines nothing; then L1 uses
the inverse all the same, and the first arm with x' V^-1 x < 0 is played, as NumPy's argmax does with the NaN in the
released code. Both are counted. A batch that the horizon cuts is not released.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.linucb_protocol import (
    FROZEN,
    GAUSSIAN,
    NO_NOISE,
    TREE,
    VECTOR_SUM,
    Protocol,
    draw_noise,
    vector_sum,
)
from dpbandits.environments.bernoulli_linear import probabilities
from dpbandits.jit import kernel
from dpbandits.linalg import dot, inverse, squares, substitute, try_cholesky

Array = np.ndarray

OUTPUTS = ("regret", "realised", "updates", "indefinite", "negative", "growing")
"""Pseudo-regret; that of the rewards drawn; batches released; how many of these left a V that is not positive definite;
how many batches played an arm for its negative width; the share of releases that made V smaller in no direction."""
REALISED, UPDATES, INDEFINITE, NEGATIVE, GROWING = range(1, len(OUTPUTS))

REFRESH = 1000  # rank-one updates between two factorisations; source: our choice


class Radius(NamedTuple):
    """The confidence radius, see the module."""

    constant: float
    scale: float
    confidence: float
    start: float
    floor: float


class Play(NamedTuple):
    """The state of a run."""

    features: Array  # (K, d)
    columns: Array  # (d, K), the same
    means: Array  # (K,)
    gaps: Array  # (K,) to the best mean
    gram: Array  # (d, d) V
    target: Array  # (d,) u
    theta: Array  # (d,)
    solved: Array  # (d, d) factor of V, or its inverse where V carries no noise or is not positive definite
    half: Array  # (d, K) L^-1 x
    squared: Array  # (K,) x' V^-1 x
    nodes: Array  # (levels, d + d (d + 1) / 2) noise of the tree, level by level; or noise drawn once
    plays: Array  # (K,) int64
    state: Array  # (outputs,)
    trace: Array  # (checkpoints, outputs)


@kernel
def run(
    rng: Generator,
    features: Array,
    theta: Array,
    batch: int,
    ridge: float,
    radius: Radius,
    protocol: Protocol,
    checkpoints: Array,
) -> Array:
    """One run; see the module. Returns the trace (len(checkpoints), len(OUTPUTS))."""
    horizon = checkpoints[-1]
    play = open_play(rng, features, theta, ridge, protocol, horizon // batch, checkpoints)
    now, row = 0, 0
    while now < horizon:
        arm = choose(play, radius, now)
        end = min(now + batch, horizon)
        ones = 0
        while now < end:
            stop = min(end, checkpoints[row])
            ones += pull(rng, play, arm, stop - now)
            now = stop
            if now == checkpoints[row]:
                record(play, row)
                row += 1
        if (now % batch) == 0 and now < horizon:
            release(rng, play, protocol, arm, ones, batch)
    return play.trace


@kernel
def open_play(
    rng: Generator, features: Array, theta: Array, ridge: float, protocol: Protocol, batches: int, checkpoints: Array
) -> Play:
    """The state before the first round."""
    arms, d = features.shape
    entries = d + d * (d + 1) // 2
    means = probabilities(features, theta)
    levels = 0
    if protocol.kind == TREE:
        levels = 1 + math.floor(math.log2(max(batches, 1)))
    elif protocol.kind == FROZEN:
        levels = math.floor(math.log(checkpoints[-1])) + 1
    play = Play(
        features,
        features.T.copy(),
        means,
        np.max(means) - means,
        ridge * np.eye(d),
        np.zeros(d),
        np.zeros(d),
        np.eye(d) / ridge,
        np.zeros((d, arms)),
        np.zeros(arms),
        np.zeros((levels, entries)),
        np.zeros(arms, np.int64),
        np.zeros(len(OUTPUTS)),
        np.empty((len(checkpoints), len(OUTPUTS))),
    )
    if protocol.kind == FROZEN:
        for level in range(levels):
            draw_noise(rng, protocol, d, 1.0, play.nodes[level])
    refresh(play, protocol)
    return play


@kernel
def choose(play: Play, radius: Radius, now: int) -> int:
    """L1."""
    d = len(play.target)
    beta = radius.constant
    if radius.scale > 0.0:
        beta += radius.scale * math.sqrt(radius.confidence + d * math.log(radius.start + now / (d * radius.floor)))
    best, arm = -np.inf, 0
    for a in range(len(play.squared)):
        if play.squared[a] < 0.0:
            play.state[NEGATIVE] += 1.0
            return a
        value = beta * math.sqrt(play.squared[a])
        for i in range(d):
            value += play.columns[i, a] * play.theta[i]
        if value > best:
            best, arm = value, a
    return arm


@kernel
def pull(rng: Generator, play: Play, arm: int, count: int) -> int:
    """Play an arm `count` times; how many rewards were 1. The best arm's rewards are drawn for the realised regret."""
    mean = play.means[arm]
    top = 0 if play.gaps[arm] == 0.0 else count
    if count == 1:
        ones = 1 if rng.random() < mean else 0
        best = 1 if top > 0 and rng.random() < mean + play.gaps[arm] else 0
    else:
        ones = rng.binomial(count, mean)
        best = rng.binomial(count, mean + play.gaps[arm]) if top > 0 else 0
    play.plays[arm] += count
    if top > 0:
        play.state[REALISED] += best - ones
    return ones


@kernel
def record(play: Play, row: int) -> None:
    """Write one checkpoint, the pseudo-regret from the integer pull counts."""
    regret = 0.0
    for a in range(len(play.gaps)):
        regret += play.plays[a] * play.gaps[a]
    play.state[0] = regret
    play.trace[row] = play.state
    play.trace[row, GROWING] /= max(1.0, play.state[UPDATES])


@kernel
def collect(play: Play, x: Array, ones: int, batch: int) -> None:
    """Add the sums of a batch of one arm to u and the lower triangle of V."""
    for i in range(len(x)):
        play.target[i] += ones * x[i]
        for j in range(i + 1):
            play.gram[i, j] += batch * (x[i] * x[j])


@kernel
def release(rng: Generator, play: Play, protocol: Protocol, arm: int, ones: int, batch: int) -> None:
    """L3 after a batch of one arm."""
    d = len(play.target)
    x = play.features[arm]
    play.state[UPDATES] += 1.0
    if protocol.kind == NO_NOISE:
        collect(play, x, ones, batch)
        if play.state[UPDATES] % REFRESH == 0.0:
            refresh(play, protocol)
        else:
            rank_one(play, x, arm, 1.0 / batch)
        play.state[GROWING] += 1.0
        return
    before = play.gram.copy()
    if protocol.kind == VECTOR_SUM:
        add(play, vector_sum(rng, protocol, x, ones, batch), 1.0)
    else:
        collect(play, x, ones, batch)
        noise = np.empty(play.nodes.shape[1])
        if protocol.kind == GAUSSIAN:
            draw_noise(rng, protocol, d, math.sqrt(batch), noise)
            add(play, noise, 1.0)
        elif protocol.kind == TREE:
            grow_tree(rng, play, protocol, int(play.state[UPDATES]))
        else:
            t = play.state[UPDATES] * batch
            used = math.floor(math.log(1.0 + t - batch)) + 1 if t > batch else 0
            for level in range(used, min(math.floor(math.log(1.0 + t)) + 1, len(play.nodes))):
                add(play, play.nodes[level], 1.0)
    for i in range(d):
        for j in range(i + 1):
            before[i, j] = play.gram[i, j] - before[i, j]
    if try_cholesky(before, np.zeros((d, d))):
        play.state[GROWING] += 1.0
    refresh(play, protocol)


@kernel
def grow_tree(rng: Generator, play: Play, protocol: Protocol, leaf: int) -> None:
    """Close leaf `leaf` = 1, 2, ...: its node at the level of its lowest set bit is drawn, those below are dropped."""
    level = 0
    while (leaf >> level) & 1 == 0:
        add(play, play.nodes[level], -1.0)
        play.nodes[level] = 0.0
        level += 1
    draw_noise(rng, protocol, len(play.target), 1.0, play.nodes[level])
    add(play, play.nodes[level], 1.0)


@kernel
def add(play: Play, entries: Array, sign: float) -> None:
    """Add the vector and the lower triangle to u and V."""
    d = len(play.target)
    for i in range(d):
        play.target[i] += sign * entries[i]
    k = d
    for i in range(d):
        for j in range(i + 1):
            play.gram[i, j] += sign * entries[k]
            k += 1


@kernel
def rank_one(play: Play, x: Array, arm: int, weight: float) -> None:
    """V + x x' / weight: its inverse, the squared widths and theta (Sherman and Morrison)."""
    d = len(x)
    h = np.zeros(d)
    for i in range(d):
        for j in range(d):
            h[i] += play.solved[i, j] * x[j]
    scale = 1.0 / (weight + play.squared[arm])
    for i in range(d):
        play.theta[i] = 0.0
        for j in range(d):
            play.solved[i, j] -= scale * h[i] * h[j]
            play.theta[i] += play.solved[i, j] * play.target[j]
    overlap = play.half[0]
    overlap[:] = 0.0
    for i in range(d):
        for a in range(len(overlap)):
            overlap[a] += play.columns[i, a] * h[i]
    for a in range(len(overlap)):
        play.squared[a] = max(0.0, play.squared[a] - scale * overlap[a] * overlap[a])


@kernel
def refresh(play: Play, protocol: Protocol) -> None:
    """theta and all x' V^-1 x from V itself: by its triangular factor, or by its inverse where it has none."""
    solved = play.solved
    definite = try_cholesky(play.gram, solved)
    if definite:
        substitute(solved, play.target, play.theta)
    else:
        play.state[INDEFINITE] += 1.0
        inverse(play.gram, solved)
        for i in range(len(play.target)):
            play.theta[i] = dot(solved[i], play.target)
    squares(play.columns, solved, definite, play.half, play.squared)
    if definite and protocol.kind == NO_NOISE:
        inverse(play.gram, solved)
