"""Algorithms with a parameter for every arm: runs against transcriptions, warm-up, elimination, messages, outputs."""

import math

import numpy as np
import pytest

from dpbandits.algorithms import by_arm, gradient_messages_by_arm
from dpbandits.algorithms.gradient_messages_by_arm import Ball, Step
from dpbandits.algorithms.optimism_by_arm import Server
from dpbandits.contexts.laws import offer, reward
from dpbandits.contexts.problem import world
from dpbandits.privacy.l2_ball import keep_probability, sphere_radius

from .by_arms import CALIBRATIONS, GLOC, GRADIENT, LEAST_SQUARES, NAMES, UCB, column, drawn, literal, module, params
from .by_arms import trace as run

ROUNDS = [1, 2, 4, 28, 29, 30, 31, 32, 75, 120]
CASES = (("sphere", 1.0, 3, 3), ("gaussian", 1.0, 2, 4), ("intercept", 2.0, 3, 2))  # law, ||theta||, d, K
VARIANTS = {
    LEAST_SQUARES: [{"threshold": 0.02}, {"threshold": math.inf}, {"scheme": 2.0}, {"warm_up": 0.0}, {"warm_up": 7.0}],
    GRADIENT: [{"threshold": 0.5}, {"scheme": 2.0}, {"tuned": 1.0}, {"stacked": 1.0}, {"warm_up": 0.0}],
    UCB: [{"bonus": 1e-3}, {"scheme": 2.0}, {"lazy": 0.0}, {"lazy": 5.0}, {"warm_up": 0.0}],
    GLOC: [{"bonus": 3.0}, {"scheme": 2.0}, {"lazy": 0.0}, {"lazy": 5.0}, {"warm_up": 0.0}, {"broadcast": 1.0}],
}
every = pytest.mark.parametrize("name", NAMES)
calibrated = pytest.mark.parametrize("calibration", CALIBRATIONS)


# Against the transcriptions


@every
@calibrated
def test_runs_are_their_transcriptions(name, calibration):
    """All outputs, rewards and contexts beyond their bounds included; every arm is played after the warm-up."""
    for k, changes in enumerate(({}, {}, {}, {"open": 1.0}, *VARIANTS[name])):
        law, length, d, arms = CASES[k % 3]
        instance = drawn(law, d=d, arms=arms, length=length)
        found = run(name, 5, instance, ROUNDS, calibration, **changes)
        expected = literal(name, 5, instance, ROUNDS, calibration, **changes)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9, err_msg=f"{changes} {law}")
        assert np.isfinite(found).all()


@pytest.mark.parametrize("name", [UCB, GLOC])
def test_negative_squares_are_played_and_counted(name):
    """Noise larger than the shift."""
    server = Server(1.0, 0.3, 0.1, 0.5, 0.1, 10, 0)
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
        assert 0 < column(name, found, "negative")[-1] < 90


def test_indefinite_matrices_of_least_squares_are_counted():
    """Noise without a shift at first, and less than what thousands of messages sum up to at last."""
    instance = drawn(d=2, arms=2)
    found = run(LEAST_SQUARES, 1, instance, [30, 31, 100, 5000, 6000], "released", eps=10.0)
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
        each(np.random.default_rng(3), world(instance), instance, *constants, rounds)
        for each in (module(name).simulate, module(name).simulate.py_func)
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


@every
@calibrated
def test_in_the_warm_up_arms_take_turns(name, calibration):
    """The first round plays arm 1 of 0, 1, 2; regret by a recount that no algorithm enters."""
    instance, total, means, X = drawn(), 0.0, np.empty(3), np.empty((1, 3))
    found, stream = run(name, 4, instance, range(1, 41), calibration), world(instance)
    for now, arm in enumerate([1, 2, 0] * 10):
        offer(stream, instance, now, X, means)
        reward(stream, instance, means[arm])
        total += (instance.theta @ X[0]).max() - instance.theta[arm] @ X[0]
        assert found[now, 0] == pytest.approx(total, abs=1e-12)
    assert (column(name, found, "after")[:30] == 0).all()
    np.testing.assert_allclose(column(name, found, "after")[30:], found[30:, 0] - total, atol=1e-12)


def test_errors_by_hand():
    """Two arms: (3, 0) for (0, 4), at distance 5 and at a right angle; 0 for (0, 1)."""
    row, lost = np.empty(4), np.array([[5.5, 0.0], [2.0, 0.0]])
    by_arm.record(row, lost, np.array([[3.0, 0.0], [0.0, 0.0]]), np.array([[0.0, 4.0], [0.0, 1.0]]))
    np.testing.assert_allclose(row, [5.5, 6.0, math.sqrt(2.0), 2.0], atol=1e-15)


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
            for h in (1e9, 0.0, 0.02 if name[7] == "l" else 0.5)
        )
        np.testing.assert_array_equal(wide, none)
        gone = column(name, narrow, "eliminated")
        assert gone[0] == 0
        assert 0 < gone[-1] < 2
        assert narrow[-1, 0] != none[-1, 0]


