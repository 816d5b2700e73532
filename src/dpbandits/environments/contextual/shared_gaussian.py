"""One context N(0, I) a round and a parameter for every arm: Figure 9 of arXiv 2106.03365, after its authors' code.

Contexts have norms near sqrt(d), not at most 1 as the paper assumes and its noise needs.
"""

from numpy.random import Generator

from dpbandits.environments.base import SHARED, Family, matrices_of_arms
from dpbandits.environments.contextual.distributions import drawn_ahead
from dpbandits.environments.contextual.problem import GAUSSIAN, Problem, problem, unit_vectors

FAMILY = Family(SHARED, ("arms", "dimension", "noise"), holds=matrices_of_arms, ahead=drawn_ahead)


def draw(rng: Generator, arms: int, dimension: int, noise: float) -> tuple[Problem]:
    """Parameters independent and uniform on the unit sphere; linear rewards.

    Parameters
    ----------
    noise : standard deviation of the noise on rewards; 0.05 in the authors' code.
    """
    return (problem(rng, GAUSSIAN, unit_vectors(rng, arms, dimension), arms, noise=noise, numbers=(1.0,)),)
