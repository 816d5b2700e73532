"""The noise of the black boxes of Algorithm 1 of arXiv 2202.05567: Gaussian, or shuffled bits.

The noise of a batch is one draw with the exact distribution of the sum over its users, since sums of independent normal
or binomial variables are normal or binomial.
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
    """Standard deviations of the noise on x y, and on x x' on and off its diagonal."""

    vector_sd: float
    diagonal_sd: float
    beside_sd: float


class Bits(NamedTuple):
    """Constants of the shuffled bits.

    Attributes
    ----------
    granularity : g.
    bits : b, the number of bits drawn.
    subtracted : b, the number whose mean the analyzer subtracts.
    largest : Delta; entries lie in [-Delta, Delta].
    """

    granularity: float
    bits: int
    subtracted: float
    largest: float


def gaussian(sd: float, diagonal: float = 1.0, beside: float = 1.0) -> Gaussians:
    """Gaussian noise with standard deviation `sd`, multiplied by `diagonal` and `beside` on and off the diagonal."""
    return Gaussians(sd, diagonal * sd, beside * sd)


@kernel
def draw_noise(rng: Generator, protocol: Gaussians, d: int, times: float, noise: Array) -> None:
    """Fill `noise` with the noise of the vector, then of the lower triangle by rows. A scale of 0 draws nothing."""
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

    Equals `server.collect`, `draw_noise`, `server.add` and `server.compare` in turn, with the same draws, but reads and
    writes every entry only once. Line marks refer to the named algorithms.

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
    """Same as `add_gaussian`, but a scale of 0 draws nothing."""
    return add_gaussian(rng, value, sd, times) if sd > 0.0 else value


@formula
def add_bits(rng: Generator, count: int, bits: int, users: int) -> int:
    """`count` plus the number of ones among the noise bits of `users` users, `bits` bits each."""
    return count + (rng.binomial(users * bits, ONES) if bits > 0 else 0)


@kernel
def rounded(rng: Generator, protocol: Bits, entry: float, users: int) -> int:
    """Sum of the integers to which `users` users round the same entry."""
    steps = (entry + protocol.largest) * protocol.granularity / protocol.largest
    below = math.floor(steps)
    up = steps - below
    return users * below + (rng.binomial(users, up) if up > 0.0 and users > 0 else 0)


def quarter(bits: float) -> int:
    """A number of bits whose sum has half the standard deviation."""
    return int(bits) // 4


BITS_NOISE = Noise("bits", kernel(add_bits), "bits", quarter)
