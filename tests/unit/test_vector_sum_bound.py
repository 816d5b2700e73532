"""What is proven of the shuffled vector sum, against exact distributions of neighbors."""

import math
from itertools import product

import numpy as np
import pytest
from scipy import optimize, special, stats

from dpbandits.privacy.gaussian import gaussian_delta, gaussian_mu
from dpbandits.privacy.sensitivities import JOINT_SENSITIVITY
from dpbandits.privacy.vector_sum import entries, granularity, sums_delta, user_entries, worst_pair
from dpbandits.privacy.vector_sum_bound import (
    Neighbors,
    _concave_majorant,
    _needs,
    _Tails,
    least_mu,
    least_mus,
    neighbors_of,
    proven_bits,
    proven_delta,
    proven_eps,
    squared_mu,
)


def counts(value, trials, length):
    """Distribution of Bin(trials, 1/4) and a value >= 0 that is rounded at random, by a plain convolution."""
    found = np.zeros(length)
    noise = stats.binom.pmf(np.arange(trials + 1), trials, 0.25)
    low = math.floor(value)
    for up, chance in ((0, 1.0 - value + low), (1, value - low)):
        if chance > 0.0:
            found[low + up : low + up + len(noise)] += chance * noise
    return found


def divergence(one, other, eps):
    return max(float(np.maximum(p - math.exp(eps) * q, 0.0).sum()) for p, q in ((one, other), (other, one)))


@pytest.mark.parametrize("slack", [1e-9, 1e-4])
@pytest.mark.parametrize("trials", [12, 150, 1000])
@pytest.mark.parametrize("distance", [0.05, 1.0, 1.3, 4.75])
def test_a_gaussian_pair_dominates_values_so_far_apart_whatever_their_fractions(distance, trials, slack):
    """At all epsilons; at one of them a mean 5 % smaller is too small for some fraction."""
    tails = _Tails.of(float(trials), 8, slack)
    mu = least_mu(tails, math.floor(distance), distance - math.floor(distance))
    length, tight = trials + 9, False
    ends = [0.0, math.ceil(distance) - distance]
    for start in [*ends, *np.linspace(0.1, 0.9, 5)]:
        pair = counts(start, trials, length), counts(start + distance, trials, length)
        for eps in mu * np.linspace(-8.0, 8.0, 1601) if mu < 1e6 else np.linspace(-20.0, 20.0, 41):
            allowed, less = (slack + (1.0 - slack) * shifted(each, eps) for each in (mu, 0.95 * mu))
            found = divergence(*pair, eps)
            assert found <= allowed + 1e-12
            tight |= found > less
    assert tight or mu > 1e6  # the noise does not reach so far: nothing hides a part of the values


@pytest.mark.parametrize(("trials", "slack"), [(3.0, 1e-3), (40.0, 1e-9), (1500.0, 1e-5), (3e5, 1e-9)])
def test_means_of_many_distances_are_those_of_one_after_the_other(trials, slack):
    """Thresholds are left out only where they cannot matter."""
    tails = _Tails.of(trials, 8, slack)
    for whole, steps in product((0, 1, 5), (1, 2, 3, 40, 127)):
        one_by_one = [least_mu(tails, whole, (i + 1) / steps) for i in range(steps)]
        assert np.array_equal(least_mus(tails, whole, steps), one_by_one)


def shifted(mu, eps):
    """Hockey-stick divergence of two normal distributions at any epsilon, by the two error rates."""
    return special.ndtr(mu / 2 - eps / mu) - math.exp(eps) * special.ndtr(-eps / mu - mu / 2)


def test_error_rates_are_lowered_by_the_rounding_error():
    """The quantile at 0.501 is 0.001 over the density 0.39894 at 0."""
    assert _needs(np.array([0.5]), 1e-3)[0] == pytest.approx(0.00250663, rel=1e-5)


