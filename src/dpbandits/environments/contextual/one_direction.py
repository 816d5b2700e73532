"""One arm and always the same context, what an adversary may show: Figure 3 of arXiv 2106.03365.

There is nothing to choose; estimation errors are looked at.
"""

import numpy as np
from numpy.random import Generator

from dpbandits.environments.base import CONTEXTS, Family
from dpbandits.environments.contextual.problem import DIRECTION, Problem, problem

FAMILY = Family(CONTEXTS, ("dimension", "noise"), refuses=True)

PARAMETER = np.ones(2)


def check(dimension: int) -> None:
    """Refuse another dimension than that of the parameter.

    Raises
    ------
    ValueError
        It is another one.
    """
    if dimension != len(PARAMETER):
        raise ValueError(f"the parameter has {len(PARAMETER)} dimensions")


def draw(rng: Generator, dimension: int, noise: float) -> tuple[Problem]:
    """Context (1, 0), parameter (1, 1); linear rewards.

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
    return (problem(rng, DIRECTION, PARAMETER, 1, noise=noise),)
