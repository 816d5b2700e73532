"""Small dense linear algebra for kernels, hand-written so that results do not depend on a BLAS."""

import math

import numpy as np

from dpbandits.base.jit import kernel, round_step

Array = np.ndarray
LANES = 8  # numbers that a processor adds in one instruction


@round_step
def try_cholesky(matrix: Array, factor: Array) -> bool:
    """Whether `matrix` (m, m) is positive definite; only its lower triangle is read.

    Writes the lower triangle of `factor` (m, m), or part of it if the matrix is not positive definite.
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
    """Lower factor L with L L' = `matrix`.

    Parameters
    ----------
    matrix : (m, m) float64, only the lower triangle is read.

    Raises
    ------
    ValueError
        A pivot is <= 0: the matrix is not positive definite.
    """
    m = matrix.shape[0]
    factor = np.zeros((m, m))
    if not try_cholesky(matrix, factor):
        raise ValueError("matrix is not positive definite")
    return factor


@kernel
def least_eigenvalue(matrix: Array) -> float:
    """The least eigenvalue of a symmetric `matrix` (m, m), only the lower triangle is read; NaN for a NaN.

    By bisection, to rounding of the norm: the matrix stays positive definite if less than it is subtracted from the
    diagonal, and not if more is.
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
    """The inverse of a symmetric `matrix` (m, m), definite or not; only the lower triangle is read.

    Gauss-Jordan with row pivoting. `into` may be the matrix itself. A singular matrix gives infinities or NaN.
    """
    m = matrix.shape[0]
    rows = np.arange(m)
    for i in range(m):
        for j in range(i + 1):
            into[i, j] = into[j, i] = matrix[i, j]
    for c in range(m):
        pivot = c
        for r in range(c + 1, m):
            if abs(into[r, c]) > abs(into[pivot, c]):
                pivot = r
        rows[c], rows[pivot] = rows[pivot], rows[c]
        for a in range(m):
            into[c, a], into[pivot, a] = into[pivot, a], into[c, a]
        lead, into[c, c] = into[c, c], 1.0
        for a in range(m):
            into[c, a] /= lead
        for r in range(m):
            if r != c:
                ratio, into[r, c] = into[r, c], 0.0
                for a in range(m):
                    into[r, a] -= ratio * into[c, a]
    row = np.empty(m)
    for i in range(m):
        for j in range(m):
            row[rows[j]] = into[i, j]
        into[i] = row


@kernel
def try_inverse_factor(matrix: Array, work: Array, into: Array) -> bool:
    """Whether `matrix` (m, m) is positive definite; if so, `into` receives L^-1 of its factor L.

    Only the lower triangle is read. Eliminates the matrix beside the identity, a third of the work of `inverse`.
    `into` (m, m) is 0 above the diagonal; `work` (m, m) is overwritten. (L^-1)' L^-1 is the inverse of the matrix.
    """
    m = matrix.shape[0]
    into[:] = 0.0
    for i in range(m):
        into[i, i] = 1.0
        for j in range(i + 1):
            work[j, i] = matrix[i, j]
    for first in range(0, m, 4):
        end = min(first + 4, m)
        for c in range(first, end):
            if not work[c, c] > 0.0:
                return False
            scale = 1.0 / math.sqrt(work[c, c])
            for a in range(c, m):
                work[c, a] *= scale
            for a in range(c + 1):
                into[c, a] *= scale
            for r in range(c + 1, end):
                factor = work[c, r]
                for a in range(r, m):
                    work[r, a] -= factor * work[c, a]
                for a in range(c + 1):
                    into[r, a] -= factor * into[c, a]
        for r in range(end, m):  # four rows at once, so that a row is loaded and stored a quarter as often
            f, g, h, k = work[first, r], work[first + 1, r], work[first + 2, r], work[first + 3, r]
            for a in range(r, m):
                work[r, a] -= (
                    f * work[first, a] + g * work[first + 1, a] + h * work[first + 2, a] + k * work[first + 3, a]
                )
            for a in range(end):
                into[r, a] -= (
                    f * into[first, a] + g * into[first + 1, a] + h * into[first + 2, a] + k * into[first + 3, a]
                )
    return True


