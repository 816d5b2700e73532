"""Noise of prefix sums against explicit trees: which nodes are used, drawn how often, and the variance they leave."""

import math

import numpy as np
import pytest

from dpbandits.algorithms.shared.tree_noise import advance, advance_to
from dpbandits.privacy import mechanisms

LEAVES, LAYERS, SCALE = 64, 7, 1.5
RUNS = 2500


def cover(n, first=1, last=LEAVES):
    """The largest nodes (first and last leaf) of the tree of so many leaves that make up 1..n, from its root."""
    if last <= n:
        return [(first, last)]
    if first > n:
        return []
    middle = (first + last) // 2
    return cover(n, first, middle) + cover(n, middle + 1, last)


def test_covers_by_hand():
    assert cover(6) == [(1, 4), (5, 6)]
    assert cover(13) == [(1, 8), (9, 12), (13, 13)]
    assert cover(64) == [(1, 64)]


@pytest.fixture
def drawn(monkeypatch):
    """Kernels as plain Python; the draws that they make, in order."""
    draws, rng = [], np.random.default_rng(0)

    def laplace(_, scale):
        draws.append(rng.laplace(0.0, scale))
        return draws[-1]

    monkeypatch.setattr(mechanisms, "laplace", laplace)
    return draws


def test_a_leaf_completes_one_node_that_is_used(drawn):
    """The draw of leaf n is that of the node of 1..n that ends there: the noise is that of the cover, node by node."""
    noise = np.zeros((3, LAYERS))
    for n in range(1, LEAVES + 1):
        found = advance.py_func(None, noise, 1, n, SCALE)
        assert len(drawn) == n
        assert found == pytest.approx(sum(drawn[last - 1] for _, last in cover(n)), abs=1e-12)
    assert not noise[[0, 2]].any()


@pytest.mark.parametrize("share", [0.1, 0.5, 1.0])
def test_prefixes_may_be_left_out(drawn, share):
    """Nodes that are used for the first time are drawn, larger ones first, and keep their noise."""
    for seed in range(20):
        rng, nodes = np.random.default_rng(seed), {}
        noise, last = np.zeros((3, LAYERS)), np.zeros((3, LAYERS), np.int64)
        for t in np.flatnonzero(rng.random(LEAVES) < share) + 1:
            before = len(drawn)
            found = advance_to.py_func(None, noise, last, 1, int(t), SCALE)
            fresh = [node for node in cover(t) if node not in nodes]
            nodes |= dict(zip(fresh, drawn[before:], strict=True))
            assert found == pytest.approx(sum(nodes[node] for node in cover(t)), abs=1e-12)
        assert not noise[[0, 2]].any()
        assert not last[[0, 2]].any()


def test_trees_are_apart(drawn):
    """Two trees in turn, at leaves of their own."""
    noise, last = np.zeros((2, LAYERS)), np.zeros((2, LAYERS), np.int64)
    alone, together = np.zeros((1, LAYERS)), np.zeros((1, LAYERS), np.int64)
    for t in range(1, LEAVES + 1):
        before = len(drawn)
        found = advance_to.py_func(None, noise, last, 0, t, SCALE)
        fresh = iter(drawn[before:])
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(mechanisms, "laplace", lambda *_, fresh=fresh: next(fresh))
            assert advance_to.py_func(None, alone, together, 0, t, SCALE) == found
        if t % 3 == 0:
            advance_to.py_func(None, noise, last, 1, t, SCALE)


# Distributions


def prefixes(every_leaf):
    """(RUNS, LEAVES) noise of the sums of leaves 1..n, by the compiled kernels."""
    found = np.empty((RUNS, LEAVES))
    for run in range(RUNS):
        rng, noise, last = np.random.default_rng(run), np.zeros((1, LAYERS)), np.zeros((1, LAYERS), np.int64)
        for n in range(1, LEAVES + 1):
            if every_leaf:
                found[run, n - 1] = advance(rng, noise, 0, n, SCALE)
            else:
                found[run, n - 1] = advance_to(rng, noise, last, 0, n, SCALE)
    return found


@pytest.mark.parametrize("every_leaf", [True, False])
def test_variance_is_that_of_the_binary_digits(every_leaf):
    """2 b^2 for every node of the cover; those that two prefixes share make their covariance.

    A sum of k Laplace variables has kurtosis 3 + 3/k, from which the errors follow.
    """
    found = prefixes(every_leaf) / (math.sqrt(2) * SCALE)
    covers = [set(cover(n)) for n in range(1, LEAVES + 1)]
    shared = np.array([[len(one & other) for other in covers] for one in covers])
    digits = [f"{n:b}".count("1") for n in range(1, LEAVES + 1)]
    assert shared.diagonal().tolist() == digits
    errors = np.sqrt(np.outer(digits, digits) * 6 / RUNS)  # at most, by the fourth moments
    assert (np.abs(np.cov(found.T) - shared) < 5 * errors).all()
    assert (np.abs(found.mean(axis=0)) < 4 * np.sqrt(np.array(digits) / RUNS)).all()


def test_fewer_prefixes_leave_the_variance():
    """Where rounds are leaves: an arm that is played at 5, 11 and 48 alone."""
    found = np.empty((RUNS, 3))
    for run in range(RUNS):
        rng, noise, last = np.random.default_rng(run), np.zeros((1, LAYERS)), np.zeros((1, LAYERS), np.int64)
        found[run] = [advance_to(rng, noise, last, 0, t, SCALE) for t in (5, 11, 48)]
    variance = found.var(axis=0) / (2 * SCALE**2)
    nodes = np.array([2, 3, 2])  # 4 + 1, 8 + 2 + 1, 32 + 16
    assert (np.abs(variance / nodes - 1) < 4 * np.sqrt((2 + 3 / nodes) / RUNS)).all()
    assert abs(np.cov(found.T)[0, 2]) < 4 * 2 * SCALE**2 * 2 / math.sqrt(RUNS)
