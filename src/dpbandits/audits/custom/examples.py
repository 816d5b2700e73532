"""Four mechanisms to try the audit on, and to write one's own after: one as private as it claims, three with a bug.

Each has the same claim, `EPS` at delta 0, and a pair of neighboring inputs: one reward in [0, 1] replaced by another.
A sampler `draw(rng, data, n)` returns n independent runs on `data`, in an array (n,) or (n, k), and takes all its
randomness from `rng`.
"""

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

Array = np.ndarray
Rewards = Sequence[float]
Pair = tuple[Rewards, Rewards]

EPS = 1.0  # what each of them claims

LAPLACE_PAIR: Pair = ([0.0, 1.0, 1.0], [1.0, 1.0, 1.0])  # the rewards of one arm
HALF_NOISE_PAIR: Pair = LAPLACE_PAIR
SHARED_NOISE_PAIR: Pair = ([3.0, 5.0, 2.0], [4.0, 5.0, 2.0])  # the sum of the rewards of each of three arms
FIRST_PULL_PAIR: Pair = LAPLACE_PAIR


def laplace(rng: Generator, data: Rewards, n: int) -> Array:
    """(n,): the sum of the rewards + Lap(1/eps). Exactly eps-DP, for one reward moves the sum by at most 1."""
    return np.sum(data) + rng.laplace(scale=1.0 / EPS, size=n)


def half_noise(rng: Generator, data: Rewards, n: int) -> Array:
    """(n,): the same with Lap(1/(2 eps)), as after a sensitivity taken for 1/2. Its actual epsilon is 2 eps."""
    return np.sum(data) + rng.laplace(scale=0.5 / EPS, size=n)


def shared_noise(rng: Generator, data: Rewards, n: int) -> Array:
    """(n, arms): the sums of all arms, with one noise for all: differences between arms are exact. Epsilon infinite."""
    return np.asarray(data) + rng.laplace(scale=1.0 / EPS, size=(n, 1))


def first_pull(rng: Generator, data: Rewards, n: int) -> Array:
    """(n, 2): an arm's estimate after its first pull, without noise, then its noised sum. Epsilon infinite."""
    return np.column_stack([np.full(n, data[0]), laplace(rng, data, n)])
