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
from dpbandits.algorithms.linucb_server import Server, add, collect, grew, open_server, rank_one, refresh
from dpbandits.environments.bernoulli_linear import probabilities
from dpbandits.jit import inlined, kernel
from dpbandits.linalg import inverse

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
    horizon, d = checkpoints[-1], features.shape[1]
    means = probabilities(features, theta)
    top = np.max(means)
    server = opened(rng, features, ridge, protocol, horizon // batch, horizon)
    plays, state = np.zeros(len(means), np.int64), np.zeros(len(OUTPUTS))
    trace = np.empty((len(checkpoints), len(OUTPUTS)))
    now, row = 0, 0
    while now < horizon:
        arm, negative = choose(server, len(means), width(radius, d, now))
        state[NEGATIVE] += negative
        end = min(now + batch, horizon)
        ones = 0
        while now < end:
            stop = min(end, checkpoints[row])
            won, best = rewards(rng, stop - now, means[arm], top)
            ones += won
            state[REALISED] += best - won
            plays[arm] += stop - now
            now = stop
            if now == checkpoints[row]:
                record(trace[row], state, plays, means)
                row += 1
        if (now % batch) == 0 and now < horizon:
            definite, growing = release(rng, server, protocol, features[arm], arm, ones, batch, int(state[UPDATES]))
            state[UPDATES] += 1.0
            state[INDEFINITE] += not definite
            state[GROWING] += growing
    return trace


@kernel
def opened(rng: Generator, features: Array, ridge: float, protocol: Protocol, batches: int, horizon: int) -> Server:
    """The server before the first round, with its noise where that is drawn once."""
    levels = 0
    if protocol.kind == TREE:
        levels = 1 + math.floor(math.log2(max(batches, 1)))
    elif protocol.kind == FROZEN:
        levels = math.floor(math.log(horizon)) + 1
    server = open_server(features, ridge, levels)
    if protocol.kind == FROZEN:
        for level in range(levels):
            draw_noise(rng, protocol, features.shape[1], 1.0, server.nodes[level])
    return server


@kernel
def width(radius: Radius, d: int, now: int) -> float:
    """beta after `now` rounds in closed batches."""
    if not radius.scale > 0.0:
        return radius.constant
    inside = radius.confidence + d * math.log(radius.start + now / (d * radius.floor))
    return radius.constant + radius.scale * math.sqrt(inside)


@inlined
def choose(server: Server, arms: int, beta: float) -> tuple[int, bool]:
    """L1 among so many arms, and whether the one chosen is played for its negative width."""
    estimates, squared, values = server.estimates, server.squared, server.values
    negative = 0
    for a in range(arms):
        negative += squared[a] < 0.0
    if negative > 0:
        return int(np.argmax(squared < 0.0)), True
    for a in range(arms):
        values[a] = estimates[a] + beta * math.sqrt(squared[a])
    best, arm = -np.inf, 0
    for a in range(arms):
        if values[a] > best:
            best, arm = values[a], a
    return arm, False


@kernel
def rewards(rng: Generator, count: int, mean: float, top: float) -> tuple[int, int]:
    """How many of so many rewards were 1, and how many of as many of the best arm: the same for the best arm itself."""
    if count == 1:
        ones = 1 if rng.random() < mean else 0
        return ones, (1 if rng.random() < top else 0) if mean < top else ones
    ones = rng.binomial(count, mean)
    return ones, rng.binomial(count, top) if mean < top else ones


@kernel
def record(row: Array, state: Array, plays: Array, means: Array) -> None:
    """Write one checkpoint, the pseudo-regret from the integer pull counts."""
    regret, top = 0.0, np.max(means)
    for a in range(len(means)):
        regret += plays[a] * (top - means[a])
    row[:] = state
    row[0] = regret
    row[GROWING] /= max(1.0, state[UPDATES])


@inlined
def release(
    rng: Generator, server: Server, protocol: Protocol, x: Array, arm: int, ones: int, batch: int, released: int
) -> tuple[bool, bool]:
    """L3 after a batch of one arm, so many batches having been released before.

    Returns
    -------
    Whether V is positive definite, and whether it is larger than before in every direction.
    """
    d, leaf = len(x), released + 1
    gram, target = server.gram, server.target
    if protocol.kind == NO_NOISE:
        collect(gram, target, x, ones, batch)
        if leaf % REFRESH == 0:
            refresh(server)
            inverse(gram, server.solved)
        else:
            rank_one(server, x, arm, 1.0 / batch)
        return True, True
    before = server.before
    for i in range(d):
        old, new = before[i], gram[i]
        for j in range(d):
            old[j] = new[j]
    if protocol.kind == VECTOR_SUM:
        add(gram, target, vector_sum(rng, protocol, x, ones, batch), 1.0)
    else:
        collect(gram, target, x, ones, batch)
        if protocol.kind == GAUSSIAN:
            draw_noise(rng, protocol, d, math.sqrt(batch), server.noise)
            add(gram, target, server.noise, 1.0)
        elif protocol.kind == TREE:
            grow_tree(rng, server, protocol, leaf)
        else:
            t = float(leaf * batch)
            used = math.floor(math.log(1.0 + t - batch)) + 1 if t > batch else 0
            for level in range(used, min(math.floor(math.log(1.0 + t)) + 1, len(server.nodes))):
                add(gram, target, server.nodes[level], 1.0)
    growing = grew(gram, server.before, server.factor)
    return refresh(server), growing


@kernel
def grow_tree(rng: Generator, server: Server, protocol: Protocol, leaf: int) -> None:
    """Close leaf `leaf` = 1, 2, ...: its node at the level of its lowest set bit is drawn, those below are dropped."""
    level = 0
    while (leaf >> level) & 1 == 0:
        add(server.gram, server.target, server.nodes[level], -1.0)
        server.nodes[level] = 0.0
        level += 1
    draw_noise(rng, protocol, len(server.target), 1.0, server.nodes[level])
    add(server.gram, server.target, server.nodes[level], 1.0)
