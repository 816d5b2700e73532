"""Relative entropies of Bernoulli distributions against 40 digits, minimization, and numbers worked out by hand."""

import itertools
import math

import mpmath
import numba
import numpy as np
import pytest
from scipy import optimize

from dpbandits.numerics import kl

MEANS = [1e-12, 1e-5, 0.01, 0.2, 0.3, 0.5, 0.5000001, 0.7, 0.95, 0.99999, 1 - 1e-12]
EDGES = [0.0, *MEANS, 1.0]
RADII = [1e-9, 1e-6, 1e-3, 0.05, 0.4, 2.0, 9.0]
BUDGETS = [1e-3, 0.1, 1.0, 5.0, 40.0]
PRECISE = 1e-14
DIGITS = mpmath.mp.clone()
DIGITS.dps = 40


def exact_kl(p, q):
    """In 40 digits, for q in (0, 1]."""
    p, q = DIGITS.mpf(p), DIGITS.mpf(q)
    if q == 1:
        return DIGITS.inf
    return (p * DIGITS.log(p / q) if p else 0) + ((1 - p) * DIGITS.log((1 - p) / (1 - q)) if p < 1 else 0)


def exact_private_kl(p, q, eps):
    """By thirds: eps |z - p| + kl(z, q) is convex in z."""
    low, high = sorted((DIGITS.mpf(p), DIGITS.mpf(q)))
    for _ in range(100):
        a, b = low + (high - low) / 3, high - (high - low) / 3
        if eps * abs(a - p) + exact_kl(a, q) < eps * abs(b - p) + exact_kl(b, q):
            high = b
        else:
            low = a
    return eps * abs(low - p) + exact_kl(low, q)


def exact_root(function, p, radius):
    """The largest q in [p, 1) with function(q) <= radius, by halving."""
    low, high = DIGITS.mpf(p), DIGITS.mpf(1)
    for _ in range(110):
        q = (low + high) / 2
        low, high = (q, high) if function(q) <= radius else (low, q)
    return low


# kl


@pytest.mark.parametrize(("p", "q"), [*itertools.permutations(MEANS, 2)])
def test_kl_against_forty_digits(p, q):
    close = 1e-8 if abs(p - q) < 1e-6 else PRECISE
    assert kl.bernoulli_kl(p, q) == pytest.approx(float(exact_kl(p, q)), rel=close)


def test_kl_by_hand():
    assert kl.bernoulli_kl(0.5, 0.25) == pytest.approx(0.5 * math.log(4 / 3), rel=PRECISE)  # ln 2 / 2 + ln(2/3) / 2
    assert kl.bernoulli_kl(0.0, 0.75) == pytest.approx(math.log(4), rel=PRECISE)
    assert kl.bernoulli_kl(1.0, 0.25) == pytest.approx(math.log(4), rel=PRECISE)
    assert kl.bernoulli_kl(0.3, 0.0) == kl.bernoulli_kl(0.3, 1.0) == math.inf
    assert kl.bernoulli_kl(1.0, 0.0) == kl.bernoulli_kl(0.0, 1.0) == math.inf
    assert all(kl.bernoulli_kl(p, p) == 0.0 for p in EDGES)


def test_kl_at_the_smallest_numbers():
    assert kl.bernoulli_kl(1.0, 1e-320) == pytest.approx(-math.log(1e-320))
    assert kl.bernoulli_kl(1e-20, 2e-20) == pytest.approx(1e-20 * (1 - math.log(2)), rel=1e-12)
    assert kl.bernoulli_kl(1e-20, 0.5) == pytest.approx(math.log(2), rel=PRECISE)


# The upper bound of kl


@pytest.mark.parametrize("p", [0.0, *MEANS])
def test_upper_bound_against_forty_digits(p):
    for radius in RADII:
        exact = exact_root(lambda q: exact_kl(p, q), p, radius)
        found = kl.kl_upper_bound(p, radius)
        if 1 - exact < 0.9 * kl.NEAR_ONE:
            assert found == 1.0
        elif 1 - exact > 1.1 * kl.NEAR_ONE:
            assert found == pytest.approx(float(exact), rel=1e-15)


