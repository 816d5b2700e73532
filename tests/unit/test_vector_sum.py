"""The shuffled vector sum: its printed constants, its moments, its exact privacy by enumeration, its least bits."""

import math
import subprocess
import sys
from itertools import product

import mpmath
import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution
from scipy import optimize, stats

from dpbandits.privacy import vector_sum
from dpbandits.privacy.accounting import least_noise
from dpbandits.privacy.mechanisms import VectorSumRequest
from dpbandits.privacy.sensitivities import JOINT_SENSITIVITY
from dpbandits.privacy.vector_sum import (
    bits_printed,
    bits_released,
    bits_returning,
    granularity,
    granularity_released,
    moments,
    sums_delta,
    sums_eps,
    sums_loss,
    worst_pair,
)

# Constants


def test_eq_epsilons():
    """max(2 sqrt n, d, 4), a whole number: 2 sqrt 20 = 8.944."""
    assert [granularity(20, 5), granularity(1, 2), granularity(1, 15), granularity(20, 15), granularity(25, 3)] == [
        9,
        4,
        15,
        15,
        10,
    ]
    assert granularity_released(20, 5) == pytest.approx(math.sqrt(80), rel=1e-15)


def test_eq_bits_printed():
    """24e4 * 81 * ln(1040)^2 / (eps^2 * 20), ln 1040 = 6.946976."""
    for eps, expected in ((0.2, 1.17e9), (1.0, 4.69e7), (10.0, 4.69e5)):
        exact = mpmath.ceil(240000 * 81 * mpmath.log(1040) ** 2 / (mpmath.mpf(eps) ** 2 * 20))
        assert bits_printed(eps, 0.1, 20, 5) == pytest.approx(float(exact), abs=1.0)
        assert bits_printed(eps, 0.1, 20, 5) == pytest.approx(expected, rel=5e-3)
        assert bits_printed(eps, 0.1, 20, 5) == int(bits_printed(eps, 0.1, 20, 5))


def test_eq_bits_released():
    """80 ln(50)^2 / (eps^2 20) = 61.2157 at eps = 1; ten times as many where tuned."""
    assert bits_released(1.0, 0.1, 20, 5, 1.0) == pytest.approx(4 * math.log(50) ** 2, rel=1e-14)
    assert bits_released(0.2, 0.1, 20, 5, 1.0) == pytest.approx(1530.39, rel=1e-5)
    assert bits_released(10.0, 0.1, 20, 5, 10.0) == pytest.approx(6.12157, rel=1e-5)


def test_eq_bits_returning():
    """1e7 ln(20) 81 T ln(8 T 26 / 2)^2 / 400 at T = 20000, n = 20, d = 5, eps = 1, delta = 0.1; about 1.2e14."""
    exact = 10**7 * mpmath.log(20) * 81 * 20000 * mpmath.log(8 * 20000 * 26 / mpmath.mpf(2)) ** 2 / 400
    assert bits_returning(1.0, 0.1, 20, 5, 20000) == pytest.approx(float(exact), rel=1e-12)
    substituted = 24e4 * 8 * math.log(20) * 1000 * 81 * math.log(4 * 26 * 2 * 1000 / 0.1) ** 2 / 20
    assert bits_returning(1.0, 0.1, 20, 5, 20000) / substituted == pytest.approx(1e7 / 1.92e6, rel=1e-9)


# Sensitivity


def squared_distance(angles: np.ndarray, dimension: int, off_diagonal: float = 1.0) -> float:
    """Of the entries of two unit features and rewards in [0, 1], from unconstrained numbers."""
    pair = angles.reshape(2, dimension + 2)
    users = []
    for row in pair:
        feature = row[:dimension] / np.linalg.norm(row[:dimension]) * math.sin(row[-2]) ** 2
        matrix = np.outer(feature, feature)
        upper = np.where(np.eye(dimension) > 0, 1.0, math.sqrt(off_diagonal))[np.triu_indices(dimension)]
        users.append(np.concatenate([feature * math.sin(row[-1]) ** 2, upper * matrix[np.triu_indices(dimension)]]))
    return float(np.sum((users[0] - users[1]) ** 2))


