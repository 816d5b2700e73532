"""Asymptotic lower bounds on the regret of consistent algorithms, for disjoint super arms.

    L1  Theorem 6 of Chen et al. (arXiv 2006.00706), and with one arm a super arm Theorem 5, eps-LDP:
            (m - K) K ln t / (64 (e^eps - 1)^2 Delta)
    L2  `channel: true`, one arm a super arm, for outcomes seen through Lap(1 / eps) (Lai and Robbins 1985):
            sum over arms below the best of  gap ln t / KL(what is seen of the arm, of the best)
    L3  `nonprivate: true`: the same for outcomes seen as they are

After every round t. No consistent algorithm has a smaller limit of regret / ln t; at one given t a regret may lie
below.
"""

import math
from collections.abc import Mapping

import numpy as np

from dpbandits.base.entries import SWITCH, Look
from dpbandits.environments.base import SETS
from dpbandits.environments.combinatorial.problem import LISTED, Problem
from dpbandits.theory.base import Bound
from dpbandits.theory.semi_bandit_lower_bounds import bernoulli_lower_bound, channel_lower_bound, local_lower_bound
from dpbandits.theory.semi_bandit_rate import smallest_gap

BOUND = Bound(
    label="Lower bound",
    short="lower bound",
    reference="Chen et al. 2020, Theorems 5 and 6; Lai and Robbins 1985",
    arms=SETS,
    look=Look("", ":"),
    looks={"channel": Look("", "-.")},
    weights={"channel": SWITCH, "nonprivate": SWITCH},
)


def regret(instance: tuple[Problem], setting: Mapping[str, float], rounds: np.ndarray) -> np.ndarray:
    """The bound after some rounds, (len(rounds),).

    Raises
    ------
    ValueError
        Super arms share arms or, for L2 and L3, have more than one.
    """
    (problem,) = instance
    seen = bool(setting["channel"] or setting["nonprivate"])
    if problem.kind != LISTED or problem.joins.any() or (problem.size > 1 and seen):
        raise ValueError("no such lower bound for this decision set")
    best, eps = float(np.max(problem.means)), setting["eps"]
    slope = local_lower_bound(eps, float(smallest_gap(problem)), len(problem.means), problem.size, 1.0)  # L1
    if seen:
        slope = 0.0
        for mean in problem.means.tolist():
            if mean < best:
                channel = bool(setting["channel"])
                slope += (
                    channel_lower_bound(mean, best, eps) if channel else bernoulli_lower_bound(mean, best)
                )  # L2, L3
    return np.array([slope * math.log(t) for t in rounds])
