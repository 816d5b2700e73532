"""Algorithms with a parameter for every arm, step by step: messages, shifts, steps, choices of the optimistic ones."""

import math

import numpy as np
import pytest

from dpbandits.algorithms.glm_multi import ldp_sgd_multi, ldp_sgd_multi_released
from dpbandits.algorithms.glm_multi.ldp_gloc_multi_released import gather_number, refresh_number, rules_of_equal_entries
from dpbandits.algorithms.glm_multi.ldp_sgd_multi import Step
from dpbandits.algorithms.glm_multi.ldp_sgd_multi_released import ReleasedStep
from dpbandits.algorithms.glm_multi.optimism_by_arm import Server, open_state, optimistic
from dpbandits.environments.contextual.problem import instance_stream
from dpbandits.privacy.l2_ball import sphere_radius

from .by_arms import CALIBRATIONS, GLOC, GRADIENT, LEAST_SQUARES, drawn, module, params, rounds_of

# Messages and steps


def captured(monkeypatch, name, constants, instance, horizon, seed=1):
    """Estimates after every round (rounds, K, d), by the plain kernel."""
    algorithm, kept = rounds_of(name, constants), []
    monkeypatch.setattr(
        algorithm, "record", lambda row, regret_sum, late, estimates, theta: kept.append(estimates.copy())
    )
    rounds = np.arange(1, horizon + 1)
    algorithm.simulate.py_func(np.random.default_rng(seed), instance_stream(instance), instance, *constants, rounds)
    return np.array(kept)


@pytest.mark.parametrize("calibration", ["printed", "certified"])
def test_every_arm_gets_a_gradient_message_of_the_same_norm(monkeypatch, calibration):
    """Steps of 1 / n show the messages; R = 2, and eps is halved in the printed ones."""
    instance, radius = drawn(), sphere_radius(0.5 if calibration == "printed" else 1.0, 3, 2.0)
    rules, ball, _ = params(GRADIENT, calibration, instance, 100)
    estimates = captured(monkeypatch, GRADIENT, (rules, ball, Step(1.0, math.inf)), instance, 60)
    turns = (np.arange(60)[:, None] + 1) % 3 == np.arange(3)
    turns[30:] = True
    norms = np.linalg.norm(np.diff(estimates, axis=0, prepend=0), axis=2) * np.cumsum(turns, axis=0)
    np.testing.assert_allclose(norms, radius * turns, rtol=1e-9)


def test_released_gradient_messages_have_one_norm_together(monkeypatch):
    """That of one arm's message."""
    instance = drawn()
    rules, ball, _ = params(GRADIENT, "released", instance, 100)
    estimates = captured(monkeypatch, GRADIENT, (rules, ball, ReleasedStep(1.0, 0.0)), instance, 60)
    norms = np.linalg.norm(np.diff(estimates[29:], axis=0), axis=(1, 2)) * np.arange(31, 61)
    np.testing.assert_allclose(norms, sphere_radius(1.0, 3, 1.0), rtol=1e-9)


def test_a_step_by_hand():
    """eta = 15 / 30; (1, -2) less half of (0.5, 0). Projected it has norm 1."""
    theta, message = np.array([1.0, -2.0]), np.array([0.5, 0.0])
    ldp_sgd_multi.move(theta, message, Step(15.0, math.inf), 30)
    np.testing.assert_allclose(theta, [0.75, -2.0], rtol=1e-15)
    ldp_sgd_multi.move(theta, message, Step(15.0, 1.0), 30)
    np.testing.assert_allclose(theta, np.array([0.5, -2.0]) / math.hypot(0.5, 2.0), rtol=1e-15)


def test_a_released_step_by_hand(monkeypatch):
    """Round 31 after a warm-up of 30: eta = 15 / 31, for all arms, of the message and 0.05 times the estimates."""
    instance = drawn()
    rules, ball, _ = params(GRADIENT, "released", instance, 40)

    def l2_ball(rng, gradient, bound, keep, radius, out):
        out[:] = np.arange(9.0)

    monkeypatch.setattr(ldp_sgd_multi_released, "l2_ball", l2_ball)
    before, after = captured(monkeypatch, GRADIENT, (rules, ball, ReleasedStep(15.0, 0.05)), instance, 31)[29:]
    expected = before - 15 / 31 * (np.arange(9.0).reshape(3, 3) + 0.05 * before)
    np.testing.assert_allclose(after, expected, rtol=1e-12)


def test_the_released_warm_up_of_gradients_is_shifted_by_the_round(monkeypatch):
    """By c sqrt 30 at its end, for every arm, though each has 10 messages; c sqrt 7 at a checkpoint."""
    instance, shifts = drawn(), []

    def solve_each(gram, each, target, count, work, theta):
        shifts.append(*set(each))
        return 0

    constants = params(GRADIENT, "released", instance, 40)
    rounds = np.array([7, 40])
    algorithm = rounds_of(GRADIENT, constants)
    monkeypatch.setattr(algorithm, "solve_each", solve_each)
    algorithm.simulate.py_func(np.random.default_rng(1), instance_stream(instance), instance, *constants, rounds)
    np.testing.assert_allclose(shifts, constants[0].shift * np.sqrt([7, 30]))


