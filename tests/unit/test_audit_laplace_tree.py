"""The audited tree: which sums the first leaf is in, with what noise, against all prefixes of a small tree."""

import numpy as np
import pytest
from scipy import stats

from dpbandits.algorithms.shared.tree_noise import PREFIX_SUMS, PREFIX_SUMS_OVER_ROUNDS, advance
from dpbandits.audits.mechanisms.laplace_tree import LaplaceTree, sums, sums_over_rounds
from dpbandits.privacy.tree import layers, tree_sensitivity

from .laplace_audits import agree


@pytest.mark.parametrize(("horizon", "nodes"), [(1, 1), (2, 2), (3, 2), (4, 3), (100, 7), (10**6, 20)])
@pytest.mark.parametrize("trees", [1, 4])
def test_epsilon_is_that_of_all_nodes_of_a_leaf(horizon, nodes, trees):
    found = agree(LaplaceTree(30.0, trees, horizon), 1.0)
    assert found.epsilons[0] == pytest.approx(trees * nodes / 30.0, rel=1e-6)
    assert found.epsilons[0] == pytest.approx(tree_sensitivity(trees, horizon) / 30.0, rel=1e-6)


def test_no_other_prefix_has_a_node_of_the_first_leaf_of_its_own():
    """The sum of leaves 1..n is that of 1..2^k for the largest 2^k up to n, and nodes that begin later."""
    noise, found = np.zeros((1, 7)), {}
    rng = np.random.default_rng(0)
    for n in range(1, 65):
        found[n] = advance(rng, noise, 0, n, 1.0)
    for n in range(1, 65):
        first = 1 << (n.bit_length() - 1)
        later = found[n] - found[first]
        assert (later == 0.0) == (n == first)
    first = [found[1 << k] for k in range(7)]
    assert len(set(first)) == len(first)


@pytest.mark.parametrize("over_rounds", [False, True])
def test_what_is_drawn(over_rounds):
    """Every node once, at the leaves 2^k, in either kind of tree; the leaf is in all sums."""
    drawn = []

    def one(rng, noise, j, n, scale):
        drawn.append((j, n, scale))
        return 100.0 * j + n

    def lazily(rng, noise, last, j, n, scale):
        return one(rng, noise, j, n, scale)

    draw, add = (sums_over_rounds, lazily) if over_rounds else (sums, one)
    views = draw.py_func(add, None, 1.0, 3.5, 2, layers(9), 2)
    assert views.tolist() == [[2.0, 3.0, 5.0, 9.0, 102.0, 103.0, 105.0, 109.0]] * 2
    assert drawn == [(j, n, 3.5) for j in (0, 1) for n in (1, 2, 4, 8)] * 2


@pytest.mark.parametrize("added", [PREFIX_SUMS, PREFIX_SUMS_OVER_ROUNDS], ids=lambda added: added.kind)
def test_sums_of_a_leaf_have_fresh_noise(added):
    """All columns, of all trees and trials, are independent Laplace variables."""
    views = LaplaceTree(2.0, 2, 8, added).draw(np.random.default_rng(0), 1, 2000)
    assert views.shape == (2000, 8)
    assert len(np.unique(views)) == views.size
    assert stats.kstest(views.ravel(), stats.laplace(loc=1.0, scale=2.0).cdf).pvalue > 1e-3
    assert (np.abs(np.corrcoef(views.T) - np.eye(8)) < 5.0 / np.sqrt(2000)).all()
    assert stats.pearsonr(views[1:, 0], views[:-1, 0]).pvalue > 1e-3


def test_half_the_noise():
    release = LaplaceTree(30.0, 2, 100)
    assert release.halved() == LaplaceTree(15.0, 2, 100)
    assert release.halved().noise == 15.0
    views = release.draw(np.random.default_rng(0), 0, 3)
    assert (release.scores(views) == release.nodes.scores(views)).all()
