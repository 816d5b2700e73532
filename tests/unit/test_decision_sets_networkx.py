"""Oracles against networkx, on random vectors with exact ones and ties; and the karate club itself."""

import networkx
import numpy as np
import pytest

from dpbandits.environments.combinatorial import karate_club
from dpbandits.environments.combinatorial.oracles import grid_paths, matchings, spanning_trees

from .super_arms import chosen_by


def vectors(m, count):
    """Indices in [0, 1]: with many exact ones, on few values, and without ties."""
    rng = np.random.default_rng(m)
    for k in range(count):
        x = rng.random(m)
        yield (np.minimum(x + rng.random(), 1.0), np.round(4 * x) / 4, x)[k % 3]


@pytest.mark.parametrize("side", [1, 2, 4])
def test_paths_are_the_longest_ones(side):
    ends = grid_paths.ends_of(side)
    graph = networkx.DiGraph()
    for index in vectors(len(ends), 300):
        graph.clear()
        graph.add_weighted_edges_from((int(a), int(b), x) for (a, b), x in zip(ends, index, strict=True))
        best = networkx.dag_longest_path_length(graph)
        assert index[chosen_by(grid_paths.choose, index, side, 0)].sum() == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("graph", [networkx.complete_graph(6), networkx.petersen_graph(), networkx.wheel_graph(9)])
def test_trees_are_maximum_spanning_trees(graph):
    ends = np.array(graph.edges, dtype=np.int64)
    for index in vectors(len(ends), 300):
        for (a, b), x in zip(ends, index, strict=True):
            graph.edges[a, b]["weight"] = x
        best = networkx.maximum_spanning_tree(graph).size(weight="weight")
        chosen = chosen_by(spanning_trees.choose, index, ends, len(graph))
        assert networkx.is_tree(networkx.Graph(ends[chosen].tolist()))
        assert index[chosen].sum() == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize(("left", "right"), [(2, 2), (3, 5), (5, 5)])
def test_matchings_are_of_largest_weight(left, right):
    edges = [(f"l{arm // right}", f"r{arm % right}") for arm in range(left * right)]
    for index in vectors(left * right, 150):
        graph = networkx.Graph()
        graph.add_weighted_edges_from((a, b, x) for (a, b), x in zip(edges, index, strict=True))
        found = networkx.max_weight_matching(graph, maxcardinality=True)
        best = sum(graph.edges[pair]["weight"] for pair in found)
        assert index[chosen_by(matchings.choose, index, left, right)].sum() == pytest.approx(best, abs=1e-12)


def test_the_karate_club_is_the_librarys():
    (problem,) = karate_club.draw(np.random.default_rng(3), picks=3)
    ours = networkx.Graph(problem.ends.tolist())
    assert sorted(map(tuple, problem.ends.tolist())) == sorted((int(b), int(a)) for a, b in problem.ends)
    assert networkx.vf2pp_is_isomorphic(ours, networkx.karate_club_graph())
