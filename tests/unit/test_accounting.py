"""Exact privacy of the Laplace mechanism: closed forms by hand, inverses, and an independent accountant."""

import math

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution
from scipy import integrate

from dpbandits.privacy.accounting import laplace_delta, laplace_scale, least_noise
from dpbandits.privacy.mechanisms import NoiseRequest

GRID = [(s, eps, delta) for s in (0.5, 1.0, 2.0) for eps in (0.01, 0.3, 1.0, 5.0) for delta in (0.0, 1e-9, 1e-3, 0.4)]
STEP = 1e-4  # of the accountant's privacy losses


def hockey_stick(sensitivity, scale, eps):
    """Integral of max(0, p(x) - e^eps p(x - s)), p the density of Lap(scale)."""

    def excess(x):
        p = math.exp(-abs(x) / scale)
        return max(0.0, p - math.exp(eps - abs(x - sensitivity) / scale)) / (2 * scale)

    kink = (sensitivity - eps * scale) / 2
    return integrate.quad(excess, -60 * scale, sensitivity, points=[0.0, kink], limit=200)[0]


@pytest.mark.parametrize(
    ("sensitivity", "scale", "eps"), [(1, 1, 0.5), (2, 1, 1), (2, 5, 0.1), (0.5, 0.1, 3), (2, 1, 2)]
)
def test_delta_is_the_hockey_stick_divergence(sensitivity, scale, eps):
    assert laplace_delta(sensitivity, scale, eps) == pytest.approx(hockey_stick(sensitivity, scale, eps), abs=1e-9)


def test_delta_by_hand():
    """1 - e^{-1/2} = 0.3934693 for s = 2, b = 1, eps = 1; nothing is left at eps = s / b."""
    assert laplace_delta(2.0, 1.0, 1.0) == pytest.approx(0.39346934, abs=1e-8)
    assert laplace_delta(1.0, 1.0, 0.0) == pytest.approx(0.39346934, abs=1e-8)  # total variation distance
    assert laplace_delta(2.0, 1.0, 2.0) == 0.0
    assert laplace_delta(2.0, 1.0, 3.0) == 0.0


def test_scale_by_hand():
    """Pure: s / eps. With delta = 1 - e^{-1/2}: 2 / (1 + 2 * 1/2) = 1."""
    assert laplace_scale(2.0, 0.5, 0.0) == 4.0
    assert laplace_scale(2.0, 1.0, -math.expm1(-0.5)) == pytest.approx(1.0, rel=1e-15)


@pytest.mark.parametrize("eps", [0.01, 0.1, 1.0, 10.0])
def test_printed_scale_is_twice_as_leaky_as_claimed(eps):
    """Lap(1/eps) at sensitivity 2 (rewards in [-1, 1]): 2 eps-DP, and delta = 1 - e^{-eps/2} at the claimed eps."""
    printed = 1 / eps
    assert laplace_delta(2.0, printed, 2 * eps) == pytest.approx(0.0, abs=1e-15)
    assert laplace_delta(2.0, printed, 2 * eps * (1 - 1e-6)) > 0.0
    assert laplace_delta(2.0, printed, eps) == pytest.approx(1 - math.exp(-eps / 2), rel=1e-12)
    assert laplace_scale(2.0, eps, 0.0) == 2 * printed


@pytest.mark.parametrize(("sensitivity", "eps", "delta"), GRID)
def test_scale_and_delta_invert_each_other(sensitivity, eps, delta):
    scale = laplace_scale(sensitivity, eps, delta)
    assert laplace_delta(sensitivity, scale, eps) == pytest.approx(delta, rel=1e-6, abs=1e-15)
    assert laplace_delta(sensitivity, 0.999 * scale, eps) > delta
    assert laplace_delta(sensitivity, 1.001 * scale, eps) <= delta
    assert least_noise(NoiseRequest("laplace", sensitivity, eps, delta)) == scale


@pytest.mark.parametrize(("sensitivity", "scale"), [(1.0, 1.0), (2.0, 1.0), (2.0, 4.0), (2.0, 0.5)])
def test_delta_and_eps_agree_with_an_independent_accountant(sensitivity, scale):
    """The accountant rounds privacy losses up to multiples of its step: never below the truth, by less than a step."""
    loss = privacy_loss_distribution.from_laplace_mechanism(
        scale, sensitivity=sensitivity, value_discretization_interval=STEP
    )
    for eps in np.linspace(0, 0.99 * sensitivity / scale, 7):
        delta = laplace_delta(sensitivity, scale, eps)
        assert -1e-12 <= loss.get_delta_for_epsilon(eps) - delta <= STEP
        assert laplace_scale(sensitivity, max(eps, 0.01), delta) <= scale * (1 + 1e-12)
        if delta < 0.5:
            assert -1e-9 <= loss.get_epsilon_for_delta(delta) - eps <= 2 * STEP
    assert loss.get_epsilon_for_delta(1e-9) == pytest.approx(sensitivity / scale, abs=2 * STEP)


@pytest.mark.parametrize(
    ("sensitivity", "eps", "delta"),
    [
        *[(0.0, 1.0, 0.0), (-1.0, 1.0, 0.0), (1.0, 0.0, 0.0), (1.0, -1.0, 0.1), (1.0, 1.0, 1.0), (1.0, 1.0, -0.1)],
        *[(math.nan, 1.0, 0.0), (1.0, math.nan, 0.0), (1.0, 1.0, math.nan)],
    ],
)
def test_impossible_requests_are_refused(sensitivity, eps, delta):
    with pytest.raises(ValueError, match="no Laplace scale"):
        laplace_scale(sensitivity, eps, delta)


def test_unknown_mechanism_is_refused():
    with pytest.raises(KeyError, match="gauss"):
        least_noise(NoiseRequest("gauss", 1.0, 1.0, 0.0))