def largest(function, size: int, starts: int = 12) -> float:
    """Largest value found by local searches from random starts."""
    rng = np.random.default_rng(20220255)
    found = [optimize.minimize(lambda x: -function(x), rng.standard_normal(size)).fun for _ in range(starts)]
    return -min(found)


@pytest.mark.parametrize("dimension", [2, 3, 5])
def test_joint_sensitivity_is_the_largest_distance_found(dimension):
    """No pair of users is farther apart, and some are as far: each entry on or above the diagonal released once."""
    found = largest(lambda x: squared_distance(x, dimension), 2 * (dimension + 2))
    assert found == pytest.approx(JOINT_SENSITIVITY**2, rel=1e-6)
    first, second = worst_pair(dimension)
    assert np.sum((first - second) ** 2) == pytest.approx(4.5, rel=1e-14)


def test_sensitivity_of_released_features():
    """(z, 1), z on the circle, rewards 0 or 1; off-diagonal noise of half the variance counts twice."""

    def farthest(weight: float) -> float:
        def distance(x: np.ndarray) -> float:
            users = []
            for angle, reward in x.reshape(2, 2):
                feature = np.array([math.cos(angle), math.sin(angle), 1.0])
                upper = np.where(np.eye(3) > 0, 1.0, math.sqrt(weight))[np.triu_indices(3)]
                matrix = upper * np.outer(feature, feature)[np.triu_indices(3)]
                users.append(np.concatenate([feature * math.sin(reward) ** 2, matrix]))
            return float(np.sum((users[0] - users[1]) ** 2))

        return largest(distance, 4, 20)

    assert farthest(2.0) == pytest.approx(vector_sum.RELEASED_FULL**2, rel=1e-6)
    assert farthest(1.0) == pytest.approx(vector_sum.RELEASED_ONCE**2, rel=1e-6)


def test_no_pair_in_one_dimension():
    with pytest.raises(ValueError, match="dimension must be >= 2; got 1"):
        worst_pair(1)


# Moments


def exact_moments(values, bits, g, bound):
    """Bias and variance by enumeration of every user's rounding, and of the binomial by its own distribution."""
    sampled = int(bits)
    scaled = [(value + bound) * g / bound for value in values]
    mean = square = 0.0
    for ups in product((0, 1), repeat=len(values)):
        chances = [v - math.floor(v) for v in scaled]
        mass = math.prod(c if up else 1 - c for c, up in zip(chances, ups, strict=True))
        ones = sum(math.floor(v) + up for v, up in zip(scaled, ups, strict=True))
        counts = np.arange(sampled * len(values) + 1)
        output = bound / g * (ones + counts - bits * len(values) / 4) - len(values) * bound
        weights = mass * stats.binom.pmf(counts, sampled * len(values), 0.25)
        mean, square = mean + weights @ output, square + weights @ output**2
    return mean - sum(values), square - mean**2


@pytest.mark.parametrize("bits", [0.612, 6.0, 6.1216, 61.9])
@pytest.mark.parametrize(("g", "bound"), [(4.0, 1.0), (8.944, math.sqrt(2))])
def test_moments_by_enumeration(bits, g, bound):
    values = np.array([0.3, -0.77, 0.0, 1.0])
    assert moments(values, bits, g, bound) == pytest.approx(exact_moments(values, bits, g, bound), rel=1e-9, abs=1e-12)


def test_moments_of_many_bits():
    """Whole multiples: only the noise is left, n b 3/16 / g^2, below the printed (n + n b / 4) / g^2."""
    bias, variance = moments(np.zeros(20), 4.69e7, 9.0)
    assert bias == 0.0
    assert variance == pytest.approx(20 * 4.69e7 * 3 / 16 / 81, rel=1e-12)
    assert vector_sum.variance_printed(20, 8.0, 9.0) == pytest.approx(60 / 81)


# Exact privacy


