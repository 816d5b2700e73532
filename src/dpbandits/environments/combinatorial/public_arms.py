"""Super arms that share all base arms but one: the instance of Theorem 9 of Chen et al. (arXiv 2006.00706).

S* has K arms of its own, with mean 0.5. Every other super arm consists of one private arm and the K - 1 public arms,
all with mean 0.5 - gap / K, so that its gap is `gap`. The public arms have equal outcomes in a round; all other arms
are independent. Linear reward. Super arms are in random order.

The paper's text gives S* as many arms as there are in total; we read this as K.
"""

import numpy as np
from numpy.random import Generator

from dpbandits.environments.base import SETS, Family, listed_base_arms
from dpbandits.environments.combinatorial.problem import LINEAR, LISTED, Problem, problem

FAMILY = Family(SETS, ("bad", "size", "gap"), refuses=True, holds=listed_base_arms)


def draw(rng: Generator, bad: int, size: int, gap: float) -> tuple[Problem]:
    """S* and `bad` super arms of `size` base arms; m = 2 size - 1 + bad.

    Base arms: those of S*, then the private ones, then the public ones.

    Raises
    ------
    ValueError
        gap / size exceeds 0.5.
    """
    if gap > 0.5 * size:
        raise ValueError(f"means 0.5 - {gap:g} / {size} do not lie in [0, 1]")
    arms = 2 * size - 1 + bad
    means = np.full(arms, 0.5 - gap / size)
    means[:size] = 0.5
    coins = np.arange(arms)
    coins[size + bad :] = size + bad
    own, joins = np.full((bad + 1, size), -1), np.ones(bad + 1)
    own[1:, 0] = size + np.arange(bad)
    own[0], joins[0] = np.arange(size), 0
    order = rng.permutation(bad + 1)
    best = 0.5 * size
    return (
        problem(
            LISTED,
            LINEAR,
            size,
            means,
            coins,
            (best, best, best),
            own=own[order],
            common=np.arange(size + bad, arms),
            joins=joins[order],
        ),
    )
