"""Bernoulli arms with the means that the configuration lists."""

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from dpbandits.environments.base import MEANS, Family

FAMILY = Family(MEANS, ("means",), refuses=True, one_instance=lambda given: True)


def draw(rng: Generator, means: Sequence[float]) -> tuple[np.ndarray]:
    """The listed means in random order, so that tie-breaking does not favor the best arm.

    Returns
    -------
    means : (arms,) float64

    Raises
    ------
    ValueError
        All means are equal, so that every arm is best.
    """
    if min(means) == max(means):
        raise ValueError("all means are equal; one arm must be better than another")
    return (rng.permutation(np.array(means, dtype=np.float64)),)