def distribution(values, trials, g, bound, others=()):
    """Joint distribution of the counts, one dict per user, in 30 digits: rounding of all users, and the noise bits."""
    distributions = []
    for j, value in enumerate(values):
        counts = {
            k: mpmath.binomial(trials, k) * mpmath.mpf(3) ** (trials - k) / mpmath.mpf(4) ** trials
            for k in range(trials + 1)
        }
        for held in (value, *(other[j] for other in others)):
            scaled = (held + bound) * g / bound
            chance, moved = scaled - math.floor(scaled), {}
            for count, mass in counts.items():
                for up, share in ((0, 1 - chance), (1, chance)):
                    if share > 0:
                        at = count + math.floor(scaled) + up
                        moved[at] = moved.get(at, 0) + mass * share
            counts = moved
        distributions.append(counts)
    joint = {}
    for parts in product(*(entry.items() for entry in distributions)):
        joint[tuple(count for count, _ in parts)] = mpmath.fprod([mass for _, mass in parts])
    return joint


def divergence(one, other, eps):
    return float(sum(max(0, mass - mpmath.exp(eps) * other.get(key, 0)) for key, mass in one.items()))


CASES = [
    ([0.5, 0.25], [-0.25, 0.0], 6, 4.0, 1.0, []),  # whole multiples
    ([0.5, 0.25], [0.5, 0.0], 9, 4.0, 1.0, []),  # one entry does not move
    ([0.31, -0.2], [-0.6, 0.15], 7, 4.0, 1.0, []),  # rounding
    ([0.31, -0.2], [-0.6, 0.15], 7, 3.3, 1.5, [[0.1, 0.2], [0.4, -0.9]]),  # the others' rounding
    ([0.1, 0.2, 0.3], [0.2, 0.1, 0.0], 5, 4.0, 1.0, [[0.05, 0.0, 0.0]]),  # moves in either direction
]


@pytest.mark.parametrize("eps", [0.0, 0.2, 1.0, 3.0])
@pytest.mark.parametrize(("first", "second", "trials", "g", "bound", "others"), CASES)
def test_exact_distribution_by_enumeration(first, second, trials, g, bound, others, eps):
    """Upper and lower bounds enclose what enumeration finds in the worse of both orders, and are close."""
    distributions = [distribution(held, trials, g, bound, others) for held in (first, second)]
    exact = max(divergence(*distributions, eps), divergence(*distributions[::-1], eps))
    more = {"bound": bound, "others": np.array(others).reshape(len(others), len(first))}
    users = np.array(first), np.array(second)
    upper = sums_delta(*users, eps, trials, g, **more)
    lower = sums_delta(*users, eps, trials, g, upwards=False, **more)
    assert lower - 1e-9 <= exact <= upper + 1e-9
    assert upper - lower <= 0.02
    if others:
        assert exact <= sums_delta(*users, eps, trials, g, bound=bound)  # their rounding hides a little


def test_order_of_users_does_not_matter():
    first, second = np.array([0.5, -0.1]), np.array([-0.4, 0.3])
    assert sums_delta(first, second, 0.5, 30, 4.0) == pytest.approx(sums_delta(second, first, 0.5, 30, 4.0), rel=1e-9)


@pytest.mark.parametrize(("trials", "eps"), [(3500, 1.0), (15660, 0.2), (240, 10.0)])
def test_agrees_with_an_independent_accountant(trials, eps):
    """Its own privacy losses of two mass functions, composed entry by entry, at the certified bits of the figures."""
    g = granularity(20, 5)
    shifts = np.array([14, 8, 0, 0, 0, 7, 4, 0, 0, 0, 7] + [0] * 9)
    users = shifts / g - 1.0, np.zeros(20) - 1.0
    counts = np.arange(trials + 1)
    logs = stats.binom.logpmf(counts, trials, 0.25)
    total = privacy_loss_distribution.identity(value_discretization_interval=1e-3 * eps)
    for shift in shifts[shifts > 0]:
        one = {int(k): p for k, p in zip(counts, logs, strict=True) if p > -60}
        other = {int(k) + int(shift): p for k, p in zip(counts, logs, strict=True) if p > -60}
        loss = privacy_loss_distribution.from_two_probability_mass_functions(
            one, other, value_discretization_interval=1e-3 * eps, symmetric=False
        )
        total = total.compose(loss)
    upper = sums_delta(*users, eps, trials, g)
    lower = sums_delta(*users, eps, trials, g, upwards=False)
    assert lower * 0.9 <= total.get_delta_for_epsilon(eps) <= upper * 1.1
    assert upper <= 1.1 * lower
    assert sums_eps(*users, upper, trials, g) == pytest.approx(eps, rel=1e-3)


