"""Closed forms of han2021: their numbers by other ways, and those printed for the paper's settings."""

import itertools
import math

import mpmath
import numpy as np
import pytest

from dpbandits.claims.closed_forms.han2021 import arms, ball, noise, operations, regularization
from dpbandits.claims.closed_forms.han2021 import functions as han2021
from dpbandits.config.faults.functions import closed_forms


def values(numbers):
    return [value for _, value in numbers]


def two_digits(value):
    return float(f"{value:.1e}")


def normal_delta(mu, eps):
    """delta(eps; mu) in 40 digits."""
    with mpmath.workdps(40 + int(eps)):
        mu, eps = mpmath.mpf(mu), mpmath.mpf(eps)
        return float(mpmath.ncdf(mu / 2 - eps / mu) - mpmath.exp(eps) * mpmath.ncdf(-mu / 2 - eps / mu))


def test_all_that_is_shown_can_be_named_in_the_configuration():
    assert set(han2021.__all__) == {name for name in closed_forms("han2021") if not name.startswith("_")}


# Noise


@pytest.mark.parametrize(
    ("eps", "sds"), [(0.5, (3.301, 6.676, 14.917)), (1.0, (2.303, 3.984, 7.914)), (5.0, (0.902, 1.208, 1.892))]
)
def test_least_noise(eps, sds):
    assert [noise.least_sd(delta, eps) for delta in (0.1, 0.01, 1e-5)] == pytest.approx(sds, abs=5e-4)
    for delta in (0.1, 0.01):
        mu = math.sqrt(4.5) / noise.least_sd(delta, eps)
        assert normal_delta(mu, eps) <= delta * (1 + 1e-9) < normal_delta(mu * (1 + 1e-6), eps)


def test_noise_over_least():
    """delta = 0.01, eps = 1: 6.215 printed, twice that for the matrix, 19.94 released, 3.984 needed."""
    printed = values(han2021.noise_over_least("printed", [0.01], [1]))
    assert printed == pytest.approx([12.430 / 3.9837, 6.215 / 3.9837], rel=1e-4)
    released = values(han2021.noise_over_least("released", [0.01], [1]))
    assert released == pytest.approx([5.005, 5.005], abs=0.001)
    assert [a / b for a, b in zip(released, printed, strict=True)] == pytest.approx([1.6, 3.2], abs=0.01)
    assert values(han2021.noise_over_least("certified", [0.1, 1e-5], [0.5, 5])) == [1.0] * 8


def test_noise_of_the_baseline():
    assert noise.ldp_ucb_sd("printed", 0.01, 2.0) == noise.ldp_ucb_sd("released", 0.01, 2.0)
    assert noise.ldp_ucb_sd("released", 0.01, 2.0) == pytest.approx(19.94 / 2, abs=0.003)
    assert noise.ldp_ucb_sd("certified", 0.01, 1.0) == pytest.approx(3.984, abs=5e-4)


# Which arm it was


def test_other_arms_are_less_far_apart():
    """By hand: 4 over 4.5, and 2.5 over 4 where the matrix has twice the noise."""
    assert values(han2021.other_arm_over_same("certified", 0.01, [1, 5])) == pytest.approx([8 / 9, 8 / 9], rel=1e-12)
    assert values(han2021.other_arm_over_same("printed", 0.01, [1])) == pytest.approx([2.5 / 4], rel=1e-12)


def side_distributions(eps, count):
    """Distributions of the sides, +-1, of all messages along one direction, by arm and sign of the gradient."""
    kept = math.exp(eps) / (1 + math.exp(eps))
    found = {}
    for arm, sign in itertools.product(range(count), (-1, 1)):
        found[arm, sign] = {
            sides: (kept if sides[arm] == sign else 1 - kept) * 0.5 ** (count - 1)
            for sides in itertools.product((-1, 1), repeat=count)
        }
    return found


