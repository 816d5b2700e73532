"""The Gaussian mechanism exactly: against 100 digits, by hand, an independent accountant, and its own inverses."""

import math

import mpmath
import numpy as np
import pytest
from dp_accounting import gaussian_mechanism
from dp_accounting.pld import privacy_loss_distribution

from dpbandits.privacy.gaussian import gaussian_delta, gaussian_eps, gaussian_mu

EPSILONS = [0.0, 0.01, 0.2, 1.0, 10.0, 200.0]
DELTAS = [1e-30, 1e-9, 1e-3, 0.1, 0.4, 0.9]


def exact(mu, eps):
    """The formula as printed, in 100 digits and as many more as the exponential eats."""
    with mpmath.workdps(100 + int(eps)):
        mu, eps = mpmath.mpf(mu), mpmath.mpf(eps)
        return float(mpmath.ncdf(mu / 2 - eps / mu) - mpmath.exp(eps) * mpmath.ncdf(-mu / 2 - eps / mu))


@pytest.mark.parametrize("eps", EPSILONS)
@pytest.mark.parametrize("mu", [1e-3, 0.05, 0.4350, 1.0, 4.0, 30.0, 500.0])
def test_delta_in_a_hundred_digits(mu, eps):
    """Tiny deltas too; what is below the smallest float is 0."""
    assert gaussian_delta(mu, eps) == pytest.approx(exact(mu, eps), rel=1e-9, abs=1e-290)


def test_delta_by_hand():
    """At eps = 0 the total variation distance 2 Phi(mu/2) - 1: 0.3829249 for mu = 1; no shift, nothing to see."""
    assert gaussian_delta(1.0, 0.0) == pytest.approx(0.3829249225480262, rel=1e-14)
    assert gaussian_delta(0.0, 0.0) == gaussian_delta(0.0, 1.0) == 0.0
    assert gaussian_delta(1e4, 1.0) == 1.0


def test_delta_is_the_hockey_stick_divergence():
    """Integral of max(0, p(x) - e^eps p(x - mu)), p the normal density."""
    for mu, eps in ((0.5, 0.2), (1.0, 1.0), (3.0, 0.7)):
        with mpmath.workdps(20):
            kink = mpmath.mpf(mu) / 2 - mpmath.mpf(eps) / mu  # below it the density at 0 is e^eps times as large

            def excess(x, mu=mu, eps=eps):
                return mpmath.npdf(x) - mpmath.exp(eps) * mpmath.npdf(x - mu)

            found = float(mpmath.quad(excess, [-30, -5, 0, kink] if kink > 0 else [-30, -5, kink]))
        assert gaussian_delta(mu, eps) == pytest.approx(found, rel=1e-12)


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("eps", EPSILONS)
def test_mu_is_the_largest_that_keeps_the_guarantee(eps, delta):
    mu = gaussian_mu(eps, delta)
    assert exact(mu, eps) <= delta * (1 + 1e-9)
    assert exact(mu * (1 - 1e-6), eps) < delta < exact(mu * (1 + 1e-6), eps)


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("mu", [0.01, 0.3, 1.0, 5.0, 40.0])
def test_eps_is_the_least_epsilon(mu, delta):
    eps = gaussian_eps(mu, delta)
    assert exact(mu, eps) <= delta * (1 + 1e-9)
    if eps == 0.0:
        assert exact(mu, 0.0) <= delta
    else:
        assert exact(mu, eps * (1 - 1e-6)) > delta
        assert gaussian_mu(eps, delta) == pytest.approx(mu, rel=1e-9)


def test_epsilons_and_noise_of_the_figures():
    """mu for eps = 0.2, 1, 10 at delta = 0.1; delta alone covers mu up to 0.2513."""
    assert [gaussian_mu(eps, 0.1) for eps in (0.2, 1.0, 10.0)] == pytest.approx([0.4350, 0.9209, 3.5485], abs=5e-5)
    assert gaussian_mu(0.0, 0.1) == pytest.approx(0.2513, abs=5e-5)
    assert gaussian_eps(0.2513, 0.1) == 0.0 < gaussian_eps(0.2514, 0.1)


@pytest.mark.parametrize(("eps", "delta"), [(0.2, 0.1), (1.0, 1e-5), (10.0, 0.1), (0.5, 1e-9)])
def test_agrees_with_an_independent_accountant(eps, delta):
    """Its sigma is found to within 1e-3 of itself; its privacy losses are rounded up by less than 1e-4."""
    mu = gaussian_mu(eps, delta)
    assert 1 / mu == pytest.approx(gaussian_mechanism.get_sigma_gaussian(eps, delta, tol=1e-9), rel=1e-6)
    loss = privacy_loss_distribution.from_gaussian_mechanism(1 / mu, value_discretization_interval=1e-4)
    assert gaussian_eps(mu, delta) == pytest.approx(eps, rel=1e-9)
    assert -1e-9 <= loss.get_epsilon_for_delta(delta) - eps <= 2e-4


def test_the_root_of_the_number_of_releases_composes_exactly():
    """Nine releases of mu = 0.3 are one of 0.9, by an accountant that convolves them."""
    one = privacy_loss_distribution.from_gaussian_mechanism(1 / 0.3, value_discretization_interval=1e-4)
    nine = one.self_compose(9)
    for eps in (0.1, 0.5, 1.0):
        assert nine.get_delta_for_epsilon(eps) == pytest.approx(gaussian_delta(0.9, eps), abs=3e-4)


def test_monotone_in_every_argument():
    table = np.array([[gaussian_mu(eps, delta) for delta in DELTAS] for eps in EPSILONS])
    assert (np.diff(table, axis=0) > 0).all()
    assert (np.diff(table, axis=1) > 0).all()


@pytest.mark.parametrize(
    ("eps", "delta"),
    [(-0.1, 0.1), (1.0, 0.0), (1.0, 1.0), (1.0, -0.1), (math.nan, 0.1), (1.0, math.nan), (math.inf, 0.1)],
)
def test_impossible_guarantees_are_refused(eps, delta):
    with pytest.raises(ValueError, match="Gaussian noise: "):
        gaussian_mu(eps, delta)


@pytest.mark.parametrize(("mu", "delta"), [(-1.0, 0.1), (1.0, 0.0), (1.0, 1.0), (math.nan, 0.1), (math.inf, 0.1)])
def test_impossible_epsilons_are_refused(mu, delta):
    with pytest.raises(ValueError, match="Gaussian mechanism: mu must be"):
        gaussian_eps(mu, delta)
