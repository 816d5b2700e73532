"""Algorithms with a parameter for every arm: runs against transcriptions, warm-up, elimination, outputs."""

import math

import numpy as np
import pytest

from dpbandits.algorithms.glm_multi import by_arm
from dpbandits.algorithms.glm_multi.optimism_by_arm import Server
from dpbandits.algorithms.registry import TABLE
from dpbandits.environments.contextual.distributions import offer, reward
from dpbandits.environments.contextual.problem import instance_stream

from .by_arms import (
    CALIBRATIONS,
    GLOC,
    GRADIENT,
    GREEDY,
    LEAST_SQUARES,
    NAMES,
    RIVALS,
    UCB,
    column,
    drawn,
    literal,
    module,
    params,
    rounds_of,
)
from .by_arms import trace as run

ROUNDS = [1, 2, 4, 28, 29, 30, 31, 32, 75, 120]
CASES = (("sphere", 1.0, 3, 3), ("gaussian", 1.0, 2, 4), ("intercept", 2.0, 3, 2))  # distribution, ||theta||, d, K
VARIANTS = {
    LEAST_SQUARES: [{"threshold": 0.02}, {"threshold": math.inf}, {"warm_up": 0.0}, {"warm_up": 7.0}],
    GRADIENT: [{"threshold": 0.5}, {"scheme": 2.0}, {"tuned": 1.0}, {"warm_up": 0.0}],
    UCB: [{"bonus": 1e-3}, {"lazy": 0.0}, {"lazy": 5.0}],
    GLOC: [{"bonus": 3.0}, {"scheme": 2.0}, {"lazy": 0.0}, {"broadcast": 1.0}, {"broadcast": 1.0, "lazy": 5.0}],
}
every = pytest.mark.parametrize("name", NAMES)
calibrated = pytest.mark.parametrize("calibration", CALIBRATIONS)


# Against the transcriptions


@every
@calibrated
def test_runs_are_their_transcriptions(name, calibration):
    """All outputs, rewards and contexts beyond their bounds included; every arm is played after the warm-up."""
    for k, changes in enumerate(({}, {}, {}, *VARIANTS[name])):
        distribution, length, d, arms = CASES[k % 3]
        instance = drawn(distribution, d=d, arms=arms, length=length)
        found = run(name, 5, instance, ROUNDS, calibration, **changes)
        expected = literal(name, 5, instance, ROUNDS, calibration, **changes)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9, err_msg=f"{changes} {distribution}")
        assert np.isfinite(found).all()


@pytest.mark.parametrize("name", RIVALS)
def test_negative_squares_are_played_and_counted(name):
    """Noise larger than the shift."""
    server = Server(1.0, 0.4, 0.5, 0.1, 10)
    for seed in range(4):
        instance = drawn(seed=seed)
        constants = params(name, "printed", instance, 120)
        constants[-1] = server
        found, expected = (
            each(np.random.default_rng(seed), instance, *constants, np.array(ROUNDS))
            for each in (module(name).run, module(name).run_literal)
        )
        np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-7)
        assert 0 < column(name, found, "indefinite")[-1] < 120
        assert 0 < column(name, found, "negative")[-1] < 120


def test_indefinite_matrices_of_least_squares_are_counted():
    """Noise without a shift at first, and less than what thousands of messages sum up to at last."""
    instance, rounds = drawn(d=2, arms=2), np.array([30, 31, 100, 5000, 6000])
    (rules,) = params(LEAST_SQUARES, "released", instance, 6000, eps=10.0)
    found = module(LEAST_SQUARES).run(np.random.default_rng(1), instance, rules._replace(shift=0.0), rounds)
    bad = column(LEAST_SQUARES, found, "indefinite")
    assert bad[0] == 0
    assert 0 < bad[2] <= 70
    assert bad[-1] == bad[-2] < 5000


@every
@calibrated
def test_compiled_and_plain_kernels_give_the_same_bits(name, calibration):
    instance, rounds = drawn(), np.array([10, 31, 45])
    constants = params(name, calibration, instance, 45)
    one, other = (
        each(np.random.default_rng(3), instance_stream(instance), instance, *constants, rounds)
        for each in (rounds_of(name, constants).simulate, rounds_of(name, constants).simulate.py_func)
    )
    np.testing.assert_array_equal(one, other)


@every
@calibrated
def test_checkpoints_change_nothing(name, calibration):
    instance = drawn("gaussian")
    often = run(name, 2, instance, range(1, 151), calibration)
    seldom = run(name, 2, instance, [29, 150], calibration)
    np.testing.assert_array_equal(often[[28, 149]], seldom)


@every
def test_arms_that_share_a_parameter_are_refused(name):
    instance = drawn()
    shared = instance._replace(theta=instance.theta[:1])
    with pytest.raises(ValueError, match="a parameter of its own"):
        module(name).run(np.random.default_rng(1), shared, *params(name, "printed", instance, 10), np.array([10]))


# Warm-up and regret


