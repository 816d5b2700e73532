"""Laplace noise has its distribution, and the two-draw sum that of the sum drawn one by one.

Fixed seeds; the p-values of a test are corrected by Holm and the smallest must exceed 0.001.
"""

import math

import numpy as np
import pytest
from scipy import stats

from dpbandits.numerics.statistics import holm
from dpbandits.privacy.mechanisms import laplace, laplace_sum

SIGNIFICANCE = 1e-3
DRAWS = 4000
COUNTS = [1, 3, 7, 50]
SCALE = 2.5


def summed(rng, scale, count):
    """The plain version: one Laplace draw after the other."""
    return rng.laplace(0.0, scale, size=count).sum()


def sample(draw, seed, *arguments):
    rng = np.random.default_rng(seed)
    return np.array([draw(rng, *arguments) for _ in range(DRAWS)])


def test_single_draws_are_laplace():
    assert stats.kstest(sample(laplace, 41, SCALE), stats.laplace(scale=SCALE).cdf).pvalue > SIGNIFICANCE
    assert stats.kstest(sample(laplace_sum, 42, SCALE, 1), stats.laplace(scale=SCALE).cdf).pvalue > SIGNIFICANCE


def test_aggregated_and_looped_sums_have_one_distribution():
    p_values = [
        stats.ks_2samp(sample(laplace_sum, 50 + n, SCALE, n), sample(summed, 60 + n, SCALE, n)).pvalue for n in COUNTS
    ]
    assert holm(p_values).min() > SIGNIFICANCE, p_values


def test_the_comparison_has_power():
    """A scale that is 25 % off, or four draws instead of seven, is found."""
    looped = sample(summed, 67, SCALE, 7)
    assert stats.ks_2samp(sample(laplace_sum, 57, 1.25 * SCALE, 7), looped).pvalue < SIGNIFICANCE
    assert stats.ks_2samp(sample(laplace_sum, 57, SCALE, 4), looped).pvalue < SIGNIFICANCE


@pytest.mark.parametrize("count", [*COUNTS, 10**8])
def test_moments_of_the_sum(count):
    """Mean 0, variance 2 n b^2, kurtosis 3 + 3/n; the error of the variance follows from the kurtosis."""
    draws = sample(laplace_sum, 70, SCALE, count) / math.sqrt(2 * count * SCALE**2)
    assert abs(draws.mean()) < 4 / math.sqrt(DRAWS)
    assert abs(draws.var() - 1) < 4 * math.sqrt((2 + 3 / count) / DRAWS)
    assert abs(stats.skew(draws)) < 4 * math.sqrt((15 + 450 / count) / DRAWS)
    if count >= 50:
        assert stats.kstest(draws, "norm").pvalue > SIGNIFICANCE


def test_no_reports_no_noise():
    rng = np.random.default_rng(1)
    assert laplace_sum(rng, SCALE, 0) == 0.0
    assert rng.random() == np.random.default_rng(1).random()


def test_noise_scales():
    """The same stream at twice the scale is twice the noise: what lets `certified` be `printed` at half the budget."""
    for draw, arguments in ((laplace, ()), (laplace_sum, (7,))):
        one = draw(np.random.default_rng(3), 1.0, *arguments)
        assert draw(np.random.default_rng(3), 2.0, *arguments) == 2 * one
