"""The least factor on the noise of a release that keeps a claim, and what moves between its two inputs."""

import math

import pytest
from scipy import stats

from dpbandits.audits.mechanisms.gaussian import Gaussian
from dpbandits.audits.mechanisms.laplace import Laplace
from dpbandits.audits.mechanisms.laplace_tree import LaplaceTree
from dpbandits.audits.mechanisms.report_noisy_max import ReportNoisyMax
from dpbandits.audits.mechanisms.shuffled_laplace import ShuffledLaplace
from dpbandits.audits.repair import MOST, TOLERANCE, least_factor, moves, scaled


def test_scaled_is_halved_and_the_other_way():
    assert scaled(Laplace(3.0, (2.0, -2.0)), 2.0) == Laplace(6.0, (2.0, -2.0))
    assert scaled(Laplace(3.0, (2.0, -2.0)), 3.0).scale == pytest.approx(9.0)
    assert scaled(ShuffledLaplace((0.5, 0.25), (3, 9), 1e-6), 2.0) == ShuffledLaplace((1.0, 0.5), (3, 9), 1e-6)
    for reach, half in ((None, None), (4.0, 2.0), (math.inf, math.inf)):
        assert scaled(Gaussian((1.0, 0.0), (0.5, 0.0), reach), 2.0) == Gaussian((1.0, 0.0), (1.0, 0.0), half)


@pytest.mark.parametrize(("scale", "eps", "factor"), [(1.0, 1.0, 2.0), (1.0, 0.5, 4.0), (8.0, 1.0, 0.25)])
def test_the_factor_of_laplace_noise_is_the_loss_over_the_claim(scale, eps, factor):
    found = least_factor(Laplace(scale, (2.0,)), eps, 0.0)
    assert max(factor, 0.5) <= found <= max(factor, 0.5) * (1.0 + 2.0 * TOLERANCE)


def test_the_factor_of_a_tree_is_that_of_its_nodes():
    """Twenty nodes at T = 1e6, each with Lap(ln T)."""
    found = least_factor(LaplaceTree(math.log(1e6), 1, 1_000_000), 1.0, 0.0)
    assert found == pytest.approx(20.0 / math.log(1e6), rel=2.0 * TOLERANCE)


def test_the_factor_of_gaussian_noise_is_that_of_its_curve():
    """With the factor the curve of Balle and Wang is at delta: Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu)."""
    factor = least_factor(Gaussian((1.0,), (0.5,)), 1.0, 1e-3)
    mu = 2.0 / factor
    delta = stats.norm.cdf(mu / 2 - 1 / mu) - math.e * stats.norm.cdf(-mu / 2 - 1 / mu)
    assert delta <= 1e-3
    assert delta == pytest.approx(1e-3, rel=0.01)


def test_no_factor_keeps_a_claim_without_a_bound_or_without_noise():
    assert least_factor(Gaussian((1.0,), (1.0,), math.inf), 1.0, 0.1) is None
    assert least_factor(Gaussian((1.0,), (0.0,)), 1.0, 0.1) is None
    assert least_factor(Laplace(1.0 / (2.0 * MOST), (1.0,)), 1.0, 0.0) is None


def test_what_moves():
    assert moves(Gaussian((1.5, 0.0, -2.0), (1.0, 1.0, 1.0))) == {"numbers": 2, "largest": 2.0}
    assert moves(LaplaceTree(1.0, 4, 8)) == {"numbers": 16, "largest": 1.0}
    assert moves(ShuffledLaplace((0.5, 0.25), (3, 9), 1e-6)) == {"numbers": 1, "largest": 2.0}
    assert moves(ReportNoisyMax(1.0, 2, 3)) == {"numbers": 3, "largest": 1.0}
