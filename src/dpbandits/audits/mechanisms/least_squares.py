"""Two users whose messages for least squares are farthest apart: x x', each entry once, and r x.

Entries stand in the order in which the shipped kernels draw noise: x x' row by row on and below the diagonal, and r x;
or the latter first.
"""

import math

import numpy as np

from dpbandits.audits.release import Array

DIGITS = 14  # to which entries are right


def farthest_contexts(weight: float, dimension: int) -> tuple[Array, Array]:
    """Two unit vectors farthest apart with rewards 1 among all users of the unit ball, rewards in [-1, 1].

    Squares in units of the vector's sd, c their cosine: 2 - 2c of the vector and `weight` (2 - 2c^2) of the matrix,
    largest at c = -1 / (2 weight), or at -1. As one is the other with two coordinates exchanged, they have the same
    entry off the diagonal.

    Parameters
    ----------
    weight : variance of an entry of r x over that of an entry on the diagonal of x x'; those beside it have the same
        variance as on it or the half.
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
    """Parts of a message, or of the difference of two, as one tuple; what is 0 but for rounding is 0."""
    return tuple(round(float(number), DIGITS) for part in parts for number in part)