def test_normal_distributions_are_those_of_the_accountant():
    assert shifted(0.7, 0.5) == pytest.approx(gaussian_delta(0.7, 0.5), rel=1e-12)


@pytest.mark.parametrize("trials", [15660.0, 1e7, 1e9])
def test_probabilities_are_as_precise_as_they_say(trials):
    """The same sums with 64 bits of precision in place of 53."""
    tails = _Tails.of(trials, 8, 1e-9)
    mean, reach = 0.25 * trials, 9.0 * math.sqrt(0.1875 * trials) + 81.0
    x = np.arange(math.floor(mean - reach), math.ceil(mean + reach), dtype=np.longdouble)
    logs = np.append(0.0, np.cumsum(np.log((trials - x) / (3.0 * (x + 1.0)))))
    masses = np.exp(logs - logs.max())
    exact = np.cumsum((masses / masses.sum())[::-1])[::-1]
    middles = [int(np.argmax(each < 0.5)) for each in (exact, tails.at_least)]
    near = np.arange(-4, 5) * math.floor(0.1 * math.sqrt(trials))
    gap = np.abs(exact[middles[0] + near] - tails.at_least[middles[1] + near] * (1.0 - 1e-9)).max()
    assert 0.0 < gap < tails.rounding < 2e-12


@pytest.mark.parametrize("trials", [0, 1, 3])
def test_nothing_hides_a_shift_that_the_noise_does_not_reach(trials):
    tails = _Tails.of(float(trials), 8, 1e-6)
    assert least_mu(tails, trials + 1, 0.0) >= 1e6
    assert proven_eps(Neighbors(3, 2.0, 6.0), float(trials), 0.1) == math.inf
    assert proven_delta(Neighbors(3, 2.0, 6.0), float(trials), 1.0) == pytest.approx(1.0)


@pytest.mark.parametrize("at", [0.0, 0.3, 1.0, 2.5, 4.0])
def test_the_concave_majorant_by_a_linear_program(at):
    """The most that mixtures of points with at most this mean have."""
    rng = np.random.default_rng(3)
    x, y = np.append(0.0, np.sort(rng.uniform(0.0, 4.0, 30))), np.append(0.0, rng.exponential(1.0, 30))
    best = optimize.linprog(-y, A_ub=[x], b_ub=[at], A_eq=[np.ones(31)], b_eq=[1.0])
    assert _concave_majorant(x[1:], y[1:], at) == pytest.approx(-best.fun, rel=1e-9, abs=1e-12)


def test_no_entries_within_the_distance_have_more():
    """mu^2 of all entries of users at random directions, and of the unit vectors and the diagonal."""
    neighbors, slack, trials = Neighbors(4, 5.0, 8.0), 1e-4, 300.0
    bound = squared_mu(neighbors, trials, slack)
    tails = _Tails.of(trials, 10, -math.expm1(math.log1p(-slack) / 4))
    rng = np.random.default_rng(4)
    directions = np.vstack([rng.standard_normal((200, 4)), np.eye(4), np.ones(4)])
    found = []
    for direction in directions:
        distances = 5.0 * np.abs(direction) / np.linalg.norm(direction)
        found.append(sum(least_mu(tails, int(d), d - int(d)) ** 2 for d in distances))
    assert 0.97 * bound < max(found) <= bound * (1.0 + 1e-9)
    assert squared_mu(Neighbors(4, 5.0, 8.0, 3), trials, 3e-4) == pytest.approx(3 * bound, rel=1e-3)


def test_it_holds_for_small_counts_by_enumeration():
    """Two entries, g = 2: all users on a grid, both orders; every one within the bound, one close to it."""
    trials, length = 40, 46
    neighbors, worst = Neighbors(2, 2.0, 4.0), 0.0
    places = np.arange(0.0, 4.01, 0.25)
    single = {value: counts(value, trials, length) for value in places}
    for eps in (0.3, 1.0):
        most = proven_delta(neighbors, float(trials), eps)
        for one, two in product(product(places[:5], repeat=2), product(places, repeat=2)):
            if (one[0] - two[0]) ** 2 + (one[1] - two[1]) ** 2 <= 4.0:
                pair = [np.multiply.outer(single[user[0]], single[user[1]]) for user in (one, two)]
                worst = max(worst, divergence(*pair, eps) / most)
        assert worst <= 1.0
    assert worst > 0.7


