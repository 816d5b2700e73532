"""Arms evenly spaced on a circle, too many to identify the best one: regret grows at the rate of the theorems.

The features are (x_a, 1) / sqrt 2 with x_a at angle 2 pi a / K, and the parameter is (x, 1) / sqrt 2 with x on the unit
circle, in R^3; mean rewards are 1/2 + cos / 2. The angle of the parameter is random, so that the best arm and the gaps
of its neighbors vary between instances. With few random arms, regret depends on their gaps and grows more slowly than
the bounds.
"""

import math

import numpy as np
from numpy.random import Generator

from dpbandits.environments.base import BINARY, Family
from dpbandits.environments.linear.bernoulli_linear import HALF

FAMILY = Family(BINARY, ("arms", "dimension"))

DIMENSION = 3


def draw(rng: Generator, arms: int, dimension: int) -> tuple[np.ndarray, np.ndarray]:
    """Features (arms, 3) and parameter (3,).

    Raises
    ------
    ValueError
        The dimension is not 3.
    """
    if dimension != DIMENSION:
        raise ValueError(f"dimension: {dimension} is not allowed; arms on a circle have {DIMENSION}")
    points = [_point(2.0 * math.pi * a / arms) for a in range(arms)]
    return np.array(points), np.array(_point(rng.uniform(0.0, 2.0 * math.pi)))


def _point(angle: float) -> list[float]:
    """(cos, sin, 1) / sqrt 2."""
    return [HALF * math.cos(angle), HALF * math.sin(angle), HALF]
