"""Four example mechanisms for the audit: one as private as claimed, three with a bug.

All have the same claim, `EPS` at delta 0, and a pair of neighboring inputs that differ in one reward in [0, 1]. A
sampler `draw(rng, data, n)` returns n independent runs on `data`, as an array (n,) or (n, k), and takes all its
randomness from `rng`.
"""

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

Array = np.ndarray
Rewards = Sequence[float]
Pair = tuple[Rewards, Rewards]

EPS = 1.0  # the claim of each mechanism

LAPLACE_PAIR: Pair = ([0.0, 1.0, 1.0], [1.0, 1.0, 1.0])  # the rewards of one arm
HALF_NOISE_PAIR: Pair = LAPLACE_PAIR
SHARED_NOISE_PAIR: Pair = ([3.0, 5.0, 2.0], [4.0, 5.0, 2.0])  # the sum of the rewards of each of three arms
FIRST_PULL_PAIR: Pair = LAPLACE_PAIR


def laplace(rng: Generator, data: Rewards, n: int) -> Array:
    """The sum of the rewards + Lap(1/eps), (n,). Exactly eps-DP, because one reward moves the sum by at most 1."""
    return np.sum(data) + rng.laplace(scale=1.0 / EPS, size=n)


def half_noise(rng: Generator, data: Rewards, n: int) -> Array:
    """The sum of the rewards + Lap(1/(2 eps)), (n,), as for a wrong sensitivity of 1/2. Its actual epsilon is 2 eps."""
    return np.sum(data) + rng.laplace(scale=0.5 / EPS, size=n)


def shared_noise(rng: Generator, data: Rewards, n: int) -> Array:
    """The sums of all arms with one shared noise, (n, arms): differences of arms are exact. Epsilon is infinite."""
    return np.asarray(data) + rng.laplace(scale=1.0 / EPS, size=(n, 1))


def first_pull(rng: Generator, data: Rewards, n: int) -> Array:
    """An arm's estimate after its first pull, without noise, and its noisy sum, (n, 2). Epsilon is infinite."""
    return np.column_stack([np.full(n, data[0]), laplace(rng, data, n)])
