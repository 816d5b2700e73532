"""Super arms that share all base arms but one, with bottleneck reward: each private arm must be learned separately.

One private arm has mean 0.5, the others 0.5 - gap. The K - 1 public arms of mean 0.9 belong to every super arm. All
arms share one coin, so that the mean reward is exactly the least mean. This instance is not from the paper; it isolates
the factor K^2 of Theorem 2 of Chen et al. (arXiv 2006.00706). Private arms are in random order.
"""

import numpy as np
from numpy.random import Generator

from dpbandits.environments.base import SETS, Family
from dpbandits.environments.combinatorial.problem import BOTTLENECK, LISTED, Problem, problem

FAMILY = Family(SETS, ("bad", "size", "gap"), refuses=True)

PUBLIC = 0.9  # mean of the public arms; source: our choice


def draw(rng: Generator, bad: int, size: int, gap: float) -> tuple[Problem]:
    """`bad` + 1 super arms of `size` base arms; m = bad + size. Base arms: the private ones, then the public ones.

    Raises
    ------
    ValueError
        0.5 - gap is negative.
    """
    if gap > 0.5:
        raise ValueError(f"means 0.5 - {gap:g} do not lie in [0, 1]")
    means = np.full(bad + size, 0.5 - gap)
    means[rng.integers(bad + 1)] = 0.5
    means[bad + 1 :] = PUBLIC
    own = np.arange(bad + 1)[:, None]
    return (
        problem(
            LISTED,
            BOTTLENECK,
            size,
            means,
            np.zeros(bad + size),
            (0.5, 0.5, 0.5),
            own=own,
            common=np.arange(bad + 1, bad + size),
            joins=np.ones(bad + 1),
        ),
    )
