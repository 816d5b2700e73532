"""DP-IMED: Azize, Wu, Honda, Orabona, Ito and Basu, arXiv 2505.05613.

Input: eps, the ratio a > 1 by which the pulls of an arm grow, the length b of its first batch in units of 1/eps.

    L1  pull every arm j b/eps times, once at least;  S_j = sum of these rewards + Lap(1/eps),  n_j = their number
    L2  whenever a batch has ended:
    L3      p_j = S_j / n_j, clipped to [0, 1];  p = max_j p_j
    L4      i minimises  n_j d_eps(p_j, p) + ln n_j;  of several, any with equal probability
    L5      pull i until it has been pulled a n_i times, whatever happens, once at least
    L6      S_i += sum of the rewards of this batch + Lap(1/eps);  n_i = all its pulls so far

d_eps(x, y) = inf over z between x and y of eps |z - x| + kl(z, y), see `kl`; 0 at x = y. Deviations, privacy and cost
are those of `dp_kl_ucb`. Ties have positive probability: p_j is clipped, and n_j takes few values.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.dp_kl_ucb import divergence
from dpbandits.algorithms.play import OUTPUTS as OUTPUTS
from dpbandits.algorithms.play import decided, open_play, pull, released
from dpbandits.algorithms.private_means import (
    clipped,
    first_batch_length,
    next_batch_length,
    noised_sum,
)
from dpbandits.algorithms.ties import largest_of
from dpbandits.jit import formula, kernel
from dpbandits.kl import private_kl
from dpbandits.privacy.mechanisms import laplace


@dataclass(frozen=True)
class Params:
    """Constants of the algorithm, in the order in which `run` takes them."""

    eps: float
    ratio: float  # a
    first_batch: float  # b, in units of 1/eps; 0: one pull


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one point of a grid."""
    return Params(setting["eps"], setting["ratio"], setting["first_batch"])


@formula
def index(mean: float, largest: float, n: int, eps: float) -> float:
    """The index of an arm, L4, from clipped means."""
    return n * private_kl(mean, largest, eps) + math.log(n)


@kernel
def least_index(rng: Generator, total: np.ndarray, n: np.ndarray, eps: float) -> int:
    """The arm of L4."""
    largest = 0.0
    for j in range(len(n)):
        largest = max(largest, clipped(total[j] / n[j]))  # L3
    values = np.empty(len(n))
    for j in range(len(n)):
        values[j] = -index(clipped(total[j] / n[j]), largest, n[j], eps)
    return largest_of(rng, values)


@kernel
def run(
    rng: Generator, means: np.ndarray, eps: float, ratio: float, first_batch: float, checkpoints: np.ndarray
) -> np.ndarray:
    """One run; see the module. Returns the trace (len(checkpoints), len(OUTPUTS))."""
    arms, horizon = len(means), checkpoints[-1]
    play = open_play(means, checkpoints)
    total, n, now = np.zeros(arms), np.zeros(arms, np.int64), 0
    while now < horizon:  # L2
        i = int(np.argmin(n))
        if n[i] == 0:
            length = first_batch_length(first_batch, eps)  # L1
        else:
            i = least_index(rng, total, n, eps)  # L4
            length = next_batch_length(n[i], ratio)
            decided(play)
        now = pull(play, i, length, now)  # L5
        if now < horizon:
            total[i] += noised_sum(rng, means[i], length, eps)  # L6
            n[i] += length
            released(play, 1)
    return play.trace


def run_literal(
    rng: Generator, means: np.ndarray, eps: float, ratio: float, first_batch: float, checkpoints: np.ndarray
) -> np.ndarray:
    """The same, round by round; returns the regret at the checkpoints, (len(checkpoints),)."""
    arms, gaps = len(means), means.max() - means
    s, n, pulls = np.zeros(arms), np.zeros(arms), np.zeros(arms, dtype=int)
    i, until, batch, regret, regrets = 0, 0, 0.0, 0.0, []
    for _ in range(checkpoints[-1]):
        if pulls[i] == until:  # L2
            if not pulls.all():
                i = int(np.flatnonzero(pulls == 0)[0])
                until = max(1, math.ceil(first_batch / eps - 1e-9))  # L1
            else:
                p = np.clip(s / n, 0, 1)  # L3
                d = [0.0 if x == p.max() else boundary(x, p.max(), eps) for x in p]
                indices = n * d + np.log(n)
                i = int(rng.choice(np.flatnonzero(indices == indices.min())))  # L4
                until = max(pulls[i] + 1, math.ceil(ratio * pulls[i] - 1e-9))
        batch += float(rng.random() < means[i])
        pulls[i] += 1
        if pulls[i] == until:
            s[i] += batch + laplace(rng, 1 / eps)  # L6
            n[i], batch = pulls[i], 0.0
        regret += gaps[i]
        regrets.append(regret)
    return np.array(regrets)[checkpoints - 1]


def boundary(x: float, y: float, eps: float) -> float:
    """For the transcription: d_eps(x, y) also at y = 1, where z = y is the only one with kl(z, y) finite."""
    return eps * abs(x - y) if y in (0.0, 1.0) else divergence(x, y, eps)