@round_step
def solve_lower(factor: Array, vector: Array, x: Array) -> None:
    """Fill `x` with L^-1 vector for a lower triangular (m, m) `factor` L; `vector`, `x` : (m,)."""
    for i in range(len(vector)):
        s = vector[i]
        for k in range(i):
            s -= factor[i, k] * x[k]
        x[i] = s / factor[i, i]


@round_step
def substitute(factor: Array, vector: Array, x: Array) -> None:
    """Fill `x` with (L L')^-1 vector, L the lower triangle of the first m columns of `factor`; `vector`, `x` : (m,)."""
    m = len(vector)
    for i in range(m):
        s = vector[i]
        for k in range(i):
            s -= factor[i, k] * x[k]
        x[i] = s / factor[i, i]
    for i in range(m - 1, -1, -1):
        s = x[i]
        for k in range(i + 1, m):
            s -= factor[k, i] * x[k]
        x[i] = s / factor[i, i]


@kernel
def solve(factor: Array, vector: Array) -> Array:
    """Same as `substitute`, but returns a new array."""
    x = np.empty(len(vector))
    substitute(factor, vector, x)
    return x


@round_step
def dot(x: Array, y: Array) -> float:
    """x' y."""
    s = 0.0
    for i in range(len(x)):
        s += x[i] * y[i]
    return s


@round_step
def add_multiple(x: Array, factor: float, y: Array) -> None:
    """Add `factor` * `y` to `x` in place; entries are independent, unlike the terms of a dot product."""
    for i in range(len(x)):
        x[i] += factor * y[i]


@kernel
def add_multiples(x: Array, factors: Array, rows: Array) -> None:
    """x + factors_0 rows_0 + factors_1 rows_1 + ... in place, bit for bit like successive calls of `add_multiple`.

    Adds five rows at once, so that x is loaded and stored a fifth as often.

    Parameters
    ----------
    x : (n,); rows : (m, n); factors : (m,) or more.
    """
    n, m = len(x), len(rows)
    whole = m - m % 5
    for c in range(0, whole, 5):
        f, g, h, j, k = factors[c], factors[c + 1], factors[c + 2], factors[c + 3], factors[c + 4]
        one, two, three, four, five = rows[c], rows[c + 1], rows[c + 2], rows[c + 3], rows[c + 4]
        for i in range(n):
            x[i] = ((((x[i] + f * one[i]) + g * two[i]) + h * three[i]) + j * four[i]) + k * five[i]
    for r in range(whole, m):
        add_multiple(x, factors[r], rows[r])


@kernel
def quadratic(matrix: Array, x: Array, work: Array) -> float:
    """x' `matrix` x for a symmetric matrix (m, m); `work` (m,) is overwritten."""
    work[:] = 0.0
    for i in range(len(x)):
        add_multiple(work, x[i], matrix[i])
    return dot(x, work)


@round_step
def squares(columns: Array, solved: Array, definite: bool, half: Array, into: Array) -> None:
    """Fill `into` (n,) with z' V^-1 z for the columns z of `columns` (m, n); `half` (m, n) is overwritten.

    `solved` is the lower factor of V if V is positive definite, otherwise V^-1. All columns are processed together,
    because the terms of a single sum depend on each other.
    """
    m, n = columns.shape
    for a in range(n):
        into[a] = 0.0
    for i in range(m):
        row = half[i]
        for a in range(n):
            row[a] = columns[i, a] if definite else 0.0
        if definite:
            for k in range(i):
                add_multiple(row, -solved[i, k], half[k])
            for a in range(n):
                row[a] /= solved[i, i]
                into[a] += row[a] * row[a]
        else:
            for k in range(m):
                add_multiple(row, solved[i, k], columns[k])
            for a in range(n):
                into[a] += row[a] * columns[i, a]


@round_step
def project(x: Array, bound: float) -> bool:
    """Scale `x` in place to length `bound` if it is longer; return whether it was."""
    length = math.sqrt(dot(x, x))
    if not length > bound:
        return False
    for i in range(len(x)):
        x[i] *= bound / length
    return True
