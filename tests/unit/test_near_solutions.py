"""Greedy arms from approximate estimates: the distance from the exact ones is bounded, and no choice differs."""

import numpy as np
import pytest

from dpbandits.algorithms.glm_multi.near_solutions import approach, nearly_greedy
from dpbandits.algorithms.shared.contextual import greedy

DIMENSIONS = [1, 2, 3, 8, 20]


def system(rng, d, noise):
    """A matrix whose upper triangle is not to be read, a shift, a vector, and V as it is."""
    root = rng.normal(size=(d, d)) * noise
    full = root + root.T + rng.normal() * np.eye(d)
    shift = rng.uniform(0.5, 20.0) * (1.0 + noise * np.sqrt(d))
    return np.where(np.tri(d) > 0, full, np.nan), shift, rng.normal(size=d), full + shift * np.eye(d)


@pytest.mark.parametrize("noise", [0.0, 0.1, 1.0])
@pytest.mark.parametrize("d", DIMENSIONS)
def test_the_bound_holds_and_is_given_for_definite_matrices_alone(d, noise):
    rng, known = np.random.default_rng(d), 0
    for _ in range(200):
        gram, shift, target, matrix = system(rng, d, noise)
        theta = np.linalg.solve(matrix, target) + rng.normal(size=d) * rng.choice([0.0, 1e-8, 1e-2, 1.0, 1e6, 1e17])
        for _ in range(3):
            error = approach(gram, shift, target, np.empty(d), theta)
            if error < np.inf:
                known += 1
                assert np.linalg.eigvalsh(matrix)[0] > 0.0
                assert np.linalg.norm(theta - np.linalg.solve(matrix, target)) <= error
    assert known > 100


def test_steps_come_near_to_the_solution():
    gram, shift, target, matrix = system(np.random.default_rng(1), 6, 0.1)
    theta, exact = np.zeros(6), np.linalg.solve(matrix, target)
    errors = [approach(gram, shift, target, np.empty(6), theta) for _ in range(30)]
    assert errors[-1] < 1e-3 * errors[0]
    np.testing.assert_allclose(theta, exact, rtol=1e-7)


@pytest.mark.parametrize("matrix", [np.zeros((2, 2)), -np.eye(2), np.diag([1.0, -0.5]), np.full((2, 2), np.nan)])
def test_nothing_is_known_where_the_matrix_may_not_be_definite(matrix):
    assert approach(matrix, 0.0, np.ones(2), np.empty(2), np.zeros(2)) == np.inf


@pytest.mark.parametrize("apart", [1.0, 1e-3, 1e-9, 1e-15, 0.0])
@pytest.mark.parametrize("d", DIMENSIONS)
def test_no_choice_differs_from_that_of_the_exact_estimates(d, apart):
    """The second arm's estimate is so far from the first one's; what comes from the round before is near."""
    rng, seen, arms = np.random.default_rng(d), 0, 3
    for _ in range(300):
        grams, shifts, targets, matrices = zip(*(system(rng, d, 0.1) for _ in range(arms)), strict=True)
        exact, targets = (
            np.array([np.linalg.solve(*each) for each in zip(matrices, targets, strict=True)]),
            list(targets),
        )
        exact[1] = exact[0] + apart * rng.normal(size=d)
        targets[1] = matrices[1] @ exact[1]
        exact[2], theta = 0.0, exact + 0.01 * rng.normal(size=(arms, d))
        theta[2] = 0.0
        x, count, room = rng.normal(size=d), np.array([5, 4, 0]), np.empty((2, max(d, arms)))
        arm = nearly_greedy(np.array(grams), np.array(shifts), np.array(targets), count, room, theta, x)
        assert arm in (-1, greedy(exact, x))
        assert not theta[2].any(), "it has no messages"
        seen += arm >= 0
    assert seen > 30


def test_equal_estimates_and_those_of_0_leave_the_choice_open():
    grams, shifts, count, room = np.zeros((2, 2, 2)), np.ones(2), np.ones(2, np.int64), np.empty((2, 2))
    for targets in (np.zeros((2, 2)), np.ones((2, 2))):
        assert nearly_greedy(grams, shifts, targets, count, room, np.zeros((2, 2)), np.ones(2)) == -1
