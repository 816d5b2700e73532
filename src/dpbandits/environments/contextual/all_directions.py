"""One arm and contexts in all directions: Figure 3 of arXiv 2106.03365, the counterpart of `one_direction`."""

from numpy.random import Generator

from dpbandits.environments.base import CONTEXTS, Family
from dpbandits.environments.contextual.one_direction import PARAMETER, check
from dpbandits.environments.contextual.problem import SPHERE, Problem, problem

FAMILY = Family(CONTEXTS, ("dimension", "noise"), refuses=True)


def draw(rng: Generator, dimension: int, noise: float) -> tuple[Problem]:
    """Contexts uniform on the unit circle, parameter (1, 1); linear rewards.

    Parameters
    ----------
    dimension : 2.
    noise : standard deviation of the noise on rewards; 0.1 in the authors' code.

    Raises
    ------
    ValueError
        It is another dimension.
    """
    check(dimension)
    return (problem(rng, SPHERE, PARAMETER, 1, noise=noise),)
