"""Regret of an algorithm without chance: every estimate equals the mean, so that the bonuses alone decide.

The super arm of largest index is played for `BLOCK` times the updates of its least updated arm, at least one round.
For single arms this is within 3 % of the regret of the bonuses of the papers.
"""

import math
from typing import NamedTuple

import numpy as np

from dpbandits.algorithms.semi_bandit.super_arms import least_updated
from dpbandits.algorithms.semi_bandit.widths import Width, width_of
from dpbandits.base.jit import kernel
from dpbandits.environments.combinatorial.oracles.oracle import choose, mean_reward
from dpbandits.environments.combinatorial.problem import LISTED, Problem

BLOCK = 0.01  # rounds of a block, as a part of the updates of its least updated arm; source: our choice


class Block(NamedTuple):
    """Rounds with one super arm: number of its base arms, the least updated one, rounds, and their regret."""

    size: int
    least: int
    rounds: int
    regret: float


@kernel
def next_block(problem: Problem, n: np.ndarray, mu_bar: np.ndarray, left: int, S: np.ndarray) -> Block:
    """Write the base arms of Oracle(mu_bar) to S; return for how many of the rounds that are left it is played."""
    count = choose(problem, problem.reward, mu_bar, S)
    least = least_updated(n, S, count)
    rounds = min(max(1, int(BLOCK * n[least])), left)
    return Block(count, least, rounds, rounds * (problem.values[0] - mean_reward(problem, S, count)))


@kernel
def fluid_of_all(problem: Problem, bonus: Width, T: int) -> float:
    """Regret at horizon T if every round updates all base arms of S; NaN where super arms are not listed."""
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
    """Regret at horizon T if every round updates one arm of S, the least updated; NaN where super arms are not listed.

    The other arms of S gain no updates.
    """
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
    """Regret at horizon T for the bonus sqrt(factor ln t / n), all base arms of S updated; NaN as above."""
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
