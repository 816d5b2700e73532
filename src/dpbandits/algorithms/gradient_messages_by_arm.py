"""What gradient steps with a parameter for every arm send and how they move; see `greedy_gradient_by_arm`."""

from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.by_arm import shorten
from dpbandits.algorithms.by_arm_constants import OPEN_RIDGE
from dpbandits.algorithms.noisy_least_squares import solve_shifted
from dpbandits.jit import kernel
from dpbandits.linalg import solve_symmetric
from dpbandits.privacy.l2_ball import l2_ball

Array = np.ndarray


class Ball(NamedTuple):
    """Constants of Psi.

    Attributes
    ----------
    bound : R.
    keep : `keep_probability`.
    radius : of the sphere of one arm's message; 0 for no noise.
    stacked : of that of one message for all arms after the warm-up; 0 where every arm has its own.
    """

    bound: float
    keep: float
    radius: float
    stacked: float


class Step(NamedTuple):
    """eta = size / n^power, n the messages of the arm (`own` 1) or the round (0).

    `project`: 1 where estimates are projected on the unit ball.
    """

    size: float
    power: float
    own: int
    project: int


@kernel
def by_least_squares(gram: Array, target: Array, count: Array, sd: float, work: Array, theta: Array) -> int:
    """The estimates of the arms with messages; how many of their matrices are not positive definite."""
    indefinite, ridge = 0, 0.0 if sd > 0.0 else OPEN_RIDGE
    for k in range(len(count)):
        if count[k] > 0:
            solved = solve_symmetric(gram[k], ridge, target[k], work, theta[k])
            if solved < 0:
                solve_shifted(gram[k], ridge, target[k], work, theta[k])
            indefinite += solved < 1
    return indefinite


@kernel
def send(rng: Generator, gradients: Array, arm: int, warm: bool, ball: Ball, message: Array) -> None:
    """Fill `message` (K, d) from the gradients, zero but for the arm played; in the warm-up its row alone is used."""
    if ball.radius == 0.0:
        message[:] = gradients
    elif warm:
        l2_ball(rng, gradients[arm], ball.bound, ball.keep, ball.radius, message[arm])
    elif ball.stacked > 0.0:
        l2_ball(rng, gradients.ravel(), ball.bound, ball.keep, ball.stacked, message.ravel())
    else:
        for k in range(len(gradients)):
            l2_ball(rng, gradients[k], ball.bound, ball.keep, ball.radius, message[k])


@kernel
def move(theta: Array, message: Array, step: Step, n: int) -> None:
    """The step of one arm from a message."""
    eta = step.size / n if step.power == 1.0 else step.size / n**step.power
    for i in range(len(theta)):
        theta[i] -= eta * message[i]
    if step.project:
        shorten(theta, 1.0)
