"""Least squares from messages with Gaussian noise: what the algorithms with local privacy for linear rewards share.

A user sends M = x x' + W and u = value x + xi, W symmetric with independent entries on and below its diagonal. The
server adds them up and solves (sum M + shift I) theta = sum u. The sum need not be positive definite.
"""

import numpy as np
from numpy.random import Generator

from dpbandits.jit import kernel

Array = np.ndarray


@kernel
def receive(
    rng: Generator, x: Array, value: float, matrix_sd: float, vector_sd: float, gram: Array, target: Array
) -> None:
    """Add one message to the sums.

    Noise is drawn row by row of the lower triangle, then for the vector; none is drawn where its sd is 0.

    Parameters
    ----------
    x : (d,); value : of the reward, or what stands for it.
    gram : (d, d), of which the lower triangle is written; target : (d,).
    """
    d = len(x)
    for i in range(d):
        for j in range(i + 1):
            gram[i, j] += x[i] * x[j]
    if matrix_sd > 0.0:
        for i in range(d):
            for j in range(i + 1):
                gram[i, j] += matrix_sd * rng.standard_normal()
    for i in range(d):
        target[i] += value * x[i]
    if vector_sd > 0.0:
        for i in range(d):
            target[i] += vector_sd * rng.standard_normal()


@kernel
def solve_shifted(gram: Array, shift: float, target: Array, work: Array, theta: Array) -> None:
    """Fill `theta` with (gram + shift I)^-1 target, definite or not; Gaussian elimination with row pivoting.

    A singular matrix gives infinities or NaN.

    Parameters
    ----------
    gram : (d, d), of which the lower triangle is read; target, theta : (d,); work : (d, d + 1), overwritten.
    """
    d = len(target)
    for i in range(d):
        for j in range(i):
            work[i, j] = gram[i, j]
            work[j, i] = gram[i, j]
        work[i, i] = gram[i, i] + shift
        work[i, d] = target[i]
    for c in range(d):
        pivot = c
        for r in range(c + 1, d):
            if abs(work[r, c]) > abs(work[pivot, c]):
                pivot = r
        if pivot != c:
            for a in range(c, d + 1):
                work[c, a], work[pivot, a] = work[pivot, a], work[c, a]
        for r in range(c + 1, d):
            ratio = work[r, c] / work[c, c]
            for a in range(c + 1, d + 1):
                work[r, a] -= ratio * work[c, a]
    for i in range(d - 1, -1, -1):
        s = work[i, d]
        for k in range(i + 1, d):
            s -= work[i, k] * theta[k]
        theta[i] = s / work[i, i]
