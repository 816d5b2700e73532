"""A binary tree of noise: a user moves the sums of all nodes that contain one of her leaves, each with separate noise.

All released sums are built from nodes. Of the nodes that a leaf completes, only the largest is used, which is a left
child or the root. Every such node that contains the first leaf is released by itself, after its last leaf. So the view
consists of the left children that contain a user's leaves.
"""

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.random import Generator

from dpbandits.audits.mechanisms import gaussian
from dpbandits.audits.release import Array, Truth
from dpbandits.base.jit import kernel
from dpbandits.privacy.mechanisms import GAUSSIAN_NOISE, Noise


@dataclass(frozen=True)
class GaussianTree:
    """The nodes that one user moves.

    Attributes
    ----------
    shifts : the difference of each entry of one leaf, input 1 minus input 0.
    sds : standard deviation of the noise on each entry of a node.
    leaves : number of the user's leaves in each node; 1 for every layer if she has one leaf.
    reach : as in `Gaussian`, for all nodes together.
    added : function that adds the noise.
    """

    shifts: tuple[float, ...]
    sds: tuple[float, ...]
    leaves: tuple[int, ...]
    reach: float | None = None
    added: Noise = field(default=GAUSSIAN_NOISE, compare=False)

    @property
    def noise(self) -> float:
        """Standard deviation of the noise on the first number that moves."""
        return gaussian.first_sd(self.shifts, self.sds)

    @property
    def mus(self) -> tuple[float, ...]:
        """Distance of the two inputs in every node, in standard deviations."""
        return tuple(held * gaussian.distance(self.shifts, self.sds) for held in self.leaves)

    def accounted(self, eps: float, delta: float) -> Truth:
        """Bounds from the nodes' composed privacy-loss distributions."""
        low = gaussian.accounted(self.mus, eps, delta)
        high = low if self.reach is None else gaussian.accounted((self.reach,), eps, delta)
        return Truth((low[0], high[0]), (low[1], high[1]), "privacy loss distributions, composed")

    def derived(self, eps: float, delta: float) -> Truth:
        """Bounds from the analytic curve at the root of the sum of squares."""
        low = gaussian.derived(math.hypot(*self.mus), eps, delta)
        high = low if self.reach is None else gaussian.derived(self.reach, eps, delta)
        epsilons, deltas = zip(low, high, strict=True)
        return Truth(epsilons, deltas, "analytic Gaussian curve of all nodes", normal=True)

    def draw(self, rng: Generator, side: int, trials: int) -> Array:
        """Draw one column per node: the sum of its moving entries, each times shift / sd^2, minus that of input 0."""
        moved = [j for j, shift in enumerate(self.shifts) if shift]
        shifts, sds = np.array(self.shifts)[moved], np.array(self.sds)[moved]
        along = gaussian.weights(self.shifts, self.sds)[moved]
        return nodes(self.added.add, rng, side * shifts, sds, along, np.array(self.leaves), trials)

    def scores(self, views: Array) -> Array:
        """Log-likelihood ratio."""
        return views @ np.array(self.leaves, dtype=float) - 0.5 * math.hypot(*self.mus) ** 2

    def halved(self) -> "GaussianTree":
        """A copy with half the standard deviations."""
        reach = None if self.reach is None else 2.0 * self.reach
        return replace(self, sds=tuple(0.5 * sd for sd in self.sds), reach=reach)


def leaves_per_node(layers: int, first_leaves: int, total: int) -> tuple[int, ...]:
    """Number of a user's leaves 1, 2, ..., `first_leaves` in each node that is used among `total` leaves."""
    return tuple(
        min(first_leaves - start, 2**layer)
        for layer in range(layers)
        for start in range(0, first_leaves, 2 * 2**layer)  # left children
        if start + 2**layer <= total
    )


@kernel
def nodes(add: Any, rng: Generator, shift: Array, sds: Array, along: Array, leaves: Array, trials: int) -> Array:
    """Rows (trials, nodes) of `gaussian.projected` sums of nodes."""
    views = np.empty((trials, len(leaves)))
    for i in range(trials):
        for j in range(len(leaves)):
            views[i, j] = gaussian.projected(add, rng, leaves[j] * shift, sds, along)
    return views
