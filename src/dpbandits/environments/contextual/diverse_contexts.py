"""Contexts that cover all directions: Figure 5 of arXiv 2106.03365, the counterpart of `corner_contexts`."""

from numpy.random import Generator

from dpbandits.environments.base import CONTEXTS, Family
from dpbandits.environments.contextual.corner_contexts import parameter
from dpbandits.environments.contextual.distributions import drawn_ahead
from dpbandits.environments.contextual.problem import SPHERE, Problem, problem

FAMILY = Family(CONTEXTS, ("rounds", "noise"), ahead=drawn_ahead)


def draw(rng: Generator, rounds: int, noise: float) -> tuple[Problem]:
    """Two arms with independent contexts, uniform on the unit sphere of R^3; parameter as in `corner_contexts`.

    Parameters
    ----------
    noise : standard deviation of the noise on rewards; 0.1 in the authors' code.
    """
    return (problem(rng, SPHERE, parameter(rounds), 2, noise=noise),)