@pytest.mark.parametrize("count", [2, 3, 10])
@pytest.mark.parametrize(("eps", "delta"), [(0.5, 0.0), (1.0, 0.1), (5.0, 0.01)])
def test_the_bound_on_guesses_is_attained(eps, delta, count):
    """The input in clear with chance delta, else randomized response; two arms: (e^eps + delta) / (1 + e^eps)."""
    truth = math.exp(eps) / (math.exp(eps) + count - 1)
    assert arms.arm_guess_bound(eps, delta, count) == pytest.approx(delta + (1 - delta) * truth, rel=1e-12)
    if count == 2:
        bound = (math.exp(eps) + delta) / (1 + math.exp(eps))
        assert arms.arm_guess_bound(eps, delta, 2) == pytest.approx(bound, rel=1e-12)


def test_gaussian_guesses():
    """Two arms: Phi(length / sqrt 2); more by drawing."""
    for length in (0.0, 0.3, 2.0, 9.0):
        assert arms.gaussian_arm_guess(length, 2) == pytest.approx(float(mpmath.ncdf(length / math.sqrt(2))), abs=1e-9)
    rng = np.random.default_rng(3)
    for length, count in ((0.5, 3), (1.5, 10)):
        shown = rng.standard_normal((200000, count))
        shown[:, 0] += length
        found = np.mean(np.argmax(shown, axis=1) == 0)
        assert arms.gaussian_arm_guess(length, count) == pytest.approx(found, abs=5 * 0.5 / math.sqrt(200000))
        assert arms.gaussian_arm_guess(0.0, count) == pytest.approx(1 / count, rel=1e-9)


@pytest.mark.parametrize("count", [2, 3, 6])
@pytest.mark.parametrize("eps", [0.5, 1.0, 5.0])
def test_guesses_from_sides_by_enumeration(eps, count):
    distributions = [distribution for (_, sign), distribution in side_distributions(eps, count).items() if sign == 1]
    expected = sum(max(distribution[sides] for distribution in distributions) for sides in distributions[0]) / count
    assert arms.ball_arm_guess(eps, count) == pytest.approx(expected, rel=1e-12)
    if count == 2:
        assert expected == pytest.approx(0.25 + 0.5 * math.exp(eps) / (1 + math.exp(eps)), rel=1e-12)


def test_guesses_less_bounds():
    """By hand: two arms, eps = 1, delta = 0.01, certified: Phi of 1 / sd for x x' and r x alike, less 0.7338."""
    ((_, found),) = han2021.least_squares_arm_guess_less_bound("certified", [0.01], [1.0], [2], 1)
    expected = float(mpmath.ncdf(1 / 3.9837)) - (math.e + 0.01) / (1 + math.e)
    assert found == pytest.approx(expected, abs=1e-5)
    ((_, printed),) = han2021.least_squares_arm_guess_less_bound("printed", [0.01], [1.0], [2], 1)
    s = 4 * math.sqrt(2 * math.log(250))
    guess = float(mpmath.ncdf(math.sqrt((1 + 0.25) / 2) / s))
    assert printed == pytest.approx(guess - (math.e + 0.01) / (1 + math.e), abs=1e-9)
    ((_, half),) = han2021.ball_arm_guess_less_bound("printed", [1.0], [2], 1)
    kept = math.exp(0.5) / (1 + math.exp(0.5))
    assert half == pytest.approx(0.25 + kept / 2 - math.e / (1 + math.e), rel=1e-12)


@pytest.mark.parametrize("calibration", ["printed", "released", "certified"])
def test_guesses_stay_below_the_bounds_unless_arms_are_silent(calibration):
    arguments = (calibration, [0.1, 0.01], [0.5, 1, 5], [2, 10])
    assert max(values(han2021.least_squares_arm_guess_less_bound(*arguments, 1))) < 0
    assert min(values(han2021.least_squares_arm_guess_less_bound(*arguments, 0))) > 0
    assert max(values(han2021.ball_arm_guess_less_bound(calibration, [0.5, 1, 5], [2, 10], 1))) < 0
    assert min(values(han2021.ball_arm_guess_less_bound(calibration, [0.5, 1, 5], [2, 10], 0))) > 0


# The l2-ball


