"""One arm and contexts in all directions: Figure 3 of arXiv 2106.03365, the counterpart of `one_direction`."""

from numpy.random import Generator

from dpbandits.contexts.problem import SPHERE, Problem, problem
from dpbandits.environments.one_direction import PARAMETER


def draw(rng: Generator, noise: float) -> tuple[Problem]:
    """Contexts uniform on the unit circle, parameter (1, 1); linear rewards.

    Parameters
    ----------
    noise : standard deviation of the noise on rewards; 0.1 in the authors' code.
    """
    return (problem(rng, SPHERE, PARAMETER, 1, noise=noise),)
