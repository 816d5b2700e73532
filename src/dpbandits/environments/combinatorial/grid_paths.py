"""Right-and-down paths through a grid: the edges of one path have mean 1/2, all others lie a gap below.

The best path is uniformly random. The oracle breaks ties by going right, and most indices are tied for long. As all
paths are equally likely to be the best, no path that it tries first is favored. Mirroring the grid at its diagonal does
not change the distribution of the best path, so that a random reflection is unnecessary.
"""

import numpy as np
from numpy.random import Generator

from dpbandits.environments.base import SETS, Family
from dpbandits.environments.combinatorial.planted import planted
from dpbandits.environments.combinatorial.problem import BOTTLENECK, GRID, LINEAR, Problem

FAMILY = Family(SETS, ("side", "gap", "reward"), refuses=True, words={"reward": ("linear", "bottleneck")})


def draw(rng: Generator, side: int, gap: float, reward: str) -> tuple[Problem]:
    """The problem of a grid of `side` by `side` squares, edges numbered as in `oracles.grid_paths`.

    Raises
    ------
    ValueError
        There is no oracle for the reward, or the gap is not in (0, 1/2].
    """
    best, row, column = [], 0, 0
    for down in rng.permutation(np.repeat([False, True], side)):
        best.append(side * (side + 1) + row * (side + 1) + column if down else row * side + column)
        row, column = row + int(down), column + int(not down)
    arms = 2 * side * (side + 1)
    return (planted(GRID, (LINEAR, BOTTLENECK), reward, np.array(best), arms, gap, shape=(side,)),)
