"""The noise of the black boxes of Algorithm 1 of arXiv 2202.05567: Gaussian, or that of shuffled bits.

One draw for a batch stands for those of its users, exactly: sums of independent normal or binomial noise.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.linucb.server import Server, grew_everywhere
from dpbandits.base.jit import formula, kernel, round_step
from dpbandits.privacy.mechanisms import Noise, add_gaussian

Array = np.ndarray

ONES = 0.25  # p of the vector sum's binomial noise (Theorem C.1)


class Gaussians(NamedTuple):
    """Standard deviations of the noise on the entries of x y, and of x x' on and beside its diagonal."""

    vector_sd: float
    diagonal_sd: float
    beside_sd: float


class Bits(NamedTuple):
    """Constants of the shuffled bits.

    Attributes
    ----------
    granularity : g.
    bits : b, as drawn.
    subtracted : b, as the analyzer subtracts its mean.
    largest : Delta; entries lie between -Delta and Delta.
    """

    granularity: float
    bits: int
    subtracted: float
    largest: float


def gaussian(sd: float, diagonal: float = 1.0, beside: float = 1.0) -> Gaussians:
    """Gaussian noise of that standard deviation on every entry; `diagonal`, `beside` multiply it in the matrix."""
    return Gaussians(sd, diagonal * sd, beside * sd)


@kernel
def draw_noise(rng: Generator, protocol: Gaussians, d: int, times: float, noise: Array) -> None:
    """Fill `noise` with the vector, then the lower triangle by rows. A scale of 0 draws nothing."""
    for i in range(d):
        noise[i] = add_gaussian(rng, 0.0, protocol.vector_sd, times) if protocol.vector_sd > 0.0 else 0.0
    k = d
    for i in range(d):
        for j in range(i + 1):
            sd = protocol.diagonal_sd if i == j else protocol.beside_sd
            noise[k] = add_gaussian(rng, 0.0, sd, times) if sd > 0.0 else 0.0
            k += 1


@round_step
def receive(rng: Generator, protocol: Gaussians, server: Server, x: Array, ones: int, batch: int) -> bool:
    """Add the messages of a batch of one arm to u and the lower triangle of V, with the noise of their sum.

    As `server.collect`, `draw_noise`, `server.add` and `server.compare` in turn, with the same draws, but every entry
    is read and written once. Marks are the lines of the algorithms named.

    Returns
    -------
    Whether V is larger than before in every direction.
    """
    gram, target, before = server.gram, server.target, server.before
    times, larger = math.sqrt(batch), True
    for i in range(len(x)):
        # L4, L5 of linucb_ldp; L4, L6 of linucb_sdp_amp
        target[i] = noisy(rng, target[i] + ones * x[i], protocol.vector_sd, times)
    for i in range(len(x)):
        for j in range(i):
            before[i, j] = gram[i, j]
            # L4, L5 of linucb_ldp; L4, L6 of linucb_sdp_amp
            gram[i, j] = noisy(rng, gram[i, j] + batch * (x[i] * x[j]), protocol.beside_sd, times)
        before[i, i] = gram[i, i]
        gram[i, i] = noisy(rng, gram[i, i] + batch * (x[i] * x[i]), protocol.diagonal_sd, times)
        larger &= gram[i, i] - before[i, i] > 0.0
    return larger and grew_everywhere(gram, before, server.factor)


@formula
def noisy(rng: Generator, value: float, sd: float, times: float) -> float:
    """As `add_gaussian`, but that a scale of 0 draws nothing."""
    return add_gaussian(rng, value, sd, times) if sd > 0.0 else value


@formula
def add_bits(rng: Generator, count: int, bits: int, users: int) -> int:
    """Return `count` ones and those among the noise bits of so many users, `bits` each."""
    return count + (rng.binomial(users * bits, ONES) if bits > 0 else 0)


@kernel
def rounded(rng: Generator, protocol: Bits, entry: float, users: int) -> int:
    """Sum of the integers to which so many users round the same entry."""
    steps = (entry + protocol.largest) * protocol.granularity / protocol.largest
    below = math.floor(steps)
    up = steps - below
    return users * below + (rng.binomial(users, up) if up > 0.0 and users > 0 else 0)


def quarter(bits: float) -> int:
    """Return the number of bits with half the standard deviation."""
    return int(bits) // 4


BITS_NOISE = Noise("bits", kernel(add_bits), "bits", quarter)
