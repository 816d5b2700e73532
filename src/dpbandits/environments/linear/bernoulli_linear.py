"""Linear bandits with rewards 0 or 1: the instances of Chowdhury and Zhou, Section 5 of arXiv 2202.05567.

Every arm has a feature x in R^d, and its reward is 1 with probability <theta, x>. Features and parameter have the form
(v, 1/sqrt 2), v uniform on the sphere of radius 1/sqrt 2 in R^(d-1). Their norms are 1 and mean rewards 1/2 + cos / 2.
"""

import math

import numpy as np
from numpy.random import Generator

from dpbandits.base.jit import kernel
from dpbandits.environments.base import BINARY, Family

FAMILY = Family(BINARY, ("arms", "dimension"))

HALF = math.sqrt(0.5)


def draw(rng: Generator, arms: int, dimension: int) -> tuple[np.ndarray, np.ndarray]:
    """Independent features and parameter; `dimension` >= 2.

    Returns
    -------
    features : (arms, dimension) float64
    theta : (dimension,) float64
    """
    points = np.full((arms + 1, dimension), HALF)
    points[:, :-1] = HALF * directions(rng, arms + 1, dimension - 1)
    return points[:arms], points[arms]


def directions(rng: Generator, count: int, dimension: int) -> np.ndarray:
    """Points uniform on the unit sphere, (count, dimension)."""
    normals = rng.standard_normal((count, dimension))
    return normals / np.sqrt((normals * normals).sum(axis=1))[:, None]


@kernel
def probabilities(features: np.ndarray, theta: np.ndarray) -> np.ndarray:
    """<theta, x> for the rows x of `features` (K, d), clipped to [0, 1] against rounding."""
    means = np.empty(features.shape[0])
    for j in range(features.shape[0]):
        s = 0.0
        for a in range(features.shape[1]):
            s += features[j, a] * theta[a]
        means[j] = min(1.0, max(0.0, s))
    return means