def test_the_released_algorithms_eliminate_nothing():
    for name in (LEAST_SQUARES, GRADIENT):
        found = run(name, 5, drawn(), ROUNDS, "released", threshold=1e-6)
        np.testing.assert_array_equal(found, run(name, 5, drawn(), ROUNDS, "released"))
        assert (column(name, found, "eliminated") == 0).all()


# Messages


def captured(monkeypatch, name, constants, instance, horizon, seed=1):
    """Estimates after every round (rounds, K, d), by the plain kernel."""
    algorithm, kept = module(name), []
    monkeypatch.setattr(algorithm, "record", lambda row, lost, estimates, theta: kept.append(estimates.copy()))
    rounds = np.arange(1, horizon + 1)
    algorithm.simulate.py_func(np.random.default_rng(seed), world(instance), instance, *constants, rounds)
    return np.array(kept)


@pytest.mark.parametrize("calibration", ["printed", "certified"])
def test_every_arm_gets_a_gradient_message_of_the_same_norm(monkeypatch, calibration):
    """Steps of 1 show the messages; R = 2, and eps is halved in the printed ones."""
    instance, radius = drawn(), sphere_radius(0.5 if calibration == "printed" else 1.0, 3, 2.0)
    rules, ball, _ = params(GRADIENT, calibration, instance, 100)
    estimates = captured(monkeypatch, GRADIENT, (rules, ball, Step(1.0, 0.0, 1, 0)), instance, 60)
    norms = np.linalg.norm(np.diff(estimates, axis=0, prepend=0), axis=2)
    np.testing.assert_allclose(norms[30:], radius, rtol=1e-9)
    turns = (np.arange(30)[:, None] + 1) % 3 == np.arange(3)
    np.testing.assert_allclose(norms[:30], radius * turns, rtol=1e-9)


@pytest.mark.parametrize("calibration", ["released", "certified"])
def test_stacked_gradient_messages_have_one_norm_together(monkeypatch, calibration):
    instance = drawn()
    rules, ball, _ = params(GRADIENT, calibration, instance, 100, stacked=1.0)
    estimates = captured(monkeypatch, GRADIENT, (rules, ball, Step(1.0, 0.0, 1, 0)), instance, 60)
    norms = np.linalg.norm(np.diff(estimates[29:], axis=0), axis=(1, 2))
    radius = sphere_radius(1.0, 3, 1.0) if calibration == "released" else sphere_radius(1.0, 9, 2.0)
    np.testing.assert_allclose(norms, radius, rtol=1e-9)


def test_of_the_arms_not_played_gradient_messages_are_uniform_and_unbiased():
    """The share of messages of an arm on either side of any plane is a half; that of the arm played is not."""
    rng, keep = np.random.default_rng(1), keep_probability(2.0)
    gradients, message, n = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0]]), np.empty((3, 2)), 20000
    ball, sides, total = Ball(1.0, keep, sphere_radius(2.0, 2, 1.0), 0.0), np.zeros((3, 2)), np.zeros((3, 2))
    for _ in range(n):
        gradient_messages_by_arm.send(rng, gradients, 1, False, ball, message)
        sides, total = sides + (message > 0) / n, total + message / n
    error = 4 * 0.5 / math.sqrt(n)
    assert np.abs(sides[[0, 2]] - 0.5).max() < error
    assert abs(sides[1, 0] - keep) < error
    assert np.abs(total - gradients).max() < 4 * ball.radius / math.sqrt(n)


@calibrated
def test_every_arm_gets_a_message_of_least_squares(monkeypatch, calibration):
    """After the warm-up one a round, of zeros but for the arm played; before it the arm whose turn it is."""
    algorithm, sent, instance = module(LEAST_SQUARES), [], drawn()

    def receive(rng, x, value, matrix_sd, vector_sd, gram, target):
        sent.append((x.any(), value != 0.0, matrix_sd, vector_sd))

    monkeypatch.setattr(algorithm, "receive", receive)
    monkeypatch.setattr(algorithm, "estimate", lambda *_: True)
    (rules,) = params(LEAST_SQUARES, calibration, instance, 50)
    algorithm.simulate.py_func(np.random.default_rng(1), world(instance), instance, rules, np.array([50]))
    assert len(sent) == 30 + 3 * 20
    assert all(each == (True, True, rules.matrix_sd, rules.vector_sd) for each in sent[:30])
    for k in range(30, 90, 3):
        assert sorted(each[:2] for each in sent[k : k + 3]) == [(False, False), (False, False), (True, True)]
        assert all(each[2:] == (rules.matrix_sd, rules.vector_sd) for each in sent[k : k + 3])
    assert min(rules.matrix_sd, rules.vector_sd) > 1


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


def test_projected_estimates_stay_in_the_unit_ball(monkeypatch):
    instance = drawn()
    for name in (GRADIENT, GLOC):
        estimates = captured(monkeypatch, name, params(name, "certified", instance, 100), instance, 100)
        lengths = np.linalg.norm(estimates, axis=2)
        assert lengths.max() <= 1 + 1e-9
        assert lengths[-1].max() > 0.9
