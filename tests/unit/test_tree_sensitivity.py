"""Sums in all nodes of explicit trees, of two streams that differ in one round, against the sensitivity."""

import math

import numpy as np
import pytest

from dpbandits.privacy.tree import layers, printed_scale, tree_sensitivity

HORIZONS = [2, 3, 4, 8, 100, 10000]
ARMS, SIZE = 7, 3


def node_sums(leaves):
    """Sums of all completed nodes of a tree over (leaves, coordinates), one row a node."""
    found, width = [], 1
    while width <= len(leaves):
        whole = len(leaves) // width * width
        found.append(leaves[:whole].reshape(-1, width, leaves.shape[1]).sum(axis=1))
        width *= 2
    return np.concatenate(found)


def moved(before, after, played, per_arm):
    """l1 distance of all node sums: one tree of vectors over rounds, or one of every arm over its own plays."""
    if not per_arm:
        return np.abs(node_sums(before) - node_sums(after)).sum()
    trees = [(before[played[:, i], i, None], after[played[:, i], i, None]) for i in range(ARMS)]
    return sum(np.abs(node_sums(one) - node_sums(other)).sum() for one, other in trees if len(one))


def streams(rng, horizon, at, same):
    """What is seen of two users' worlds that differ in round `at`, and the arms played; `same`: always the same."""
    order = np.argsort(rng.random((horizon, ARMS)), axis=1)
    played = np.zeros((horizon, ARMS), bool)
    np.put_along_axis(played, order[:, :SIZE], True, axis=1)
    if same:
        played[:] = played[0]
    before = np.where(played, rng.integers(0, 2, (horizon, ARMS)), 0.0)
    after = before.copy()
    before[at], after[at] = 0.0, played[at]
    return before, after, played


@pytest.mark.parametrize("horizon", HORIZONS)
def test_a_round_moves_the_nodes_by_the_sensitivity_and_no_more(horizon):
    rng = np.random.default_rng(horizon)
    most = tree_sensitivity(SIZE, horizon)
    for at in {0, 1, horizon // 2, horizon - 1}:
        for same in (True, False):
            for per_arm in (True, False):
                shift = moved(*streams(rng, horizon, at, same), per_arm)
                assert shift <= most
                assert shift == most or at > 0 or (per_arm and not same)


@pytest.mark.parametrize("horizon", HORIZONS)
def test_printed_noise_is_enough_but_for_the_natural_logarithm_at_two_and_four(horizon):
    rng, eps = np.random.default_rng(1), 0.5
    shift = moved(*streams(rng, horizon, 0, True), per_arm=True)
    assert shift / (tree_sensitivity(SIZE, horizon) / eps) == pytest.approx(eps)
    assert shift / printed_scale(SIZE, horizon, eps, 2.0) <= eps * (1 + 1e-12)
    assert (shift / printed_scale(SIZE, horizon, eps) <= eps) == (horizon not in (2, 4))


def test_epsilons_by_hand():
    assert [layers(T) for T in (1, 2, 3, 4, 7, 8, 10**6)] == [1, 2, 2, 3, 3, 4, 20]
    with pytest.raises(ValueError, match="the horizon must be >= 1; got 0"):
        layers(0)


def test_printed_scale_by_hand():
    assert printed_scale(4, 8, 0.5, 2.0) == pytest.approx(48.0)
    assert printed_scale(4, 8, 0.5) == pytest.approx(48.0 * math.log(2.0))
