"""The black boxes of Algorithm 1 of arXiv 2202.05567, randomiser, shuffler and analyser: what they add to a batch.

One draw a batch stands for those of its users, exactly: the sum of independent normal or binomial noise.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from dpbandits.jit import kernel

Array = np.ndarray

NO_NOISE, GAUSSIAN, TREE, FROZEN, VECTOR_SUM = range(5)
ONES = 0.25  # p of the vector sum's binomial noise (Theorem C.1)


class Protocol(NamedTuple):
    """What the black boxes add to the sums of a batch.

    `kind` GAUSSIAN: fresh noise in every batch. TREE: the node noise of a binary tree whose leaves are the batches.
    FROZEN: a growing prefix of noise drawn once, as the released code has it. VECTOR_SUM: binomial noise on shuffled
    bits. Standard deviations are those of the entries of x y, and of x x' on and beside its diagonal.
    """

    kind: int
    vector_sd: float
    diagonal_sd: float
    beside_sd: float
    levels: float  # g of the vector sum
    bits: int  # b, as drawn
    subtracted: float  # b, as the analyser subtracts its mean
    largest: float  # Delta: entries lie between -Delta and Delta


NOTHING = Protocol(NO_NOISE, 0.0, 0.0, 0.0, 0.0, 0, 0.0, 0.0)


def gaussian(kind: int, sd: float, diagonal: float = 1.0, beside: float = 1.0) -> Protocol:
    """Gaussian noise of that standard deviation on every entry; `diagonal`, `beside` multiply it in the matrix."""
    return Protocol(kind, sd, diagonal * sd, beside * sd, 0.0, 0, 0.0, 0.0)


@kernel
def draw_noise(rng: Generator, protocol: Protocol, d: int, times: float, noise: Array) -> None:
    """Fill `noise`: d entries of the vector, then the lower triangle row by row; no draw where there is no noise."""
    for i in range(d):
        noise[i] = times * protocol.vector_sd * rng.standard_normal() if protocol.vector_sd > 0.0 else 0.0
    k = d
    for i in range(d):
        for j in range(i + 1):
            sd = protocol.diagonal_sd if i == j else protocol.beside_sd
            noise[k] = times * sd * rng.standard_normal() if sd > 0.0 else 0.0
            k += 1


@kernel
def vector_sum(rng: Generator, protocol: Protocol, x: Array, ones: int, batch: int) -> Array:
    """What the analyser of the vector sum makes of a batch, entries as in `draw_noise` (Algorithms 5 to 7).

    A user sends, for an entry w in [-Delta, Delta], the integer next below or above (w + Delta) g / Delta at random,
    unbiased, plus Bin(b, p) ones. Users with the same reward have the same entry, and sums of binomials are binomial.
    """
    d = len(x)
    entries = np.empty(d + d * (d + 1) // 2)
    for i in range(d):
        count = rounded(rng, protocol, x[i], ones) + rounded(rng, protocol, 0.0, batch - ones)
        entries[i] = analysed(rng, protocol, count, batch)
    k = d
    for i in range(d):
        for j in range(i + 1):
            entries[k] = analysed(rng, protocol, rounded(rng, protocol, x[i] * x[j], batch), batch)
            k += 1
    return entries


@kernel
def rounded(rng: Generator, protocol: Protocol, entry: float, users: int) -> int:
    """Sum of the integers to which so many users round the same entry."""
    steps = (entry + protocol.largest) * protocol.levels / protocol.largest
    below = math.floor(steps)
    up = steps - below
    return users * below + (rng.binomial(users, up) if up > 0.0 and users > 0 else 0)


@kernel
def analysed(rng: Generator, protocol: Protocol, count: int, batch: int) -> float:
    """The analyser: the ones among all bits, less the mean of the noise, in the unit of the entry."""
    bits = rng.binomial(batch * protocol.bits, ONES) if protocol.bits > 0 else 0
    surplus = count + bits - ONES * protocol.subtracted * batch
    return surplus * protocol.largest / protocol.levels - batch * protocol.largest
