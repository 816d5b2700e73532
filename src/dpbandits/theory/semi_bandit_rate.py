"""A weighted sum of the rates in Table 1 of Chen et al., arXiv 2006.00706, to measure exponents against.

m arms, K of them in the largest super arm, Delta the smallest gap of a super arm; after every round t

    L1    others (m - K)  +  over_gap (m - K) / Delta
    L2  + log_over_gap (m - K) ln t / Delta  +  local_log_over_gap (m - K) ln t / (eps^2 Delta)

Weights are the constants that a table of rates leaves out.
"""

import math
from collections.abc import Mapping

import numpy as np

from dpbandits.base.entries import NOT_NEGATIVE, Look
from dpbandits.base.jit import kernel
from dpbandits.environments.base import SETS
from dpbandits.environments.combinatorial.oracles.listed import members
from dpbandits.environments.combinatorial.oracles.oracle import mean_reward
from dpbandits.environments.combinatorial.problem import BOTTLENECK, LISTED, TOP, Problem
from dpbandits.theory.base import Bound

WEIGHTS = ("others", "over_gap", "log_over_gap", "local_log_over_gap")
BOUND = Bound(
    label="Rate of a theorem",
    short="rate",
    reference="Chen et al. 2020, Table 1",
    arms=SETS,
    look=Look("", ":"),
    looks={"leading_local": Look("", "-.")},
    weights=dict.fromkeys(WEIGHTS, NOT_NEGATIVE),
)


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


def regret(instance: tuple[Problem], setting: Mapping[str, float], rounds: np.ndarray) -> np.ndarray:
    """The rate after some rounds, (len(rounds),); raises ValueError as `smallest_gap`."""
    (problem,) = instance
    count, gap, eps = float(len(problem.means) - problem.size), float(smallest_gap(problem)), setting["eps"]
    fixed = setting["others"] * count + setting["over_gap"] * count / gap  # L1
    growing = setting["log_over_gap"] + setting["local_log_over_gap"] / (eps * eps)
    return np.array([fixed + growing * count * math.log(t) / gap for t in rounds])  # L2
