"""Hypergeometric draws have their distribution: exact probabilities at small sizes, moments at 1e9, chains of them
jointly.

Fixed seeds; within a test the p-values are corrected by Holm and the smallest must exceed 0.001.
"""

import itertools

import numpy as np
import pytest
from scipy import stats

from dpbandits.numerics.draws import hypergeometric
from dpbandits.numerics.statistics import holm

SIGNIFICANCE = 1e-3
SMALL = [(1, 1, 1), (3, 4, 5), (10, 10, 10), (50, 5, 20), (5, 50, 20), (30, 70, 99), (300, 200, 100), (17, 16, 31)]


def chi_square(counts, probabilities):
    """p-value of the counts, cells that expect fewer than five put together; impossible ones must be empty."""
    assert not counts[probabilities == 0].any()
    counts, probabilities = counts[probabilities > 0], probabilities[probabilities > 0]
    expected = probabilities * counts.sum()
    big = expected >= 5
    observed, wanted = counts[big], expected[big]
    if not big.all():
        observed, wanted = np.append(observed, counts[~big].sum()), np.append(wanted, expected[~big].sum())
    return stats.chisquare(observed, wanted * observed.sum() / wanted.sum()).pvalue


def test_small_draws_have_the_exact_probabilities():
    rng = np.random.default_rng(31)
    p_values = []
    for good, bad, sample in SMALL:
        drawn = [hypergeometric(rng, good, bad, sample) for _ in range(10_000)]
        probabilities = stats.hypergeom.pmf(np.arange(min(good, sample) + 1), good + bad, good, sample)
        p_values.append(chi_square(np.bincount(drawn, minlength=len(probabilities)), probabilities))
    assert holm(p_values).min() > SIGNIFICANCE, p_values


def test_draws_from_a_thousand_million_have_normal_moments():
    """N = 1e9, half of them good, sample n = 3e8: mean n/2, variance n (N - n) / (4 (N - 1)), sd 7246."""
    rng = np.random.default_rng(32)
    drawn = np.array([hypergeometric(rng, 500_000_000, 500_000_000, 300_000_000) for _ in range(2000)])
    sd = np.sqrt(3e8 * 7e8 / (4 * (1e9 - 1)))
    assert sd == pytest.approx(7245.7, rel=1e-4)
    assert stats.kstest((drawn - 1.5e8) / sd, "norm").pvalue > SIGNIFICANCE
    assert abs(drawn.mean() - 1.5e8) < 4 * sd / np.sqrt(2000)
    assert drawn.std() == pytest.approx(sd, rel=4 / np.sqrt(2 * 2000))


@pytest.mark.parametrize(("good", "bad", "sample"), [(10**9, 10**5, 10**4), (10**5, 10**9, 10**4)])
def test_rare_items_among_a_thousand_million(good, bad, sample):
    """The rare kind is Poisson in the limit; here against SciPy's exact distribution."""
    rng = np.random.default_rng(33)
    drawn = np.array([hypergeometric(rng, good, bad, sample) for _ in range(5000)])
    rare = drawn if good < bad else sample - drawn
    probabilities = stats.hypergeom.pmf(np.arange(12), good + bad, min(good, bad), sample)
    assert chi_square(np.bincount(rare, minlength=12), probabilities) > SIGNIFICANCE


def chain(rng, kinds, sample):
    """How many of each kind: kind after kind, from what is left."""
    still, drawn = sum(kinds), []
    for kind in kinds:
        drawn.append(hypergeometric(rng, kind, still - kind, sample))
        still, sample = still - kind, sample - drawn[-1]
    return drawn


def test_chain_of_draws_adds_up_and_is_multivariate_hypergeometric():
    kinds, sample = (3, 2, 0, 4), 5
    rng = np.random.default_rng(34)
    drawn = np.array([chain(rng, kinds, sample) for _ in range(20_000)])
    assert (drawn.sum(axis=1) == sample).all()
    assert (drawn <= kinds).all()
    cells = [c for c in itertools.product(*(range(k + 1) for k in kinds)) if sum(c) == sample]
    counts = np.array([(drawn == cell).all(axis=1).sum() for cell in cells])
    assert chi_square(counts, stats.multivariate_hypergeom.pmf(cells, kinds, sample)) > SIGNIFICANCE
