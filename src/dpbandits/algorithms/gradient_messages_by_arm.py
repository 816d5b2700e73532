"""What gradient steps with a parameter for every arm send and how they move; see `greedy_gradient_by_arm`."""

from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from dpbandits.jit import kernel
from dpbandits.linalg import project
from dpbandits.privacy.l2_ball import l2_ball

Array = np.ndarray


class Ball(NamedTuple):
    """Constants of Psi.

    Attributes
    ----------
    bound : R.
    keep : `keep_probability`.
    radius : of the sphere.
    stacked : 1 where after the warm-up one message is for all arms, on a sphere of that radius in R^(K d); 0 where
        every arm has its own.
    """

    bound: float
    keep: float
    radius: float
    stacked: int


class Step(NamedTuple):
    """theta - eta (message + penalty theta), eta = size / n, n the messages of the arm (`own` 1) or the round (0).

    `project`: 1 where estimates are projected on the unit ball.
    """

    size: float
    own: int
    penalty: float
    project: int


@kernel
def send(rng: Generator, gradients: Array, arm: int, warm: bool, ball: Ball, message: Array) -> None:
    """Fill `message` (K, d) from the gradients, zero but for the arm played; in the warm-up its row alone is used."""
    if warm:
        l2_ball(rng, gradients[arm], ball.bound, ball.keep, ball.radius, message[arm])
    elif ball.stacked:
        l2_ball(rng, gradients.ravel(), ball.bound, ball.keep, ball.radius, message.ravel())
    else:
        for k in range(len(gradients)):
            l2_ball(rng, gradients[k], ball.bound, ball.keep, ball.radius, message[k])


@kernel
def move(theta: Array, message: Array, step: Step, n: int) -> None:
    """The step of one arm from a message."""
    eta = step.size / n
    for i in range(len(theta)):
        theta[i] -= eta * (message[i] + step.penalty * theta[i])
    if step.project:
        project(theta, 1.0)