@pytest.mark.parametrize("name", GREEDY)
@calibrated
def test_in_the_warm_up_arms_take_turns(name, calibration):
    """The first round plays arm 1 of 0, 1, 2; regret by a recount that no algorithm enters; then per round."""
    instance, total, means, X = drawn(), 0.0, np.empty(3), np.empty((1, 3))
    found, stream = run(name, 4, instance, range(1, 41), calibration), instance_stream(instance)
    for now, arm in enumerate([1, 2, 0] * 10):
        offer(stream, instance, now, X, means)
        reward(stream, instance, now, means[arm])
        total += (instance.theta @ X[0]).max() - instance.theta[arm] @ X[0]
        assert found[now, 0] == pytest.approx(total, abs=1e-12)
    assert (column(name, found, "regret_after_warm_up")[:30] == 0).all()
    after = (found[30:, 0] - total) / np.arange(1, 11)
    np.testing.assert_allclose(column(name, found, "regret_after_warm_up")[30:], after, atol=1e-12)


@pytest.mark.parametrize("name", RIVALS)
@calibrated
def test_the_rivals_have_no_warm_up(name, calibration):
    found = run(name, 4, drawn(), range(1, 41), calibration)
    np.testing.assert_allclose(column(name, found, "regret_after_warm_up"), found[:, 0] / np.arange(1, 41), atol=1e-12)
    assert "warm_up" not in TABLE[name].parameters


def test_errors_by_hand():
    """Two arms: (3, 0) for (0, 4), at distance 5 and at a right angle; 0 for (0, 1). Regret of 2 in 8 rounds."""
    row, regret_sum = np.empty(4), np.array([[5.5, 0.0], [2.0, 0.0]])
    estimates, theta = np.array([[3.0, 0.0], [0.0, 0.0]]), np.array([[0.0, 4.0], [0.0, 1.0]])
    by_arm.record(row, regret_sum, 8, estimates, theta)
    np.testing.assert_allclose(row, [5.5, 6.0, math.sqrt(2.0), 0.25], atol=1e-15)
    by_arm.record(row, np.zeros((2, 2)), -3, estimates, theta)
    assert row[3] == 0.0


# Choice


def test_the_greedy_arm_is_the_first_of_the_largest_among_those_kept():
    x, theta = np.array([1.0, 0.0]), np.array([[0.2, 9.0], [0.7, 0.0], [0.7, 1.0], [0.9, 0.0]])
    frozen = np.array([[1.0, 0.0], [0.9, 0.0], [0.8, 5.0], [0.5, 0.0]])
    assert by_arm.greedy(x, theta, frozen, math.inf) == (3, 0)
    assert by_arm.greedy(x, theta, frozen, 0.5) == (1, 1)  # the last is 0.5 behind, the limit is 0.25
    assert by_arm.greedy(x, theta, frozen, 0.3) == (1, 2)
    assert by_arm.greedy(x, theta, frozen, 0.1) == (0, 3)
    assert by_arm.greedy(x, theta, np.zeros((4, 2)), 0.1) == (3, 0)
    assert by_arm.greedy(x, np.zeros((4, 2)), frozen, math.inf) == (0, 0)


def test_elimination_is_by_the_estimates_at_the_end_of_the_warm_up():
    """Frozen: of enough noise the first arms that are eliminated stay so; a wide threshold eliminates nothing."""
    for name, calibration in ((LEAST_SQUARES, "printed"), (GRADIENT, "certified")):
        instance, rounds = drawn(), [30, 31, 300]
        wide, none, narrow = (
            run(name, 5, instance, rounds, calibration, threshold=h)
            for h in (1e9, 0.0, 0.02 if name == LEAST_SQUARES else 0.5)
        )
        np.testing.assert_array_equal(wide, none)
        gone = column(name, narrow, "eliminated")
        assert gone[0] == 0
        assert 0 < gone[-1] < 2
        assert narrow[-1, 0] != none[-1, 0]


def test_the_released_algorithms_eliminate_nothing():
    for name in GREEDY:
        found = run(name, 5, drawn(), ROUNDS, "released", threshold=1e-6)
        np.testing.assert_array_equal(found, run(name, 5, drawn(), ROUNDS, "released"))
        assert (column(name, found, "eliminated") == 0).all()


@every
def test_what_is_clipped_is_counted(name):
    """Contexts on the unit sphere and rewards within [-1, 1] are not; long ones are, under `certified` alone."""
    quiet, loud = drawn(noise=0.0), drawn("gaussian", d=6, noise=0.0)
    if name != GRADIENT:
        assert column(name, run(name, 1, quiet, [100], "certified"), "clipped")[0] == 0
        assert column(name, run(name, 1, loud, [100], "printed"), "clipped")[0] == 0
    assert column(name, run(name, 1, loud, [100], "certified"), "clipped")[0] > 90
    if name == GRADIENT:
        assert column(name, run(name, 1, quiet, [100], "certified"), "clipped")[0] == 0
        assert column(name, run(name, 1, quiet, [100], "printed"), "clipped")[0] > 50  # gradients of long estimates
