"""Arms evenly on a circle, so many that the best one is never told apart: regret grows at the rate of the theorems.

Features (x_a, 1) / sqrt 2 with x_a at the angle 2 pi (a + 0.37) / K, parameter ((1, 0), 1) / sqrt 2, in R^3; mean
rewards 1/2 + cos / 2. With few random arms regret depends on their gaps and grows more slowly than the bounds.
Nothing is drawn.
"""

import math

import numpy as np
from numpy.random import Generator

from dpbandits.environments.base import BINARY, Family
from dpbandits.environments.linear.bernoulli_linear import HALF

FAMILY = Family(BINARY, ("arms", "dimension"))

OFFSET = 0.37  # of a step, so that the arms are not symmetric about the parameter; source: our choice
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
    angles = [2.0 * math.pi * (a + OFFSET) / arms for a in range(arms)]
    features = HALF * np.array([[math.cos(angle), math.sin(angle), 1.0] for angle in angles])
    return features, HALF * np.array([1.0, 0.0, 1.0])
