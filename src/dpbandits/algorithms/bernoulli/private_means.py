"""Shared by private algorithms that play in batches: noisy means of batches, and batch lengths that grow by a ratio.

The sum of a batch of 0/1 rewards that is only used at its end is one binomial draw. Replacing a reward vector changes
it by at most 1, so that Laplace noise of scale 1/eps on every batch makes all batches together eps-DP.
"""

import math

from numpy.random import Generator

from dpbandits.base.jit import formula, kernel
from dpbandits.privacy.mechanisms import add_laplace

ROUNDING = 1e-12  # a length that exceeds an integer by at most this relative amount is rounded down to it


@formula
def noise_scale(eps: float) -> float:
    """Scale of the Laplace noise on the sum of a batch, which a replaced reward changes by at most 1."""
    return 1.0 / eps


@kernel
def noised_sum(rng: Generator, mean: float, pulls: int, eps: float) -> float:
    """The sum of `pulls` rewards of an arm, plus Lap(1/eps)."""
    return add_laplace(rng, rng.binomial(pulls, mean), noise_scale(eps))


@kernel
def noised_mean(rng: Generator, mean: float, pulls: int, eps: float) -> float:
    """The mean of `pulls` rewards of an arm, plus Lap(1/(eps pulls))."""
    return noised_sum(rng, mean, pulls, eps) / pulls


@formula
def clipped(x: float) -> float:
    """x clipped to [0, 1]."""
    return min(1.0, max(0.0, x))


@formula
def whole(length: float) -> int:
    """The length rounded up to an integer, at least 1."""
    return max(1, math.ceil(length * (1.0 - ROUNDING)))


@formula
def episode_length(pulls: int) -> int:
    """Length of the next episode of an arm pulled `pulls` times: it is played until its pulls have doubled."""
    return pulls


@formula
def first_batch_length(first_batch: float, eps: float) -> int:
    """Size of the first batch of an arm: `first_batch` / eps, rounded up."""
    return whole(first_batch / eps)


@formula
def next_batch_length(pulls: int, ratio: float) -> int:
    """Size of the next batch of an arm after `pulls` pulls: pulls grow by `ratio`, rounded up, and by at least 1."""
    return max(1, whole(ratio * pulls) - pulls)
