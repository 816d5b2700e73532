"""Contexts that do not cover all directions: Figures 2 and 4 of arXiv 2106.03365, after its authors' code.

x_1 = (1 - U, U', 0) and x_2 = (0, 0, 1): plays of the first arm teach nothing about the third coordinate.
"""

import math

import numpy as np
from numpy.random import Generator

from dpbandits.environments.base import CONTEXTS, Family
from dpbandits.environments.contextual.distributions import drawn_ahead
from dpbandits.environments.contextual.problem import CORNER, Problem, problem

FAMILY = Family(CONTEXTS, ("rounds", "noise"), ahead=drawn_ahead)


def draw(rng: Generator, rounds: int, noise: float) -> tuple[Problem]:
    """Two arms in three dimensions, parameter `parameter(rounds)`; linear rewards.

    Parameters
    ----------
    noise : standard deviation of the noise on rewards; 0.1 in the authors' code.
    """
    return (problem(rng, CORNER, parameter(rounds), 2, noise=noise),)


def parameter(rounds: int) -> np.ndarray:
    """(5 + 4 / sqrt(rounds), 3, 5)."""
    return np.array([5.0 + 4.0 / math.sqrt(rounds), 3.0, 5.0])
