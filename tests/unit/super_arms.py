"""What the tests of super arms share: rewards in plain Python, and choices of the oracles as lists."""

import math
from itertools import combinations

import numpy as np

from dpbandits.environments.combinatorial.oracles import coverage, grid_paths, matchings, spanning_trees, top
from dpbandits.environments.combinatorial.problem import (
    BEST_OF,
    BOTTLENECK,
    COVERAGE,
    GRID,
    LINEAR,
    MATCHING,
    PRODUCT,
    TOP,
    TREE,
)

REWARDS = {LINEAR: sum, BOTTLENECK: min, BEST_OF: max, PRODUCT: math.prod}
UNTOUCHED = -7


def chosen_by(choose, index, *arguments, room=400):
    """The arms that an oracle writes; it touches nothing else."""
    chosen, before = np.full(room, UNTOUCHED), index.copy()
    count = choose(index, *arguments, chosen)
    assert (chosen[count:] == UNTOUCHED).all()
    assert np.array_equal(index, before)
    assert len(set(chosen[:count].tolist())) == count
    return chosen[:count].tolist()


def oracle_choice(problem, index):
    """What the oracle of a problem chooses."""
    left, right, picks = problem.shape.tolist()
    bottleneck = int(problem.reward == BOTTLENECK)
    choose, arguments = {
        TOP: (top.choose, (problem.size,)),
        GRID: (grid_paths.choose, (left, bottleneck)),
        TREE: (spanning_trees.choose, (problem.ends, left)),
        MATCHING: (matchings.choose, (left, right)),
        COVERAGE: (coverage.choose, (problem.ends, left, right, picks, 0)),
    }[problem.kind]
    return chosen_by(choose, index, *arguments)


def covered(vector, ends, arms):
    """Mean number of right vertices that the edges `arms` reach."""
    by_vertex = {}
    for arm in arms:
        by_vertex.setdefault(int(ends[arm][1]), []).append(1 - vector[arm])
    return sum(1 - math.prod(missed) for missed in by_vertex.values())


def reward_at(problem, vector, arms):
    """Mean reward of a super arm of a problem at any vector of means."""
    if problem.kind == COVERAGE:
        return covered(vector.tolist(), problem.ends.tolist(), arms)
    return REWARDS[problem.reward](vector[list(arms)].tolist())


def is_tree(edges, vertices):
    """Whether edges (pairs of vertices) are a spanning tree."""
    part = list(range(vertices))
    for u, v in edges:
        if part[u] == part[v]:
            return False
        part = [part[u] if p == part[v] else p for p in part]
    return len(set(part)) == 1


def all_trees(ends, vertices):
    """Arms of every spanning tree."""
    return [
        arms for arms in combinations(range(len(ends)), vertices - 1) if is_tree([ends[arm] for arm in arms], vertices)
    ]


def all_paths(side):
    """Arms of every path through a grid, in their order, found from the picture of its edges."""
    number = {tuple(edge): arm for arm, edge in enumerate(grid_paths.ends_of(side).tolist())}
    paths = []
    for downs in combinations(range(2 * side), side):
        vertex, path = 0, []
        for step in range(2 * side):
            after = vertex + (side + 1 if step in downs else 1)
            path.append(number[vertex, after])
            vertex = after
        paths.append(path)
    return paths
