"""Beta distributions against high-precision arithmetic and SciPy: density, slope, bounds of the tails, draws."""

import itertools
import math

import mpmath
import numpy as np
import pytest
from numba import njit
from scipy import stats

from dpbandits.numerics.beta import draw, log_density, log_factorial_rest, log_peak, log_slope, standard_deviation
from dpbandits.numerics.statistics import holm

SIZES = (1.0, 2.0, 7.5, 64.0, 1024.0, 1e5, 1e8)
PARTS = (0.0, 1e-6, 0.03, 0.5, 0.75, 0.999, 1.0)
DISTRIBUTIONS = list(itertools.product(PARTS, SIZES))
every = pytest.mark.parametrize(("p", "n"), DISTRIBUTIONS)


def exact(function):
    with mpmath.workdps(40):
        return float(function())


def parameters(p, n):
    return mpmath.mpf(p) * n + 1, (1 - mpmath.mpf(p)) * n + 1


def around(p, n):
    """Points up to twelve standard deviations off."""
    points = p + standard_deviation(p, n) * np.array([-12, -5, -2, -0.5, 0.25, 1, 3, 8])
    return [float(x) for x in points if 0 < x < 1]


def exact_log_density(x, p, n):
    a, b = parameters(p, n)
    power = (a - 1) * mpmath.log(mpmath.mpf(x)) + (b - 1) * mpmath.log(1 - mpmath.mpf(x))
    return power + mpmath.loggamma(a + b) - mpmath.loggamma(a) - mpmath.loggamma(b)


# Formulas


@pytest.mark.parametrize("x", [0.0, 1e-9, 0.3, 1.0, 4.0, 15.999999, 16.0, 16.5, 40.0, 1e3, 1e8])
def test_what_stirling_leaves(x):
    expected = exact(lambda: mpmath.loggamma(mpmath.mpf(x) + 1) - (x and mpmath.mpf(x) * mpmath.log(x)) + x)
    assert log_factorial_rest(x) == pytest.approx(expected, abs=1e-13)


def test_by_hand():
    assert log_peak(0.5, 2.0) == pytest.approx(math.log(1.5))  # Beta(2, 2): 6 x (1-x) at 1/2
    assert log_peak(1.0, 3.0) == pytest.approx(math.log(4))  # 4 x^3 at 1
    assert log_density(0.25, 0.0, 2.0) == pytest.approx(math.log(3 * 0.75**2))  # 3 (1-x)^2
    assert log_density(0.25, 0.5, 2.0) == pytest.approx(math.log(6 * 0.25 * 0.75))
    assert log_slope(0.25, 0.5, 2.0) == pytest.approx(1 / 0.25 - 1 / 0.75)
    assert standard_deviation(0.5, 2.0) == pytest.approx(math.sqrt(1 / 20))


@every
def test_density(p, n):
    """To 1e-11, and n times the rounding of a relative entropy."""
    for x in around(p, n):
        expected = exact(lambda x=x: exact_log_density(x, p, n))
        assert log_density(x, p, n) == pytest.approx(expected, rel=1e-13, abs=1e-11 + 3e-16 * n)


@every
def test_moments_and_slope_agree_with_scipy(p, n):
    distribution = stats.beta(p * n + 1, (1 - p) * n + 1)
    assert standard_deviation(p, n) == pytest.approx(distribution.std(), rel=1e-9)
    for x in around(p, n):
        a, b = parameters(p, n)
        expected = exact(lambda x=x, a=a, b=b: (a - 1) / mpmath.mpf(x) - (b - 1) / (1 - mpmath.mpf(x)))
        assert log_slope(x, p, n) == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_the_peak_grows_away_from_a_half():
    p = np.linspace(0, 1, 401)
    for n in SIZES:
        peaks = np.array([log_peak(each, n) for each in p])
        assert (np.diff(peaks[p <= 0.5]) < 0).all()
        assert (np.diff(peaks[p >= 0.5]) > 0).all()


@every
def test_tails_lie_below_the_exponential_function(p, n):
    """On the other side of the cut from p, also for every p further from the cut, with the larger peak."""
    for cut in around(p, n):
        beyond = np.linspace(cut, float(cut > p), 41)[:-1]
        further = np.linspace(p, float(cut < p), 5)
        for q in further:
            top = max(log_peak(p, n), log_peak(q, n)) - log_peak(p, n) + log_density(cut, p, n)
            bound = top + log_slope(cut, p, n) * (beyond - cut)
            found = np.array([log_density(x, q, n) for x in beyond])
            assert (found <= bound + 1e-9 + 1e-15 * n).all()
        integral = np.exp(log_density(cut, p, n)) / abs(log_slope(cut, p, n))
        distribution = stats.beta(p * n + 1, (1 - p) * n + 1)
        tail = distribution.sf(cut) if cut > p else distribution.cdf(cut)
        assert tail <= integral * (1 + 1e-6)
        if abs(cut - p) > 2.9 * standard_deviation(p, n) and n > 1000:
            assert tail > 0.85 * integral, "a bound that is hardly wasteful"


def test_formulas_are_the_same_bits_in_machine_code():
    @njit(error_model="numpy")
    def compiled(x, p, n):
        return log_density(x, p, n), log_slope(x, p, n), standard_deviation(p, n), log_peak(p, n)

    for p, n in DISTRIBUTIONS:
        for x in around(p, n):
            plain = log_density(x, p, n), log_slope(x, p, n), standard_deviation(p, n), log_peak(p, n)
            assert compiled(x, p, n) == plain


# Draws


def test_draws_have_their_distribution():
    distributions = list(itertools.product((0.0, 0.03, 0.5, 1.0), (1.0, 7.5, 1e6)))
    p_values = []
    for k, (p, n) in enumerate(distributions):
        rng = np.random.default_rng([1, k])
        found = [draw(rng, p, n) for _ in range(4000)]
        p_values.append(stats.kstest(found, stats.beta(p * n + 1, (1 - p) * n + 1).cdf).pvalue)
    assert min(holm(p_values)) > 1e-3
    other = [draw(np.random.default_rng([2, k]), 1.0, 7.5) for k in range(4000)]
    assert stats.kstest(other, stats.beta(7.5, 1).cdf).pvalue < 1e-3, "the + 1 is found"


@pytest.mark.parametrize("p", [0.0, 0.3, 1.0])
def test_draws_are_the_same_bits_in_machine_code(p):
    one, other = np.random.default_rng(3), np.random.default_rng(3)
    assert [draw(one, p, 7.5) for _ in range(50)] == [draw.py_func(other, p, 7.5) for _ in range(50)]
