"""Epsilons and deltas of two discrete distributions: by definition, and by hand."""

import math

import numpy as np
import pytest

from dpbandits.audits.mechanisms import two_distributions


def sticks(first, second, eps):
    """The larger hockey-stick divergence."""
    return max(np.maximum(p - math.exp(eps) * q, 0.0).sum() for p, q in ((first, second), (second, first)))


@pytest.mark.parametrize("seed", range(5))
def test_all_events_at_either_end_are_enough(seed):
    rng = np.random.default_rng(seed)
    first, second = rng.dirichlet(np.ones(7), 2)
    order = np.argsort(second / first)
    first, second = first[order], second[order]
    for eps in (0.0, 0.3, 1.0, 3.0):
        assert two_distributions.delta_at(first, second, eps) == pytest.approx(sticks(first, second, eps), abs=1e-15)
    for delta in (0.0, 0.01, 0.2):
        epsilon = two_distributions.epsilon(first, second, delta)
        assert sticks(first, second, epsilon) <= delta + 1e-12
        assert epsilon == 0.0 or sticks(first, second, 0.999 * epsilon) > delta


def test_another_order_finds_less():
    rng = np.random.default_rng(9)
    first, second = rng.dirichlet(np.ones(7), 2)
    assert two_distributions.delta_at(first, second, 0.1) <= sticks(first, second, 0.1)


def test_randomized_response_by_hand():
    """Odds 3 to 1: epsilon ln 3 at 0, ln((3/4 - 1/4) / (1/4)) = ln 2 at 1/4; delta (3 - 2) / 4 at ln 2."""
    first, second = np.array([0.75, 0.25]), np.array([0.25, 0.75])
    assert two_distributions.epsilon(first, second, 0.0) == pytest.approx(math.log(3), rel=1e-15)
    assert two_distributions.epsilon(first, second, 0.25) == pytest.approx(math.log(2), rel=1e-15)
    assert two_distributions.delta_at(first, second, math.log(2)) == pytest.approx(0.25, rel=1e-14)
    assert two_distributions.epsilon(first, second, 0.5) == 0.0


def test_an_event_that_one_distribution_excludes():
    first, second = np.array([0.5, 0.5, 0.0]), np.array([0.0, 0.9, 0.1])
    assert two_distributions.epsilon(first, second, 0.3) == math.inf
    assert two_distributions.epsilon(first, second, 0.5) < math.inf
    assert two_distributions.delta_at(first, second, 50.0) == pytest.approx(0.5, rel=1e-12)
