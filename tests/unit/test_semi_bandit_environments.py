"""Instances of super arms: means and coins by hand, the best super arm in any place, values by trying all, errors."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from scipy import stats

from dpbandits.environments.base import SETS
from dpbandits.environments.combinatorial import (
    any_subsets,
    coverage,
    grid_paths,
    karate_club,
    matchings,
    spanning_trees,
)
from dpbandits.environments.combinatorial.problem import (
    BEST_OF,
    BOTTLENECK,
    COVERAGE,
    COVERED,
    GRID,
    LINEAR,
    MATCHING,
    PRODUCT,
    TOP,
    TREE,
)
from dpbandits.environments.registry import TABLE

from .super_arms import all_paths, all_trees, covered, is_tree, oracle_choice, reward_at

SIGNIFICANCE = 1e-3
RUNS = 2000
SUBSETS = {"arms": 5, "size": 2, "gap": 0.125}
DRAWS = {  # environment, arguments, and what they come to: decision set, reward, K, base arms, shape
    "subsets": (any_subsets, {**SUBSETS, "reward": "linear"}, (TOP, LINEAR, 2, 5, [0, 0, 0])),
    "subsets, least": (any_subsets, {**SUBSETS, "reward": "bottleneck"}, (TOP, BOTTLENECK, 2, 5, [0, 0, 0])),
    "subsets, largest": (any_subsets, {**SUBSETS, "reward": "best_of"}, (TOP, BEST_OF, 2, 5, [0, 0, 0])),
    "subsets, product": (any_subsets, {**SUBSETS, "reward": "product"}, (TOP, PRODUCT, 2, 5, [0, 0, 0])),
    "paths": (grid_paths, {"side": 2, "gap": 0.125, "reward": "linear"}, (GRID, LINEAR, 4, 12, [2, 0, 0])),
    "paths, least": (grid_paths, {"side": 3, "gap": 0.5, "reward": "bottleneck"}, (GRID, BOTTLENECK, 6, 24, [3, 0, 0])),
    "trees": (spanning_trees, {"vertices": 4, "gap": 0.125, "reward": "linear"}, (TREE, LINEAR, 3, 6, [4, 0, 0])),
    "trees, least": (
        spanning_trees,
        {"vertices": 5, "gap": 0.25, "reward": "bottleneck"},
        (TREE, BOTTLENECK, 4, 10, [5, 0, 0]),
    ),
    "matchings": (matchings, {"left": 2, "right": 3, "gap": 0.25}, (MATCHING, LINEAR, 2, 6, [2, 3, 0])),
}
RANDOM_GRAPH = {"left": 7, "right": 6, "density": 0.3, "picks": 3}
every = pytest.mark.parametrize("name", DRAWS)


def one(module, seed, **arguments):
    (problem,) = module.draw(np.random.default_rng(seed), **arguments)
    return problem


def drawn(name, seed=0):
    module, arguments, _ = DRAWS[name]
    return one(module, seed, **arguments)


def best_arms(problem):
    return tuple(np.flatnonzero(problem.means == 0.5).tolist())


def super_arms(problem):
    """All of a problem, by enumeration."""
    left, right, picks = problem.shape.tolist()
    if problem.kind == TOP:
        return list(itertools.combinations(range(len(problem.means)), problem.size))
    if problem.kind == GRID:
        return all_paths(left)
    if problem.kind == TREE:
        return all_trees(problem.ends.tolist(), left)
    if problem.kind == MATCHING:
        return [[u * right + v for u, v in enumerate(vs)] for vs in itertools.permutations(range(right), left)]
    picked = itertools.combinations(range(left), picks)
    return [np.flatnonzero(np.isin(problem.ends[:, 0], us)).tolist() for us in picked]


# Planted super arms


@every
def test_instances_are_as_stated(name):
    _, arguments, expected = DRAWS[name]
    problem = drawn(name)
    assert (problem.kind, problem.reward, problem.size, len(problem.means), problem.shape.tolist()) == expected
    best = best_arms(problem)
    assert len(best) == problem.size
    assert set(np.delete(problem.means, best).tolist()) == {0.5 - arguments["gap"]}
    together = problem.reward in (BOTTLENECK, BEST_OF)
    assert problem.coins.tolist() == ([0] * len(problem.means) if together else list(range(len(problem.means))))


VALUES = {"subsets": 1.0, "subsets, product": 0.25, "paths": 2.0, "trees": 1.5, "matchings": 1.0}


@every
def test_values_are_the_best_of_all_and_found_by_the_oracle(name):
    for seed in range(20):
        problem = drawn(name, seed)
        assert problem.values.tolist() == [VALUES.get(name, 0.5)] * 3
        rewards = {tuple(sorted(arms)): reward_at(problem, problem.means, arms) for arms in super_arms(problem)}
        assert max(rewards.values()) == problem.values[1]
        assert rewards[best_arms(problem)] == problem.values[1]
        found = oracle_choice(problem, problem.means)
        assert rewards[tuple(sorted(found))] == problem.values[2]
        if problem.reward != BEST_OF:
            assert sum(value == problem.values[1] for value in rewards.values()) == 1, "the planted one alone"


@pytest.mark.parametrize(
    ("name", "expected"), [("subsets", 10), ("paths", 6), ("paths, least", 20), ("trees", 20), ("matchings", 6)]
)
def test_the_best_super_arm_is_uniform(name, expected):
    """Sets of numbers of arms; of the edges of four vertices in random order each three are as often a tree."""
    counts = Counter(best_arms(drawn(name, seed)) for seed in range(RUNS))
    assert len(counts) == expected
    assert stats.chisquare(list(counts.values())).pvalue > SIGNIFICANCE


@pytest.mark.parametrize(("vertices", "trees"), [(3, 3), (4, 16), (5, 125)])
def test_the_best_tree_is_uniform_among_all_trees(vertices, trees):
    counts = Counter()
    for seed in range(RUNS):
        problem = one(spanning_trees, seed, vertices=vertices, gap=0.125, reward="linear")
        edges = sorted(problem.ends[list(best_arms(problem))].tolist())
        assert is_tree(edges, vertices)
        counts[str(edges)] += 1
    assert len(counts) == trees
    assert stats.chisquare(list(counts.values())).pvalue > SIGNIFICANCE


def test_edges_of_a_complete_graph_stand_in_random_order():
    places = Counter()
    for seed in range(RUNS):
        ends = drawn("trees", seed).ends.tolist()
        assert sorted(ends) == [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]
        places[ends.index([0, 1]), ends.index([2, 3])] += 1
    assert len(places) == 30
    assert stats.chisquare(list(places.values())).pvalue > SIGNIFICANCE


def test_trees_of_codes():
    assert spanning_trees.tree_of(np.array([3, 3, 3, 4])) == {(0, 3), (1, 3), (2, 3), (3, 4), (4, 5)}
    assert spanning_trees.tree_of(np.array([0])) == {(0, 1), (0, 2)}
    for vertices in (4, 5):
        codes = itertools.product(range(vertices), repeat=vertices - 2)
        trees = {frozenset(spanning_trees.tree_of(np.array(code))) for code in codes}
        assert len(trees) == vertices ** (vertices - 2)
        assert all(is_tree(tree, vertices) for tree in trees)


def test_edges_of_matchings_are_numbered_row_by_row():
    assert drawn("matchings").ends.tolist() == [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]


# Coverage


@pytest.mark.parametrize(
    ("module", "arguments"),
    [(coverage, RANDOM_GRAPH), (coverage, {**RANDOM_GRAPH, "picks": 1}), (karate_club, {"picks": 2})],
)
def test_coverage_instances_are_as_stated(module, arguments):
    for seed in range(20 if module is coverage else 3):
        problem = one(module, seed, **arguments)
        left, right, picks = problem.shape.tolist()
        edges = problem.ends.tolist()
        assert (problem.kind, problem.reward, picks) == (COVERAGE, COVERED, arguments["picks"])
        assert edges == sorted(edges)
        assert len(set(map(tuple, edges))) == len(edges)
        assert {u for u, _ in edges} == set(range(left))
        assert {v for _, v in edges} <= set(range(right))
        degrees = sorted(Counter(u for u, _ in edges).values())
        assert problem.size == sum(degrees[-picks:])
        assert problem.coins.tolist() == list(range(len(edges)))
        best = max(covered(problem.means, edges, arms) for arms in super_arms(problem))
        greedy = covered(problem.means, edges, oracle_choice(problem, problem.means))
        assert problem.values == pytest.approx([(1 - math.exp(-1)) * best, best, greedy], rel=1e-12)
        assert problem.values[2] <= problem.values[1]


def test_greedy_is_not_always_the_best():
    values = np.array([one(coverage, seed, **{**RANDOM_GRAPH, "density": 0.5}).values for seed in range(300)])
    assert 0 < (values[:, 2] < values[:, 1]).sum() < 300
    assert (values[:, 2] >= values[:, 0]).all()


def test_edges_of_random_graphs_and_their_means():
    """Degrees are binomial without 0; every right vertex has its share; means are uniform on [0.1, 0.5]."""
    problems = [one(coverage, seed, **RANDOM_GRAPH) for seed in range(400)]
    degrees = Counter(d for problem in problems for d in Counter(problem.ends[:, 0].tolist()).values())
    distribution = stats.binom(6, 0.3).pmf(range(1, 7)) / (1 - 0.7**6)
    observed = [degrees[d] for d in (1, 2, 3, 4)] + [degrees[5] + degrees[6]]
    shares = [*distribution[:4], distribution[4:].sum()]
    assert stats.chisquare(observed, 2800 * np.array(shares)).pvalue > SIGNIFICANCE
    for side in (0, 1):
        counts = np.bincount(np.concatenate([problem.ends[:, side] for problem in problems]))
        assert stats.chisquare(counts).pvalue > SIGNIFICANCE
    means = np.concatenate([problem.means for problem in problems])
    assert stats.kstest(means, stats.uniform(0.1, 0.4).cdf).pvalue > SIGNIFICANCE


FRIENDS = [16, 9, 10, 6, 3, 4, 4, 4, 5, 2, 3, 1, 2, 5, 2, 2, 2, 2, 2, 3, 2, 2, 2, 5, 3, 3, 2, 4, 3, 4, 4, 6, 12, 17]
TRIANGLES = [18, 12, 11, 10, 2, 3, 3, 6, 5, 0, 2, 0, 1, 6, 1, 1, 1, 1, 1, 1, 1, 1, 1, 4, 1, 1, 1, 1, 1, 4, 3, 3, 13, 15]
FARTHEST = [3, 3, 3, 3, 4, 4, 4, 4, 3, 4, 4, 4, 4, 3, 5, 5, 5, 4, 5, 3, 5, 4, 5, 5, 4, 4, 5, 4, 4, 5, 4, 3, 4, 4]
SHARED = [53, 43, 56, 40, 20, 21, 21, 37, 54, 25, 20, 15, 20, 53, 27, 27, 6, 23, 27, 39, 27, 23, 27]
SHARED += [35, 10, 11, 19, 31, 30, 32, 39, 48, 49, 48]  # networkx 3.6.1 says all these of its karate_club_graph


def test_the_karate_club_is_that_of_networkx():
    """By person: friends, triangles, steps to the farthest person, friends shared with the others in all."""
    joined = karate_club.friendships().astype(int)
    assert np.array_equal(joined, joined.T)
    assert not joined.diagonal().any()
    assert joined.sum() == 2 * 78
    assert joined.sum(axis=1).tolist() == FRIENDS
    two = joined @ joined
    assert ((two * joined).sum(axis=1) // 2).tolist() == TRIANGLES
    assert (two.sum(axis=1) - two.diagonal()).tolist() == SHARED
    within = [np.linalg.matrix_power(joined + np.eye(34, dtype=int), steps) > 0 for steps in range(6)]
    assert (6 - sum(reach.all(axis=1).astype(int) for reach in within)).tolist() == FARTHEST


def test_people_of_the_karate_club_have_random_numbers():
    places = []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        number = rng.permutation(34)  # what `draw` starts with
        ends = one(karate_club, seed, picks=1).ends
        joined = np.zeros((34, 34), bool)
        joined[tuple(ends.T)] = True
        assert np.array_equal(joined, karate_club.friendships()[np.ix_(number, number)])
        places.append(int(joined.sum(axis=1).argmax()))
    thirds = np.bincount(np.array(places) * 2 // 34, minlength=2)
    assert stats.binomtest(int(thirds[0]), 200).pvalue > SIGNIFICANCE
    assert len(set(places)) > 25


def test_three_people_of_the_karate_club_have_at_most_45_friends():
    problem = one(karate_club, 0, picks=3)
    assert problem.size == 17 + 16 + 12
    assert len(problem.means) == 156
    assert problem.shape.tolist() == [34, 34, 3]
    assert problem.values[0] < problem.values[2] <= problem.values[1]


# All


ALL = [
    *((module, arguments) for module, arguments, _ in DRAWS.values()),
    (coverage, RANDOM_GRAPH),
    (karate_club, {"picks": 2}),
]


@pytest.mark.parametrize(("module", "arguments"), ALL)
def test_the_generator_alone_decides(module, arguments):
    one_draw, again = one(module, 3, **arguments), one(module, 3, **arguments)
    assert all(np.array_equal(a, b) for a, b in zip(one_draw, again, strict=True))
    others = [one(module, seed, **arguments) for seed in range(20)]
    assert len({problem.means.tobytes() + problem.ends.tobytes() for problem in others}) > 3


def test_every_family_of_a_decision_set_is_tested_and_may_refuse():
    tested = {module.__name__.rpartition(".")[2] for module, _ in ALL}
    assert tested <= {name for name, family in TABLE.items() if family.arms == SETS}
    assert all(TABLE[name].refuses for name in tested)


@pytest.mark.parametrize(
    ("module", "arguments", "says"),
    [
        (
            any_subsets,
            {**SUBSETS, "size": 5, "reward": "linear"},
            "size 5 must be at least 1 and less than",
        ),
        (any_subsets, {**SUBSETS, "gap": 0.51, "reward": "linear"}, r"a gap of 0.51 does not lie in \(0, 0.5\]"),
        (any_subsets, {**SUBSETS, "gap": 0.0, "reward": "linear"}, r"a gap of 0 does not lie in \(0, 0.5\]"),
        (
            any_subsets,
            {**SUBSETS, "reward": "covered"},
            "is not one of linear, bottleneck, best_of, product$",
        ),
        (grid_paths, {"side": 2, "gap": 0.6, "reward": "linear"}, "a gap of 0.6"),
        (grid_paths, {"side": 2, "gap": 0.1, "reward": "best_of"}, "reward best_of is not one of linear, bottleneck$"),
        (spanning_trees, {"vertices": 4, "gap": 0.1, "reward": "product"}, "reward product is not one of linear, bott"),
        (
            spanning_trees,
            {"vertices": 2, "gap": 0.1, "reward": "linear"},
            "on 2 vertices has at most one spanning tree",
        ),
        (matchings, {"left": 4, "right": 3, "gap": 0.1}, "4 left and 3 right vertices leave no choice of matchings"),
        (matchings, {"left": 1, "right": 1, "gap": 0.1}, "1 left and 1 right vertices leave no choice of matchings"),
        (matchings, {"left": 2, "right": 3, "gap": 0.6}, "a gap of 0.6"),
        (coverage, {**RANDOM_GRAPH, "picks": 7}, "7 of 7 vertices leave no choice"),
        (coverage, {**RANDOM_GRAPH, "left": 50, "picks": 4}, "4 of 50 vertices: more than 20000 choices"),
        (coverage, {**RANDOM_GRAPH, "density": 0.0001}, "nearly all left vertices have no edge to 6 right ones"),
        (karate_club, {"picks": 4}, "4 of 34 vertices: more than 20000 choices, too many to find the best"),
        (karate_club, {"picks": 34}, "34 of 34 vertices leave no choice"),
    ],
)
def test_impossible_arguments_are_refused(module, arguments, says):
    for seed in range(5):
        with pytest.raises(ValueError, match=says):
            one(module, seed, **arguments)
