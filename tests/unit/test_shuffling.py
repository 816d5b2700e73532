"""What is proven of shuffled reports: against enumeration in 40 digits, another accountant, and each other."""

import functools
import math
from itertools import pairwise

import mpmath
import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution
from scipy import stats

from dpbandits.privacy import shuffling
from dpbandits.privacy.gaussian import gaussian_delta, gaussian_eps, gaussian_mu
from dpbandits.privacy.shuffling import (
    clone_delta,
    largest_local_budget,
    shuffled_gaussian_delta,
    shuffled_gaussian_eps,
    shuffled_gaussian_mu,
)

mpmath.mp.dps = 40

STEP = 1e-4  # of the accountant's privacy losses
SLACK = 1.3e-12  # by which the clone bound is rounded upwards: two tails and what is taken for rounding
BUDGETS = [0.003, 0.01, 0.1, 0.3, 0.5, 1.0, 1.1, 2.0, 5.0, 7.0, 10.0, 30.0]
SIZES = [1, 3, 20, 232, 545, 10**4, 3 * 10**5, 10**7]
DELTAS = [1e-3, 1e-6, 1e-9]


# Upper bound: the clones


def enumerated(eps, local_eps, n):
    """Both hockey-stick divergences of the clones' pair of distributions, every (C, count) on its own, in 40 digits.

    The count is A + 1 with odds e^local_eps, else A, under the one distribution; with the odds turned round under the
    other.
    """
    odds = mpmath.exp(mpmath.mpf(local_eps))
    likely, unlikely = odds / (1 + odds), 1 / (1 + odds)
    p = 2 * unlikely
    forth = back = mpmath.mpf(0)
    for c in range(n):
        crowd = mpmath.binomial(n - 1, c) * p**c * (1 - p) ** (n - 1 - c)
        for count in range(c + 2):
            raised = mpmath.binomial(c, count - 1) / mpmath.mpf(2) ** c if count > 0 else 0
            kept = mpmath.binomial(c, count) / mpmath.mpf(2) ** c
            one, other = likely * raised + unlikely * kept, unlikely * raised + likely * kept
            forth += crowd * max(0, one - mpmath.exp(eps) * other)
            back += crowd * max(0, other - mpmath.exp(eps) * one)
    return float(forth), float(back)


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 12])
@pytest.mark.parametrize(
    ("eps", "local_eps"),
    [(0.0, 0.1), (0.0, 1.0), (0.1, 0.5), (0.5, 2.0), (1.0, 1.0001), (1.0, 1.5), (2.0, 5.0), (3.0, 20.0), (1.0, 60.0)],
)
def test_clone_bound_is_the_enumerated_divergence_in_either_direction(n, eps, local_eps):
    forth, back = enumerated(eps, local_eps, n)
    assert forth == pytest.approx(back, abs=1e-15)
    assert 0.0 <= clone_delta(eps, local_eps, n) - forth <= SLACK


def test_clone_bound_by_hand():
    """n = 1: randomized response, (3 - 1)/(3 + 1) at eps = 0, eps0 = ln 3.

    n = 2 there: a clone with probability 1/2; then counts 0, 1, 2 have (1, 4, 3)/8 against (3, 4, 1)/8, apart by 1/4.
    So 1/2 * 1/2 + 1/2 * 1/4 = 3/8.
    """
    assert clone_delta(0.0, math.log(3), 1) == pytest.approx(1 / 2, abs=SLACK)
    assert clone_delta(0.0, math.log(3), 2) == pytest.approx(3 / 8, abs=SLACK)
    assert clone_delta(1.0, 1.0, 2) == clone_delta(2.0, 1.0, 2) == 0.0
    assert clone_delta(math.log(2), math.log(3), 1) == pytest.approx(1 / 4, abs=SLACK)


