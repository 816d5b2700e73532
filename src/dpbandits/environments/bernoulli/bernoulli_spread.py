"""Bernoulli arms: one best arm, the others evenly spaced from a gap below it downwards.

Hu et al., arXiv 2102.07929, Section 6, use different gaps in one experiment and equal gaps in the other. An instance is
the array of means. The arms are in random order, so that tie-breaking does not favor the best arm.
"""

import numpy as np
from numpy.random import Generator

from dpbandits.environments.base import MEANS, Family

FAMILY = Family(MEANS, ("arms", "best", "gap", "spread"), refuses=True, one_instance=lambda given: True)


def draw(rng: Generator, arms: int, best: float, gap: float, spread: float) -> tuple[np.ndarray]:
    """Means `best`, and from `best` - `gap` down to `best` - `gap` - `spread` in equal steps, in random order.

    Returns
    -------
    means : (arms,) float64

    Raises
    ------
    ValueError
        A mean lies outside [0, 1].
    """
    means = np.concatenate([[best], best - gap - spread * np.linspace(0.0, 1.0, arms - 1)])
    if means.min() < 0.0 or means.max() > 1.0:
        raise ValueError(f"means from {means.max():g} down to {means.min():g} do not lie in [0, 1]")
    return (rng.permutation(means),)
