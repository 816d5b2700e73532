"""One shared context N(0, I) per round and a parameter for every arm: Figure 9 of arXiv 2106.03365, after its code.

Contexts have norms near sqrt(d), although the paper assumes at most 1 and its noise requires it.
"""

from numpy.random import Generator

from dpbandits.environments.base import SHARED, Family, matrices_of_arms
from dpbandits.environments.contextual.distributions import drawn_ahead
from dpbandits.environments.contextual.problem import GAUSSIAN, Problem, problem, unit_vectors

FAMILY = Family(SHARED, ("arms", "dimension", "noise"), holds=matrices_of_arms, ahead=drawn_ahead)


def draw(rng: Generator, arms: int, dimension: int, noise: float) -> tuple[Problem]:
    """Independent parameters, uniform on the unit sphere; linear rewards.

    Parameters
    ----------
    noise : standard deviation of the noise on rewards; 0.05 in the authors' code.
    """
    return (problem(rng, GAUSSIAN, unit_vectors(rng, arms, dimension), arms, noise=noise, numbers=(1.0,)),)
