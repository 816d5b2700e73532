"""Independent normal contexts for all arms: the instance of the lower bound of arXiv 2106.03365.

With two arms and x ~ N(0, I / d), every eps-locally private algorithm has regret of order at least sqrt(T d) / eps for
some parameter of norm at most 1. The worst-case norm decreases with T and eps.
"""

import math

from numpy.random import Generator

from dpbandits.environments.base import CONTEXTS, Family
from dpbandits.environments.contextual.distributions import drawn_ahead
from dpbandits.environments.contextual.problem import GAUSSIAN, Problem, problem, unit_vectors

FAMILY = Family(CONTEXTS, ("arms", "dimension", "norm", "noise"), ahead=drawn_ahead)


def draw(rng: Generator, arms: int, dimension: int, norm: float, noise: float) -> tuple[Problem]:
    """Independent contexts, parameter uniform on the sphere of radius `norm`; linear rewards.

    Parameters
    ----------
    noise : standard deviation of the noise on rewards.
    """
    theta = norm * unit_vectors(rng, 1, dimension)
    return (problem(rng, GAUSSIAN, theta, arms, noise=noise, numbers=(1.0 / math.sqrt(dimension),)),)
