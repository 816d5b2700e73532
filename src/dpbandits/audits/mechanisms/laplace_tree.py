"""Sums released by binary trees with Lap(scale) on every node, where one leaf of each tree is replaced.

The replaced leaf is the first. It lies in all D = floor(log2 T) + 1 nodes 1..2^k, and no leaf lies in more. The sum of
leaves 1..2^k reveals only the node of that range. Every other sum is one of these nodes plus noise and leaves that do
not depend on the first leaf.
"""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.shared.tree_noise import PREFIX_SUMS, PREFIX_SUMS_OVER_ROUNDS
from dpbandits.audits.mechanisms.laplace import Laplace
from dpbandits.audits.release import Array, Truth
from dpbandits.base.jit import kernel
from dpbandits.privacy.mechanisms import Noise
from dpbandits.privacy.tree import layers


@dataclass(frozen=True)
class LaplaceTree:
    """Sums of `trees` trees with up to `horizon` leaves, in each of which a leaf moves by 1.

    Attributes
    ----------
    scale : scale of the noise of a node.
    added : function that returns the noise of a sum.
    besides : scales of other released sums, with at most the same privacy loss because fewer trees move.
    """

    scale: float
    trees: int
    horizon: int
    added: Noise = field(default=PREFIX_SUMS, compare=False)
    besides: tuple[float, ...] = field(default=(), compare=False)

    @property
    def noise(self) -> float:
        """Scale of the noise of a node."""
        return self.scale

    @property
    def shifts(self) -> tuple[float, ...]:
        """The differences of all nodes that contain the leaves."""
        return (1.0,) * (self.trees * layers(self.horizon))

    @property
    def nodes(self) -> Laplace:
        """The mechanism of the nodes that contain the leaves."""
        return Laplace(self.scale, self.shifts)

    def accounted(self, eps: float, delta: float) -> Truth:
        """As for the nodes."""
        return self.nodes.accounted(eps, delta)

    def derived(self, eps: float, delta: float) -> Truth:
        """As for the nodes."""
        return self.nodes.derived(eps, delta)

    def draw(self, rng: Generator, side: int, trials: int) -> Array:
        """Draw the sums of leaves 1..2^k, tree by tree, with all other leaves 0."""
        draw = sums_over_rounds if self.added.kind == PREFIX_SUMS_OVER_ROUNDS.kind else sums
        return draw(self.added.add, rng, float(side), self.scale, self.trees, layers(self.horizon), trials)

    def scores(self, views: Array) -> Array:
        """As for the nodes."""
        return self.nodes.scores(views)

    def halved(self) -> "LaplaceTree":
        """A copy with half the scale."""
        return replace(self, scale=0.5 * self.scale)


@kernel
def sums(add: Any, rng: Generator, leaf: float, scale: float, trees: int, nodes: int, trials: int) -> Array:
    """Rows (trials, trees nodes) of the sums of leaves 1..2^k of every tree."""
    views, noise = np.empty((trials, trees * nodes)), np.zeros((trees, nodes))
    for i in range(trials):
        for j in range(trees):
            for k in range(nodes):
                views[i, j * nodes + k] = leaf + add(rng, noise, j, 1 << k, scale)
    return views


@kernel
def sums_over_rounds(add: Any, rng: Generator, leaf: float, scale: float, trees: int, nodes: int, trials: int) -> Array:
    """As `sums`, for trees with one leaf per round, where some sums are never released."""
    views, noise = np.empty((trials, trees * nodes)), np.zeros((trees, nodes))
    last = np.zeros((trees, nodes), np.int64)
    for i in range(trials):
        last[:] = 0
        for j in range(trees):
            for k in range(nodes):
                views[i, j * nodes + k] = leaf + add(rng, noise, last, j, 1 << k, scale)
    return views
