"""Algorithms with a parameter for every arm, step by step: messages, shifts, steps, choices of the optimistic ones."""

import math

import numpy as np
import pytest

from dpbandits.algorithms import gradient_messages_by_arm
from dpbandits.algorithms.gradient_messages_by_arm import Ball, Step
from dpbandits.algorithms.optimism_by_arm import (
    Server,
    gather,
    open_state,
    optimistic,
    refresh,
    rules_of_equal_entries,
)
from dpbandits.contexts.problem import world
from dpbandits.privacy.l2_ball import keep_probability, sphere_radius

from .by_arms import CALIBRATIONS, GLOC, GRADIENT, LEAST_SQUARES, drawn, module, params

# Messages and steps


def captured(monkeypatch, name, constants, instance, horizon, seed=1):
    """Estimates after every round (rounds, K, d), by the plain kernel."""
    algorithm, kept = module(name), []
    monkeypatch.setattr(algorithm, "record", lambda row, lost, late, estimates, theta: kept.append(estimates.copy()))
    rounds = np.arange(1, horizon + 1)
    algorithm.simulate.py_func(np.random.default_rng(seed), world(instance), instance, *constants, rounds)
    return np.array(kept)


@pytest.mark.parametrize("calibration", ["printed", "certified"])
def test_every_arm_gets_a_gradient_message_of_the_same_norm(monkeypatch, calibration):
    """Steps of 1 / t show the messages; R = 2, and eps is halved in the printed ones."""
    instance, radius = drawn(), sphere_radius(0.5 if calibration == "printed" else 1.0, 3, 2.0)
    rules, ball, _ = params(GRADIENT, calibration, instance, 100)
    estimates = captured(monkeypatch, GRADIENT, (rules, ball, Step(1.0, 0, 0.0, 0)), instance, 60)
    norms = np.linalg.norm(np.diff(estimates, axis=0, prepend=0), axis=2) * np.arange(1, 61)[:, None]
    np.testing.assert_allclose(norms[30:], radius, rtol=1e-9)
    turns = (np.arange(30)[:, None] + 1) % 3 == np.arange(3)
    np.testing.assert_allclose(norms[:30], radius * turns, rtol=1e-9)


def test_released_gradient_messages_have_one_norm_together(monkeypatch):
    """That of one arm's message."""
    instance = drawn()
    rules, ball, _ = params(GRADIENT, "released", instance, 100)
    estimates = captured(monkeypatch, GRADIENT, (rules, ball, Step(1.0, 0, 0.0, 0)), instance, 60)
    norms = np.linalg.norm(np.diff(estimates[29:], axis=0), axis=(1, 2)) * np.arange(31, 61)
    np.testing.assert_allclose(norms, sphere_radius(1.0, 3, 1.0), rtol=1e-9)


def test_a_step_by_hand():
    """eta = 15 / 30; (1, -2) less half of (0.5, 0) and of 0.05 times itself. Projected it has norm 1."""
    theta, message = np.array([1.0, -2.0]), np.array([0.5, 0.0])
    gradient_messages_by_arm.move(theta, message, Step(15.0, 0, 0.05, 0), 30)
    np.testing.assert_allclose(theta, [0.725, -1.95], rtol=1e-15)
    gradient_messages_by_arm.move(theta, message, Step(15.0, 0, 0.0, 1), 30)
    np.testing.assert_allclose(theta, np.array([0.475, -1.95]) / math.hypot(0.475, 1.95), rtol=1e-15)


def test_the_released_warm_up_of_gradients_is_shifted_by_the_round(monkeypatch):
    """By c sqrt 30 at its end, for every arm, though each has 10 messages; c sqrt 7 at a checkpoint."""
    algorithm, instance, shifts = module(GRADIENT), drawn(), []

    def solve_each(gram, each, target, count, work, theta):
        shifts.append(*set(each))
        return 0

    monkeypatch.setattr(algorithm, "solve_each", solve_each)
    constants = params(GRADIENT, "released", instance, 40)
    rounds = np.array([7, 40])
    algorithm.simulate.py_func(np.random.default_rng(1), world(instance), instance, *constants, rounds)
    np.testing.assert_allclose(shifts, constants[0].shift * np.sqrt([7, 30]))


def test_shifts_of_least_squares_by_hand():
    """6 / (4 + 0.5 sqrt n), n = 9 messages or round 16; an arm without messages keeps its estimate."""
    (rules,) = params(LEAST_SQUARES, "released", drawn(), 40)
    gram, target, count = np.full((2, 1, 1), 4.0), np.full((2, 1), 6.0), np.array([9, 0])
    for own, expected in ((1, 6 / 5.5), (0, 1.0)):
        theta = np.zeros((2, 1))
        chosen = rules._replace(shift=0.5, own=own)
        assert module(LEAST_SQUARES).estimate(gram, target, count, 16, chosen, np.empty((2, 1, 2)), theta)
        np.testing.assert_allclose(theta, [[expected], [0.0]], rtol=1e-15)


def test_of_the_arms_not_played_gradient_messages_are_uniform_and_unbiased():
    """The share of messages of an arm on either side of any plane is a half; that of the arm played is not."""
    rng, keep = np.random.default_rng(1), keep_probability(2.0)
    gradients, message, n = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0]]), np.empty((3, 2)), 20000
    ball, sides, total = Ball(1.0, keep, sphere_radius(2.0, 2, 1.0), 0), np.zeros((3, 2)), np.zeros((3, 2))
    for _ in range(n):
        gradient_messages_by_arm.send(rng, gradients, 1, False, ball, message)
        sides, total = sides + (message > 0) / n, total + message / n
    error = 4 * 0.5 / math.sqrt(n)
    assert np.abs(sides[[0, 2]] - 0.5).max() < error
    assert abs(sides[1, 0] - keep) < error
    assert np.abs(total - gradients).max() < 4 * ball.radius / math.sqrt(n)


