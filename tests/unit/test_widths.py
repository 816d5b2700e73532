"""Widths of semi-bandits: the printed ones by hand, the certified ones against searches and exact tails."""

import math

import numpy as np
import pytest
from scipy import optimize

from dpbandits.algorithms.semi_bandit.cucb_dp import bonus_of
from dpbandits.algorithms.semi_bandit.widths import (
    Width,
    certified_central,
    certified_local,
    cucb_root_central,
    laplace_sum_bound,
    printed_central,
    printed_local,
    sampling_root,
    width_of,
)
from dpbandits.claims.closed_forms.chen2020.local_bonus import laplace_sum_tail

COUNTS = [1, 2, 3, 10, 20, 137, 1000, 10**5, 10**7]
EXPONENTS = [0.1, 1.0, 3.0, 10.0, 41.4, 200.0]


def searched(count, exponent):
    """The least value of the bound over a grid, sharpened around its place."""
    places = np.concatenate([np.logspace(-9, -0.01, 4001), 1 - np.logspace(-9, -1, 4001)])

    def bound(s):
        return (exponent - count * np.log1p(-s * s)) / s

    near = places[np.argmin(bound(places))]
    bounds = (0.99 * near, min(1.01 * near, 1 - 1e-14))
    return optimize.minimize_scalar(bound, bounds=bounds, method="bounded", options={"xatol": 1e-14}).fun


@pytest.mark.parametrize("exponent", EXPONENTS)
@pytest.mark.parametrize("count", COUNTS)
def test_the_bound_is_the_least_one(count, exponent):
    assert laplace_sum_bound(float(count), exponent) == pytest.approx(searched(count, exponent), rel=1e-9)


@pytest.mark.parametrize("exponent", [1.0, 3.0, 10.0, 41.4])
@pytest.mark.parametrize("count", [1, 2, 3, 10, 20, 137])
def test_the_bound_covers(count, exponent):
    """By the exact tail of the sum; at exponents as they are used seven tenths of the bound do not cover."""
    found = laplace_sum_bound(float(count), exponent)
    beyond, within = laplace_sum_tail(count, np.array([found, 0.7 * found]))
    assert beyond <= math.exp(-exponent)
    assert within > math.exp(-exponent) or exponent < 10


def test_the_bound_of_many_is_that_of_a_normal_variable():
    """Variance 2 each: 2 sqrt(count e)."""
    assert laplace_sum_bound(1e12, 20.0) == pytest.approx(2 * math.sqrt(20e12), rel=1e-5)


def test_the_two_ways_to_the_minimum_meet():
    """The series below, and Newton's method above; both are of the least bound."""
    for y in (0.0199999, 0.0200001):
        assert laplace_sum_bound(1e4, 1e4 * y) == pytest.approx(searched(1e4, 1e4 * y), rel=1e-9)


def test_needed_bonus_of_the_tree_by_hand():
    """In units of K / eps: q_D times D or 2 ln T, D = 14, 17, 20 and 24 nodes, but for T^-2."""
    horizons, nodes = [10**4, 10**5, 10**6, 10**7], [14, 17, 20, 24]
    q = [laplace_sum_bound(float(d), 2 * math.log(T)) for d, T in zip(nodes, horizons, strict=True)]
    assert [round(d * each) for d, each in zip(nodes, q, strict=True)] == [557, 837, 1173, 1659]
    assert [round(2 * math.log(T) * each) for T, each in zip(horizons, q, strict=True)] == [733, 1133, 1621, 2228]


def test_printed_local_widths_by_hand():
    """T = 1e6, ln T = 13.815511, eps = 1/2, n = 100: 4 sqrt(2 * 13.815511 / 25) = 4.2052174, times sqrt(power)."""
    for power, factor, expected in ((1.0, 1.0, 4.2052174), (4.0, 1.0, 8.4104348), (16.0, 0.5, 8.4104348)):
        width = printed_local(0.5, power, factor, 10**6)
        assert width_of(100.0, width) == pytest.approx(expected, rel=1e-7)
        assert width_of(25.0, width) == pytest.approx(2 * expected, rel=1e-7)


def test_printed_central_width_by_hand():
    """T = 1e5, m = 20, K = 4, eps = 1/2: ln(2e6) = 14.5086577, ln(1e5)^3 = 1526.0088."""
    root, added = math.sqrt(4 * 14.5086577), 12 * 4 * 1526.00881 / 0.5
    for n in (10.0, 1000.0):
        width = printed_central(0.5, 4.0, 1.0, 20, 10**5)
        assert width_of(n, width) == pytest.approx(root / math.sqrt(n) + added / n, rel=1e-7)
        tuned = printed_central(0.5, 4.0, 0.25, 20, 10**5)
        assert width_of(n, tuned) == pytest.approx(root / math.sqrt(n) + 0.25 * added / n, rel=1e-7)
        steady = cucb_root_central(0.5, 4.0, 1.0, 10**5)
        assert width_of(n, steady) == pytest.approx(math.sqrt(17.2693882 / n) + added / n, rel=1e-7)
    assert added == pytest.approx(4 / 0.5 * 18312, rel=1e-4)


def test_certified_widths_are_those_of_sampling_and_noise():
    """ln(1e6) = 13.815511; the printed width and its factor play no part, nor does `cucb_root`."""
    sampling = math.sqrt(1.5 * 13.815511)
    assert sampling_root(10**6) == pytest.approx(sampling, rel=1e-7)
    for n in (1.0, 40.0, 10.0**5):
        local = certified_local(8.0, 10**6)
        expected = sampling / math.sqrt(n) + 8 * searched(n, 3 * 13.815511) / n
        assert width_of(n, local) == pytest.approx(expected, rel=1e-7)
        central = certified_central(160.0, 20, 10**6)
        expected = sampling / math.sqrt(n) + 160 * searched(20, 2 * 13.815511) / n
        assert width_of(n, central) == pytest.approx(expected, rel=1e-7)
        for eps, width, steady, arms in ((0.5, 0.3, 0, 20), (0.1, 1.0, 1, 7)):
            assert central == bonus_of(eps, 40.0, width, steady, 1, 4.0, arms, 10**6)


def test_an_exponent_of_nothing_leaves_its_term_out():
    assert width_of(4.0, Width(1.0, 2.0, 0.0, 1e9)) == 1.0
