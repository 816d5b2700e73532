"""What the private algorithms that play in batches share: noised means of batches, and lengths that grow by a ratio.

A batch of 0/1 rewards that nobody reads before its end is one binomial number; a replaced reward vector changes it by
at most 1, so that Laplace noise of scale 1/eps on every batch makes all batches together eps-DP.
"""

import math

from numpy.random import Generator

from dpbandits.base.jit import formula, kernel
from dpbandits.privacy.mechanisms import add_laplace

ROUNDING = 1e-12  # a length that exceeds a whole number by this part of itself is that number


@formula
def noise_scale(eps: float) -> float:
    """Scale of the Laplace noise on the sum of a batch, which a replaced reward moves by at most 1."""
    return 1.0 / eps


@kernel
def noised_sum(rng: Generator, mean: float, pulls: int, eps: float) -> float:
    """The sum of a batch of so many rewards of an arm, plus Lap(1/eps)."""
    return add_laplace(rng, rng.binomial(pulls, mean), noise_scale(eps))


@kernel
def noised_mean(rng: Generator, mean: float, pulls: int, eps: float) -> float:
    """The mean of a batch of so many rewards of an arm, plus Lap(1/(eps pulls))."""
    return noised_sum(rng, mean, pulls, eps) / pulls


@formula
def clipped(x: float) -> float:
    """The number of [0, 1] nearest to x."""
    return min(1.0, max(0.0, x))


@formula
def whole(length: float) -> int:
    """The length rounded up, at least 1."""
    return max(1, math.ceil(length * (1.0 - ROUNDING)))


@formula
def episode_length(pulls: int) -> int:
    """Rounds of the next episode of an arm after so many pulls, where it commits until its pulls have doubled."""
    return pulls


@formula
def first_batch_length(first_batch: float, eps: float) -> int:
    """Pulls of the first batch of an arm: `first_batch` / eps, rounded up."""
    return whole(first_batch / eps)


@formula
def next_batch_length(pulls: int, ratio: float) -> int:
    """Pulls of the next batch of an arm after so many: they grow by `ratio`, rounded up, by 1 at least."""
    return max(1, whole(ratio * pulls) - pulls)
