"""Bernoulli arms with two means: one best arm, all others at the same gap below it.

With `octave` = 1, the gap of each instance is log-uniform within a factor of 2 around the given gap. Algorithms with
doubling batches have a regret that is a staircase in the logarithm of gap, epsilon and horizon. Averaging over one
octave of the gap smooths it. The arms are in random order.
"""

import numpy as np
from numpy.random import Generator

from dpbandits.environments.base import MEANS, Family

FAMILY = Family(
    MEANS, ("arms", "gap", "middle", "octave"), refuses=True, one_instance=lambda given: given["octave"] == 0.0
)


def draw(rng: Generator, arms: int, gap: float, middle: float, octave: float) -> tuple[np.ndarray]:
    """Means `middle` + gap / 2, once, and `middle` - gap / 2, in random order.

    Parameters
    ----------
    gap : geometric mean of the gaps; each is `gap` * 2**(octave * (U - 1/2)), U uniform on [0, 1).

    Returns
    -------
    means : (arms,) float64

    Raises
    ------
    ValueError
        A mean may lie outside [0, 1].
    """
    largest = gap * 2.0 ** (0.5 * octave)
    if middle + 0.5 * largest > 1.0 or middle - 0.5 * largest < 0.0:
        raise ValueError(f"means {middle:g} +- {0.5 * largest:g} do not lie in [0, 1]")
    own = gap * 2.0 ** (octave * (rng.random() - 0.5))
    means = np.full(arms, middle - 0.5 * own)
    means[rng.integers(arms)] = middle + 0.5 * own
    return (means,)