def clone_distributions(local_eps, n):
    """Logarithms of the two distributions of (C, count), without C of a probability below 1e-25."""
    likely, unlikely = 1 / (1 + math.exp(-local_eps)), 1 / (1 + math.exp(local_eps))
    one, other = {}, {}
    for c, crowd in enumerate(stats.binom.pmf(np.arange(n), n - 1, 2 * unlikely)):
        coins = stats.binom.pmf(np.arange(-1, c + 2), c, 0.5)
        for count, (raised, kept) in enumerate(pairwise(coins)):
            if crowd > 1e-25 and crowd * (raised + kept) > 1e-300:
                one[c, count] = math.log(crowd * (likely * raised + unlikely * kept))
                other[c, count] = math.log(crowd * (unlikely * raised + likely * kept))
    return one, other


@pytest.mark.parametrize(("n", "local_eps"), [(60, 1.0), (100, 0.5), (300, 2.0), (1000, 4.0)])
def test_clone_bound_agrees_with_an_independent_accountant(n, local_eps):
    """The accountant rounds privacy losses up to multiples of its step: never below the truth, by less than a step."""
    one, other = clone_distributions(local_eps, n)
    loss = privacy_loss_distribution.from_two_probability_mass_functions(other, one, value_discretization_interval=STEP)
    for eps in (0.05, 0.1, 0.2, 0.45, 0.9):
        delta, at_lower_epsilon = (clone_delta(epsilon, local_eps, n) for epsilon in (eps, eps - STEP))
        assert delta - SLACK <= loss.get_delta_for_epsilon(eps) <= at_lower_epsilon + 1e-9
    for delta in (1e-2, 1e-4, 1e-6, 1e-8):
        eps = loss.get_epsilon_for_delta(delta)
        assert clone_delta(eps + 1e-9, local_eps, n) <= delta + SLACK
        assert clone_delta(eps - 2 * STEP, local_eps, n) > delta


@pytest.mark.parametrize(
    ("n", "eps", "delta"), [(3 * 10**5, 0.01, 1e-6), (10**6, 0.05, 1e-6), (10**7, 0.03, 1e-3), (10**8, 0.1, 1e-9)]
)
def test_grouping_raises_the_bound_and_by_little(n, eps, delta, monkeypatch):
    """At the epsilon that the bound certifies; these have 1700 to 6000 values of C that matter."""
    local_eps = largest_local_budget(eps, n, delta)
    shipped = clone_delta(eps, local_eps, n)
    found = []
    for blocks in (10**6, 1000, 50, 10):
        monkeypatch.setattr(shuffling, "MOST_GROUPS", blocks)
        found.append(clone_delta(eps, local_eps, n))
    assert found[1] == shipped
    assert (np.diff(found) > 0).all()
    assert found[1] <= found[0] * (1 + 1e-3)


@pytest.mark.parametrize("n", [2, 50, 10**4, 10**6])
def test_clone_bound_increases_in_the_local_epsilon_and_falls_in_eps_and_the_crowd(n):
    epsilons = [0.3, 0.6, 1.0, 2.0, 4.0, 8.0, 16.0]
    deltas = np.array([clone_delta(0.2, epsilon, n) for epsilon in epsilons])
    assert (np.diff(deltas) >= -SLACK).all()
    assert (np.diff(deltas[deltas > 1e-10]) > 0).all()
    assert deltas[-1] > 0.99 or n > 10**4
    at_eps = np.array([clone_delta(eps, 4.0, n) for eps in np.linspace(0.0, 3.9, 14)])
    assert (np.diff(at_eps) <= SLACK).all()
    assert at_eps[0] > 1e-3
    assert (np.diff(at_eps[at_eps > 1e-10]) < 0).all()
    assert clone_delta(0.2, 4.0, 2 * n) < clone_delta(0.2, 4.0, n) or clone_delta(0.2, 4.0, n) < SLACK


# What is certified


def amplified(x, n, delta):
    """The closed form, as printed."""
    e = math.exp(x)
    return math.log1p((e - 1) / (e + 1) * (8 * math.sqrt(e * math.log(4 / delta) / n) + 8 * e / n))


def closed_form(eps, n, delta):
    """What the closed form certifies: max(eps, min(f^-1(eps), lim(n))), lim the end of the theorem's range."""
    limit = math.log(n / (16 * math.log(2 / delta)))
    if limit <= eps or amplified(limit, n, delta) <= eps:
        return max(eps, limit)
    low, high = 0.0, limit
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if amplified(middle, n, delta) < eps else (low, middle)
    return max(eps, low)


