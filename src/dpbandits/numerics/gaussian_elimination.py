"""Elimination without pivoting, for kernels that solve several small symmetric systems, definite or indefinite.

Inner loops run over slices, starting at 0. The compiler cannot exclude that an index with another start is negative,
and does not vectorize such loops.
"""

import numpy as np

from dpbandits.base.jit import round_step

Array = np.ndarray
LARGEST_FACTOR = 1e3  # largest row factor in elimination without pivoting; source: our choice


@round_step
def eliminate(matrix: Array, shift: float, vector: Array, work: Array) -> int:
    """Bring (matrix + shift I) x = vector to triangular form in `work`, without pivoting, which halves the work.

    Returns 1 if the matrix is positive definite. If it is not, elimination may amplify rounding errors: returns 0 if
    no factor exceeded `LARGEST_FACTOR`. Otherwise returns -1, and `work` must not be used.

    Parameters
    ----------
    matrix : (m, m), only the lower triangle is read; vector : (m,); work : (m, m + 1), overwritten.
    """
    m = len(vector)
    for i in range(m):
        for j in range(i):
            work[j, i] = matrix[i, j]
        work[i, i] = matrix[i, i] + shift
        work[i, m] = vector[i]
    definite, tame = True, True
    for first in range(0, m, 4):
        end = min(first + 4, m)
        for c in range(first, end):
            top = work[c]
            definite = definite and top[c] > 0.0
            ratio = 1.0 / top[c]
            tame = tame and abs(ratio) < np.inf
            for r in range(c + 1, end):
                factor, row, above = top[r] * ratio, work[r, r:], top[r:]
                tame = tame and abs(factor) <= LARGEST_FACTOR
                for a in range(len(row)):
                    row[a] -= factor * above[a]
        if end < m:
            tame = clear_below(work, first) and tame
        if not (definite or tame):
            return -1
    return 1 if definite else 0


@round_step
def clear_below(work: Array, first: int) -> bool:
    """Subtract four finished rows from all rows below them at once; return whether no factor was too large."""
    m = len(work)
    p, q, r, s = work[first], work[first + 1], work[first + 2], work[first + 3]
    u, v, w, x = 1.0 / p[first], 1.0 / q[first + 1], 1.0 / r[first + 2], 1.0 / s[first + 3]
    tame = True
    for i in range(first + 4, m):
        f, g, h, k = p[i] * u, q[i] * v, r[i] * w, s[i] * x
        tame = tame and abs(f) <= LARGEST_FACTOR and abs(g) <= LARGEST_FACTOR
        tame = tame and abs(h) <= LARGEST_FACTOR and abs(k) <= LARGEST_FACTOR
        row, one, two, three, four = work[i, i:], p[i:], q[i:], r[i:], s[i:]
        for a in range(len(row)):
            row[a] = (((row[a] - f * one[a]) - g * two[a]) - h * three[a]) - k * four[a]
    return tame


@round_step
def back_substitute(work: Array, x: Array) -> None:
    """Fill `x` (n, m) with the solutions of n systems that `eliminate` left in `work` (n, m, m + 1).

    Processes one row of every system at a time. The terms of one sum depend on each other, those of different systems
    do not, so the processor can overlap them.
    """
    m = x.shape[1]
    for i in range(m - 1, -1, -1):
        for system in range(len(x)):
            row, found = work[system, i], x[system]
            s = row[m]
            factors, known = row[i + 1 : m], found[i + 1 :]
            for k in range(len(known)):
                s -= factors[k] * known[k]
            found[i] = s / row[i]