@pytest.mark.parametrize(("eps", "bits", "dimension"), [(0.2, 527, 5), (1.0, 121, 5), (10.0, 11, 5)])
def test_users_at_random_and_the_worst_found_stay_below(eps, bits, dimension):
    """Rewards in [0, 1], features in the unit ball, with exact distributions from below."""
    g, rng = granularity(20, dimension), np.random.default_rng(dimension)
    most = proven_delta(neighbors_of(dimension, JOINT_SENSITIVITY, g), 20.0 * bits, eps)
    pairs = [worst_pair(dimension)]
    for _ in range(3):
        features = rng.standard_normal((2, dimension))
        features /= np.linalg.norm(features, axis=1)[:, None]
        pairs.append(tuple(user_entries(*each) for each in zip(features, (1.0, rng.random()), strict=True)))
    found = [sums_delta(*pair, eps, 20.0 * bits, g, upwards=False) for pair in pairs]
    assert max(found) == found[0] < most <= 0.1


@pytest.mark.parametrize(
    ("eps", "dimension", "bits", "searched"),
    [(0.2, 5, 527, 513), (1.0, 5, 121, 115), (10.0, 5, 11, 8), (1.0, 10, 150, 142), (1.0, 15, 332, 318)],
)
def test_bits_of_the_figures_and_what_no_fewer_bits_could_be(eps, dimension, bits, searched):
    """With less than `searched` bits the worst pair that is known has a delta above 0.1."""
    g = granularity(20, dimension)
    neighbors, pair = neighbors_of(dimension, JOINT_SENSITIVITY, g), worst_pair(dimension)
    assert proven_bits(neighbors, 20, eps, 0.1) == bits
    assert proven_eps(neighbors, 20.0 * bits, 0.1) <= eps
    assert sums_delta(*pair, eps, 20.0 * (searched - 1), g, upwards=False) > 0.1
    assert bits <= 1.06 * searched or eps == 10.0


def test_returning_users_are_charged_for_every_batch():
    """mu grows with the root of the batches, so that bits grow with them; the slack is shared."""
    one = proven_bits(neighbors_of(3, JOINT_SENSITIVITY, 9.0), 20, 1.0, 0.1)
    four = proven_bits(neighbors_of(3, JOINT_SENSITIVITY, 9.0, batches=4), 20, 1.0, 0.1)
    assert 3.8 * one < four < 4.1 * one
    least = 4 * (JOINT_SENSITIVITY * 9.0 / gaussian_mu(1.0, 0.1)) ** 2 / (20 * 3 / 16)
    assert least < four < 1.05 * least


def test_more_bits_help():
    neighbors = neighbors_of(2, JOINT_SENSITIVITY, 9.0)
    found = [proven_eps(neighbors, trials, 0.01) for trials in (200.0, 2e3, 2e4, 2e10)]
    assert found == sorted(found, reverse=True)
    assert found[0] > 20 * found[2]
    assert proven_eps(neighbors, 1e7, 1e-5) == proven_eps(neighbors, 1e12, 1e-5) > 0.0


def test_entries_scale_with_the_granularity():
    found = neighbors_of(5, 2.0, 9.0, 1.5)
    assert (found.entries, found.distance, found.most, found.batches) == (entries(5), 12.0, 18.0, 1)
    with pytest.raises(ValueError, match="batches must be >= 1; got 0"):
        neighbors_of(5, 2.0, 9.0, batches=0)
    with pytest.raises(ValueError, match="users must be >= 1; got 0"):
        proven_bits(found, 0, 1.0, 0.1)
