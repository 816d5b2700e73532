"""The audited Laplace mechanism: epsilons and deltas against closed forms, quadrature and each other."""

import math

import numpy as np
import pytest
from scipy import integrate, stats

from dpbandits.audits.mechanisms.laplace import Laplace
from dpbandits.privacy.accounting import laplace_delta

from .laplace_audits import agree


@pytest.mark.parametrize("scale", [0.3, 1.0, 8.0])
@pytest.mark.parametrize("shift", [0.5, 2.0, -2.0])
def test_one_number(scale, shift):
    release = Laplace(scale, (shift,))
    pure = abs(shift) / scale
    for eps in (0.1 * pure, 0.5 * pure, pure, 2.0 * pure):
        found = agree(release, eps)
        assert found.epsilons == pytest.approx((pure, pure), rel=1e-6)
        assert found.deltas[0] == pytest.approx(laplace_delta(abs(shift), scale, eps), abs=1e-7)
        if (delta := laplace_delta(abs(shift), scale, eps)) > 0.0:
            assert agree(release, eps, delta).epsilons[0] == pytest.approx(eps, rel=1e-5)


def test_one_number_by_hand():
    """Sensitivity 2 with Lap(1): epsilon 2, and at epsilon 1 delta = 1 - e^(-1/2)."""
    found = agree(Laplace(1.0, (2.0,)), 1.0)
    assert found.epsilons == pytest.approx((2.0, 2.0))
    assert found.deltas == pytest.approx((0.3934693402873666,) * 2)


@pytest.mark.parametrize("numbers", [2, 4, 80, 168])
@pytest.mark.parametrize("pure", [0.1, 1.0, 10.0])
def test_several_numbers(numbers, pure):
    """At delta 0 the losses add up; above, both calculations convolve them, on grids of their own."""
    release = Laplace(numbers / pure, (1.0, -1.0) * (numbers // 2))
    assert agree(release, pure).epsilons[0] == pytest.approx(pure, rel=1e-6)
    for delta in (1e-6, 1e-3, 0.01):
        one, other = release.accounted(0.5 * pure, delta), release.derived(0.5 * pure, delta)
        assert one.epsilons == pytest.approx(other.epsilons, rel=1e-3)
        assert one.deltas == pytest.approx(other.deltas, abs=1e-6)


@pytest.mark.parametrize("pure", [0.4, 3.0])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_two_numbers_by_quadrature(pure, share):
    """The expected delta of the second number at the epsilon that the loss of the first leaves."""
    loss, eps = 0.5 * pure, share * pure

    def left(epsilon):
        return -math.expm1(epsilon) if epsilon < -loss else max(0.0, -math.expm1(0.5 * (epsilon - loss)))

    expected = 0.5 * left(eps - loss) + 0.5 * math.exp(-loss) * left(eps + loss)
    kinks = [x for x in (eps - loss, eps + loss) if abs(x) < loss]
    expected += integrate.quad(
        lambda x: 0.25 * math.exp(0.5 * (x - loss)) * left(eps - x), -loss, loss, points=kinks, epsabs=1e-12
    )[0]
    found = Laplace(1.0 / loss, (1.0, 1.0)).derived(eps, 0.0)
    assert found.deltas[0] == pytest.approx(expected, abs=1e-8)


def test_epsilons_and_deltas_are_inverse():
    release = Laplace(4.0, (1.0,) * 6)
    for eps in (0.3, 0.8, 1.2):
        delta = release.derived(eps, 0.0).deltas[0]
        assert release.derived(eps, delta).epsilons[0] == pytest.approx(eps, abs=1e-3)
    assert release.derived(1.0, 0.99).epsilons == (0.0, 0.0)
    assert Laplace(4.0, (1.0,)).derived(1.0, 0.99).epsilons == (0.0, 0.0)


def test_score_is_the_log_likelihood_ratio():
    release = Laplace(0.7, (2.0, -2.0))
    views = np.random.default_rng(0).normal(0.0, 3.0, (50, 2))
    first = stats.laplace.logpdf(views, loc=[2.0, -2.0], scale=0.7)
    second = stats.laplace.logpdf(views, loc=0.0, scale=0.7)
    assert release.scores(views) == pytest.approx((first - second).sum(axis=1))


def test_half_the_noise_doubles_the_epsilon():
    release = Laplace(0.7, (2.0,))
    assert release.halved().noise == 0.35
    assert release.halved().derived(1.0, 0.0).epsilons[0] == pytest.approx(2.0 * release.derived(1.0, 0.0).epsilons[0])


@pytest.mark.parametrize("shifts", [(), (0.0,), (1.0, 2.0), (1.0, 0.0)])
def test_shifts_have_one_size(shifts):
    with pytest.raises(ValueError, match="one size"):
        Laplace(1.0, shifts)
