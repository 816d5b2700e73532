"""One arm and always the same context, what an adversary may show: Figure 3 of arXiv 2106.03365.

There is nothing to choose; estimation errors are looked at.
"""

import numpy as np
from numpy.random import Generator

from dpbandits.contexts.problem import DIRECTION, Problem, problem

PARAMETER = np.ones(2)


def draw(rng: Generator, noise: float) -> tuple[Problem]:
    """Context (1, 0), parameter (1, 1); linear rewards.

    Parameters
    ----------
    noise : standard deviation of the noise on rewards; 0.1 in the authors' code.
    """
    return (problem(rng, DIRECTION, PARAMETER, 1, noise=noise),)
