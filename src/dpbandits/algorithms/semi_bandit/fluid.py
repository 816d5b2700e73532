"""Deterministic regret of an algorithm: every estimate equals its mean, so that only the bonuses matter.

The super arm with the largest index is played for `BLOCK` times the number of updates of its least updated arm, but at
least one round. For single arms, the result is within 3 % of the regret that the bonuses of the papers give.
"""

import math
from typing import NamedTuple

import numpy as np

from dpbandits.algorithms.semi_bandit.super_arms import least_updated
from dpbandits.algorithms.semi_bandit.widths import Width, width_of
from dpbandits.base.jit import kernel
from dpbandits.environments.combinatorial.oracles.oracle import choose, mean_reward
from dpbandits.environments.combinatorial.problem import LISTED, Problem

BLOCK = 0.01  # length of a block relative to the updates of its least updated arm; source: our choice


class Block(NamedTuple):
    """A block of rounds with one super arm: number of base arms, least updated arm, rounds, and regret."""

    size: int
    least: int
    rounds: int
    regret: float


@kernel
def next_block(problem: Problem, n: np.ndarray, mu_bar: np.ndarray, left: int, S: np.ndarray) -> Block:
    """Write the base arms of Oracle(mu_bar) to S; return the block, at most `left` rounds long."""
    count = choose(problem, problem.reward, mu_bar, S)
    least = least_updated(n, S, count)
    rounds = min(max(1, int(BLOCK * n[least])), left)
    return Block(count, least, rounds, rounds * (problem.values[0] - mean_reward(problem, S, count)))


@kernel
def fluid_of_all(problem: Problem, bonus: Width, T: int) -> float:
    """Regret at horizon T if every round updates all base arms of S; NaN if super arms are not listed."""
    if problem.kind != LISTED:
        return np.nan
    m = len(problem.means)
    n, mu_bar, S = np.zeros(m), np.ones(m), np.empty(problem.size, np.int64)
    regret, t = 0.0, 0
    while t < T:
        block = next_block(problem, n, mu_bar, T - t, S)
        t += block.rounds
        regret += block.regret
        for i in S[: block.size]:
            n[i] += block.rounds
            mu_bar[i] = min(problem.means[i] + width_of(n[i], bonus), 1.0)
    return regret


@kernel
def fluid_of_least(problem: Problem, bonus: Width, T: int) -> float:
    """Regret at horizon T if every round updates only the least updated arm of S; NaN if super arms are not listed."""
    if problem.kind != LISTED:
        return np.nan
    m = len(problem.means)
    n, mu_bar, S = np.zeros(m), np.ones(m), np.empty(problem.size, np.int64)
    regret, t = 0.0, 0
    while t < T:
        block = next_block(problem, n, mu_bar, T - t, S)
        t += block.rounds
        regret += block.regret
        n[block.least] += block.rounds
        mu_bar[block.least] = min(problem.means[block.least] + width_of(n[block.least], bonus), 1.0)
    return regret


@kernel
def fluid_of_growing(problem: Problem, factor: float, T: int) -> float:
    """Regret at horizon T for the bonus sqrt(factor ln t / n), updating all base arms of S; NaN as above."""
    if problem.kind != LISTED:
        return np.nan
    m = len(problem.means)
    n, mu_bar, S = np.zeros(m), np.ones(m), np.empty(problem.size, np.int64)
    regret, t = 0.0, 0
    while t < T:
        log_t = math.log(t + 1)
        for i in range(m):
            if n[i] > 0.0:
                mu_bar[i] = min(problem.means[i] + math.sqrt(factor * log_t / n[i]), 1.0)
        block = next_block(problem, n, mu_bar, T - t, S)
        t += block.rounds
        regret += block.regret
        for i in S[: block.size]:
            n[i] += block.rounds
    return regret