@pytest.mark.parametrize("dimension", [1, 2, 3, 20, 60])
def test_mean_height_of_a_sphere(dimension):
    """By hand 1, 2/pi, 1/2; else the mean of |g_1| over that of |g|, g normal, which are independent."""
    with mpmath.workdps(30):
        length = mpmath.sqrt(2) * mpmath.gamma(mpmath.mpf(dimension + 1) / 2) / mpmath.gamma(mpmath.mpf(dimension) / 2)
        expected = float(mpmath.sqrt(2 / mpmath.pi) / length)
    assert ball.mean_height(dimension) == pytest.approx(expected, rel=1e-12)
    by_hand = {1: 1.0, 2: 2 / math.pi, 3: 0.5}
    assert expected == pytest.approx(by_hand.get(dimension, expected), rel=1e-12)


def test_means_are_the_inputs_up_to_the_bound():
    arguments = ([0.1, 1, 5, 20], [1, 2, 3, 20, 60])
    assert set(values(han2021.ball_mean_over_input(*arguments, [0.01, 0.5, 1]))) == {1.0}
    assert set(values(han2021.ball_mean_over_input(*arguments, [2.0]))) == {0.5}


def test_the_released_radius_of_stacked_gradients():
    assert values(han2021.stacked_mean_over_input("released", [0.5, 1], 20, 3)) == pytest.approx([0.5726] * 2, abs=5e-5)
    assert values(han2021.stacked_mean_over_input("certified", [0.5, 1], 20, 3)) == [1.0, 1.0]


def test_draws_are_judged(monkeypatch):
    """Small z and exact norms; a radius of one per cent too much is noticed by both."""
    assert max(values(han2021.ball_draws_z([1, 5], [2, 5], 0.9, 200000))) < 4.5
    assert max(values(han2021.ball_draws_norm([1], [2, 20], 0.9, 1000))) == 0.0
    radius = ball.sphere_radius
    monkeypatch.setattr(ball, "sphere_radius", lambda *arguments: 1.02 * radius(*arguments))
    assert max(values(han2021.ball_draws_z([5], [2], 0.9, 200000))) > 6
    assert values(han2021.ball_mean_over_input([5], [2], [0.9])) == pytest.approx([1.02])


def test_moments_of_draws():
    """Mean and sd against arrays of normals: a point on a circle, of norm 3.399, at eps = 1."""
    x, mean, sd, worst = ball.drawn(1.0, 2, 0.5, 200000)
    assert x == pytest.approx(np.array([0.5, 1.0]) / math.sqrt(5), rel=1e-12)
    assert np.max(np.abs(mean - x)) < 5 * 2.41 / math.sqrt(200000)
    assert np.sum(mean**2 + sd**2) == pytest.approx(3.3991**2, rel=1e-4)
    assert worst < 1e-14


# Operations


@pytest.mark.parametrize("d", [1, 2, 5, 20])
def test_operations_by_hand(d):
    """A product and a sum for each entry of x x', a draw, product and sum for its noise, and so on."""
    message = (2 + 3) * d * (d + 1) // 2 + (2 + 3) * d
    elimination = sum((d - 1 - c) * (1 + 2 * (d - c)) for c in range(d)) + sum(2 * (d - 1 - i) + 1 for i in range(d))
    assert operations.least_squares_operations(d) == message + d + elimination
    gradient, mechanism, step = 2 * d + 1 + d, 2 + 2 * d + 5 * d + d, 2 * d
    assert operations.gradient_operations("printed", d) == gradient + mechanism + step
    assert operations.gradient_operations("certified", d) == gradient + mechanism + step + 3 * d


def test_operations_of_large_dimensions():
    """SGD linear in d, OLS two thirds of d^3; fewer already at d = 2."""
    for calibration in ("printed", "certified"):
        assert values(han2021.gradient_exponents(calibration, [40, 80])) == pytest.approx([1.0], abs=0.01)
        ratios = values(han2021.operations_ratio(calibration, [2, 5, 10, 20]))
        assert 0.8 < ratios[0] < 1
        assert max(ratios[1:]) < 0.4
    assert values(han2021.least_squares_exponents([40, 80])) == pytest.approx([3.0], abs=0.15)
    assert operations.least_squares_operations(80) / 80**3 == pytest.approx(2 / 3, abs=0.06)