def test_upper_bound_by_hand():
    assert kl.kl_upper_bound(0.5, 0.5 * math.log(4 / 3)) == pytest.approx(0.75, rel=PRECISE)
    assert kl.kl_upper_bound(0.0, math.log(4)) == pytest.approx(0.75, rel=PRECISE)
    assert kl.kl_upper_bound(0.3, 200.0) == 1.0
    assert all(kl.kl_upper_bound(1.0, radius) == 1.0 for radius in [0.0, *RADII])
    assert all(kl.kl_upper_bound(p, 0.0) == p for p in EDGES)
    assert all(p <= kl.kl_upper_bound(p, 1e-300) <= p + 1e-15 for p in EDGES)


def test_upper_bound_is_the_inverse_of_kl():
    for p, q in itertools.combinations(MEANS, 2):
        if 1 - q > kl.NEAR_ONE and q - p > 1e-6:
            assert kl.kl_upper_bound(p, kl.bernoulli_kl(p, q)) == pytest.approx(q, rel=1e-13)


def test_upper_bound_grows_with_the_mean_and_the_radius():
    grid = np.linspace(0, 1, 301)
    for radius in RADII:
        assert (np.diff([kl.kl_upper_bound(p, radius) for p in grid]) >= 0).all()
    for p in EDGES:
        assert (np.diff([kl.kl_upper_bound(p, radius) for radius in np.geomspace(1e-12, 50, 301)]) >= 0).all()


# The private version


@pytest.mark.parametrize("eps", BUDGETS)
def test_private_kl_against_a_minimization(eps):
    for p, q in itertools.permutations([0.01, 0.2, 0.5, 0.7, 0.95], 2):
        assert kl.private_kl(p, q, eps) == pytest.approx(float(exact_private_kl(p, q, eps)), rel=1e-12)


@pytest.mark.parametrize("eps", BUDGETS)
def test_private_kl_from_the_edges(eps):
    for q in (0.2, 0.5, 0.95):
        for p in (0.0, 1.0):
            assert kl.private_kl(p, q, eps) == pytest.approx(float(exact_private_kl(p, q, eps)), rel=1e-12)


def test_private_kl_against_another_minimization():
    for p, q, eps in itertools.product((0.1, 0.6), (0.35, 0.9), (0.3, 1.5)):
        objective = lambda z: eps * abs(z - p) + float(exact_kl(z, q))  # noqa: B023, E731 - one use, in this turn
        found = optimize.minimize_scalar(objective, bounds=sorted((p, q)), method="bounded", options={"xatol": 1e-10})
        least = min(found.fun, objective(p), objective(q))
        assert kl.private_kl(p, q, eps) == pytest.approx(least, rel=1e-8)


def test_private_kl_by_hand():
    # ln(0.8 / 0.2) = ln 4, so that z = 1/2: ln 4 (1/2 - 1/5) + kl(1/2, 4/5) = 0.3 ln 4 + ln(1.25)
    expected = 0.3 * math.log(4) + math.log(1.25)
    assert kl.private_kl(0.2, 0.8, math.log(4)) == pytest.approx(expected, rel=PRECISE)
    assert kl.private_kl(0.8, 0.2, math.log(4)) == pytest.approx(expected, rel=PRECISE)
    assert all(kl.private_kl(p, q, 0.7) == pytest.approx(0.7 * abs(p - q)) for p in EDGES for q in (0.0, 1.0))
    assert all(kl.private_kl(p, p, eps) == 0.0 for p in EDGES for eps in BUDGETS)
    assert kl.private_kl(1e-20, 0.5, 1e9) == pytest.approx(math.log(2))


@pytest.mark.parametrize(("p", "q"), [*itertools.permutations(MEANS, 2)])
def test_private_kl_lies_below_its_two_limits_and_reaches_them(p, q):
    values = [kl.private_kl(p, q, eps) for eps in np.geomspace(1e-6, 1e4, 60)]
    assert (np.diff(values) >= -1e-15 * np.array(values[1:])).all()
    assert values[-1] == pytest.approx(kl.bernoulli_kl(p, q), rel=1e-12)
    for eps in BUDGETS:
        most = min(eps * abs(p - q), kl.bernoulli_kl(p, q))
        assert 0 <= kl.private_kl(p, q, eps) <= most * (1 + 1e-9) + 1e-16 * eps
    distance = abs(p - q)
    if min(q, 1 - q) > 1e-3 and distance > 1e-3:
        assert kl.private_kl(p, q, 1e-5) == pytest.approx(1e-5 * distance, rel=0.01)


