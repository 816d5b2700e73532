"""Two arms whose gap has P(gap <= h) = h^beta on [0, 1]: the margin condition of arXiv 2106.03365 with gamma = 1.

Theorem 3.3 bounds the regret by T^((1 - beta) / 2) for beta < 1 and by log T for beta = 1; for large beta the gap is
nearly constant.
"""

from numpy.random import Generator

from dpbandits.environments.base import CONTEXTS, Family
from dpbandits.environments.contextual.distributions import drawn_ahead
from dpbandits.environments.contextual.problem import MARGIN, Problem, problem, unit_vectors

FAMILY = Family(CONTEXTS, ("dimension", "beta", "noise"), refuses=True, ahead=drawn_ahead)


def draw(rng: Generator, dimension: int, beta: float, noise: float) -> tuple[Problem]:
    """Parameter uniform on the unit sphere; linear rewards.

    Parameters
    ----------
    noise : standard deviation of the noise on rewards.

    Raises
    ------
    ValueError
        The dimension is too small to have a direction orthogonal to the parameter.
    """
    if dimension < 2:
        raise ValueError("this distribution of contexts needs two dimensions or more")
    return (problem(rng, MARGIN, unit_vectors(rng, 1, dimension), 2, noise=noise, numbers=(beta,)),)