def test_counting_numbers_count():
    operations.Counted.operations = 0
    x = operations.Counted(3.0, operation=False)
    found = [x + 1, 1 + x, x - 1, 1 - x, x * 2, 2 * x, x / 2, 6 / x]
    assert found == [4.0, 4.0, 2.0, -2.0, 6.0, 6.0, 1.5, 2.0]
    assert operations.Counted.operations == 8
    assert all(isinstance(each, operations.Counted) for each in found)


# Shifts


def test_growth_of_the_best_of_several_contexts():
    """One context: 1/d. Ten on a circle: 0.122. Otherwise by drawing."""
    for d in (2, 3, 20):
        assert regularization.least_growth(d, 1) == pytest.approx(1 / d, rel=1e-9)
    assert regularization.least_growth(2, 10) == pytest.approx(0.122, abs=5e-4)
    x = np.random.default_rng(8).standard_normal((40000, 5, 4))
    x /= np.linalg.norm(x, axis=2, keepdims=True)
    best = np.take_along_axis(x, np.argmax(x[..., 0], axis=1)[:, None, None], axis=1)[:, 0]
    least = np.linalg.eigvalsh(best.T @ best / len(best))[0]
    assert regularization.least_growth(4, 5) == pytest.approx(least, rel=0.03)
    with pytest.raises(ValueError, match="no second direction"):
        regularization.least_growth(1, 5)


def test_rounds_of_the_shift():
    """7e6 certified, 1.6e7 printed at eps = 1, T = 1e6, delta = 0.01; the shift there is what the data amount to."""
    found = {}
    for calibration in ("printed", "released", "certified"):
        ((_, found[calibration]),) = han2021.rounds_of_regularization(calibration, 1e6, 2, 10, 0.01, [1.0])
    assert found["certified"] == pytest.approx(7e6, rel=0.07)
    assert two_digits(found["printed"]) == 1.6e7
    s, t = 2 * math.sqrt(2 * math.log(125)), found["printed"]
    shift = 2 * s * (4 * math.sqrt(2) + 2 * math.log(2e7)) * math.sqrt(t)
    assert shift == pytest.approx(0.1218 * t, rel=1e-3)
    assert found["released"] / found["printed"] == pytest.approx((19.94 / 6.215) ** 2, rel=1e-3)


def test_bonus_as_printed():
    sigma, d, T, t = 3.0, 4, 1e5, 200.0
    upsilon = sigma * math.sqrt(t) * (4 * math.sqrt(d) + 2 * math.log(2 * T / 0.1))
    beta = 2 * sigma * math.sqrt(d * math.log(T))
    beta += (math.sqrt(3 * upsilon) + sigma * math.sqrt(d * t / upsilon)) * d * math.log(T)
    assert regularization.bonus(sigma, T, d, t, 0.0) == pytest.approx(beta / math.sqrt(2 * upsilon), rel=1e-12)
    assert regularization.bonus(sigma, T, d, t, 0.2) == pytest.approx(
        beta / math.sqrt(0.2 * t + 2 * upsilon), rel=1e-12
    )


def test_the_bonus_is_constant_and_then_falls_like_the_fourth_root():
    """1.2 d ln T and a little more while the shift rules; reward range met near 1e13."""
    found = values(han2021.bonus_over_range("certified", 1e6, 2, 10, 0.01, [1.0], [1e2, 1e4, 1e6]))
    constant = math.sqrt(1.5) * 2 * math.log(1e6) / 2
    assert all(0.8 * constant < each < 1.1 * constant for each in found)
    late = [regularization.bonus(3.984, 1e6, 2, t, 0.1218) for t in (1e12, 16e12)]
    assert late[0] / late[1] == pytest.approx(2, rel=0.01)
    ((_, rounds),) = han2021.rounds_of_bonus("certified", 1e6, 2, 10, 0.01, [1.0], 1.0)
    assert rounds == pytest.approx(1e13, rel=0.1)
    assert regularization.bonus(
        noise.least_sd(0.01, 1.0), 1e6, 2, rounds, regularization.least_growth(2, 10)
    ) == pytest.approx(1.0)
    ((_, printed),) = han2021.rounds_of_bonus("printed", 1e6, 2, 10, 0.01, [1.0], 1.0)
    assert printed / rounds == pytest.approx((19.94 / 3.984) ** 2, rel=0.02)
