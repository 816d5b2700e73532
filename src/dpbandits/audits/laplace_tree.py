"""Sums that binary trees release with Lap(scale) on every node, one leaf of each tree replaced.

The leaf is the first: it lies in all D = floor(log2 T) + 1 nodes 1..2^k, and no leaf lies in more. The sum of leaves
1..2^k shows the node of that name alone; every other sum adds to one of these nodes noise and leaves that do not depend
on the first.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.tree_noise import advance, advance_to
from dpbandits.audits.laplace import Laplace
from dpbandits.audits.release import Array, Truth
from dpbandits.jit import kernel
from dpbandits.privacy.tree import levels


@dataclass(frozen=True)
class LaplaceTree:
    """Attributes: `scale` of a node; `trees`, in which a leaf moves by 1; `horizon`; `over_rounds`: a leaf a round."""

    scale: float
    trees: int
    horizon: int
    over_rounds: int = 0

    @property
    def noise(self) -> float:
        """Scale of the noise of a node."""
        return self.scale

    @property
    def nodes(self) -> Laplace:
        """The nodes that the leaves lie in."""
        return Laplace(self.scale, (1.0,) * (self.trees * levels(self.horizon)))

    def accounted(self, eps: float, delta: float) -> Truth:
        """That of the nodes."""
        return self.nodes.accounted(eps, delta)

    def derived(self, eps: float, delta: float) -> Truth:
        """That of the nodes."""
        return self.nodes.derived(eps, delta)

    def draw(self, rng: Generator, side: int, trials: int) -> Array:
        """The sums of leaves 1..2^k, tree by tree, all other leaves 0."""
        return released_sums(rng, float(side), self.scale, self.trees, levels(self.horizon), self.over_rounds, trials)

    def scores(self, views: Array) -> Array:
        """That of the nodes."""
        return self.nodes.scores(views)

    def halved(self) -> "LaplaceTree":
        """Half the scale."""
        return replace(self, scale=0.5 * self.scale)


@kernel
def released_sums(
    rng: Generator, leaf: float, scale: float, trees: int, nodes: int, over_rounds: int, trials: int
) -> Array:
    """Rows (trials, trees nodes) of the sums of leaves 1..2^k of every tree."""
    views = np.empty((trials, trees * nodes))
    noise, last = np.zeros((trees, nodes)), np.zeros((trees, nodes), np.int64)
    for i in range(trials):
        last[:] = 0
        for j in range(trees):
            for k in range(nodes):
                if over_rounds:
                    views[i, j * nodes + k] = leaf + advance_to(rng, noise, last, j, 1 << k, scale)
                else:
                    views[i, j * nodes + k] = leaf + advance(rng, noise, j, 1 << k, scale)
    return views
