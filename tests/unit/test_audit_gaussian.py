"""Gaussian releases, the nodes of a tree and noise drawn once: exact epsilons, and draws that are the kernels' own."""

import math

import mpmath
import numpy as np
import pytest
from scipy import stats

from dpbandits.algorithms.linucb.linucb_jdp import add_columns, grow_tree, open_columns, open_tree
from dpbandits.algorithms.linucb.protocol import draw_noise, gaussian
from dpbandits.algorithms.linucb.server import collect
from dpbandits.audits.mechanisms.frozen_noise import FrozenNoise, columns_in_use
from dpbandits.audits.mechanisms.gaussian import Gaussian
from dpbandits.audits.mechanisms.gaussian_tree import GaussianTree, leaves_per_node


def normal_delta(mu, eps):
    """delta(eps; mu) in 40 digits."""
    with mpmath.workdps(40 + int(eps)):
        mu, eps = mpmath.mpf(mu), mpmath.mpf(eps)
        return float(mpmath.ncdf(mu / 2 - eps / mu) - mpmath.exp(eps) * mpmath.ncdf(-mu / 2 - eps / mu))


def test_truths_agree_and_are_right():
    for mu in (0.05, 0.4, 2.0, 7.0, 19.0):
        release = Gaussian((0.6 * mu, 0.0, -1.6 * mu), (1.0, 5.0, 2.0))
        assert release.mu == pytest.approx(mu, rel=1e-14)
        for eps, delta in ((0.2, 0.1), (1.0, 1e-5), (10.0, 0.01)):
            one, other = release.accounted(eps, delta), release.derived(eps, delta)
            assert one.epsilons == pytest.approx(other.epsilons, rel=1e-3)
            assert one.deltas == pytest.approx(other.deltas, abs=1e-6)
            assert other.deltas[0] == pytest.approx(normal_delta(mu, eps), rel=1e-9, abs=1e-300)
            epsilon = other.epsilons[0]
            assert epsilon == other.epsilons[1]
            if epsilon > 0.0:
                assert normal_delta(mu, epsilon * (1 + 1e-6)) < delta < normal_delta(mu, epsilon * (1 - 1e-6))
            else:
                assert normal_delta(mu, 0.0) <= delta


def test_an_epsilon_whose_odds_are_beyond_floating_point():
    """mu = 62: mu^2 / 2 + 1.28 mu = 2001 with little to add."""
    release = Gaussian((62.0,), (1.0,))
    one, other = (truth.epsilons[0] for truth in (release.accounted(1.0, 0.1), release.derived(1.0, 0.1)))
    assert one == pytest.approx(other, rel=1e-6)
    assert other == pytest.approx(62**2 / 2 + 62 * stats.norm.isf(0.1), rel=1e-3)


def test_the_reach_bounds_from_above():
    release = Gaussian((1.0,), (1.0,), reach=2.0)
    for truth in (release.accounted(1.0, 0.01), release.derived(1.0, 0.01)):
        assert truth.deltas == pytest.approx((normal_delta(1.0, 1.0), normal_delta(2.0, 1.0)), abs=1e-6)
        assert truth.epsilons[0] < truth.epsilons[1]
    assert Gaussian((1.0,), (1.0,), math.inf).derived(1.0, 0.01).epsilons[1] == math.inf
    assert release.halved().derived(1.0, 0.01) == Gaussian((2.0,), (1.0,), reach=4.0).derived(1.0, 0.01)


def test_a_number_without_noise_that_moves():
    release = Gaussian((0.0, 1.0, 0.5), (0.0, 0.0, 2.0))
    for truth in (release.accounted(1.0, 0.01), release.derived(1.0, 0.01)):
        assert (truth.epsilons, truth.deltas) == ((math.inf, math.inf), (1.0, 1.0))
    views = [release.draw(np.random.default_rng(3), side, 50) for side in (0, 1)]
    assert [set(release.scores(each)) for each in views] == [{0.0}, {1.0}]
    assert release.noise == 0.0


def test_scores_are_log_likelihood_ratios():
    shifts, sds = (0.6, 0.0, -1.6), (1.0, 5.0, 2.0)
    release = Gaussian(shifts, sds)
    views = release.draw(np.random.default_rng(1), 1, 20)
    ratios = stats.norm.logpdf(views, shifts, sds) - stats.norm.logpdf(views, 0.0, sds)
    assert release.scores(views) == pytest.approx(ratios.sum(axis=1), abs=1e-12)
    assert release.noise == 1.0


def test_draws_are_those_of_the_kernel():
    protocol = gaussian(2.0, diagonal=1.5, beside=0.5)
    sds = (2.0, 2.0, 2.0, 3.0, 1.0, 3.0, 1.0, 1.0, 3.0)
    noise = np.empty(9)
    draw_noise(np.random.default_rng(8), protocol, 3, 1.0, noise)
    assert np.array_equal(Gaussian((1.0,) * 9, sds).draw(np.random.default_rng(8), 0, 1)[0], noise)
    assert Gaussian((1.0,) * 9, sds).draw(np.random.default_rng(8), 1, 1)[0] == pytest.approx(noise + 1.0, rel=1e-12)


# The tree


