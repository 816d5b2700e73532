"""Least squares from private messages alone: against NumPy, constants and cases by hand, growth of the error."""

import math
from dataclasses import astuple

import numpy as np
import pytest

from dpbandits.algorithms.glm_single import ldp_ols_estimate as estimator
from dpbandits.environments.contextual.problem import DIRECTION, GAUSSIAN, SPHERE, problem
from dpbandits.privacy.accounting import least_noise

SETTING = {"eps": 5.0, "delta": 1e-5, "T": 1e5, "dimension": 2.0, "theory_ridge": 0.0, "failure": 0.1}
CASES = [(2.0, 3.0, 1.0, 2.0, 0), (0.5, 0.0, 0.5, 0.5, 1), (1.0, 0.0, 3.0, 40.0, 1)]
"""Noise on the matrix, more on its diagonal and noise on the vector, ridge, whether clipped."""


def rng(*seed):
    return np.random.default_rng([20210603, *seed])


def instance(distribution, theta=(1.0, 1.0), noise=0.1, numbers=(), seed=0):
    return problem(rng(1, seed), distribution, np.asarray(theta), 1, noise=noise, numbers=numbers)


def params(calibration, **changes):
    setting = {**SETTING, **changes}
    noise = {key: least_noise(request) for key, request in estimator.requests(setting).items()}
    return estimator.params(calibration, setting, noise)


@pytest.mark.parametrize("constants", CASES)
@pytest.mark.parametrize(
    ("distribution", "theta"),
    [(DIRECTION, (1.0, 1.0)), (SPHERE, (1.0, 1.0)), (SPHERE, (0.5, -1, 2)), (GAUSSIAN, (1.0, 1.0))],
)
def test_runs_are_their_transcriptions(distribution, theta, constants):
    rounds = np.arange(1, 301)
    for seed in range(3):
        case = instance(distribution, theta, numbers=(1.0,), seed=seed)
        found = estimator.run(rng(2, seed), case, *constants, rounds)
        expected = estimator.run_literal(rng(2, seed), case, *constants, rounds)
        assert found.shape == (300, len(estimator.OUTPUTS))
        np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-9)
        few = estimator.run(rng(2, seed), case, *constants, np.array([3, 300]))
        np.testing.assert_array_equal(few, found[[2, 299]])


def test_negative_squares_are_counted_and_taken_for_nothing():
    """With little ridge V is often indefinite; the share is over all rounds, not over checkpoints."""
    case, constants = instance(DIRECTION), (2.0, 0.0, 1.0, 0.5, 0)
    found = estimator.run(rng(), case, *constants, np.arange(1, 1001))
    negative = np.diff(np.round(found[:, 3] * np.arange(1, 1001)), prepend=0) == 1
    assert 50 < negative.sum() < 950
    np.testing.assert_array_equal(negative, found[:, 1] == 0.0)
    last = estimator.run(rng(), case, *constants, np.array([1000]))
    assert last[0, 3] == pytest.approx(negative.mean())


# By hand


def test_estimate_without_noise():
    """theta* = (1, 1), x = (1, 0), t = 4, c = 1: theta = (4 / (4 + 2), 0); square 6 / 9 + 2."""
    found = estimator.run(rng(), instance(DIRECTION, noise=0.0), 0.0, 0.0, 0.0, 1.0, 0, np.array([1, 4]))
    np.testing.assert_allclose(found[1], [0.0, math.sqrt(8 / 3), math.sqrt(10 / 9), 0.0])
    np.testing.assert_allclose(found[0], [0.0, math.sqrt(0.5 + 1.0), math.sqrt(1.25), 0.0])


@pytest.mark.parametrize(("clip", "estimate"), [(1, 4 / 6), (0, 3.0)])
def test_contexts_and_rewards_are_clipped(clip, estimate):
    """|x| about 1e6, theta* = 3: clipped, every r x is 1; else the ridge is nothing."""
    case = instance(GAUSSIAN, (3.0,), noise=0.0, numbers=(1e6,))
    found = estimator.run(rng(), case, 0.0, 0.0, 0.0, 1.0, clip, np.array([4]))
    assert found[0, 2] == pytest.approx(3.0 - estimate, abs=1e-9)


