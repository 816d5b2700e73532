"""Least squares from messages with Gaussian noise, shared by locally private algorithms for linear rewards.

A user sends M = x x' + W and u = value x + xi, where W is symmetric with independent entries on and below its diagonal.
The server sums them and solves (sum M + shift I) theta = sum u. The sum may fail to be positive definite.
"""

import math

import numpy as np
from numpy.random import Generator

from dpbandits.base.jit import formula, kernel, round_step
from dpbandits.numerics.gaussian_elimination import back_substitute, eliminate
from dpbandits.numerics.linalg import dot, inverse, squares, substitute, try_cholesky
from dpbandits.privacy.mechanisms import add_gaussian

Array = np.ndarray


@round_step
def receive(
    rng: Generator, x: Array, value: float, matrix_sd: float, vector_sd: float, gram: Array, target: Array
) -> None:
    """Add one message to the sums.

    Noise is drawn row by row of the lower triangle, then for the vector; none is drawn if its sd is 0. Line marks refer
    to the named algorithms.

    Parameters
    ----------
    x : (d,); value : the reward, or a number that replaces it.
    gram : (d, d), only the lower triangle is written; target : (d,).
    """
    d = len(x)
    for i in range(d):
        for j in range(i + 1):
            gram[i, j] += x[i] * x[j]  # L4, L5 of ldp_ucb
        target[i] += value * x[i]  # L4, L5 of ldp_ucb
    receive_noise(rng, matrix_sd, vector_sd, gram, target)  # L4 of ldp_ucb


@formula
def receive_noise(rng: Generator, matrix_sd: float, vector_sd: float, gram: Array, target: Array) -> None:
    """Same as `receive` for a message of zeros."""
    d = len(target)
    if matrix_sd > 0.0:
        for i in range(d):
            for j in range(i + 1):
                gram[i, j] = add_gaussian(rng, gram[i, j], matrix_sd, 1.0)
    if vector_sd > 0.0:
        for i in range(d):
            target[i] = add_gaussian(rng, target[i], vector_sd, 1.0)


@round_step
def solve_shifted(gram: Array, shift: float, target: Array, work: Array, theta: Array) -> None:
    """Fill `theta` with (gram + shift I)^-1 target, definite or not, by Gaussian elimination with row pivoting.

    A singular matrix gives infinities or NaN.

    Parameters
    ----------
    gram : (d, d), only the lower triangle is read; target, theta : (d,); work : (d, d + 1), overwritten.
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


@kernel
def solve_each(grams: Array, shifts: Array, targets: Array, count: Array, work: Array, theta: Array) -> int:
    """Same as `solve_shifted` for every arm with messages; others keep theta. Returns how many are indefinite.

    Parameters
    ----------
    grams : (K, d, d); shifts, count : (K,); targets, theta : (K, d); work : (K, d, d + 1), overwritten.
    """
    found = np.empty(len(count), np.int64)
    for k in range(len(count)):
        if count[k] > 0:
            found[k] = eliminate(grams[k], shifts[k], targets[k], work[k])
        else:  # solve I theta = theta, which changes nothing
            found[k] = eliminate(np.zeros(grams[k].shape), 1.0, theta[k], work[k])
    back_substitute(work, theta)
    for k in range(len(count)):
        if found[k] < 0:
            solve_shifted(grams[k], shifts[k], targets[k], work[k], theta[k])
    return int(np.sum(found < 1))


@round_step
def factorize(gram: Array, shift: float, work: Array) -> bool:
    """Write the Cholesky factor of gram + shift I to the lower triangle of `work`; return whether it exists."""
    d = len(gram)
    for i in range(d):
        for j in range(i + 1):
            work[i, j] = gram[i, j]
        work[i, i] += shift
    return try_cholesky(work, work)


@round_step
def estimate(gram: Array, shift: float, target: Array, work: Array, theta: Array) -> bool:
    """Same as `solve_shifted`; returns whether gram + shift I is positive definite.

    By Cholesky, which fails if the matrix is not positive definite; then by elimination. d = 2 has a closed form.
    """
    if len(target) == 2:
        a, b, c = gram[0, 0] + shift, gram[1, 0], gram[1, 1] + shift
        determinant = a * c - b * b
        theta[0] = (c * target[0] - b * target[1]) / determinant
        theta[1] = (a * target[1] - b * target[0]) / determinant
        return a > 0.0 and determinant > 0.0
    if factorize(gram, shift, work):
        substitute(work, target, theta)
        return True
    solve_shifted(gram, shift, target, work, theta)
    return False


@round_step
def ellipsoid(gram: Array, shift: float, target: Array, work: Array, theta: Array) -> bool:
    """Same as `estimate`, and fills `work` (d, d) for `widths`: the Cholesky factor, or the inverse if indefinite."""
    if factorize(gram, shift, work):
        substitute(work, target, theta)
        return True
    d = len(target)
    for i in range(d):
        for j in range(i + 1):
            work[i, j] = gram[i, j]
        work[i, i] += shift
    inverse(work, work)
    for i in range(d):
        theta[i] = dot(work[i], target)
    return False


@round_step
def widths(contexts: Array, work: Array, definite: bool, room: Array, into: Array) -> None:
    """Fill `into` (K,) with sqrt(x' (gram + shift I)^-1 x) for all `contexts` (K, d); NaN if the square is negative.

    `room` (2, d, K) is overwritten.
    """
    columns, half = room
    for k in range(len(contexts)):
        for i in range(contexts.shape[1]):
            columns[i, k] = contexts[k, i]
    squares(columns, work, definite, half, into)
    for k in range(len(contexts)):
        into[k] = math.sqrt(into[k]) if into[k] >= 0.0 else math.nan
