"""Gradient messages with a parameter for every arm, shared by LDP-SGD as printed and as released."""

import numpy as np

from dpbandits.base.jit import round_step
from dpbandits.environments.contextual.distributions import mean_reward
from dpbandits.numerics.linalg import dot

Array = np.ndarray


@round_step
def fill_gradient(link: int, x: Array, theta: Array, reward: float, bound: float, gradient: Array) -> bool:
    """Fill `gradient` with (mu(x' theta) - reward) x; return whether it is longer than `bound`."""
    slope = mean_reward(link, dot(x, theta)) - reward
    for i in range(len(x)):
        gradient[i] = slope * x[i]
    return dot(gradient, gradient) > bound * bound
