"""Bernoulli arms whose gaps to the best arm are powers of two: 2^-1, 2^-2, ..., 2^-S.

The instances that maximize the bound of Theorem 9 of Hu et al., arXiv 2102.07929. The paper conjectures that they are
not harder than equal gaps (Section 7). A bracket contains all arms of one gap. The arms are in random order.
"""

import numpy as np
from numpy.random import Generator

from dpbandits.environments.base import MEANS, Family

FAMILY = Family(
    MEANS,
    ("brackets", "fewest", "growth"),
    holds=lambda given: sum(given["fewest"] * given["growth"] ** bracket for bracket in range(int(given["brackets"]))),
    one_instance=lambda given: True,
)

BEST = 0.75  # source: our choice


def draw(rng: Generator, brackets: int, fewest: int, growth: int) -> tuple[np.ndarray]:
    """One arm of mean 3/4, and `fewest` * `growth`**(brackets - s) arms of mean 3/4 - 2^-s, s = 1 .. `brackets`.

    Returns
    -------
    means : (arms,) float64, in random order
    """
    counts = [fewest * growth ** (brackets - s) for s in range(1, brackets + 1)]
    gaps = np.repeat(0.5 ** np.arange(1, brackets + 1), counts)
    return (rng.permutation(np.concatenate([[BEST], BEST - gaps])),)
