"""One context a round and a parameter for every arm, all uniform on the unit sphere: Section 4 of arXiv 2106.03365."""

from numpy.random import Generator

from dpbandits.contexts.problem import SPHERE, Problem, problem, unit_vectors


def draw(rng: Generator, arms: int, dimension: int, noise: float) -> tuple[Problem]:
    """Parameters independent; linear rewards.

    Parameters
    ----------
    noise : standard deviation of the noise on rewards.
    """
    return (problem(rng, SPHERE, unit_vectors(rng, arms, dimension), arms, noise=noise),)
