"""A combinatorial semi-bandit problem for kernels: decision set, reward, means and joint distribution.

Base arms are 0 .. m - 1; a super arm is a set of at most K base arms. In each round every arm has an outcome 0 or 1.
The outcome of arm i is 1 if the uniform draw of its coin is below its mean; arms that share a coin are therefore
dependent. The mean reward of a super arm S is a function of the means of its arms:

    LINEAR      sum of mu_i
    BOTTLENECK  least mu_i; exact for arms that share one coin
    BEST_OF     largest mu_i; exact for arms that share one coin
    PRODUCT     product of mu_i; exact for independent arms
    COVERED     sum over right vertices v of 1 - prod (1 - mu_uv); exact for independent edges

Chen, Zheng, Zhou, Yang, Chen and Wang (arXiv 2006.00706), Section 2, with decision sets from the literature.
"""

from typing import NamedTuple

import numpy as np

LISTED, TOP, GRID, TREE, MATCHING, COVERAGE = range(6)
LINEAR, BOTTLENECK, BEST_OF, PRODUCT, COVERED = range(5)
REWARDS = {"linear": LINEAR, "bottleneck": BOTTLENECK, "best_of": BEST_OF, "product": PRODUCT}
"""Rewards by their names in the configuration; COVERED comes with its decision set."""
ROUNDING = 1e-12  # gaps up to this size are rounding errors; source: our choice


class Problem(NamedTuple):
    """One instance; arrays that the decision set does not use are empty.

    Attributes
    ----------
    kind : the decision set, LISTED to COVERAGE.
    reward : LINEAR to COVERED.
    size : K, number of base arms of the largest super arm.
    means : (m,) float64.
    coins : (m,) int64; arms of a super arm that share a coin are adjacent in the order of the oracle.
    own : (super arms, width) int64 of LISTED: base arms that only this super arm contains, at least one; padded by -1.
    common : (c,) int64 of LISTED: base arms that all joining super arms contain.
    joins : (super arms,) int64 of LISTED: 1 if the super arm also contains the common arms.
    ends : (m, 2) int64 of TREE, MATCHING and COVERAGE: the vertices of every edge; left and right vertex if the graph
        is bipartite.
    shape : (3,) int64: side of the GRID; number of vertices of TREE; left and right vertices of MATCHING; for COVERAGE
        these and the number of left vertices to pick.
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
    """Build a problem with arrays of the types that kernels are compiled for; omitted arrays are empty."""
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
