"""The noise on prefix sums released by a binary tree, one draw per leaf (Chan, Shi and Song 2011).

A node gets its noise once, when its last leaf arrives. The sum of leaves 1..n comes from the nodes that cover them, one
for each binary digit 1 of n. Among the nodes that leaf n completes, only the largest is ever used.
"""

import numpy as np
from numpy.random import Generator

from dpbandits.base.jit import formula, kernel
from dpbandits.privacy.mechanisms import Noise, add_laplace


@formula
def completed_layer(n: int) -> int:
    """Layer of the largest node that leaf n completes: the number of trailing zeros of n."""
    layer = 0
    while n >> layer & 1 == 0:
        layer += 1
    return layer


@kernel
def advance(rng: Generator, noise: np.ndarray, j: int, n: int, scale: float) -> float:
    """The noise on the sum of leaves 1..n of tree j, computed from the state for leaves 1..n - 1.

    `noise` (trees, layers) holds, at the layer of every digit 1 of n, the noise of its node plus all larger ones.
    """
    layer = completed_layer(n)
    rest = (n >> layer) & ~1  # the higher digits
    above = noise[j, layer + completed_layer(rest)] if rest else 0.0
    noise[j, layer] = add_laplace(rng, above, scale)
    return noise[j, layer]


@kernel
def advance_to(rng: Generator, noise: np.ndarray, last: np.ndarray, j: int, t: int, scale: float) -> float:
    """The noise on the sum of leaves 1..t of tree j, some of whose prefixes are never released.

    `noise` (trees, layers) holds the noise of the last node used at every layer, `last` (trees, layers) int64 the last
    leaf of that node. Noise is drawn when a node is first used; larger nodes first.
    """
    total = 0.0
    for layer in range(noise.shape[1] - 1, -1, -1):
        if t >> layer & 1:
            end = t >> layer << layer
            if last[j, layer] != end:
                noise[j, layer], last[j, layer] = add_laplace(rng, 0.0, scale), end
            total += noise[j, layer]
    return total


PREFIX_SUMS = Noise("tree", advance, "scale")
PREFIX_SUMS_OVER_ROUNDS = Noise("tree over rounds", advance_to, "scale")
