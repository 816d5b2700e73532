"""One shared context with a constant coordinate, a parameter for every arm, and one arm that is almost never best.

It is close to the case for which Algorithm 2 of arXiv 2106.03365 eliminates arms, where one arm is suboptimal for all
contexts. Here that arm is best for a few.
"""

import math

import numpy as np
from numpy.random import Generator

from dpbandits.environments.base import SHARED, Family, matrices_of_arms
from dpbandits.environments.contextual.distributions import drawn_ahead
from dpbandits.environments.contextual.problem import INTERCEPT, Problem, problem, unit_vectors

FAMILY = Family(SHARED, ("arms", "dimension", "noise"), refuses=True, holds=matrices_of_arms, ahead=drawn_ahead)

LOWEST = -0.9  # constant coordinate of one parameter; source: our choice


def draw(rng: Generator, arms: int, dimension: int, noise: float) -> tuple[Problem]:
    """Parameters uniform on the unit sphere; that of one random arm conditional on its constant coordinate.

    Rewards are linear.

    Parameters
    ----------
    noise : standard deviation of the noise on rewards.

    Raises
    ------
    ValueError
        The constant coordinate is the only one.
    """
    if dimension < 2:
        raise ValueError("a constant coordinate and others need two dimensions or more")
    theta = unit_vectors(rng, arms, dimension)
    rest = theta[-1, 1:]
    rest *= math.sqrt(1.0 - LOWEST * LOWEST) / np.sqrt((rest * rest).sum())
    theta[-1, 0] = LOWEST
    return (problem(rng, INTERCEPT, theta[rng.permutation(arms)], arms, noise=noise),)