@pytest.mark.parametrize("calibration", CALIBRATIONS)
def test_every_arm_gets_a_message_of_least_squares(monkeypatch, calibration):
    """After the warm-up one a round, of zeros but for the arm played; before it the arm whose turn it is."""
    algorithm, sent, instance = module(LEAST_SQUARES), [], drawn()

    def receive(rng, x, value, matrix_sd, vector_sd, gram, target):
        sent.append((x.any(), value != 0.0, matrix_sd, vector_sd))

    def receive_noise(rng, matrix_sd, vector_sd, gram, target):
        sent.append((False, False, matrix_sd, vector_sd))

    monkeypatch.setattr(algorithm, "receive", receive)
    monkeypatch.setattr(algorithm, "receive_noise", receive_noise)
    monkeypatch.setattr(algorithm, "estimate", lambda *_: True)
    (rules,) = params(LEAST_SQUARES, calibration, instance, 50)
    algorithm.simulate.py_func(np.random.default_rng(1), world(instance), instance, rules, np.array([50]))
    assert len(sent) == 30 + 3 * 20
    assert all(each == (True, True, rules.matrix_sd, rules.vector_sd) for each in sent[:30])
    for k in range(30, 90, 3):
        assert sorted(each[:2] for each in sent[k : k + 3]) == [(False, False), (False, False), (True, True)]
        assert all(each[2:] == (rules.matrix_sd, rules.vector_sd) for each in sent[k : k + 3])
    assert min(rules.matrix_sd, rules.vector_sd) > 1


def test_projected_estimates_stay_in_the_unit_ball(monkeypatch):
    instance = drawn()
    for name in (GRADIENT, GLOC):
        estimates = captured(monkeypatch, name, params(name, "certified", instance, 100), instance, 100)
        lengths = np.linalg.norm(estimates, axis=2)
        assert lengths.max() <= 1 + 1e-9
        assert lengths[-1].max() > 0.9


# Optimism


def state_of(thetas, beta, blocks):
    """Of a server in two dimensions."""
    arms = len(thetas)
    state = open_state(Server(1.0, 1.0, beta, 0.0, 0, 0), arms, 2)
    state.theta[:], state.blocks[:] = thetas, blocks
    return state


def test_the_optimistic_arm_by_hand():
    """x = (0.6, 0.8), where the bonus is beta; indices a rounding apart count as equal, a NaN is played first."""
    x, eye = np.array([0.6, 0.8]), np.eye(2)
    tied = [[1.0, 0.0], [0.0, 0.75], [0.0, 0.75 * (1 + 1e-14)], [0.3, 0.0]]
    assert optimistic(state_of(tied, 2.0, eye), x) == (0, False)
    assert optimistic(state_of(tied, 2.0, np.array([0.25, 1.0, 1.0, 0.5])[:, None, None] * eye), x) == (1, False)
    ahead = [[1.0, 0.0], [0.0, 0.75 * (1 + 1e-10)], [0.0, 0.0], [0.0, 0.0]]
    assert optimistic(state_of(ahead, 2.0, eye), x) == (1, False)
    assert optimistic(state_of(tied, 2.0, np.array([1.0, 1.0, -0.1, -0.1])[:, None, None] * eye), x) == (2, True)


def test_with_one_number_for_all_entries_the_bonus_is_the_same_for_all_arms():
    """The blocks of the inverse are equal, so that the arm is that of the largest x' u."""
    server, rng, xs = Server(0.3, 40.0, 5.0, 0.7, 0, 1), np.random.default_rng(4), np.random.default_rng(5)
    state = open_state(server, 3, 2)
    for t in range(1, 61):
        x = xs.normal(size=2)
        arm, strange = optimistic(state, x)
        if t > 1:
            assert (arm, strange) == (int(np.argmax(state.target.reshape(3, 2) @ x)), False)
        gather(server, state, x, arm, float(xs.normal()))
        refresh(rng, server, state, t)
        np.testing.assert_allclose(state.blocks, state.blocks[[0, 0, 0]], rtol=1e-12)
        assert state.beta[0] == pytest.approx(5.0 + 0.7 * t**0.25)


@pytest.mark.parametrize("entry", [-9.0, -2.0, -1.1, -0.9, -0.5, 0.0, 0.3, 7.0])
def test_the_rules_of_equal_entries_are_those_of_the_whole_matrix(entry):
    """v 1 1' + 5.5 I in six dimensions, not definite for v < -5.5 / 6; the square along (1, 1) is negative for -1.1."""
    state = open_state(Server(1.0, 1.0, 0.0, 0.0, 0, 1), 3, 2)
    state.gram[0, 0], state.target[:] = entry, np.arange(6.0) - 1.5
    matrix = np.full((6, 6), entry) + 5.5 * np.eye(6)
    assert rules_of_equal_entries(state, 5.5) == (np.linalg.eigvalsh(matrix)[0] > 0)
    inverse = np.linalg.inv(matrix)
    np.testing.assert_allclose(state.theta.ravel(), inverse @ state.target, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(state.blocks, [inverse[k : k + 2, k : k + 2] for k in (0, 2, 4)], rtol=1e-12, atol=1e-15)
    assert (state.blocks[0].sum() < 0) == (entry == -1.1)