def test_released_and_printed_constants():
    """s = 2 sqrt(2 ln 125000) / 5 = 1.9379; 4 sqrt 2 = 5.6569, ln 2e5 = 12.2061, ln 2e6 = 14.5087."""
    s = 1.937923
    released = astuple(params("released"))
    np.testing.assert_allclose(released, [2 * s, 2 * s, s, 2 * s, 0], rtol=1e-5)
    assert math.hypot(*released[:2]) == pytest.approx(2 * s * 1.4142136, rel=1e-5)
    in_theory = astuple(params("released", theory_ridge=1.0))
    assert in_theory[:3] == released[:3]
    assert in_theory[3] == pytest.approx(4 * s * (5.656854 + 4 * 12.206073), rel=1e-5)
    printed = [2 * s, 0, s, 2 * s * (5.656854 + 2 * 14.508658), 0]
    for theory in (0.0, 1.0):
        np.testing.assert_allclose(astuple(params("printed", theory_ridge=theory)), printed, rtol=1e-5)


def test_certified_constants():
    """sqrt(4.5) over the mu of (5, 1e-5) is 1.892, of (1, 0.01) 3.984."""
    assert astuple(params("certified")) == pytest.approx((1.892, 0, 1.892, 1.892, 1), abs=5e-4)
    assert params("certified", eps=1.0, delta=0.01).vector_sd == pytest.approx(3.984, abs=5e-4)
    in_theory = params("certified", theory_ridge=1.0)
    assert in_theory.ridge == pytest.approx(2 * 1.892 * (5.656854 + 4 * 12.206073), rel=1e-3)


def test_noise_of_messages():
    """Standard deviations of 20000 messages, known to half a per cent each; what is above the diagonal stays alone."""
    noise, draws, runs = np.empty((20000, 5)), rng(3), 20000
    for k in range(runs):
        gram, target = np.zeros((2, 2)), np.zeros(2)
        estimator.message(draws, np.array([0.6, 0.8]), 2.0, 1.0, math.sqrt(1.25), 0.5, gram, target)
        assert gram[0, 1] == 0.0
        noise[k] = gram[0, 0] - 0.36, gram[1, 1] - 0.64, gram[1, 0] - 0.48, target[0] - 1.2, target[1] - 1.6
    np.testing.assert_allclose(noise.std(axis=0), [1.5, 1.5, 1.0, 0.5, 0.5], rtol=0.025)
    assert np.abs(noise.mean(axis=0)).max() < 0.05
    assert np.abs(np.corrcoef(noise.T) - np.eye(5)).max() < 0.035


# Growth


def slope(distribution, theta=(1.0, 1.0), calibration="released", **changes):
    """Of the log median error over 40 runs, in the log of the round from 1000 to 100000."""
    rounds = np.unique(np.logspace(3, 5, 9).round().astype(int))
    constants = astuple(params(calibration, **changes))
    errors = [
        estimator.run(rng(4, s), instance(distribution, theta, seed=s), *constants, rounds)[:, 1] for s in range(40)
    ]
    return np.polyfit(np.log(rounds), np.log(np.median(errors, axis=0)), 1)[0]


def test_error_grows_in_one_direction_and_not_where_contexts_are_diverse():
    """By the root of the root of t in theory, and by its logarithm; with 40 runs a slope is known to about 0.08."""
    one, diverse = slope(DIRECTION), slope(SPHERE)
    assert 0.1 < one < 0.4
    assert -0.1 < diverse < 0.1


def test_in_theory_the_ridge_hides_what_is_diverse():
    """It is c_0 sqrt t = 1.3e5 against t / 2 at t = 1e5: both errors are that of the ridge, c_0^(1/2) t^(1/4)."""
    for distribution in (DIRECTION, SPHERE):
        assert 0.19 < slope(distribution, theory_ridge=1.0) < 0.26


def test_clipped_rewards_keep_the_error_growing():
    """Rewards beyond 1 are clipped, so that the error of theta has a limit other than 0, and its norm grows."""
    assert slope(SPHERE, calibration="certified") > 0.25
    assert slope(SPHERE, np.full(2, math.sqrt(0.5)), "certified") < 0.15


def test_more_than_one_arm_is_refused():
    with pytest.raises(ValueError, match="one arm, not 2"):
        estimator.run(rng(), instance(SPHERE)._replace(arms=2), *CASES[0], np.array([1]))
