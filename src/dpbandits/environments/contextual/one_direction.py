"""One arm whose context never changes, as an adversary may choose: Figure 3 of arXiv 2106.03365.

There is nothing to choose; the experiment measures estimation errors.
"""

import numpy as np
from numpy.random import Generator

from dpbandits.environments.base import CONTEXTS, Family
from dpbandits.environments.contextual.problem import DIRECTION, Problem, problem

FAMILY = Family(CONTEXTS, ("dimension", "scale", "noise"), refuses=True)

PARAMETER = np.ones(2)


def check(dimension: int) -> None:
    """Check that the dimension is that of the parameter.

    Raises
    ------
    ValueError
        The dimension is not 2.
    """
    if dimension != len(PARAMETER):
        raise ValueError(f"the parameter has {len(PARAMETER)} dimensions")


def draw(rng: Generator, dimension: int, scale: float, noise: float) -> tuple[Problem]:
    """Context (1, 0), parameter `scale` times (1, 1); linear rewards.

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
    return (problem(rng, DIRECTION, scale * PARAMETER, 1, noise=noise),)
