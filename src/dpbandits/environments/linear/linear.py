"""Stochastic linear bandits with a fixed finite action set.

An instance is a set of actions a in R^d with ||a|| <= 1 and a parameter theta with ||theta|| <= 1; the mean reward of
an action is <theta, a>. Rewards are signs: +1 with probability (1 + <theta, a>) / 2, else -1. For a given mean, this
distribution has the largest variance among those with |reward| <= 1. Gaussian rewards, for comparison, are unbounded:
no Laplace noise makes them private.
"""

import math

import numpy as np
from numpy.random import Generator

from dpbandits.base.jit import kernel
from dpbandits.environments.base import SIGNED, Family

FAMILY = Family(SIGNED, ("arms", "dimension"))


def draw(rng: Generator, arms: int, dimension: int) -> tuple[np.ndarray, np.ndarray]:
    """Independent actions and parameter, uniform on the unit sphere.

    Returns
    -------
    actions : (arms, dimension) float64
    theta : (dimension,) float64
    """
    normals = rng.standard_normal((arms + 1, dimension))
    points = normals / np.sqrt((normals * normals).sum(axis=1))[:, None]
    return points[:arms], points[arms]


@kernel
def arm_means(actions: np.ndarray, theta: np.ndarray) -> np.ndarray:
    """<theta, a> for the rows a of `actions` (K, d), clipped to [-1, 1] against rounding."""
    means = np.empty(actions.shape[0])
    for j in range(actions.shape[0]):
        s = 0.0
        for a in range(actions.shape[1]):
            s += actions[j, a] * theta[a]
        means[j] = min(1.0, max(-1.0, s))
    return means


@kernel
def reward_sum(rng: Generator, mean: float, count: int, sd: float) -> float:
    """The sum of `count` independent rewards with this mean, drawn exactly, in one draw.

    Signs if `sd` is 0: 2 Bin(count, (1 + mean)/2) - count; otherwise normal rewards with standard deviation `sd`.
    """
    if sd > 0.0:
        return count * mean + sd * math.sqrt(count) * rng.standard_normal()
    return 2.0 * rng.binomial(count, 0.5 * (1.0 + mean)) - count
