"""Gradient steps on noisy gradients: what algorithms with local privacy for generalized linear rewards share.

A user sends a noisy version of (mu(x' theta) - reward) x; the server moves theta by -eta_t times it.
"""

import math
from typing import NamedTuple

import numpy as np

from dpbandits.base.jit import round_step
from dpbandits.environments.contextual.distributions import mean_reward
from dpbandits.environments.contextual.problem import LINEAR
from dpbandits.numerics.linalg import dot, project

Array = np.ndarray
LARGEST = 20.0  # e^z overflows, so |z| is cut to this where mu is not linear; source: authors' code


class Steps(NamedTuple):
    """eta_t = scale / (t - 1 + offset), or over the root of that; in rounds 1, 2, ..."""

    scale: float
    offset: float
    root: int


@round_step
def step_size(steps: Steps, t: int) -> float:
    """eta_t."""
    rounds = t - 1 + steps.offset
    return steps.scale / (math.sqrt(rounds) if steps.root else rounds)


@round_step
def residual(link: int, x: Array, theta: Array, reward: float, largest: float) -> float:
    """mu(x' theta) - reward, where |x' theta| is cut to `largest`."""
    return mean_reward(link, min(max(dot(x, theta), -largest), largest)) - reward


@round_step
def safe(link: int) -> float:
    """What |x' theta| is cut to lest mu overflow."""
    return math.inf if link == LINEAR else LARGEST


@round_step
def fill_gradient(
    link: int, x: Array, theta: Array, reward: float, largest: float, bound: float, gradient: Array
) -> bool:
    """Fill `gradient` with `residual` times x; whether it is longer than `bound`."""
    size = residual(link, x, theta, reward, largest)
    for i in range(len(x)):
        gradient[i] = size * x[i]
    return math.sqrt(dot(gradient, gradient)) > bound


@round_step
def descend(theta: Array, psi: Array, eta: float, penalty: float, norm: float) -> None:
    """Subtract eta (psi + penalty theta) from theta, and project it on the ball of that norm where it is finite."""
    for i in range(len(theta)):
        theta[i] -= eta * (psi[i] + penalty * theta[i])
    if norm < np.inf:
        project(theta, norm)
