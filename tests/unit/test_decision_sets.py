"""Oracles of super arms against libraries and enumeration, their rules for ties, and smoothness constants."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra, minimum_spanning_tree

from dpbandits.environments.combinatorial.oracles import coverage, grid_paths, matchings, spanning_trees, top
from dpbandits.environments.combinatorial.problem import (
    BEST_OF,
    BOTTLENECK,
    COVERAGE,
    COVERED,
    LINEAR,
    PRODUCT,
    TOP,
    problem,
)
from dpbandits.environments.combinatorial.smoothness import smoothness
from dpbandits.figures.papers import chen2020
from tests.shipped import shipped

from .super_arms import REWARDS, all_paths, all_trees, chosen_by, covered, is_tree, reward_at

COUNT = 1000
K4, K5, K8 = ([list(pair) for pair in itertools.combinations(range(n), 2)] for n in (4, 5, 8))
SPARSE = [[3, 0], [1, 4], [0, 1], [2, 1], [4, 0], [3, 2], [5, 1], [3, 4]]  # connected, not complete, in no order
BY_VERTEX = [[0, 1], [0, 2], [0, 4], [1, 0], [1, 1], [2, 3], [3, 2], [3, 3], [3, 4], [4, 0], [4, 2], [5, 1], [5, 3]]
NO_ORDER = [BY_VERTEX[arm] for arm in (7, 2, 11, 0, 5, 12, 9, 1, 3, 10, 6, 8, 4)]


def vectors(m, count=COUNT, seed=0):
    """Indices: of any value, with many exact ones, with few values and so many ties, all 1, all 0."""
    rng = np.random.default_rng([seed, m])
    found = rng.random((count, m))
    share = rng.random((count, 1))
    found = np.where((np.arange(count) % 4 == 1)[:, None] & (rng.random((count, m)) < share), 1.0, found)
    found = np.where((np.arange(count) % 4 >= 2)[:, None], rng.integers(0, 5, (count, m)) / 4, found)
    found[0], found[1] = 1.0, 0.0
    return found


# Subsets


@pytest.mark.parametrize(("m", "size"), [(2, 1), (5, 4), (12, 3), (32, 8), (9, 9)])
def test_subsets_are_those_of_a_stable_sort(m, size):
    """Ties go to the lowest arm, and arms come in increasing order."""
    for index in vectors(m):
        found = chosen_by(top.choose, index, size)
        assert found == sorted(np.argsort(-index, kind="stable")[:size].tolist())
        assert index[found].sum() == pytest.approx(np.sort(index)[-size:].sum())


@pytest.mark.parametrize("reward", REWARDS)
def test_the_largest_entries_are_the_best_subset_whatever_the_reward(reward):
    for index in vectors(6, 200):
        every = [REWARDS[reward](index[list(arms)]) for arms in itertools.combinations(range(6), 3)]
        assert REWARDS[reward](index[chosen_by(top.choose, index, 3)]) == pytest.approx(max(every), abs=1e-15)


# Paths


def test_edges_of_grids_by_hand():
    assert grid_paths.ends_of(1).tolist() == [[0, 1], [2, 3], [0, 2], [1, 3]]
    right = [[0, 1], [1, 2], [3, 4], [4, 5], [6, 7], [7, 8]]
    down = [[0, 3], [1, 4], [2, 5], [3, 6], [4, 7], [5, 8]]
    assert grid_paths.ends_of(2).tolist() == right + down


def is_path(arms, side):
    ends = grid_paths.ends_of(side)[arms].tolist()
    vertices = [0, *(end for _, end in ends)]
    return [start for start, _ in ends] == vertices[:-1] and vertices[-1] == (side + 1) ** 2 - 1


@pytest.mark.parametrize("side", [1, 2, 3, 5])
def test_paths_of_largest_sum_are_shortest_paths(side):
    """All paths have equally many edges, so that lengths 2 - index turn one into the other; none of them is 0."""
    ends, vertices = grid_paths.ends_of(side), (side + 1) ** 2
    for index in vectors(len(ends)):
        found = chosen_by(grid_paths.choose, index, side, 0)
        assert is_path(found, side)
        assert len(found) == 2 * side
        lengths = coo_array((2.0 - index, ends.T), shape=(vertices, vertices)).tocsr()
        assert index[found].sum() == pytest.approx(4 * side - dijkstra(lengths, indices=0)[-1], abs=1e-12)


@pytest.mark.parametrize("bottleneck", [0, 1])
@pytest.mark.parametrize("side", [1, 2, 3])
def test_paths_are_the_best_of_all(side, bottleneck):
    paths, combine = all_paths(side), (sum, min)[bottleneck]
    assert len(paths) == math.comb(2 * side, side)
    for index in vectors(2 * side * (side + 1)):
        found = chosen_by(grid_paths.choose, index, side, bottleneck)
        assert found in paths
        assert combine(index[found]) == pytest.approx(max(combine(index[path]) for path in paths), abs=1e-12)


@pytest.mark.parametrize("bottleneck", [0, 1])
def test_paths_go_right_where_they_may_choose(bottleneck):
    assert chosen_by(grid_paths.choose, np.ones(12), 2, bottleneck) == [0, 1, 8, 11]
    index = np.ones(12)
    index[1] = 0.5  # the upper right edge is worse
    assert chosen_by(grid_paths.choose, index, 2, bottleneck) == [0, 7, 3, 11]


# Trees


def tree_of(index, ends, vertices):
    found = chosen_by(spanning_trees.choose, index, np.array(ends), vertices)
    assert is_tree([ends[arm] for arm in found], vertices)
    return found


def library_tree(weights, ends, vertices):
    return minimum_spanning_tree(coo_array((weights, np.array(ends).T), shape=(vertices, vertices)).tocsr())


@pytest.mark.parametrize(("ends", "vertices"), [(K4, 4), (K8, 8), (SPARSE, 6)], ids=["K4", "K8", "sparse"])
def test_trees_have_the_sum_of_the_librarys(ends, vertices):
    for index in vectors(len(ends)):
        found = tree_of(index, ends, vertices)
        library = library_tree(2.0 - index, ends, vertices)
        assert library.nnz == vertices - 1
        assert index[found].sum() == pytest.approx(2.0 * (vertices - 1) - library.sum(), abs=1e-12)


def number_of_trees(ends, vertices):
    """Kirchhoff's theorem."""
    laplacian = np.zeros((vertices, vertices))
    for u, v in ends:
        laplacian[[u, v], [u, v]] += 1
        laplacian[[u, v], [v, u]] -= 1
    return round(np.linalg.det(laplacian[1:, 1:]))