@pytest.mark.parametrize(("first", "total"), [(1, 1), (1, 20), (3, 5), (4, 20), (27, 20000)])
def test_nodes_that_hold_a_users_leaves(first, total):
    """Leaf by leaf: leaf n completes the node that the tree uses, of as many leaves as the lowest set bit of n says."""
    epsilons = total.bit_length()
    used = [range(last - (last & -last) + 1, last + 1) for last in range(1, total + 1)]
    found = [sum(leaf <= first for leaf in node) for node in used]
    assert sorted(leaves_per_node(epsilons, first, total)) == sorted(count for count in found if count)
    if first == 1:
        assert leaves_per_node(epsilons, first, total) == (1,) * epsilons


def test_truths_of_a_tree():
    """A user with one leaf: the root of the number of nodes; with three leaves of five, squares 2 + 4 + 9."""
    once = GaussianTree((1.5, 0.0, 2.0), (5.0, 1.0, 5.0), (1,) * 15)
    thrice = GaussianTree((1.0,), (2.0,), leaves_per_node(3, 3, 5), reach=3.0)
    assert thrice.mus == (0.5, 0.5, 1.0, 1.5)
    for release, mu, most in ((once, 0.5 * math.sqrt(15), None), (thrice, math.sqrt(3.75), 3.0)):
        one, other = release.accounted(1.0, 0.1), release.derived(1.0, 0.1)
        assert one.epsilons == pytest.approx(other.epsilons, rel=1e-3)
        assert one.deltas == pytest.approx(other.deltas, abs=1e-6)
        assert other.deltas == pytest.approx((normal_delta(mu, 1.0), normal_delta(most or mu, 1.0)), rel=1e-9)
        assert release.halved().derived(1.0, 0.1).deltas[0] == pytest.approx(normal_delta(2 * mu, 1.0), rel=1e-9)


def test_scores_of_a_tree_are_log_likelihood_ratios():
    """As of all entries of all nodes, of which the views are one projection for each node."""
    release = GaussianTree((1.5, 0.0, 2.0), (5.0, 1.0, 4.0), (1, 2))
    views = release.draw(np.random.default_rng(2), 1, 10)
    entries = np.random.default_rng(2).standard_normal((10, 2, 2)) * [5.0, 4.0]
    entries += np.array([1.5, 2.0]) * np.array([1, 2])[:, None]
    moved = np.array([1.5, 2.0]) * np.array([1, 2])[:, None]
    ratios = stats.norm.logpdf(entries, moved, [5.0, 4.0]) - stats.norm.logpdf(entries, 0.0, [5.0, 4.0])
    assert release.scores(views) == pytest.approx(ratios.sum(axis=(1, 2)), abs=1e-12)


FEATURES, PROTOCOL = np.array([[1.0, 0.0], [0.6, 0.8]]), gaussian(3.0, diagonal=2.0)


def test_every_node_over_the_first_leaf_is_released_by_itself():
    """After leaf 2^l the kernel's sums have the noise of one node, that of epsilon l."""
    generator, server = np.random.default_rng(4), open_tree(FEATURES, 1.0, 40)
    for leaf in range(1, 40):
        grow_tree(generator, server, PROTOCOL, leaf)
        if leaf & (leaf - 1) == 0:
            (epsilon,) = np.flatnonzero(np.any(server.nodes != 0.0, axis=1))
            assert 2**epsilon == leaf
            assert server.target == pytest.approx(server.nodes[epsilon, :2], abs=1e-12)
    assert len(server.nodes) == len(leaves_per_node((40).bit_length(), 1, 40))


# Noise drawn once


def test_the_kernels_sums_in_a_row_differ_by_a_message():
    """Rounds 8 to 18 have three columns; the views have the noise of the kernel, and the message on top."""
    server = open_columns(np.random.default_rng(4), FEATURES, 1.0, PROTOCOL, 100)
    sums = []
    for round_ in range(12):
        collect(server.gram, server.target, FEATURES[1], 1, 1)
        add_columns(server, round_ + 1, 1)
        lower = server.gram[np.tril_indices(2)]
        sums.append(np.concatenate([server.target, lower]))
    message = np.array([0.6, 0.8, 0.36, 0.48, 0.64])
    assert [columns_in_use(t) for t in (7, 10, 11, 18, 19, 20, 19998)] == [3, 3, 3, 3, 3, 4, 10]
    assert sums[11] - sums[10] == pytest.approx(message, abs=1e-12)
    sds = (3.0, 3.0, 6.0, 3.0, 6.0)
    release = FrozenNoise((0.0,) * 5, tuple(message), sds, 3)
    (view,) = release.draw(np.random.default_rng(4), 1, 1)
    seen = sums[10] - 11 * message - np.array([0.0, 0.0, 1.0, 0.0, 1.0])  # less the data and the ridge
    assert view[:5] == pytest.approx(seen, abs=1e-10)
    assert view[5:] - view[:5] == pytest.approx(message, abs=1e-12)


def test_noise_drawn_once_hides_nothing():
    release = FrozenNoise((1.0, 0.0), (0.0, 1.0), (50.0, 70.0), 10)
    for each in (release, release.halved()):
        for truth in (each.accounted(5.0, 0.1), each.derived(5.0, 0.1)):
            assert (truth.epsilons, truth.deltas) == ((math.inf, math.inf), (1.0, 1.0))
        views = [each.draw(np.random.default_rng(6), side, 200) for side in (0, 1)]
        assert [set(each.scores(view)) for view in views] == [{0.0}, {1.0}]
    assert (release.noise, release.halved().noise) == (50.0, 25.0)
