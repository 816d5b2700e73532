"""No algorithm: a weighted sum of the rates in Table 1 of Chen et al., arXiv 2006.00706, to measure exponents against.

m arms, K of them in the largest super arm, Delta the smallest gap of a super arm; at every checkpoint t

    L1    others (m - K)  +  over_gap (m - K) / Delta
    L2  + log_over_gap (m - K) ln t / Delta  +  local_log_over_gap (m - K) ln t / (eps^2 Delta)

Weights are the constants that a table of rates leaves out.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields

import numpy as np
from numpy.random import Generator

from dpbandits.decision_sets.listed import members
from dpbandits.decision_sets.oracle import mean_reward
from dpbandits.decision_sets.problem import BOTTLENECK, LISTED, TOP, Problem
from dpbandits.jit import kernel

OUTPUTS = ("regret",)


@dataclass(frozen=True)
class Params:
    """Budget and weights of the rates, in the order in which `run` takes them."""

    eps: float
    others: float
    over_gap: float
    log_over_gap: float
    local_log_over_gap: float


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one point of a grid."""
    return Params(*(setting[field.name] for field in fields(Params)))


@kernel
def smallest_gap(problem: Problem) -> float:
    """Delta: of listed super arms; of all subsets, linear or bottleneck, by the next arm in the place of the last.

    Raises
    ------
    ValueError
        It is another decision set, or another reward of subsets.
    """
    if problem.kind == TOP and problem.reward <= BOTTLENECK:
        ordered = np.sort(problem.means)[::-1]
        return ordered[problem.size - 1] - ordered[problem.size]
    if problem.kind != LISTED:
        raise ValueError("the smallest gap of this decision set and reward is not known")
    found, chosen = math.inf, np.empty(problem.size, np.int64)
    for s in range(len(problem.own)):
        gap = problem.values[1] - mean_reward(problem, chosen, members(problem, s, chosen))
        if gap > 1e-12:
            found = min(found, gap)
    return found


@kernel
def run(
    rng: Generator,
    problem: Problem,
    eps: float,
    others: float,
    over_gap: float,
    log_over_gap: float,
    local_log_over_gap: float,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """The rate at the checkpoints, (len(checkpoints), 1); nothing is drawn."""
    count, gap = float(len(problem.means) - problem.size), smallest_gap(problem)
    trace = np.empty((len(checkpoints), 1))
    for k in range(len(checkpoints)):
        log_t = math.log(checkpoints[k])
        rate = others * count + over_gap * count / gap  # L1
        trace[k, 0] = rate + (log_over_gap + local_log_over_gap / (eps * eps)) * count * log_t / gap  # L2
    return trace


def run_literal(
    rng: Generator,
    problem: Problem,
    eps: float,
    others: float,
    over_gap: float,
    log_over_gap: float,
    local_log_over_gap: float,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """The same of listed super arms, as one product of weights and rates, (len(checkpoints),)."""
    sets = [
        [*own[own >= 0], *(problem.common if joins else [])]
        for own, joins in zip(problem.own, problem.joins, strict=True)
    ]
    rewards = np.array([(sum, min, max, math.prod)[problem.reward](problem.means[i] for i in s) for s in sets])
    gap = (rewards.max() - rewards)[rewards < rewards.max() - 1e-12].min()
    count, log_t = len(problem.means) - problem.size, np.log(checkpoints)
    rates = np.stack([np.full(len(log_t), 1.0), np.full(len(log_t), 1 / gap), log_t / gap, log_t / (eps**2 * gap)])
    return count * (np.array([others, over_gap, log_over_gap, local_log_over_gap]) @ rates)
