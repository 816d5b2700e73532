"""Small dense linear algebra for kernels: hand-written, so that the bits do not depend on a BLAS."""

import math

import numpy as np

from dpbandits.jit import kernel

Array = np.ndarray
LANES = 8  # numbers that a processor adds at once
LARGEST_FACTOR = 1e3  # of a row in elimination without pivoting; source: our choice


@kernel
def try_cholesky(matrix: Array, factor: Array) -> bool:
    """Whether `matrix` (m, m), of which the lower triangle is read, is positive definite; its lower factor if it is.

    The lower triangle of `factor` (m, m) is written; where the matrix is not positive definite, part of it.
    """
    m = matrix.shape[0]
    for i in range(m):
        for j in range(i + 1):
            s = matrix[i, j]
            for k in range(j):
                s -= factor[i, k] * factor[j, k]
            if i > j:
                factor[i, j] = s / factor[j, j]
            elif s > 0.0:
                factor[i, i] = math.sqrt(s)
            else:
                return False
    return True


@kernel
def cholesky(matrix: Array) -> Array:
    """Lower factor L with L L' = `matrix`; positive definite is the caller's duty, a pivot <= 0 raises.

    Parameters
    ----------
    matrix : (m, m) float64, of which the lower triangle is read.

    Raises
    ------
    ValueError
        The matrix is not positive definite.
    """
    m = matrix.shape[0]
    factor = np.zeros((m, m))
    if not try_cholesky(matrix, factor):
        raise ValueError("matrix is not positive definite")
    return factor


@kernel
def least_eigenvalue(matrix: Array) -> float:
    """The least eigenvalue of a symmetric `matrix` (m, m), of which the lower triangle is read; NaN for a NaN.

    To rounding of its norm, by bisection: less taken off the diagonal leaves a positive definite matrix, more does not.
    """
    m = matrix.shape[0]
    identity, factor = np.eye(m), np.empty((m, m))
    low, high = 0.0, matrix[0, 0]
    for i in range(m):
        for j in range(i + 1):
            low -= 2.0 * abs(matrix[i, j])
    middle = 0.5 * (low + high)
    while low < middle < high:
        if try_cholesky(matrix - middle * identity, factor):
            low = middle
        else:
            high = middle
        middle = 0.5 * (low + high)
    return middle


@kernel
def inverse(matrix: Array, into: Array) -> None:
    """The inverse of a symmetric `matrix` (m, m), of which the lower triangle is read, definite or not.

    Gauss-Jordan with row pivoting; a singular matrix gives infinities or NaN.
    """
    m = matrix.shape[0]
    work = np.zeros((m, 2 * m))
    for i in range(m):
        for j in range(m):
            work[i, j] = matrix[max(i, j), min(i, j)]
        work[i, m + i] = 1.0
    for c in range(m):
        pivot = c
        for r in range(c + 1, m):
            if abs(work[r, c]) > abs(work[pivot, c]):
                pivot = r
        for a in range(2 * m):
            work[c, a], work[pivot, a] = work[pivot, a], work[c, a]
        lead = work[c, c]
        for a in range(2 * m):
            work[c, a] /= lead
        for r in range(m):
            if r != c:
                ratio = work[r, c]
                for a in range(2 * m):
                    work[r, a] -= ratio * work[c, a]
    for i in range(m):
        for j in range(m):
            into[i, j] = work[i, m + j]


@kernel
def solve_lower(factor: Array, vector: Array) -> Array:
    """x with L x = `vector`, for a lower triangular (m, m) `factor` L."""
    m = len(vector)
    x = np.empty(m)
    for i in range(m):
        s = vector[i]
        for k in range(i):
            s -= factor[i, k] * x[k]
        x[i] = s / factor[i, i]
    return x


@kernel
def solve(factor: Array, vector: Array) -> Array:
    """x with L L' x = `vector`, for a lower triangular (m, m) `factor` L."""
    x = solve_lower(factor, vector)
    for i in range(len(x) - 1, -1, -1):
        s = x[i]
        for k in range(i + 1, len(x)):
            s -= factor[k, i] * x[k]
        x[i] = s / factor[i, i]
    return x


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
    """z_j' V^-1 z_j for the rows z_j of `points` (n, m), through the lower factor of V."""
    n, m = points.shape
    lengths = np.empty(n)
    half = np.empty(m)  # L^-1 z_j, as `solve_lower`; one array for all rows, since allocation would dominate
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
    """Coordinates of rows in a basis of the span of the first `leading` ones, well scaled however narrow their cone is.

    Gram-Schmidt with the longest residual as pivot; coordinate k is divided by the length of pivot k, so that every
    pivot has coordinate 1 in its own direction. The rank m counts the pivots longer than `tolerance` times the first.
    Of a row after the leading ones only its projection on their span counts.

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


@kernel
def dot(x: Array, y: Array) -> float:
    """x' y."""
    s = 0.0
    for i in range(len(x)):
        s += x[i] * y[i]
    return s


@kernel
def project(x: Array, bound: float) -> bool:
    """Shorten `x` in place to the length `bound` where it is longer; whether it was."""
    length = math.sqrt(dot(x, x))
    if not length > bound:
        return False
    for i in range(len(x)):
        x[i] *= bound / length
    return True


@kernel
def solve_symmetric(matrix: Array, shift: float, vector: Array, work: Array, x: Array) -> int:
    """Fill `x` with (matrix + shift I)^-1 vector by elimination without pivoting, half the work of that with it.

    Returns 1 where the matrix is positive definite. Where it is not, rounding might be multiplied: 0 if no factor was
    larger than `LARGEST_FACTOR`, else -1, and then `x` is not to be used.

    Parameters
    ----------
    matrix : (m, m), of which the lower triangle is read; vector, x : (m,); work : (m, m + 1), overwritten.
    """
    m = len(vector)
    for i in range(m):
        for j in range(i):
            work[j, i] = matrix[i, j]
        work[i, i] = matrix[i, i] + shift
        work[i, m] = vector[i]
    definite, tame = True, True
    for c in range(m):
        top = work[c]
        definite = definite and top[c] > 0.0
        ratio = 1.0 / top[c]
        tame = tame and abs(ratio) < np.inf
        for r in range(c + 1, m):
            factor, row = top[r] * ratio, work[r]
            tame = tame and abs(factor) <= LARGEST_FACTOR
            for a in range(r - r % LANES, m + 1):  # what stands before the diagonal is not read
                row[a] -= factor * top[a]
        if not (definite or tame):
            return -1
    for i in range(m - 1, -1, -1):
        s = work[i, m]
        for k in range(i + 1, m):
            s -= work[i, k] * x[k]
        x[i] = s / work[i, i]
    return 1 if definite else 0