def test_the_library_drops_edges_of_weight_zero():
    """Why the comparison above shifts all weights: an entry of exactly 1 must not become a weight of 0."""
    index = np.array([1.0, 0.5, 0.25, 1.0, 0.5, 0.5])
    assert tree_of(index, K4, 4) == [0, 3, 4]
    assert library_tree(1.0 - index, K4, 4).nnz == 1
    assert library_tree(2.0 - index, K4, 4).nnz == 3
    assert library_tree(1.0 - np.ones(6), K4, 4).nnz == 0
    assert (
        minimum_spanning_tree(np.array([[0.0, 0.0, 0.5], [0.0, 0.0, 0.25], [0.0, 0.0, 0.0]])).sum() == 0.75
    )  # not 0.25


@pytest.mark.parametrize(("ends", "vertices"), [(K4, 4), (K5, 5), (SPARSE, 6)], ids=["K4", "K5", "sparse"])
def test_trees_are_the_best_of_all_in_sum_and_in_least_entry(ends, vertices):
    every = np.array(all_trees(ends, vertices))
    assert len(every) == number_of_trees(ends, vertices)
    for index in vectors(len(ends)):
        found = index[tree_of(index, ends, vertices)]
        assert found.sum() == pytest.approx(index[every].sum(axis=1).max(), abs=1e-12)
        assert found.min() == index[every].min(axis=1).max()


def test_trees_take_the_lowest_of_equal_edges():
    """The tree is the best one when every arm loses a little more than the one before."""
    every = np.array(all_trees(K5, 5))
    for index in vectors(10):
        best = every[(index - 1e-9 * 2.0 ** np.arange(10))[every].sum(axis=1).argmax()]
        found = tree_of(index, K5, 5)
        assert sorted(found) == best.tolist()
        assert found == sorted(found, key=lambda arm: (-index[arm], arm))
    assert tree_of(np.ones(10), K5, 5) == [0, 1, 2, 3]