@pytest.mark.parametrize("delta", DELTAS)
def test_certified_epsilon_is_never_below_the_closed_forms_nor_eps(delta):
    """So that the certified noise is never larger; in most cells the clones themselves prove more."""
    larger = 0
    for n in SIZES:
        for eps in BUDGETS:
            epsilon, plain = largest_local_budget(eps, n, delta), closed_form(eps, n, delta)
            assert epsilon >= plain * (1 - 1e-9) >= eps * (1 - 2e-9)
            larger += epsilon > 1.01 * plain
            if plain > eps:  # the closed form follows from the clones: they prove it with delta to spare
                assert clone_delta(eps, plain, n) < 0.01 * delta
    assert larger > 0.3 * len(SIZES) * len(BUDGETS)


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("n", SIZES)
def test_certified_epsilon_is_the_largest_that_is_proven(n, delta):
    """It is proven, and one a thousandth higher is not."""
    for eps in BUDGETS:
        epsilon = largest_local_budget(eps, n, delta)
        assert epsilon <= eps or clone_delta(eps, epsilon, n) <= delta
        assert clone_delta(eps, 1.001 * epsilon, n) > delta
        assert clone_delta(eps + 1e-9 * (1 + eps), epsilon, n) <= delta


def test_certified_epsilon_grows_with_every_argument():
    for delta in DELTAS:
        table = np.array([[largest_local_budget(eps, n, delta) for n in SIZES] for eps in BUDGETS])
        assert (np.diff(table, axis=0) > 0).all()
        assert (np.diff(table, axis=1) >= -1e-8).all()
        assert largest_local_budget(0.1, 10**4, delta) < largest_local_budget(0.1, 10**4, 2 * delta)


def test_without_a_crowd_the_local_epsilon_is_that_of_randomized_response():
    """n = 1: (e^x - e^eps)/(1 + e^x) = delta, so e^x = (e^eps + delta)/(1 - delta)."""
    for eps, delta in ((0.1, 1e-3), (1.0, 0.2), (5.0, 1e-6)):
        exact = math.log((math.exp(eps) + delta) / (1 - delta))
        assert largest_local_budget(eps, 1, delta) == pytest.approx(exact, rel=1e-6)


def test_beyond_what_any_crowd_can_hide_the_epsilon_is_eps():
    assert largest_local_budget(1000.0, 10**9, 1e-6) == 1000.0
    assert largest_local_budget(1.0, 10**4, 1e-13) == pytest.approx(closed_form(1.0, 10**4, 1e-13), rel=1e-9)


@pytest.mark.parametrize(
    ("eps", "n", "delta"),
    [
        *[(0.0, 10, 1e-6), (-1.0, 10, 1e-6), (1.0, 10, 0.0), (1.0, 10, 1.0), (1.0, 10, -1e-6), (1.0, 0, 1e-6)],
        *[(math.nan, 10, 1e-6), (1.0, 10, math.nan)],
    ],
)
def test_impossible_guarantees_are_refused(eps, n, delta):
    with pytest.raises(ValueError, match="local epsilon: eps must"):
        largest_local_budget(eps, n, delta)


# Gaussian reports


@functools.cache
def summed_clones(eps, local_eps, n):
    """Delta of the clones, over all counts and all numbers of clones that matter, by scipy."""
    up = 1 / (1 + math.exp(-local_eps))
    total = 0.0
    for c, crowd in enumerate(stats.binom.pmf(np.arange(n), n - 1, 2 * (1 - up))):
        if crowd > 1e-12:
            heads = stats.binom.pmf(np.arange(-1, c + 2), c, 0.5)
            one, other = up * heads[:-1] + (1 - up) * heads[1:], (1 - up) * heads[:-1] + up * heads[1:]
            total += crowd * np.maximum(one - math.exp(eps) * other, 0).sum()
    return total


def normal_delta(mu, eps):
    """Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu), in 40 digits."""
    mu, eps = mpmath.mpf(mu), mpmath.mpf(eps)
    return float(mpmath.ncdf(mu / 2 - eps / mu) - mpmath.exp(eps) * mpmath.ncdf(-mu / 2 - eps / mu))


