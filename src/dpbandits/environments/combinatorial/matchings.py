"""Matchings of a complete bipartite graph: the edges of one have mean 1/2, all others lie a gap below; linear reward.

The best matching is uniformly random, so that tie-breaking does not favor it.
"""

import numpy as np
from numpy.random import Generator

from dpbandits.environments.base import SETS, Family
from dpbandits.environments.combinatorial.planted import planted
from dpbandits.environments.combinatorial.problem import LINEAR, MATCHING, Problem

FAMILY = Family(SETS, ("left", "right", "gap"), refuses=True)


def draw(rng: Generator, left: int, right: int, gap: float) -> tuple[Problem]:
    """The problem of matching all `left` vertices to distinct `right` vertices; edge (l, r) is arm l * `right` + r.

    Raises
    ------
    ValueError
        There are more left than right vertices, there is only one edge, or the gap is not in (0, 1/2].
    """
    if not 1 <= left <= right or right < 2:
        raise ValueError(f"{left} left and {right} right vertices leave no choice of matchings")
    arms = np.arange(left * right)
    best = np.arange(left) * right + rng.permutation(right)[:left]
    ends = np.column_stack(np.divmod(arms, right))
    return (planted(MATCHING, (LINEAR,), "linear", best, len(arms), gap, ends=ends, shape=(left, right)),)
