"""Linear algebra of point sets, for kernels: Gram matrices, lengths, coordinates and linear dependences."""

import math

import numpy as np

from dpbandits.base.jit import kernel

Array = np.ndarray


@kernel
def weighted_gram(points: Array, weights: Array) -> Array:
    """V = sum_j weights[j] z_j z_j' for the rows z_j of `points` (n, m)."""
    n, m = points.shape
    gram = np.zeros((m, m))
    for j in range(n):
        if weights[j] != 0.0:
            for a in range(m):
                for b in range(a + 1):
                    gram[a, b] += weights[j] * points[j, a] * points[j, b]
    for a in range(m):
        for b in range(a):
            gram[b, a] = gram[a, b]
    return gram


@kernel
def squared_lengths(points: Array, factor: Array) -> Array:
    """z_j' V^-1 z_j for the rows z_j of `points` (n, m), given the lower factor of V."""
    n, m = points.shape
    lengths = np.empty(n)
    half = np.empty(m)  # L^-1 z_j, inlined `solve_lower`: allocating an array per row would dominate
    for j in range(n):
        length = 0.0
        for i in range(m):
            s = points[j, i]
            for k in range(i):
                s -= factor[i, k] * half[k]
            half[i] = s / factor[i, i]
            length += half[i] * half[i]
        lengths[j] = length
    return lengths


@kernel
def scaled_coordinates(points: Array, tolerance: float, leading: int) -> Array:
    """Well-scaled coordinates of rows in a basis of the span of the first `leading` rows, however narrow their cone is.

    Gram-Schmidt, with the longest residual as pivot. Coordinate k is divided by the length of pivot k, so that every
    pivot has coordinate 1 in its own direction. The rank m is the number of pivots longer than `tolerance` times the
    first. Rows after the leading ones are projected on their span.

    Parameters
    ----------
    points : (n, d) float64.

    Returns
    -------
    coordinates : (n, m) float64
    """
    n, d = points.shape
    residual = points.copy()
    coordinates = np.empty((n, d))
    rank = 0
    first = 0.0
    for k in range(min(leading, d)):
        longest, pivot = 0.0, 0
        for j in range(leading):
            s = 0.0
            for a in range(d):
                s += residual[j, a] * residual[j, a]
            if s > longest:
                longest, pivot = s, j
        length = math.sqrt(longest)
        if k == 0:
            first = length
        if length <= tolerance * first:
            break
        direction = residual[pivot] / length
        for j in range(n):
            s = 0.0
            for a in range(d):
                s += residual[j, a] * direction[a]
            coordinates[j, k] = s / length
            for a in range(d):
                residual[j, a] -= s * direction[a]
        residual[pivot, :] = 0.0
        rank += 1
    return coordinates[:, :rank].copy()


@kernel
def null_vector(matrix: Array) -> Array:
    """A vector w != 0 with `matrix` w = 0, for more columns than rows; Gauss-Jordan with full row pivoting.

    Parameters
    ----------
    matrix : (r, c) float64 with c > r.
    """
    work = matrix.copy()
    rows, columns = work.shape
    pivots = np.full(rows, -1)
    rank = 0
    free = -1
    for c in range(columns):
        best, row = 0.0, -1
        for r in range(rank, rows):
            if abs(work[r, c]) > best:
                best, row = abs(work[r, c]), r
        if best <= 1e-14:
            free = c
            break
        for a in range(columns):
            work[rank, a], work[row, a] = work[row, a], work[rank, a]
        lead = work[rank, c]
        for a in range(columns):
            work[rank, a] /= lead
        for r in range(rows):
            if r != rank:
                ratio = work[r, c]
                for a in range(columns):
                    work[r, a] -= ratio * work[rank, a]
        pivots[rank] = c
        rank += 1
        if rank == rows:
            free = c + 1
            break
    vector = np.zeros(columns)
    vector[free] = 1.0
    for r in range(rank):
        vector[pivots[r]] = -work[r, free]
    return vector
