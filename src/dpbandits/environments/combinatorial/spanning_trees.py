"""Spanning trees of a complete graph: the edges of one tree have mean 1/2, all others lie a gap below.

The best tree is uniformly random, by the bijection of trees on n vertices with sequences of n - 2 vertices (Pruefer
1918). Edges are numbered in random order, because ties are broken in favor of the lowest arm.
"""

from itertools import combinations

import numpy as np
from numpy.random import Generator

from dpbandits.environments.base import SETS, Family
from dpbandits.environments.combinatorial.planted import planted
from dpbandits.environments.combinatorial.problem import BOTTLENECK, LINEAR, TREE, Problem

FAMILY = Family(SETS, ("vertices", "gap", "reward"), refuses=True, words={"reward": ("linear", "bottleneck")})


def draw(rng: Generator, vertices: int, gap: float, reward: str) -> tuple[Problem]:
    """The problem of the complete graph on `vertices` vertices.

    Raises
    ------
    ValueError
        There is only one tree, there is no oracle for the reward, or the gap is not in (0, 1/2].
    """
    if vertices < 3:
        raise ValueError(f"a graph on {vertices} vertices has at most one spanning tree")
    tree = tree_of(rng.integers(vertices, size=vertices - 2))
    ends = rng.permutation(np.array(list(combinations(range(vertices), 2))))
    best = np.array([arm for arm, (u, v) in enumerate(ends.tolist()) if (u, v) in tree])
    return (planted(TREE, (LINEAR, BOTTLENECK), reward, best, len(ends), gap, ends=ends, shape=(vertices,)),)


def tree_of(code: np.ndarray) -> set[tuple[int, int]]:
    """Edges, lower vertex first, of the tree on len(code) + 2 vertices with this Pruefer code.

    Each vertex of the code in turn is joined to the lowest leaf, which is then removed. The last two vertices are
    joined at the end.
    """
    vertices = len(code) + 2
    degrees = 1 + np.bincount(code, minlength=vertices)
    edges = set()
    for vertex in code.tolist():
        leaf = int(np.argmax(degrees == 1))
        edges.add((min(leaf, vertex), max(leaf, vertex)))
        degrees[leaf] -= 1
        degrees[vertex] -= 1
    one, other = np.flatnonzero(degrees == 1).tolist()
    return edges | {(one, other)}
