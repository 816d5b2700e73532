"""Disjoint super arms with equally many base arms: the instance of Theorem 6 of Chen et al. (arXiv 2006.00706).

With one base arm each they are the arms of an ordinary bandit. Linear reward: the base arms of a super arm have equal
outcomes in a round, and super arms are independent. Bottleneck: all arms share one coin. Super arms are in random
order, so that the oracle's tie-breaking favors none.
"""

import numpy as np
from numpy.random import Generator

from dpbandits.environments.base import SETS, Family, listed_base_arms
from dpbandits.environments.combinatorial.problem import LINEAR, LISTED, REWARDS, Problem, problem

FAMILY = Family(
    SETS,
    ("bad", "size", "gap", "reward"),
    refuses=True,
    words={"reward": ("linear", "bottleneck")},
    holds=listed_base_arms,
)


def draw(rng: Generator, bad: int, size: int, gap: float, reward: str) -> tuple[Problem]:
    """One super arm with means 0.5 and `bad` super arms with means 0.5 - gap, of `size` base arms each.

    Parameters
    ----------
    gap : gap of a base arm; the gap of a super arm is size * gap for the linear reward, and gap for the bottleneck.
    reward : `linear` or `bottleneck`.

    Raises
    ------
    ValueError
        0.5 - gap is negative.
    """
    if gap > 0.5:
        raise ValueError(f"means 0.5 - {gap:g} do not lie in [0, 1]")
    sets = bad + 1
    own = np.arange(sets * size).reshape(sets, size)
    means = np.full((sets, size), 0.5 - gap)
    means[rng.integers(sets)] = 0.5
    coins = np.repeat(np.arange(sets), size) if reward == "linear" else np.zeros(sets * size)
    best = 0.5 * size if REWARDS[reward] == LINEAR else 0.5
    return (
        problem(LISTED, REWARDS[reward], size, means.ravel(), coins, (best, best, best), own=own, joins=np.zeros(sets)),
    )
