"""No algorithm: asymptotic lower bounds on the regret of consistent ones, for disjoint super arms.

    L1  Theorem 6 of Chen et al. (arXiv 2006.00706), and with one arm a super arm Theorem 5, eps-LDP:
            (m - K) K ln t / (64 (e^eps - 1)^2 Delta)
    L2  `channel` 1, one arm a super arm, for outcomes seen through Lap(1 / eps) (Lai and Robbins 1985):
            sum over arms below the best of  gap ln t / KL(what is seen of the arm, of the best)
    L3  `open` 1: the same for outcomes seen as they are

At every checkpoint t. No consistent algorithm has a smaller limit of regret / ln t; at one given t a regret may lie
below.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.semi_bandit_rate import smallest_gap
from dpbandits.decision_sets.problem import LISTED, Problem
from dpbandits.jit import kernel
from dpbandits.semi_bandit_floors import bernoulli_floor, channel_floor, local_floor

OUTPUTS = ("regret",)


@dataclass(frozen=True)
class Params:
    """Constants of the bounds, in the order in which `run` takes them."""

    eps: float
    channel: int
    open: int


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one point of a grid."""
    return Params(setting["eps"], int(setting["channel"]), int(setting["open"]))


@kernel
def run(rng: Generator, problem: Problem, eps: float, channel: int, open: int, checkpoints: np.ndarray) -> np.ndarray:
    """The bound at the checkpoints, (len(checkpoints), 1); nothing is drawn.

    Raises
    ------
    ValueError
        Super arms share arms or, for L2 and L3, have more than one.
    """
    if problem.kind != LISTED or problem.joins.any() or (problem.size > 1 and (channel or open)):
        raise ValueError("no such lower bound for this decision set")
    arms, best = len(problem.means), np.max(problem.means)
    slope = local_floor(eps, smallest_gap(problem), arms, problem.size, 1.0)  # L1
    if channel or open:
        slope = 0.0
        for i in range(arms):
            if problem.means[i] < best:
                mean = problem.means[i]
                slope += channel_floor(mean, best, eps) if channel else bernoulli_floor(mean, best)  # L2, L3
    trace = np.empty((len(checkpoints), 1))
    for k in range(len(checkpoints)):
        trace[k, 0] = slope * math.log(checkpoints[k])
    return trace


def run_literal(
    rng: Generator, problem: Problem, eps: float, channel: int, open: int, checkpoints: np.ndarray
) -> np.ndarray:
    """The same by quadrature of the densities, (len(checkpoints),)."""
    means, log_t = problem.means, np.log(checkpoints)
    best = means.max()
    if channel:
        y = np.linspace(-60 / eps, 1 + 60 / eps, 400_001)

        def density(x: float) -> np.ndarray:
            return 0.5 * eps * ((1 - x) * np.exp(-eps * np.abs(y)) + x * np.exp(-eps * np.abs(y - 1)))

        kl = [np.trapezoid(density(x) * np.log(density(x) / density(best)), y) for x in means if x < best]
    elif open:
        kl = [x * math.log(x / best) + (1 - x) * math.log((1 - x) / (1 - best)) for x in means if x < best]
    else:
        K, m = problem.size, len(means)
        gap = (best - means.min()) * (K if problem.reward == 0 else 1)
        return (m - K) * K * log_t / (64 * (math.exp(eps) - 1) ** 2 * gap)
    return log_t * sum((best - x) / each for x, each in zip((x for x in means if x < best), kl, strict=True))