def test_nothing_moves_and_nothing_in_common():
    held = np.array([0.25, -0.5])
    assert sums_delta(held, held, 0.0, 10, 4.0) <= 1e-12
    assert sums_delta(held, -held, 1.0, 0, 4.0) == 1.0
    assert sums_eps(held, -held, 0.1, 0, 4.0) == math.inf
    assert sums_loss(held, held, 10, 4.0).get_epsilon_for_delta(0.0) == 0.0


def test_more_bits_hide_more_and_beyond_those_followed_the_bound_stays(monkeypatch):
    pair = worst_pair(5)
    deltas = [sums_delta(*pair, 0.2, trials, 9.0) for trials in (10**2, 10**3, 10**4, 10**5)]
    assert deltas == sorted(deltas, reverse=True)
    assert deltas[0] > 3 * deltas[-1]
    monkeypatch.setattr(vector_sum, "MOST_TRIALS", 10**5)
    assert sums_delta(*pair, 0.2, 1e12, 9.0) == deltas[-1]


# What is certified


@pytest.mark.parametrize("dimension", [2, 3, 5])
@pytest.mark.parametrize("eps", [0.2, 1.0, 10.0])
def test_certified_bits_keep_the_guarantee_and_fewer_would_not_be_safe(eps, dimension):
    """The worst pair found keeps the guarantee, and half of the bits violates it."""
    bits = least_noise(VectorSumRequest("vector_sum", eps, 0.1, 20, dimension, 1))
    g, pair = granularity(20, dimension), worst_pair(dimension)
    assert sums_delta(*pair, eps, 20 * bits, g) <= 0.1
    assert sums_delta(*pair, eps, 20 * math.floor(bits / 2), g, upwards=False) > 0.1
    assert bits < 1e-4 * bits_printed(eps, 0.1, 20, dimension) * max(1.0, eps / 2)


def test_certified_bits_of_returning_users_keep_the_guarantee_of_all_batches():
    """The worst pair found keeps the guarantee in four batches, and a third of the bits violates it."""
    bits = least_noise(VectorSumRequest("vector_sum", 1.0, 0.1, 20, 3, 4))
    composed = [sums_loss(*worst_pair(3), 20 * math.floor(part * bits), 9.0).self_compose(4) for part in (1.0, 1 / 3)]
    assert composed[0].get_delta_for_epsilon(1.0) <= 0.1 < composed[1].get_delta_for_epsilon(1.0)


@pytest.mark.parametrize(
    ("request_", "says"),
    [
        (VectorSumRequest("vector_sum", 1.0, 0.1, 0, 5, 1), "users must be >= 1; got 0"),
        (VectorSumRequest("vector_sum", 1.0, 0.1, 20, 5, 0), "batches must be >= 1; got 0"),
        (VectorSumRequest("vector_sum", 1.0, 0.0, 20, 5, 1), "got 1.0, 0.0"),
        (VectorSumRequest("vector_sum", -1.0, 0.1, 20, 5, 1), "got -1.0, 0.1"),
        (VectorSumRequest("laplace", 1.0, 0.1, 20, 5, 1), "cannot scale the noise of the mechanism laplace"),
    ],
)
def test_impossible_requests_are_refused(request_, says):
    with pytest.raises(ValueError, match=says):
        least_noise(request_)


def test_formulas_load_neither_scipy_nor_the_accountant():
    """A simulation imports this module for its constants."""
    code = "import sys, dpbandits.privacy.vector_sum, dpbandits.privacy.gaussian_scales; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert {"scipy", "dp_accounting"}.isdisjoint(done.stdout.split())