# Matchings


@pytest.mark.parametrize(("left", "right"), [(1, 1), (1, 3), (2, 2), (3, 5), (6, 6), (4, 9)])
def test_matchings_have_the_sum_of_the_librarys(left, right):
    for index in vectors(left * right):
        found = chosen_by(matchings.choose, index, left, right)
        assert [arm // right for arm in found] == list(range(left))
        assert len({arm % right for arm in found}) == left
        weights = index.reshape(left, right)
        assert index[found].sum() == pytest.approx(weights[linear_sum_assignment(weights, maximize=True)].sum())


def test_matchings_of_equal_edges_take_the_lowest_that_are_free():
    assert chosen_by(matchings.choose, np.ones(12), 3, 4) == [0, 5, 10]
    assert chosen_by(matchings.choose, np.zeros(12), 3, 4) == [0, 5, 10]


# Coverage


def plain_greedy(index, ends, left, picks):
    """Edges of the picked vertices, with exact fractions."""
    exact = [Fraction(p) for p in index]
    picked = []
    for _ in range(picks):
        values = {
            u: covered(exact, ends, [arm for arm, (v, _) in enumerate(ends) if v in {*picked, u}])
            for u in range(left)
            if u not in picked
        }
        picked.append(max(values, key=lambda u: (values[u], -u)))
    return [arm for u in picked for arm, (v, _) in enumerate(ends) if v == u]


@pytest.mark.parametrize("ends", [BY_VERTEX, NO_ORDER], ids=["by vertex", "in no order"])
@pytest.mark.parametrize("picks", [1, 2, 3])
def test_coverage_is_greedy(ends, picks):
    for index in vectors(len(ends), 300):
        assert chosen_by(coverage.choose, index, np.array(ends), 6, 5, picks, 0) == plain_greedy(index, ends, 6, picks)


@pytest.mark.parametrize("picks", [2, 3])
def test_greedy_keeps_its_bound_and_is_not_always_best(picks):
    ends, ratios = np.array(BY_VERTEX), []
    every = [np.flatnonzero(np.isin(ends[:, 0], picked)).tolist() for picked in itertools.combinations(range(6), picks)]
    for index in vectors(len(ends)):
        best = max(covered(index, ends, arms) for arms in every)
        found = chosen_by(coverage.choose, index, ends, 6, 5, picks, 0)
        assert sorted(found) in every
        ratios.append(covered(index, ends, found) / best if best > 0 else 1.0)
    assert min(ratios) >= 1 - 1 / math.e
    assert max(ratios) <= 1 + 1e-12
    assert min(ratios) < 0.95
    assert math.isclose(coverage.ALPHA, 0.6321205588285577)


def test_greedy_by_hand():
    """Vertex 0 reaches most, and then one of two others is missing: 5 of 6."""
    ends = np.array([[0, 0], [0, 1], [0, 3], [0, 4], [1, 0], [1, 1], [1, 2], [2, 3], [2, 4], [2, 5]])
    found = chosen_by(coverage.choose, np.ones(10), ends, 3, 6, 2, 0)
    assert found == [0, 1, 2, 3, 4, 5, 6]
    assert coverage.value(np.ones(10), ends, 6, np.array(found), 7) == 5.0
    assert coverage.value(np.ones(10), ends, 6, np.arange(4, 10), 6) == 6.0


@pytest.mark.parametrize("ends", [BY_VERTEX, NO_ORDER], ids=["by vertex", "in no order"])
def test_coverage_by_sums_takes_the_largest_sums(ends):
    for index in vectors(len(ends), 300):
        sums = [sum(Fraction(index[arm]) for arm, (v, _) in enumerate(ends) if v == u) for u in range(6)]
        picked = sorted(range(6), key=lambda u: (-sums[u], u))[:3]
        found = chosen_by(coverage.choose, index, np.array(ends), 6, 5, 3, 1)
        assert found == [arm for u in picked for arm, (v, _) in enumerate(ends) if v == u]


def test_where_nothing_is_gained_the_lowest_vertices_are_picked():
    for linear in (0, 1):
        found = chosen_by(coverage.choose, np.zeros(13), np.array(BY_VERTEX), 6, 5, 2, linear)
        assert found == [0, 1, 2, 3, 4]


def test_value_of_a_super_arm():
    for index in vectors(13, 300):
        for count in (0, 1, 7, 13):
            found = coverage.value(index, np.array(NO_ORDER), 5, np.arange(13), count)
            assert found == pytest.approx(covered(index, NO_ORDER, range(count)), abs=1e-12)


# Compiled and plain


@pytest.mark.parametrize(
    ("choose", "m", "arguments"),
    [
        (top.choose, 12, (4,)),
        (grid_paths.choose, 24, (3, 0)),
        (grid_paths.choose, 24, (3, 1)),
        (spanning_trees.choose, 28, (np.array(K8), 8)),
        (matchings.choose, 24, (4, 6)),
        (coverage.choose, 13, (np.array(NO_ORDER), 6, 5, 3, 0)),
    ],
)
def test_compiled_and_plain_oracles_choose_the_same(choose, m, arguments):
    for index in vectors(m, 100):
        assert chosen_by(choose, index, *arguments) == chosen_by(choose.py_func, index, *arguments)


# Smoothness


def small_problem(reward):
    """Of five base arms, all of which are one super arm; COVERED with two edges to one vertex, and two to another."""
    kind = COVERAGE if reward == COVERED else TOP
    ends = np.array([[0, 0], [0, 1], [1, 0], [1, 2], [1, 1]])
    return problem(kind, reward, 5, np.zeros(5), np.arange(5), (0.0, 0.0, 0.0), ends=ends)


AT = {  # means at which the constants are reached, by a move of the first arm and by a move of all
    LINEAR: [0.5, 0.2, 0.7, 0.6, 0.3],
    BOTTLENECK: [0.1, 0.5, 0.3, 0.9, 0.4],
    BEST_OF: [0.8, 0.5, 0.3, 0.7, 0.4],
    PRODUCT: [1.0, 1.0, 1.0, 1.0, 1.0],
    COVERED: [0.0, 0.0, 0.0, 0.0, 0.0],
}
EXPECTED = {LINEAR: (1, 5), BOTTLENECK: (1, 1), BEST_OF: (1, 1), PRODUCT: (1, 5), COVERED: (1, 5)}


@pytest.mark.parametrize("reward", AT)
def test_smoothness_is_never_exceeded(reward):
    instance, rng = small_problem(reward), np.random.default_rng(reward)
    one, sup = smoothness(instance)
    assert (one, sup) == EXPECTED[reward]
    for trial in range(COUNT):
        mu = rng.random(5) if trial % 2 else np.clip(np.array(AT[reward]) + rng.normal(0, 0.1, 5), 0, 1)
        other = rng.random(5) if trial % 3 else np.clip(mu + 0.01 * rng.normal(size=5), 0, 1)
        change = abs(reward_at(instance, mu, range(5)) - reward_at(instance, other, range(5)))
        assert change <= one * np.abs(mu - other).sum() + 1e-12
        assert change <= sup * np.abs(mu - other).max() + 1e-12


@pytest.mark.parametrize("reward", AT)
def test_smoothness_is_attained(reward):
    instance, mu = small_problem(reward), np.array(AT[reward])
    step = -1e-7 if reward == PRODUCT else 1e-7
    before = reward_at(instance, mu, range(5))
    for moved, constant in zip(([0], range(5)), smoothness(instance), strict=True):
        other = mu.copy()
        other[list(moved)] += step
        assert abs(reward_at(instance, other, range(5)) - before) / 1e-7 == pytest.approx(constant, rel=1e-6)


def test_models_of_the_paper_are_listed_with_their_constants():
    """Of every decision set and reward that is run, once."""
    paper = shipped().papers["chen2020"]
    rows = {(row["decision set"], row["reward"]): row for row in chen2020.model_rows(paper)}
    assert len(rows) == 15
    assert {row["B_1"] for row in rows.values()} == {"1"}
    of_one = {reward for (_, reward), row in rows.items() if row["B_infinity"] == "1"}
    assert of_one == {"bottleneck", "best of"}
    assert all(row["B_infinity"] == "K" for (_, reward), row in rows.items() if reward not in of_one)
    assert rows["grid paths", "linear"] | {"m": "24", "K": "6"} == rows["grid paths", "linear"]
