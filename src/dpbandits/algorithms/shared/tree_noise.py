"""The noise of prefix sums that a binary tree releases, one draw a leaf (Chan, Shi and Song 2011).

A node is noised once and for all when its last leaf has come; the sum of leaves 1..n is that of the nodes that cover
them, one for each binary digit 1 of n. Of the nodes that leaf n completes only the largest is ever used.
"""

import numpy as np
from numpy.random import Generator

from dpbandits.base.jit import formula, kernel
from dpbandits.privacy.mechanisms import Noise, add_laplace


@formula
def completed_layer(n: int) -> int:
    """Layer of the largest node that leaf n completes: the zeros at the end of n."""
    layer = 0
    while n >> layer & 1 == 0:
        layer += 1
    return layer


@kernel
def advance(rng: Generator, noise: np.ndarray, j: int, n: int, scale: float) -> float:
    """The noise of the sum of leaves 1..n of tree j, after that of leaves 1..n - 1.

    `noise` (trees, layers) keeps at the layer of every digit 1 of n the noise of its node and of all larger ones.
    """
    layer = completed_layer(n)
    rest = (n >> layer) & ~1  # the digits above
    above = noise[j, layer + completed_layer(rest)] if rest else 0.0
    noise[j, layer] = add_laplace(rng, above, scale)
    return noise[j, layer]


@kernel
def advance_to(rng: Generator, noise: np.ndarray, last: np.ndarray, j: int, t: int, scale: float) -> float:
    """The noise of the sum of leaves 1..t of tree j, some of whose prefixes are never released.

    `noise` (trees, layers) keeps the noise of the node used last at every layer, `last` (trees, layers) int64 the
    leaf it ends with. A node's noise is drawn when it is used first; larger nodes first.
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
