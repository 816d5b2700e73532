"""Bernoulli arms: one best, the others at a gap below it and evenly spread below that.

Hu et al., arXiv 2102.07929, Section 6, take different gaps in one experiment and one gap in the other. An instance is
the array of means; the arms stand in random order, so that no rule for ties favors the best one.
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
        Some mean lies outside [0, 1].
    """
    means = np.concatenate([[best], best - gap - spread * np.linspace(0.0, 1.0, arms - 1)])
    if means.min() < 0.0 or means.max() > 1.0:
        raise ValueError(f"means from {means.max():g} down to {means.min():g} do not lie in [0, 1]")
    return (rng.permutation(means),)
