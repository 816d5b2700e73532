"""Noise of messages for least squares: printed numbers, and sensitivities as the largest distances of two users."""

import math

import numpy as np
import pytest
from scipy import optimize

from dpbandits.privacy import sensitivities
from dpbandits.privacy.gaussian import gaussian_mu
from dpbandits.privacy.local_scales import ALPHA, baseline_sd, printed_sd, spread

LOGISTIC = "logistic"


def ball(length, angle):
    return math.sin(length) ** 2 * np.array([math.cos(angle), math.sin(angle)])


def mean(link, z):
    return 1.0 / (1.0 + math.exp(-z)) if link == LOGISTIC else z


def parts(x, link, theta, reward):
    """x x' on and above the diagonal, (x' theta) x, the gradient and r x of one user."""
    z = float(x @ theta)
    return np.outer(x, x)[np.triu_indices(2)], z * x, (mean(link, z) - reward) * x, reward * x


def squares(values, link):
    """Of the distances of two users in the four parts; contexts and theta in the unit disc."""
    lengths, angles, rewards = values[:3], values[3:6], values[6:8]
    rewards = np.sin(rewards) ** (2 if link == LOGISTIC else 1)
    first, second, theta = (ball(length, angle) for length, angle in zip(lengths, angles, strict=True))
    users = zip(parts(first, link, theta, rewards[0]), parts(second, link, theta, rewards[1]), strict=True)
    return np.array([np.sum((one - other) ** 2) for one, other in users])


def largest(link, weights, starts=10):
    """Largest weighted sum of the squares, by local searches from random starts."""
    rng = np.random.default_rng(2106)
    found = [
        optimize.minimize(lambda v: -float(np.dot(weights, squares(v, link))), rng.uniform(0.0, 2.0 * math.pi, 8)).fun
        for _ in range(starts)
    ]
    return -min(found)


# Noise


def test_eq_printed_noise_of_least_squares():
    """s = 2 sqrt(2 ln 125) / eps = 6.21502 / eps at delta = 0.01: sds 2 s and s."""
    assert printed_sd(0.5, 0.01) == pytest.approx(2 * 6.21502, rel=1e-5)


def test_eq_released_noise():
    """6 sqrt(2 ln(2.5 / delta)) at eps = 1 for delta = 0.1, 0.01, 1e-5."""
    assert [baseline_sd(1.0, delta, 2) for delta in (0.1, 0.01, 1e-5)] == pytest.approx(
        [15.22, 19.94, 29.91], abs=0.005
    )
    assert baseline_sd(5.0, 0.1, 2) == pytest.approx(15.22 / 5, abs=0.001)


def test_eq_noise_of_the_baselines():
    """6 sqrt(2 ln 375) = 20.657 and 4 sqrt(2 ln 125) = 12.43005, over eps."""
    assert baseline_sd(2.0, 0.01, 3) == pytest.approx(20.6575 / 2, rel=1e-5)


def test_eq_shift():
    """4 sqrt 2 + 2 ln(2e7) = 39.279 for d = 2, T = 1e6."""
    assert 3.0 * spread(2, 1e6, ALPHA) == pytest.approx(3 * 39.2793, rel=1e-5)


def test_the_shift_bounds_the_eigenvalues_of_noise():
    """Of t matrices added up, with sd 1 on and above the diagonal: in all of 200 trials, and by no more than 30."""
    rng, d, t, worst = np.random.default_rng(5), 10, 100, 0.0
    for _ in range(200):
        upper = np.triu(math.sqrt(t) * rng.standard_normal((d, d)))
        worst = max(worst, np.max(np.abs(np.linalg.eigvalsh(upper + np.triu(upper, 1).T))))
    bound = math.sqrt(t) * spread(d, 1e4, ALPHA)
    assert bound / 30 < worst < bound


# Sensitivities


def test_joint_sensitivity_is_the_largest_distance():
    for link in ("linear", LOGISTIC):
        assert largest(link, [1, 0, 0, 1]) == pytest.approx(sensitivities.JOINT_SENSITIVITY**2, rel=1e-6)


@pytest.mark.parametrize("weight", [0.1, 0.25, 0.5, 0.7, 1.0, 2.0])
def test_message_sensitivity_is_the_largest_distance(weight):
    found = largest("linear", [weight, 0, 0, 1], 6)
    assert found == pytest.approx(sensitivities.message_sensitivity(weight) ** 2, rel=1e-6)


