"""One shared context per round and a parameter for every arm, uniform on the sphere: Section 4 of arXiv 2106.03365."""

from numpy.random import Generator

from dpbandits.environments.base import SHARED, Family, matrices_of_arms
from dpbandits.environments.contextual.distributions import drawn_ahead
from dpbandits.environments.contextual.problem import SPHERE, Problem, problem, unit_vectors

FAMILY = Family(SHARED, ("arms", "dimension", "noise"), holds=matrices_of_arms, ahead=drawn_ahead)


def draw(rng: Generator, arms: int, dimension: int, noise: float) -> tuple[Problem]:
    """Independent parameters on the unit sphere; linear rewards.

    Parameters
    ----------
    noise : standard deviation of the noise on rewards.
    """
    return (problem(rng, SPHERE, unit_vectors(rng, arms, dimension), arms, noise=noise),)
