"""Bounds on the privacy of shuffled reports: against enumeration in 40 digits, another accountant, and each other."""

import functools
import math
from itertools import pairwise

import mpmath
import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution
from scipy import stats

from dpbandits.privacy import shuffling
from dpbandits.privacy.accounting import laplace_delta
from dpbandits.privacy.gaussian import gaussian_delta, gaussian_eps, gaussian_mu
from dpbandits.privacy.shuffling import (
    clone_delta,
    clone_eps,
    count_delta,
    count_eps,
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
    """Both hockey-stick divergences of the clones' pair of laws, every (C, count) on its own, in 40 digits.

    The count is A + 1 with odds e^local_eps, else A, under the one law; with the odds turned round under the other.
    """
    p = mpmath.exp(-mpmath.mpf(local_eps))
    likely, unlikely = 1 / (1 + p), p / (1 + p)
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
    """n = 1: randomised response, (3 - 1)/(3 + 1) at eps = 0, eps0 = ln 3.

    n = 2 there: a clone with probability 1/3; then counts 0, 1, 2 have (1, 4, 3)/8 against (3, 4, 1)/8, apart by 1/4.
    So 2/3 * 1/2 + 1/3 * 1/4 = 5/12.
    """
    assert clone_delta(0.0, math.log(3), 1) == pytest.approx(1 / 2, abs=SLACK)
    assert clone_delta(0.0, math.log(3), 2) == pytest.approx(5 / 12, abs=SLACK)
    assert clone_delta(1.0, 1.0, 2) == clone_delta(2.0, 1.0, 2) == 0.0
    assert clone_eps(math.log(3), 2, 0.5) == 0.0
    assert clone_eps(math.log(3), 1, 0.25) == pytest.approx(math.log(2), abs=1e-9)  # (3 - e^eps)/4 = 1/4


def clone_laws(local_eps, n):
    """Logarithms of the two laws of (C, count), without C of a probability below 1e-25."""
    p = math.exp(-local_eps)
    likely, unlikely = 1 / (1 + p), p / (1 + p)
    one, other = {}, {}
    for c, crowd in enumerate(stats.binom.pmf(np.arange(n), n - 1, p)):
        coins = stats.binom.pmf(np.arange(-1, c + 2), c, 0.5)
        for count, (raised, kept) in enumerate(pairwise(coins)):
            if crowd > 1e-25 and crowd * (raised + kept) > 1e-300:
                one[c, count] = math.log(crowd * (likely * raised + unlikely * kept))
                other[c, count] = math.log(crowd * (unlikely * raised + likely * kept))
    return one, other


@pytest.mark.parametrize(("n", "local_eps"), [(60, 1.0), (100, 0.5), (300, 2.0), (1000, 4.0)])
def test_clone_bound_agrees_with_an_independent_accountant(n, local_eps):
    """The accountant rounds privacy losses up to multiples of its step: never below the truth, by less than a step."""
    one, other = clone_laws(local_eps, n)
    loss = privacy_loss_distribution.from_two_probability_mass_functions(other, one, value_discretization_interval=STEP)
    for eps in (0.05, 0.1, 0.2, 0.45, 0.9):
        delta, at_lower_level = (clone_delta(level, local_eps, n) for level in (eps, eps - STEP))
        assert delta - SLACK <= loss.get_delta_for_epsilon(eps) <= at_lower_level + 1e-9
    for delta in (1e-2, 1e-4, 1e-6, 1e-8):
        eps = clone_eps(local_eps, n, delta)
        assert -1e-9 <= loss.get_epsilon_for_delta(delta) - eps <= 2 * STEP


@pytest.mark.parametrize(
    ("n", "eps", "delta"), [(3 * 10**5, 0.01, 1e-6), (10**6, 0.05, 1e-6), (10**7, 0.03, 1e-3), (10**8, 0.1, 1e-9)]
)
def test_grouping_raises_the_bound_and_by_little(n, eps, delta, monkeypatch):
    """At the level that the bound certifies; these have 1700 to 4100 values of C that matter."""
    local_eps = largest_local_budget(eps, n, delta)
    shipped = clone_delta(eps, local_eps, n)
    found = []
    for blocks in (10**6, 200, 50, 10):
        monkeypatch.setattr(shuffling, "MOST_GROUPS", blocks)
        found.append(clone_delta(eps, local_eps, n))
    assert found[1] == shipped
    assert (np.diff(found) > 0).all()
    assert found[1] <= found[0] * (1 + 1e-2)


@pytest.mark.parametrize("n", [2, 50, 10**4, 10**6])
def test_clone_bound_increases_in_the_local_level_and_falls_in_eps_and_the_crowd(n):
    levels = [0.3, 0.6, 1.0, 2.0, 4.0, 8.0, 16.0]
    deltas = np.array([clone_delta(0.2, level, n) for level in levels])
    assert (np.diff(deltas) >= -SLACK).all()
    assert (np.diff(deltas[deltas > 1e-10]) > 0).all()
    assert deltas[-1] > 0.99 or n > 10**4
    at_eps = np.array([clone_delta(eps, 4.0, n) for eps in np.linspace(0.0, 3.9, 14)])
    assert (np.diff(at_eps) <= SLACK).all()
    assert at_eps[0] > 1e-3
    assert (np.diff(at_eps[at_eps > 1e-10]) < 0).all()
    assert clone_delta(0.2, 4.0, 2 * n) < clone_delta(0.2, 4.0, n) or clone_delta(0.2, 4.0, n) < SLACK
    for delta in (1e-3, 1e-6):
        eps = [clone_eps(level, n, delta) for level in levels]
        assert (np.diff(eps) > 0).all() or eps[0] == 0.0
        assert all(e <= level + 1e-9 for e, level in zip(eps, levels, strict=True))
        assert clone_eps(4.0, 10 * n, delta) <= clone_eps(4.0, n, delta) + 1e-9
        assert clone_eps(4.0, n, delta) >= clone_eps(4.0, n, 2 * delta) - 1e-9


@pytest.mark.parametrize(("local_eps", "n", "delta"), [(1.0, 100, 1e-4), (4.0, 3000, 1e-6), (9.0, 10**6, 1e-6)])
def test_clone_eps_solves_clone_delta(local_eps, n, delta):
    eps = clone_eps(local_eps, n, delta)
    assert 0.0 < eps < local_eps
    assert clone_delta(eps, local_eps, n) <= delta < clone_delta(eps - 1e-8, local_eps, n)


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
def test_certified_level_is_never_below_the_closed_forms_nor_eps(delta):
    """So that the certified noise is never larger; in most cells the clones themselves prove more."""
    larger = 0
    for n in SIZES:
        for eps in BUDGETS:
            level, plain = largest_local_budget(eps, n, delta), closed_form(eps, n, delta)
            assert level >= plain * (1 - 1e-9) >= eps * (1 - 2e-9)
            larger += level > 1.01 * plain
            if plain > eps:  # the closed form follows from the clones: they prove it with delta to spare
                assert clone_delta(eps, plain, n) < 0.01 * delta
    assert larger > 0.3 * len(SIZES) * len(BUDGETS)


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("n", SIZES)
def test_certified_level_is_the_largest_that_is_proven(n, delta):
    """It is proven, and one a thousandth higher is not."""
    for eps in BUDGETS:
        level = largest_local_budget(eps, n, delta)
        assert level <= eps or clone_delta(eps, level, n) <= delta
        assert clone_delta(eps, 1.001 * level, n) > delta
        assert clone_eps(level, n, delta) <= eps + 1e-9 * (1 + eps)


def test_certified_level_grows_with_every_argument():
    for delta in DELTAS:
        table = np.array([[largest_local_budget(eps, n, delta) for n in SIZES] for eps in BUDGETS])
        assert (np.diff(table, axis=0) > 0).all()
        assert (np.diff(table, axis=1) >= -1e-8).all()
        assert largest_local_budget(0.1, 10**4, delta) < largest_local_budget(0.1, 10**4, 2 * delta)


def test_without_a_crowd_the_local_level_is_that_of_randomised_response():
    """n = 1: (e^x - e^eps)/(1 + e^x) = delta, so e^x = (e^eps + delta)/(1 - delta)."""
    for eps, delta in ((0.1, 1e-3), (1.0, 0.2), (5.0, 1e-6)):
        exact = math.log((math.exp(eps) + delta) / (1 - delta))
        assert largest_local_budget(eps, 1, delta) == pytest.approx(exact, rel=1e-6)


def test_beyond_what_any_crowd_can_hide_the_level_is_eps():
    assert largest_local_budget(1000.0, 10**9, 1e-6) == 1000.0
    assert largest_local_budget(1.0, 10**4, 1e-13) == pytest.approx(closed_form(1.0, 10**4, 1e-13), rel=1e-9)


@pytest.mark.parametrize(
    ("eps", "n", "delta"),
    [
        *[(0.0, 10, 1e-6), (-1.0, 10, 1e-6), (1.0, 10, 0.0), (1.0, 10, 1.0), (1.0, 10, -1e-6), (1.0, 0, 1e-6)],
        *[(math.nan, 10, 1e-6), (1.0, 10, math.nan)],
    ],
)
def test_impossible_promises_are_refused(eps, n, delta):
    with pytest.raises(ValueError, match="no local budget"):
        largest_local_budget(eps, n, delta)


# Lower bounds: counting


def tails(scale, n, threshold=1.0):
    """P(N >= k) for k = 1 to n under both rewards of the user, by summation in 40 digits."""
    others, raised = (mpmath.exp(-(threshold + shift) / mpmath.mpf(scale)) / 2 for shift in (1, -1))
    crowd = [mpmath.binomial(n - 1, j) * others**j * (1 - others) ** (n - 1 - j) for j in range(n)]
    above = [sum(crowd[k:], mpmath.mpf(0)) for k in range(n + 1)]
    return [
        (user * above[k - 1] + (1 - user) * above[k], others * above[k - 1] + (1 - others) * above[k])
        for user in [raised]
        for k in range(1, n + 1)
    ]


@pytest.mark.parametrize("n", [1, 2, 5, 12])
@pytest.mark.parametrize("scale", [0.2, 1.0, 7.0])
@pytest.mark.parametrize("threshold", [1.0, 2.5])
def test_counting_bounds_are_the_enumerated_ones(n, scale, threshold):
    pairs = tails(scale, n, threshold)
    for eps in (0.0, 0.1, 0.3, 2.0):
        exact = float(max(one - mpmath.exp(eps) * other for one, other in pairs))
        assert count_delta(scale, n, eps, threshold) == pytest.approx(exact if exact > 1e-12 else 0.0, abs=1e-13)
    for delta in (1e-9, 1e-4, 0.01):
        exact = max([0.0, *(float(mpmath.log((one - delta) / other)) for one, other in pairs if one > delta + 1e-12)])
        assert count_eps(scale, n, delta, threshold) == pytest.approx(exact, rel=1e-10, abs=1e-12)


def test_counting_a_single_report_by_hand():
    """n = 1: the report exceeds 1 with probability 1/2 or e^{-2/b}/2."""
    assert count_delta(1.0, 1, 0.5) == pytest.approx((1 - math.exp(0.5 - 2)) / 2, rel=1e-14)
    assert count_eps(1.0, 1, 0.25) == pytest.approx(math.log(0.25 / (0.5 * math.exp(-2))), rel=1e-14)
    assert count_delta(1.0, 1, 2.0) == 0.0
    assert count_eps(1.0, 1, 0.5) == 0.0


@pytest.mark.parametrize("n", [10**5, 3 * 10**6, 10**8])
def test_counting_keeps_its_digits_in_large_crowds(n):
    """At eps = 0: (p1 - p0) times the largest probability of Bin(n - 1, p0); scale 200: p0 = e^-0.01/2, p1 = 1/2."""
    p = mpmath.exp(mpmath.mpf(-1) / 100) / 2
    mode = int(n * p)
    log = mpmath.loggamma(n) - mpmath.loggamma(mode + 1) - mpmath.loggamma(n - mode)
    largest = mpmath.exp(log + mode * mpmath.log(p) + (n - 1 - mode) * mpmath.log(1 - p))
    assert count_delta(200.0, n, 0.0) == pytest.approx(float(largest / 2 - largest * p), rel=1e-5)


@pytest.mark.parametrize(("scale", "n"), [(1.0, 30), (0.4, 200), (3.0, 5)])
def test_counting_bounds_have_the_law_of_shuffled_reports(scale, n):
    """Reports drawn one by one, N counted: the bounds lie between those of simultaneous binomial intervals."""
    rng, runs = np.random.default_rng([20220707, n]), 40_000
    rewards = np.full(n, -1.0)
    noise = [rng.laplace(0.0, scale, size=(runs, n)) for _ in range(2)]
    counts_zero = (rng.permuted(rewards + noise[0], axis=1) >= 1.0).sum(axis=1)
    rewards[0] = 1.0
    counts_one = (rng.permuted(rewards + noise[1], axis=1) >= 1.0).sum(axis=1)
    level = 1 - 1e-3 / (2 * n)

    def interval(counts, k):
        return stats.binomtest(int((counts >= k).sum()), runs).proportion_ci(level)

    found = [(interval(counts_one, k), interval(counts_zero, k)) for k in range(1, n + 1)]
    for eps in (0.0, 0.2, 0.5):
        low = max(one.low - math.exp(eps) * zero.high for one, zero in found)
        high = max(one.high - math.exp(eps) * zero.low for one, zero in found)
        assert max(0.0, low) <= count_delta(scale, n, eps) <= high
        assert high - low < 0.1
    delta = 0.01
    low = max(math.log((one.low - delta) / zero.high) for one, zero in found if one.low > delta)
    high = max(math.log((one.high - delta) / zero.low) for one, zero in found if one.high > delta and zero.low > 0)
    never = [k for k, (one, zero) in enumerate(found, 1) if one.high > delta and zero.low == 0]
    assert low <= count_eps(scale, n, delta)
    assert never or count_eps(scale, n, delta) <= high


# Every lower bound lies below every upper bound


def lower_bounds_eps(scale, n, delta):
    """By counting at several thresholds, and by the event that no report exceeds -1.

    Where all rewards are -1 that event has probability 2^-n, and e^{-2/b} times as much where the user's is 1.
    """
    bounds = [count_eps(scale, n, delta, threshold) for threshold in (1.0, 1.5, 4.0)]
    return [*bounds, 2 / scale + math.log1p(-delta * 2.0**n)] if math.log(delta) < -n * math.log(2) else bounds


@pytest.mark.parametrize("n", [1, 2, 5, 12, 29, 190, 1560, 10**5, 3 * 10**6])
@pytest.mark.parametrize("local_eps", [0.01, 0.1, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0])
def test_every_lower_bound_lies_below_every_upper_bound(n, local_eps):
    scale = 2 / local_eps  # the range of the rewards is 2
    for delta in (1e-2, 1e-4, 1e-6, 1e-9):
        upper = min(clone_eps(local_eps, n, delta), local_eps)
        assert max(lower_bounds_eps(scale, n, delta)) <= upper + 1e-9
    for eps in (0.0, 0.01, 0.1, 0.5, 1.0, 3.0):
        lower = [count_delta(scale, n, eps, threshold) for threshold in (1.0, 1.5, 4.0)]
        lower.append(2.0**-n * max(0.0, 1 - math.exp(eps - local_eps)))
        upper = min(clone_delta(eps, local_eps, n), laplace_delta(2.0, scale, eps) + 1e-15)
        assert max(lower) <= upper * (1 + 1e-7)


def test_the_bounds_meet_where_a_crowd_cannot_hide():
    """In a crowd of 5 with eps0 = 16 nobody sends what the user could have sent: both bounds are near eps0."""
    assert max(lower_bounds_eps(2 / 16, 5, 1e-6)) == pytest.approx(16 + math.log1p(-32e-6), rel=1e-12)
    assert clone_eps(16.0, 5, 1e-6) == pytest.approx(16.0, abs=1e-4)


@pytest.mark.parametrize("eps", [0.1, 0.2, 0.3, 0.5, 1.0, 2.0, 5.0])
def test_counting_refutes_the_printed_scale_from_one_half_on(eps):
    """T = 1e6, q = 2.858142: the last batch has ceil(q^12) = 297171 reports of scale 1/f^-1(eps), delta = 1e-6."""
    n, delta = math.ceil((2 * 10**6) ** (12 / math.log(10**6))), 1e-6
    assert n == 297171
    low, high = 1e-9, 50.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if amplified(middle, n, delta) < eps else (low, middle)
    assert (count_eps(1 / low, n, delta) > eps) == (eps >= 0.5)
    assert (count_delta(1 / low, n, eps) > delta) == (eps >= 0.5)
    if eps == 1.0:
        assert count_delta(1 / low, n, eps) > 1e4 * delta
    certified = 2 / largest_local_budget(eps, n, delta)
    assert count_eps(certified, n, delta) <= eps
    assert count_delta(certified, n, eps) <= delta


# Gaussian reports


@functools.cache
def summed_clones(eps, local_eps, n):
    """Delta of the clones, over all counts and all numbers of clones that matter, by the binomial laws of scipy."""
    p, up = math.exp(-local_eps), 1 / (1 + math.exp(-local_eps))
    total = 0.0
    for c, crowd in enumerate(stats.binom.pmf(np.arange(n), n - 1, p)):
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
def test_shuffled_gaussian_noise_is_the_least_of_all_local_levels(eps, delta, n):
    """At its mu some eps0 proves the promise; at a thousandth more no eps0 does, nor a report alone."""
    mu = shuffled_gaussian_mu(eps, delta, n)

    def least(mu):
        found = [normal_delta(mu, eps)]
        for local_eps in eps + np.geomspace(0.1, 8.0, 400):
            price = (math.exp(eps) + 1) * (1 + math.exp(-local_eps) / 2) * n
            alone = price * normal_delta(mu, local_eps)
            if alone < delta:
                found.append(summed_clones(eps, local_eps, n) + alone)
        return min(found)

    assert least(mu) == pytest.approx(delta, rel=0.02)
    assert least(1.01 * mu) > delta
    assert least(0.99 * mu) < delta
    assert shuffled_gaussian_delta(mu, eps, n) == pytest.approx(delta, rel=1e-6)


@pytest.mark.parametrize("eps", [0.2, 1.0, 10.0])
def test_a_batch_of_twenty_gains_nothing_at_the_delta_of_the_figures(eps):
    assert shuffled_gaussian_mu(eps, 0.1, 20) == gaussian_mu(eps, 0.1)


def test_crowds_gain_at_small_levels_and_far_less_than_the_root_of_their_size():
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
def test_impossible_promises_of_gaussian_reports_are_refused(eps, delta, n):
    with pytest.raises(ValueError, match="no shuffled Gaussian noise"):
        shuffled_gaussian_mu(eps, delta, n)
