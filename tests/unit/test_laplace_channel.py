"""Relative entropy of Laplace channels against quadrature and limits, and lower bounds against numbers by hand."""

import itertools
import math

import numba
import pytest
from scipy import integrate

from dpbandits.numerics.kl import bernoulli_kl
from dpbandits.numerics.laplace_channel import channel_kl
from dpbandits.theory import semi_bandit_lower_bounds as lower_bounds

MEANS = [0.0, 0.05, 0.25, 0.45, 0.5, 0.9, 1.0]
SCALES = [0.02, 0.25, 1.0, 4.0, 20.0]


def quadrature(p, q, scale):
    """The integral over the three pieces that the kinks at 0 and 1 leave."""

    def log_density(mean, y):
        weights = [(w, -abs(y - x) / scale) for x, w in ((0, 1 - mean), (1, mean)) if w > 0]
        top = max(each for _, each in weights)
        return top + math.log(sum(w * math.exp(each - top) for w, each in weights))

    def part(y):
        own = log_density(p, y)
        return math.exp(own) / (2 * scale) * (own - log_density(q, y))

    pieces = [(-50 * scale, 0.0), (0.0, 0.5), (0.5, 1.0), (1.0, 1 + 50 * scale)]
    return sum(integrate.quad(part, *ends, epsabs=1e-14, epsrel=1e-12, limit=200)[0] for ends in pieces)


@pytest.mark.parametrize(("p", "q"), [*itertools.permutations(MEANS, 2)])
def test_channel_kl_against_quadrature(p, q):
    for scale in SCALES:
        assert channel_kl(p, q, scale) == pytest.approx(quadrature(p, q, scale), rel=1e-8, abs=1e-12), scale


def test_channel_kl_of_equal_coins_is_zero():
    assert all(channel_kl(p, p, scale) == 0.0 for p in MEANS for scale in SCALES)


@pytest.mark.parametrize(("p", "q"), [(0.25, 0.5), (0.0, 0.3), (0.9, 0.2)])
def test_without_noise_it_is_that_of_the_coins(p, q):
    for scale, close in ((0.02, 1e-8), (1e-3, 1e-12), (1e-9, 1e-15)):
        assert channel_kl(p, q, scale) == pytest.approx(bernoulli_kl(p, q), rel=close)
    assert channel_kl(1.0, 0.0, 0.0) == math.inf


def test_under_much_noise_only_the_means_differ():
    """Lap(b) has Fisher information 1 / b^2 about its place."""
    for p, q in ((0.25, 0.5), (0.45, 0.5), (0.1, 0.9)):
        assert channel_kl(p, q, 300.0) == pytest.approx((p - q) ** 2 / (2 * 300.0**2), rel=0.01)


def test_sure_coins_are_shifted_laplace_distributions():
    """KL of Lap(b) and its shift by 1 is 1/b + e^(-1/b) - 1."""
    for scale in SCALES:
        assert channel_kl(1.0, 0.0, scale) == pytest.approx(1 / scale + math.exp(-1 / scale) - 1, rel=1e-12)


def test_kernels_may_call_it():
    compiled = numba.njit(lambda p, q, scale: channel_kl(p, q, scale))
    assert compiled(0.25, 0.5, 2.0) == pytest.approx(channel_kl(0.25, 0.5, 2.0), rel=1e-12)


# Lower bounds


def test_printed_lower_bounds_by_hand():
    """(e^eps - 1)^2 = 4 at eps = ln 3: 15 / (64 * 4 * 0.25) for 16 arms; B^2 (m - K) K = 4 * 28 * 4 = 448."""
    log3 = math.log(3.0)
    assert lower_bounds.local_lower_bound(log3, 0.25, 16, 1, 1) == pytest.approx(15 / 64)
    assert lower_bounds.local_lower_bound(log3, 0.25, 32, 4, 2) == pytest.approx(448 / 64)
    assert lower_bounds.local_lower_bound_at_small_eps(0.5, 0.25, 32, 4, 2) == pytest.approx(448 / 8)
    assert lower_bounds.central_rate(0.5, 0.25, 32, 4, 2) == pytest.approx(4 * 128 / 0.25 + 2 * 128 / 0.5)


def test_the_form_for_small_eps_is_weaker_there_and_not_beyond():
    for eps, weaker in ((0.01, True), (0.1, True), (0.5, True), (1.0, False)):
        small, whole = (
            form(eps, 0.1, 32, 4, 1)
            for form in (lower_bounds.local_lower_bound_at_small_eps, lower_bounds.local_lower_bound)
        )
        assert (small <= whole) == weaker


def test_sharper_lower_bounds_are_above_the_printed_one():
    """One arm of means 1/2 and below; 1.91 is the known value without privacy."""
    assert lower_bounds.bernoulli_lower_bound(0.25, 0.5) == pytest.approx(1.91, abs=0.005)
    for eps in (0.05, 0.5, 1.0, 4.0):
        for gap in (0.05, 0.25, 0.34):
            sharp = lower_bounds.channel_lower_bound(0.5 - gap, 0.5, eps)
            assert sharp == pytest.approx(gap / quadrature(0.5 - gap, 0.5, 1 / eps), rel=1e-8)
            assert sharp > max(
                lower_bounds.local_lower_bound(eps, gap, 2, 1, 1), lower_bounds.bernoulli_lower_bound(0.5 - gap, 0.5)
            )
