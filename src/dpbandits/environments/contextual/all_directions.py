"""One arm and contexts in all directions: Figure 3 of arXiv 2106.03365, the counterpart of `one_direction`."""

from numpy.random import Generator

from dpbandits.environments.base import CONTEXTS, Family
from dpbandits.environments.contextual.distributions import drawn_ahead
from dpbandits.environments.contextual.one_direction import PARAMETER, check
from dpbandits.environments.contextual.problem import SPHERE, Problem, problem

FAMILY = Family(CONTEXTS, ("dimension", "scale", "noise"), refuses=True, ahead=drawn_ahead)


def draw(rng: Generator, dimension: int, scale: float, noise: float) -> tuple[Problem]:
    """Contexts uniform on the unit circle, parameter `scale` times (1, 1); linear rewards.

    Parameters
    ----------
    dimension : 2.
    scale : 1 in the authors' code, a parameter longer than the paper allows; at most 0.7 keeps the paper's bound.
    noise : standard deviation of the noise on rewards; 0.1 in the authors' code.

    Raises
    ------
    ValueError
        The dimension is not 2.
    """
    check(dimension)
    return (problem(rng, SPHERE, scale * PARAMETER, 1, noise=noise),)