def test_message_sensitivity_at_equal_noise_is_the_joint_one():
    assert sensitivities.message_sensitivity(1.0) == pytest.approx(sensitivities.JOINT_SENSITIVITY, rel=1e-15)


@pytest.mark.parametrize(
    ("link", "expected", "apart"),
    [("linear", sensitivities.GLOC_LINEAR, 19), (LOGISTIC, sensitivities.GLOC_LOGISTIC, 7)],
)
def test_sensitivities_of_ldp_gloc_are_the_largest_distances(link, expected, apart):
    """Not below what is found, above it by rounding only, and less than the parts' own largest squares together."""
    found = largest(link, [1, 1, 1, 0], 12)
    assert found <= expected**2 <= found + 2e-4
    assert expected**2 < apart


def test_the_linear_gradient_by_its_angle():
    """2 s^2 + s^2 + (s + 2 sin(f/2))^2, s = sin f, over a fine grid of angles."""
    f = np.linspace(0.0, math.pi, 200001)
    s, half = np.sin(f), np.sin(f / 2)
    assert np.max(3 * s**2 + (s + 2 * half) ** 2) == pytest.approx(sensitivities.GLOC_LINEAR**2, abs=2e-4)


def test_the_sensitivity_of_ldp_gloc_with_a_parameter_for_every_arm():
    """Two arms: twice the largest of what one user has in all parts, 1 + 1 + 4; one arm is `GLOC_LINEAR`, less."""

    def released(v):
        x, theta = ball(v[0], v[1]), ball(v[2], v[3])
        return sum(np.sum(part**2) for part in parts(x, "linear", theta, math.sin(v[4]))[:3])

    starts = np.random.default_rng(2).uniform(0.0, 6.0, (20, 5))
    found = -min(optimize.minimize(lambda v: -released(v), start).fun for start in starts)
    assert 2 * found == pytest.approx(sensitivities.GLOC_BY_ARM**2, rel=1e-6)
    assert sensitivities.GLOC_LINEAR < sensitivities.GLOC_BY_ARM


@pytest.mark.parametrize("dimension", [3, 6])
def test_more_dimensions_are_no_worse(dimension):
    """Random users, contexts and theta on the sphere: the plane of two contexts is all there is."""
    rng = np.random.default_rng(dimension)
    upper, worst = np.triu_indices(dimension), np.zeros(2)
    for _ in range(1500):
        x, y, theta = (v / np.linalg.norm(v) for v in rng.standard_normal((3, dimension)))
        if rng.random() < 0.5:  # nearer to the worst pairs
            y, theta = -0.6 * x + 0.8 * y, x - y
            y, theta = y / np.linalg.norm(y), theta / np.linalg.norm(theta)
        r, s = rng.choice([-1.0, 1.0], 2)
        matrix = np.sum((np.outer(x, x) - np.outer(y, y))[upper] ** 2)
        product = np.sum(((x @ theta) * x - (y @ theta) * y) ** 2)
        gradient = np.sum(((x @ theta - r) * x - (y @ theta - s) * y) ** 2)
        found = (matrix + np.sum((r * x - s * y) ** 2), matrix + product + gradient)
        worst = np.maximum(worst, found)
    bounds = (sensitivities.JOINT_SENSITIVITY, sensitivities.GLOC_LINEAR)
    assert np.all(worst < np.square(bounds))
    assert np.all(worst > 0.6 * np.square(bounds))


def test_data_that_move_to_another_arm():
    """One pair of arms: x x' and r x leave one arm and appear at the other; 4, less than for the same arm."""

    def released(v):
        x = ball(v[0], v[1])
        return np.sum(np.outer(x, x)[np.triu_indices(2)] ** 2) + np.sum((math.sin(v[2]) * x) ** 2)

    starts = np.random.default_rng(1).uniform(0.0, 6.0, (20, 3))
    found = -min(optimize.minimize(lambda v: -released(v), start).fun for start in starts)
    assert 2 * found == pytest.approx(4.0, rel=1e-6)
    assert 2 * found < sensitivities.JOINT_SENSITIVITY**2


@pytest.mark.parametrize(
    ("eps", "sds"), [(0.5, (3.301, 6.676, 14.917)), (1.0, (2.303, 3.984, 7.914)), (5.0, (0.902, 1.208, 1.892))]
)
def test_least_noise_of_a_message(eps, sds):
    """For delta = 0.1, 0.01, 1e-5."""
    found = [sensitivities.JOINT_SENSITIVITY / gaussian_mu(eps, delta) for delta in (0.1, 0.01, 1e-5)]
    assert found == pytest.approx(sds, abs=0.0005)
