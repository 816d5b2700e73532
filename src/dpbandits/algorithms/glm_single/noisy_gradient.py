"""Steps along noisy gradients, shared by locally private algorithms for generalized linear rewards.

A user sends a noisy version of (mu(x' theta) - reward) x; the server moves theta by -eta_t times this message.
"""

import math
from typing import NamedTuple

import numpy as np

from dpbandits.base.jit import round_step
from dpbandits.environments.contextual.distributions import mean_reward
from dpbandits.environments.contextual.problem import LINEAR
from dpbandits.numerics.linalg import dot, project

Array = np.ndarray
LARGEST = 20.0  # bound on |z| if mu is not linear, since e^z overflows; source: authors' code


class Steps(NamedTuple):
    """eta_t = scale / (t - 1 + offset), or scale over the root of that, in rounds t = 1, 2, ..."""

    scale: float
    offset: float
    root: int


@round_step
def step_size(steps: Steps, t: int) -> float:
    """The step size eta_t."""
    rounds = t - 1 + steps.offset
    return steps.scale / (math.sqrt(rounds) if steps.root else rounds)


@round_step
def residual(link: int, x: Array, theta: Array, reward: float, largest: float) -> float:
    """mu(x' theta) - reward, with |x' theta| clipped to `largest`."""
    return mean_reward(link, min(max(dot(x, theta), -largest), largest)) - reward


@round_step
def safe(link: int) -> float:
    """The bound on |x' theta| that prevents overflow of mu."""
    return math.inf if link == LINEAR else LARGEST


@round_step
def fill_gradient(
    link: int, x: Array, theta: Array, reward: float, largest: float, bound: float, gradient: Array
) -> bool:
    """Fill `gradient` with `residual` times x; return whether it is longer than `bound`."""
    size = residual(link, x, theta, reward, largest)
    for i in range(len(x)):
        gradient[i] = size * x[i]
    return math.sqrt(dot(gradient, gradient)) > bound


@round_step
def descend(theta: Array, psi: Array, eta: float, penalty: float, norm: float) -> None:
    """Subtract eta (psi + penalty theta) from theta, then project it on the ball of radius `norm` if that is finite."""
    for i in range(len(theta)):
        theta[i] -= eta * (psi[i] + penalty * theta[i])
    if norm < np.inf:
        project(theta, norm)
