"""Two users with the largest distance between their least-squares messages: x x', each entry once, and r x.

Entries are in the order in which the shipped kernels draw noise: x x' row by row on and below the diagonal, then r x,
or r x first.
"""

import math

import numpy as np

from dpbandits.audits.release import Array

DIGITS = 14  # to which entries are accurate


def farthest_contexts(weight: float, dimension: int) -> tuple[Array, Array]:
    """Two unit vectors, with rewards 1, at the largest distance among users in the unit ball with rewards in [-1, 1].

    In units of the vector's sd, with c their cosine, the squared distances are 2 - 2c for the vector and
    `weight` (2 - 2c^2) for the matrix. The sum is largest at c = -1 / (2 weight), or at -1. One vector is the other
    with two coordinates exchanged, so their off-diagonal entry is equal.

    Parameters
    ----------
    weight : noise variance of an entry of r x over that of a diagonal entry of x x'. Off-diagonal entries have the same
        variance or half of it.
    """
    half = 0.5 * math.acos(max(-1.0, -0.5 / weight))
    first, second = np.zeros(dimension), np.zeros(dimension)
    first[:2] = math.cos(0.25 * math.pi - half), math.sin(0.25 * math.pi - half)
    second[:2] = first[1], first[0]
    return first, second


def lower(x: Array) -> Array:
    """x x' on and below the diagonal, row by row."""
    return np.outer(x, x)[np.tril_indices(len(x))]


def lower_sds(dimension: int, diagonal: float, beside: float) -> tuple[float, ...]:
    """Standard deviations of a symmetric matrix on and below the diagonal, row by row."""
    return tuple(diagonal if i == j else beside for i in range(dimension) for j in range(i + 1))


def numbers(*parts: Array) -> tuple[float, ...]:
    """Parts of a message, or of the difference of two, as one tuple; rounding errors are set to 0."""
    return tuple(round(float(number), DIGITS) for part in parts for number in part)