@pytest.mark.parametrize(
    ("eps", "delta", "n"), [(0.2, 0.1, 100), (0.2, 0.1, 1000), (1.0, 0.1, 1000), (0.2, 1e-5, 100), (1.0, 1e-5, 1000)]
)
def test_shuffled_gaussian_noise_is_the_least_of_all_local_epsilons(eps, delta, n):
    """At its mu some eps0 proves the guarantee; at a thousandth more no eps0 does, nor a report alone."""
    mu = shuffled_gaussian_mu(eps, delta, n)

    def least(mu):
        found = [normal_delta(mu, eps)]
        for local_eps in eps + np.geomspace(0.1, 8.0, 400):
            apart = 2 * (math.exp(local_eps) - 1) / (math.exp(local_eps) + 1)
            cost = (math.exp(eps) + 1) * (1 + (n - 1) * math.exp(-local_eps) * apart)
            alone = cost * normal_delta(mu, local_eps)
            if alone < delta:
                found.append(summed_clones(eps, local_eps, n) + alone)
        return min(found)

    assert least(mu) == pytest.approx(delta, rel=0.02)
    assert least(1.01 * mu) > delta
    assert least(0.99 * mu) < delta
    assert shuffled_gaussian_delta(mu, eps, n) == pytest.approx(delta, rel=1e-6)


def test_a_batch_of_twenty_gains_at_the_smallest_epsilon_of_the_figures_alone():
    gains = [shuffled_gaussian_mu(eps, 0.1, 20) / gaussian_mu(eps, 0.1) for eps in (0.2, 1.0, 10.0)]
    assert gains == [pytest.approx(1.12, abs=0.005), 1.0, 1.0]


def test_crowds_gain_at_small_epsilons_and_far_less_than_the_root_of_their_size():
    for delta in (0.1, 1e-5):
        gains = [shuffled_gaussian_mu(0.2, delta, n) / gaussian_mu(0.2, delta) for n in (1, 20, 100, 1000, 10**4)]
        assert gains[0] == 1.0
        assert gains == sorted(gains)
        assert 1.2 < gains[2] < 2.0
        assert all(gain < 0.4 * math.sqrt(n) for gain, n in zip(gains[2:], (100, 1000, 10**4), strict=True))
    assert shuffled_gaussian_mu(1000.0, 0.1, 10**6) == gaussian_mu(1000.0, 0.1)


@pytest.mark.parametrize("n", [1, 20, 500, 10**5])
@pytest.mark.parametrize("mu", [0.1, 0.5, 1.5, 4.0])
def test_what_the_sum_of_gaussian_reports_shows_lies_below_what_is_proven(mu, n):
    """The sum of n reports is one Gaussian mechanism with mu / sqrt n; a report alone shows at least as much as all."""
    for eps in (0.0, 0.05, 0.2, 1.0, 4.0):
        lower, upper = gaussian_delta(mu / math.sqrt(n), eps), shuffled_gaussian_delta(mu, eps, n)
        assert lower <= upper * (1 + 1e-9) + 1e-300
        assert upper <= gaussian_delta(mu, eps)
    for delta in (0.1, 1e-3, 1e-6):
        eps = shuffled_gaussian_eps(mu, delta, n)
        assert gaussian_eps(mu / math.sqrt(n), delta) <= eps + 1e-9 <= gaussian_eps(mu, delta) + 2e-9
        if eps > 0.0:
            assert (
                shuffled_gaussian_delta(mu, eps * (1 + 1e-6), n) <= delta < shuffled_gaussian_delta(mu, 0.99 * eps, n)
            )


@pytest.mark.parametrize(
    ("eps", "delta", "n"), [(0.0, 0.1, 10), (1.0, 0.0, 10), (1.0, 1.0, 10), (1.0, 0.1, 0), (math.nan, 0.1, 10)]
)
def test_impossible_guarantees_of_gaussian_reports_are_refused(eps, delta, n):
    with pytest.raises(ValueError, match="shuffled Gaussian noise: eps must"):
        shuffled_gaussian_mu(eps, delta, n)
