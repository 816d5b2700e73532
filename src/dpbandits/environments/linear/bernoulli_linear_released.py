"""The instances of the code released by Chowdhury and Zhou; the paper's instances are these, scaled down.

The features are (v, 1) with v a unit vector in R^(d-1), of norm sqrt 2, and the parameter is (w / 2, 1/2). The mean
rewards are those of `bernoulli_linear`; the Gram matrix is twice as large. The first d arms are not random: e_i + e_d
for i < d, and e_d, which has norm 1 and mean 1/2.
"""

import numpy as np
from numpy.random import Generator

from dpbandits.environments.base import BINARY, Family
from dpbandits.environments.linear.bernoulli_linear import directions

FAMILY = Family(BINARY, ("arms", "dimension"))


def draw(rng: Generator, arms: int, dimension: int) -> tuple[np.ndarray, np.ndarray]:
    """Features (arms, dimension) and parameter (dimension,); `arms` >= `dimension` >= 2."""
    features, theta = np.ones((arms, dimension)), np.full(dimension, 0.5)
    points = directions(rng, arms + 1, dimension - 1)
    features[:, :-1], theta[:-1] = points[:arms], 0.5 * points[arms]
    features[:dimension, :-1] = np.eye(dimension)[:, :-1]
    return features, theta
