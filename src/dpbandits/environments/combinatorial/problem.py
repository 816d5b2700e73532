"""A combinatorial semi-bandit problem as kernels read it: decision set, reward, means, and the joint distribution of a
round.

Base arms are 0 .. m - 1; a super arm is a set of at most K of them. In a round every arm shows 0 or 1; arm i shows 1
when the uniform draw of its coin is below its mean, so that arms of one coin move together. The mean reward of a super
arm S is a function of the means of its arms:

    LINEAR      sum of mu_i
    BOTTLENECK  least mu_i; exact for arms of one coin
    BEST_OF     largest mu_i; exact for arms of one coin
    PRODUCT     product of mu_i; exact for independent arms
    COVERED     sum over right vertices v of 1 - prod (1 - mu_uv); exact for independent edges

Chen, Zheng, Zhou, Yang, Chen and Wang (arXiv 2006.00706), Section 2, with the decision sets of the literature.
"""

from typing import NamedTuple

import numpy as np

LISTED, TOP, GRID, TREE, MATCHING, COVERAGE = range(6)
LINEAR, BOTTLENECK, BEST_OF, PRODUCT, COVERED = range(5)
REWARDS = {"linear": LINEAR, "bottleneck": BOTTLENECK, "best_of": BEST_OF, "product": PRODUCT}
"""Rewards by their names in the configuration; COVERED comes with its decision set."""
ROUNDING = 1e-12  # a gap up to this is rounding; source: our choice


class Problem(NamedTuple):
    """One instance; arrays that the decision set does not use are empty.

    Attributes
    ----------
    kind : the decision set, LISTED to COVERAGE.
    reward : LINEAR to COVERED.
    size : K, base arms of the largest super arm.
    means : (m,) float64.
    coins : (m,) int64; arms of a super arm with the same coin stand next to each other in the order of the oracle.
    own : (super arms, width) int64 of LISTED: base arms of each super arm alone, at least one; -1 after them.
    common : (c,) int64 of LISTED: arms of all super arms that join.
    joins : (super arms,) int64 of LISTED: 1 where the common arms belong to it as well.
    ends : (m, 2) int64 of TREE, MATCHING and COVERAGE: the vertices of every edge, left and right where there are two
        sides.
    shape : (3,) int64: side of the GRID; vertices of the graph of TREE; left and right vertices of MATCHING; of
        COVERAGE these and the number of left vertices that are picked.
    values : (3,) float64: alpha times the best mean reward, the best mean reward, and that of the super arm which the
        oracle finds at the true means.
    """

    kind: int
    reward: int
    size: int
    means: np.ndarray
    coins: np.ndarray
    own: np.ndarray
    common: np.ndarray
    joins: np.ndarray
    ends: np.ndarray
    shape: np.ndarray
    values: np.ndarray


def problem(
    kind: int,
    reward: int,
    size: int,
    means: np.ndarray,
    coins: np.ndarray,
    values: tuple[float, float, float],
    own: np.ndarray | None = None,
    common: np.ndarray | None = None,
    joins: np.ndarray | None = None,
    ends: np.ndarray | None = None,
    shape: tuple[int, ...] = (),
) -> Problem:
    """A problem with arrays of the types that kernels are compiled for; what is not given is empty."""
    whole = np.zeros(3, np.int64)
    whole[: len(shape)] = shape
    return Problem(
        kind,
        reward,
        size,
        np.ascontiguousarray(means, np.float64),
        np.ascontiguousarray(coins, np.int64),
        np.ascontiguousarray(np.zeros((0, 0)) if own is None else own, np.int64),
        np.ascontiguousarray(np.zeros(0) if common is None else common, np.int64),
        np.ascontiguousarray(np.zeros(0) if joins is None else joins, np.int64),
        np.ascontiguousarray(np.zeros((0, 2)) if ends is None else ends, np.int64),
        whole,
        np.array(values, np.float64),
    )
