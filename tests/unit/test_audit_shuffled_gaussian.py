"""Shuffled Gaussian reports: bounds from below by quadrature, from above by the clones, and both in order."""

import math

import numpy as np
import pytest
from scipy import stats

from dpbandits.audits.mechanisms import shuffled_gaussian
from dpbandits.audits.mechanisms.shuffled_gaussian import ShuffledGaussian, units
from dpbandits.privacy.gaussian import gaussian_delta, gaussian_eps
from dpbandits.privacy.shuffling import shuffled_gaussian_eps

NODES = np.linspace(-9.0, 12.0, 3001)
WEIGHTS = stats.norm.pdf(NODES) * (NODES[1] - NODES[0])


def batch(mu, reports, batches=1):
    return ShuffledGaussian((0.0, mu), (1.0, 1.0), reports, batches)


def exact_of_two(mu, eps):
    """Both orders of E(1 - e^eps / ratio)_+ for two reports, by quadrature: one is N(0, 1), one N(mu, 1) or N(0, 1)."""
    ratios = np.exp(mu * NODES - 0.5 * mu**2)
    mean = 0.5 * (ratios[:, None] + ratios[None, :])  # under input 0
    gains = np.maximum(mean - math.exp(eps), 0.0), np.maximum(1.0 - math.exp(eps) * mean, 0.0)
    return max(float(WEIGHTS @ gain @ WEIGHTS) for gain in gains)


@pytest.mark.parametrize(("mu", "eps"), [(0.5, 0.0), (0.5, 0.1), (1.2, 0.2), (1.2, 1.0), (2.5, 0.5), (2.5, 2.0)])
def test_two_reports_by_quadrature(mu, eps):
    low, _ = batch(mu, 2).derived(eps, 0.01).deltas
    assert exact_of_two(mu, eps) - 1e-4 <= low <= exact_of_two(mu, eps) + 1e-5


@pytest.mark.parametrize("reports", [2, 20])
@pytest.mark.parametrize("mu", [0.1, 1.24, 3.9, 6.2, 62.0])
def test_both_ways_agree_and_bounds_are_in_order(mu, reports):
    for eps, delta in ((0.2, 0.1), (10.0, 1e-5)):
        one, other = batch(mu, reports).accounted(eps, delta), batch(mu, reports).derived(eps, delta)
        assert one.epsilons == pytest.approx(other.epsilons, rel=1e-3)
        assert one.deltas == pytest.approx(other.deltas, abs=1e-6)
        low, high = other.epsilons
        assert 0.0 <= low <= high <= gaussian_eps(mu, delta)
        assert 0.0 <= other.deltas[0] <= other.deltas[1] <= gaussian_delta(mu, eps) + 1e-12
        assert low >= gaussian_eps(mu, delta) - math.log(reports)
        assert low >= gaussian_eps(mu / math.sqrt(reports), delta) * (1 - 1e-3)


def test_one_report_beyond_a_threshold():
    """Some report beyond t: 1 - Phi(t)^19 Phi(t - mu) against 1 - Phi(t)^20; never more than is said."""
    mu, eps = 6.2, 1.0
    found = [
        1 - stats.norm.cdf(t) ** 19 * stats.norm.cdf(t - mu) - math.exp(eps) * (1 - stats.norm.cdf(t) ** 20)
        for t in np.linspace(2, 6, 400)
    ]
    low, _ = batch(mu, 20).derived(eps, 0.1).deltas
    assert max(found) <= low + 1e-6
    assert low == pytest.approx(max(found), abs=1e-3)


def test_the_released_noise_of_the_figures():
    """eps = 1: delta at least 0.936 and epsilon at least 15, where the sum of all reports shows 0.276 and 2.06."""
    sd = math.sqrt(math.log(2.5 * 20 / 0.1)) / math.sqrt(20)
    truth = batch(math.sqrt(12) / sd, 20).derived(1.0, 0.1)
    assert truth.deltas[0] == pytest.approx(0.988, abs=0.001)
    assert truth.epsilons[0] == pytest.approx(23.37, abs=0.01)
    assert gaussian_delta(math.sqrt(12 / 20) / sd, 1.0) == pytest.approx(0.276, abs=0.001)


def test_units_of_a_report():
    """Masses of intervals of z, by the likelihood ratio that each stands for."""
    usual, moved = units(1.5, 4, 0.7)
    assert usual.sum() == pytest.approx(1.0, abs=1e-14)
    assert moved.sum() == pytest.approx(1.0, abs=1e-14)
    size = 4 * math.exp(0.7) / shuffled_gaussian.UNITS
    for count in (0, 1, 37, shuffled_gaussian.UNITS):
        ratios = [(count - 0.5) * size, (count + 0.5) * size]
        ends = [(math.log(r) + 0.5 * 1.5**2) / 1.5 if r > 0 else -math.inf for r in ratios]
        ends = [ends[0], math.inf if count == shuffled_gaussian.UNITS else ends[1]]
        assert usual[count] == pytest.approx(np.diff(stats.norm.cdf(ends))[0], rel=1e-9)
        assert moved[count] == pytest.approx(np.diff(stats.norm.cdf(ends, 1.5))[0], rel=1e-9)


def test_clones_that_help():
    """2000 reports at delta = 1e-3: less than a report alone, by either way."""
    mu, delta = 0.5, 1e-3
    one, other = batch(mu, 2000).accounted(0.1, delta), batch(mu, 2000).derived(0.1, delta)
    assert one.epsilons == pytest.approx(other.epsilons, rel=1e-3)
    assert one.deltas == pytest.approx(other.deltas, abs=1e-6)
    assert (
        other.epsilons[0] <= other.epsilons[1] == shuffled_gaussian_eps(mu, delta, 2000) < 0.5 * gaussian_eps(mu, delta)
    )


def test_returning_users():
    """In four batches of nine: the sum of all, mu sqrt(4/9), from below; twice mu from above."""
    truth = batch(0.9, 9, 4).derived(0.5, 0.01)
    assert truth.deltas[0] >= gaussian_delta(0.6, 0.5)
    assert truth.deltas[1] == gaussian_delta(1.8, 0.5)
    assert batch(0.9, 9, 4).accounted(0.5, 0.01).epsilons == pytest.approx(truth.epsilons, rel=1e-3)


def test_scores_and_views():
    """The likelihood ratio of a batch is the mean over reports; their order does not matter."""
    release = ShuffledGaussian((1.2, 0.0, -0.5), (0.5, 1.0, 1.0), 4, 2)
    views = release.draw(np.random.default_rng(1), 1, 6)
    assert views.shape == (6, 8)
    by_batch = np.exp(stats.norm.logpdf(views, release.mu) - stats.norm.logpdf(views)).reshape(6, 2, 4).mean(axis=2)
    assert release.scores(views) == pytest.approx(np.log(by_batch).sum(axis=1), abs=1e-10)
    assert release.scores(views[:, [3, 1, 0, 2, 4, 7, 6, 5]]) == pytest.approx(release.scores(views), abs=1e-12)
    assert release.mu == pytest.approx(math.hypot(2.4, 0.5), rel=1e-14)
    assert release.halved().mu == pytest.approx(2 * release.mu, rel=1e-14)
    assert release.noise == 0.5
