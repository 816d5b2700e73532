"""The probabilities behind the hypergeometric draw, against SciPy and 60-digit arithmetic, and the draw's corners."""

import math

import mpmath
import numpy as np
import pytest
from scipy import stats

from dpbandits.numerics import draws

PROBABILITIES = [1e-9, 1e-3, 0.1, 0.3, 0.5, 0.9, 0.999]
ROUNDING = 2.0**-53

mpmath.mp.dps = 60


def exact_pmf(k, n, p):
    ways = mpmath.loggamma(n + 1) - mpmath.loggamma(k + 1) - mpmath.loggamma(n - k + 1)
    return mpmath.exp(ways + k * mpmath.log(mpmath.mpf(p)) + (n - k) * mpmath.log(1 - mpmath.mpf(p)))


def relative_error(value, exact):
    return abs(float((mpmath.mpf(value) - exact) / exact))


@pytest.mark.parametrize("n", [*range(1, 40), 10**3, 10**6, 10**9])
def test_stirling_error_by_high_precision(n):
    exact = mpmath.log(mpmath.factorial(n)) if n < 1e4 else mpmath.loggamma(n + 1)
    exact -= (n + mpmath.mpf(1) / 2) * mpmath.log(n) - n + mpmath.log(2 * mpmath.pi) / 2
    assert draws.stirling_error(n) == pytest.approx(float(exact), abs=1e-14)


@pytest.mark.parametrize("x", [1.0, 7.0, 1e3, 1e9])
@pytest.mark.parametrize("ratio", [1e-3, 0.5, 0.81, 0.82, 0.9, 0.99999, 1 + 1e-9, 1.1, 1.22, 1.23, 2.0, 50.0])
def test_deviance_by_high_precision(x, ratio):
    mean = x * ratio
    exact = x * mpmath.log(mpmath.mpf(x) / mpmath.mpf(mean)) + mpmath.mpf(mean) - mpmath.mpf(x)
    assert relative_error(draws.deviance(x, mean), exact) <= 2e-14


def test_deviance_is_zero_at_the_mean():
    assert draws.deviance(5.0, 5.0) == 0.0


@pytest.mark.parametrize("n", [1, 2, 5, 15, 16, 17, 31, 100, 1000, 10**6, 10**9])
@pytest.mark.parametrize("p", PROBABILITIES)
@pytest.mark.parametrize("z", [-6.0, -2.0, -0.5, 0.0, 0.5, 2.0, 6.0])
def test_binomial_pmf_by_high_precision(n, p, z):
    """Rounding of n p shifts the exponent by (k - n p) / (1 - p) rounding errors: nothing near the mean."""
    k = round(n * p + z * math.sqrt(n * p * (1 - p)))
    if 0 <= k <= n:
        tolerance = 1e-13 + 8 * ROUNDING * abs(k - n * p) / (1 - p)
        assert relative_error(draws.binomial_pmf(k, n, p), exact_pmf(k, n, p)) <= tolerance


@pytest.mark.parametrize("n", [1, 7, 15, 16, 40, 1000])
@pytest.mark.parametrize("p", PROBABILITIES)
def test_binomial_pmf_is_scipys_and_sums_to_one(n, p):
    pmf = np.array([draws.binomial_pmf(k, n, p) for k in range(n + 1)])
    np.testing.assert_allclose(pmf, np.exp(stats.binom.logpmf(np.arange(n + 1), n, p)), rtol=1e-9, atol=1e-300)
    assert pmf.sum() == pytest.approx(1, rel=1e-12)


@pytest.mark.parametrize(
    ("good", "bad", "sample", "drawn"),
    [
        (5, 7, 0, 0),
        (0, 7, 3, 0),
        (5, 0, 3, 3),
        (5, 7, 12, 5),
        (0, 0, 0, 0),
        (0, 4, 4, 0),
        (4, 0, 4, 4),
        (10**9, 0, 10**9 - 1, 10**9 - 1),
        (10**9, 10**9, 2 * 10**9, 10**9),
    ],
)
def test_hypergeometric_without_choice_uses_no_randomness(good, bad, sample, drawn):
    rng = np.random.default_rng(1)
    assert draws.hypergeometric(rng, good, bad, sample) == drawn
    assert rng.random() == np.random.default_rng(1).random()


@pytest.mark.parametrize(("good", "bad", "sample"), [(1, 1, 1), (3, 4, 5), (1, 10**9, 10**8), (10**9, 1, 5 * 10**8)])
def test_hypergeometric_stays_in_its_range(good, bad, sample):
    rng = np.random.default_rng(2)
    seen = {draws.hypergeometric(rng, good, bad, sample) for _ in range(300)}
    assert seen <= set(range(max(0, sample - bad), min(good, sample) + 1))
    assert len(seen) > 1


class Uniform:
    """A generator that returns one given uniform."""

    def __init__(self, u):
        self.u = u

    def random(self):
        return self.u


@pytest.mark.parametrize(("good", "bad", "sample"), [(6, 9, 7), (40, 3, 20), (3, 40, 20), (200, 300, 250)])
def test_hypergeometric_inverts_scipys_probabilities(good, bad, sample):
    """On a fine grid of uniforms every outcome appears in proportion to its probability, to the grid's resolution."""
    grid = 4000
    found = [draws.hypergeometric.py_func(Uniform((i + 0.5) / grid), good, bad, sample) for i in range(grid)]
    low, high = max(0, sample - bad), min(good, sample)
    counts = np.bincount(found, minlength=high + 1)[low:]
    expected = grid * stats.hypergeom.pmf(np.arange(low, high + 1), good + bad, good, sample)
    assert np.abs(counts - expected).max() <= 1.0
