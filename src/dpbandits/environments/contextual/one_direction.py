"""One arm and always the same context, what an adversary may show: Figure 3 of arXiv 2106.03365.

There is nothing to choose; estimation errors are looked at.
"""

import numpy as np
from numpy.random import Generator

from dpbandits.environments.base import CONTEXTS, Family
from dpbandits.environments.contextual.problem import DIRECTION, Problem, problem

FAMILY = Family(CONTEXTS, ("dimension", "scale", "noise"), refuses=True)

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


def draw(rng: Generator, dimension: int, scale: float, noise: float) -> tuple[Problem]:
    """Context (1, 0), parameter `scale` times (1, 1); linear rewards.

    Parameters
    ----------
    dimension : 2.
    scale : 1 in the authors' code, where the parameter is longer than the paper allows; at most 0.7 within its bound.
    noise : standard deviation of the noise on rewards; 0.1 in the authors' code.

    Raises
    ------
    ValueError
        It is another dimension.
    """
    check(dimension)
    return (problem(rng, DIRECTION, scale * PARAMETER, 1, noise=noise),)