def test_shifts_of_least_squares_by_hand():
    """6 / (4 + 0.5 sqrt 9) for 9 messages; an arm without messages keeps its estimate."""
    gram, target, count = np.full((2, 1, 1), 4.0), np.full((2, 1), 6.0), np.array([9, 0])
    theta = np.zeros((2, 1))
    assert module(LEAST_SQUARES).estimate(gram, target, count, 0.5, np.empty((2, 1, 2)), theta)
    np.testing.assert_allclose(theta, [[6 / 5.5], [0.0]], rtol=1e-15)


def test_the_released_shift_of_least_squares_is_that_of_the_round(monkeypatch):
    """c sqrt t for every arm: at a checkpoint of the warm-up of 30 rounds, at its end, and in every later round."""
    instance, shifts, near = drawn(), [], []

    def solve_each(gram, each, target, count, work, theta):
        shifts.append(*set(each))
        return 0

    def nearly_greedy(gram, each, target, count, room, theta, x):
        near.append(*set(each))
        return -1

    constants = params(LEAST_SQUARES, "released", instance, 33)
    algorithm = rounds_of(LEAST_SQUARES, constants)
    monkeypatch.setattr(algorithm, "solve_each", solve_each)
    monkeypatch.setattr(algorithm, "nearly_greedy", nearly_greedy)
    algorithm.simulate.py_func(
        np.random.default_rng(1), instance_stream(instance), instance, *constants, np.array([7, 33])
    )
    np.testing.assert_allclose(shifts, constants[0].shift * np.sqrt([7, 30, 31, 32, 33]))
    assert near == shifts[1:-1]


@pytest.mark.parametrize("calibration", CALIBRATIONS)
def test_after_the_warm_up_only_the_gradient_of_the_arm_played_is_not_zero(monkeypatch, calibration):
    """A message for every arm, or one of all; in the printed and certified warm-up one of the arm whose turn it is."""
    instance, sent = drawn(), []

    def l2_ball(rng, gradient, bound, keep, radius, out):
        sent.append(gradient.copy())
        out[:] = 0.0

    constants = params(GRADIENT, calibration, instance, 50)
    algorithm = rounds_of(GRADIENT, constants)
    monkeypatch.setattr(algorithm, "l2_ball", l2_ball)
    algorithm.simulate.py_func(
        np.random.default_rng(1), instance_stream(instance), instance, *constants, np.array([50])
    )
    late = sent if calibration == "released" else sent[30:]
    assert all(each.any() for each in sent[: len(sent) - len(late)])
    late = np.array(late).reshape(20, 3, 3)
    assert (late.any(axis=2).sum(axis=1) == 1).all()


@pytest.mark.parametrize("calibration", CALIBRATIONS)
def test_every_arm_gets_a_message_of_least_squares(monkeypatch, calibration):
    """After the warm-up one a round, of zeros but for the arm played; before it the arm whose turn it is."""
    sent, instance = [], drawn()
    (rules,) = params(LEAST_SQUARES, calibration, instance, 50)
    algorithm = rounds_of(LEAST_SQUARES, [rules])

    def receive(rng, x, value, matrix_sd, vector_sd, gram, target):
        sent.append((x.any(), value != 0.0, matrix_sd, vector_sd))

    def receive_noise(rng, matrix_sd, vector_sd, gram, target):
        sent.append((False, False, matrix_sd, vector_sd))

    monkeypatch.setattr(algorithm, "receive", receive)
    monkeypatch.setattr(algorithm, "receive_noise", receive_noise)
    monkeypatch.setattr(algorithm, "solve_each", lambda *_: 0)
    monkeypatch.setattr(algorithm, "estimate", lambda *_: True, raising=False)
    algorithm.simulate.py_func(np.random.default_rng(1), instance_stream(instance), instance, rules, np.array([50]))
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
    state = open_state(Server(1.0, 1.0, beta, 0.0, 0), arms, 2)
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
    server, rng, xs = Server(0.3, 40.0, 5.0, 0.7, 0), np.random.default_rng(4), np.random.default_rng(5)
    state = open_state(server, 3, 2)
    for t in range(1, 61):
        x = xs.normal(size=2)
        arm, strange = optimistic(state, x)
        if t > 1:
            assert (arm, strange) == (int(np.argmax(state.target.reshape(3, 2) @ x)), False)
        gather_number(state, x, arm, float(xs.normal()))
        refresh_number(rng, server, state, t)
        np.testing.assert_allclose(state.blocks, state.blocks[[0, 0, 0]], rtol=1e-12)
        assert state.beta[0] == pytest.approx(5.0 + 0.7 * t**0.25)


@pytest.mark.parametrize("entry", [-9.0, -2.0, -1.1, -0.9, -0.5, 0.0, 0.3, 7.0])
def test_the_rules_of_equal_entries_are_those_of_the_whole_matrix(entry):
    """v 1 1' + 5.5 I in six dimensions, not definite for v < -5.5 / 6; the square along (1, 1) is negative for -1.1."""
    state = open_state(Server(1.0, 1.0, 0.0, 0.0, 0), 3, 2)
    state.gram[0, 0], state.target[:] = entry, np.arange(6.0) - 1.5
    matrix = np.full((6, 6), entry) + 5.5 * np.eye(6)
    assert rules_of_equal_entries(state, 5.5) == (np.linalg.eigvalsh(matrix)[0] > 0)
    inverse = np.linalg.inv(matrix)
    np.testing.assert_allclose(state.theta.ravel(), inverse @ state.target, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(state.blocks, [inverse[k : k + 2, k : k + 2] for k in (0, 2, 4)], rtol=1e-12, atol=1e-15)
    assert (state.blocks[0].sum() < 0) == (entry == -1.1)