def test_private_kl_has_no_jump_where_its_two_forms_meet():
    for p, eps in itertools.product([1e-5, 0.2, 0.5, 0.9], BUDGETS[:4]):
        q = p / (p + (1 - p) * math.exp(-eps))
        slope = (q - p) / (q * (1 - q))  # of both in q
        for side in (-1e-6, 1e-6):
            step = kl.private_kl(p, q * (1 + side), eps) - kl.private_kl(p, q, eps)
            assert step == pytest.approx(side * q * slope, rel=0.01)


# Its upper bound


@pytest.mark.parametrize("eps", BUDGETS)
@pytest.mark.parametrize("p", [0.0, 1e-5, 0.2, 0.5, 0.9, 0.99999])
def test_private_upper_bound_is_the_inverse(p, eps):
    for radius in RADII:
        q = kl.private_kl_upper_bound(p, radius, eps)
        assert p <= q <= 1.0
        assert (q == 1.0) == (eps * (1 - p) <= radius or kl.kl_upper_bound(p, radius) == 1.0)
        if q < 1.0 - 1e-9:
            assert kl.private_kl(p, q, eps) == pytest.approx(radius, rel=1e-9, abs=1e-15)
            assert kl.private_kl(p, min(1.0, p + 1.0001 * (q - p)), eps) > radius


def test_private_upper_bound_by_hand():
    expected = 0.3 * math.log(4) + math.log(1.25)
    assert kl.private_kl_upper_bound(0.2, expected, math.log(4)) == pytest.approx(0.8, rel=PRECISE)
    assert kl.private_kl_upper_bound(0.2, 0.08, 0.1) == 1.0
    assert kl.private_kl_upper_bound(0.2, 0.079999, 0.1) < 1.0
    for p, radius in itertools.product([0.0, *MEANS], RADII):  # a budget beyond reach
        assert kl.private_kl_upper_bound(p, radius, 1e5) == pytest.approx(kl.kl_upper_bound(p, radius), rel=1e-12)
    assert all(kl.private_kl_upper_bound(1.0, radius, 0.5) == 1.0 for radius in [0.0, *RADII])
    assert all(kl.private_kl_upper_bound(p, 0.0, 0.5) == p for p in EDGES)


def test_private_upper_bound_grows_with_mean_and_radius_and_falls_with_the_budget():
    bound = kl.private_kl_upper_bound
    for eps, radius in itertools.product(BUDGETS, RADII):
        assert (np.diff([bound(p, radius, eps) for p in np.linspace(0, 1, 101)]) >= -1e-15).all()
    for eps, p in itertools.product(BUDGETS, EDGES):
        assert (np.diff([bound(p, radius, eps) for radius in np.geomspace(1e-9, 50, 101)]) >= -1e-15).all()
    for radius, p in itertools.product(RADII, EDGES):
        assert (np.diff([bound(p, radius, eps) for eps in np.geomspace(1e-3, 1e3, 101)]) <= 1e-13).all()


# Compiled


@numba.njit(error_model="numpy")
def compiled(means: np.ndarray, others: np.ndarray) -> np.ndarray:
    """All four formulas at all pairs; the other number as q, as radius and as budget."""
    found = np.empty((len(means), len(others), 4))
    for i in range(len(means)):
        for j in range(len(others)):
            p, x = means[i], others[j]
            found[i, j, 0] = kl.bernoulli_kl(p, min(1.0, x))
            found[i, j, 1] = kl.kl_upper_bound(p, x)
            found[i, j, 2] = kl.private_kl(p, min(1.0, x), 1.0 - 0.9 * p)
            found[i, j, 3] = kl.private_kl_upper_bound(p, x, x + 0.5)
    return found


def test_compiled_formulas_give_the_same_bits():
    means = np.array([*EDGES, *np.random.default_rng(1).random(100)])
    others = np.array([0.0, *RADII, *np.random.default_rng(2).random(100)])
    np.testing.assert_array_equal(compiled(means, others), compiled.py_func(means, others))
