"""One context with a constant coordinate a round, a parameter for every arm, and one arm that is hardly ever best.

What the elimination of Algorithm 2 of arXiv 2106.03365 is for: an arm that is worse than the best for all contexts.
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
    """Parameters uniform on the unit sphere, that of one arm given its constant coordinate; linear rewards.

    Which arm it is, is drawn.

    Parameters
    ----------
    noise : standard deviation of the noise on rewards.

    Raises
    ------
    ValueError
        There is no coordinate but the constant one.
    """
    if dimension < 2:
        raise ValueError("a constant coordinate and others need two dimensions or more")
    theta = unit_vectors(rng, arms, dimension)
    rest = theta[-1, 1:]
    rest *= math.sqrt(1.0 - LOWEST * LOWEST) / np.sqrt((rest * rest).sum())
    theta[-1, 0] = LOWEST
    return (problem(rng, INTERCEPT, theta[rng.permutation(arms)], arms, noise=noise),)
