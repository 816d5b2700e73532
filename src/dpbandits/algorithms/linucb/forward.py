"""Forward substitution for all arms at once: x' V^-1 u and x' V^-1 x of every feature x, with V = L L'.

Works on blocks of rows; each step of a block is one loop over the arms. The rows read and written by a step do not
overlap, since overlapping loops are not vectorized. All arrays have the same precision as the result.
The two steps are arguments: `subtract` and `solve_block`, or `fused_subtract` and `fused_solve_block` for a bound.
"""

from collections.abc import Callable

import numpy as np

from dpbandits.base.jit import formula, fused_step, round_step

Array = np.ndarray
Step = Callable[..., None]
BLOCK = 5  # rows per block


@formula
def whole_blocks(d: int) -> int:
    """d rounded up to a multiple of the block size."""
    return -(-d // BLOCK) * BLOCK


@round_step
def forward(
    columns: Array,
    lower: Array,
    reciprocals: Array,
    known: Array,
    half: Array,
    rest: Array,
    estimates: Array,
    squared: Array,
    subtract: Step,
    solve_block: Step,
) -> None:
    """Compute x' V^-1 u and x' V^-1 x, each (K,), for the `columns` x.

    D is d rounded up to whole blocks.

    Parameters
    ----------
    columns : (D, K), 0 beyond d.
    lower, reciprocals, known : (D, D), (D,), (D,): L below its diagonal, 1 over its diagonal, and L^-1 u. Beyond d they
        hold 0, 1 and 0.
    half : (D, K), overwritten with L^-1 x if there are several blocks; rest : (2, BLOCK, K), overwritten.
    """
    if len(columns) == BLOCK:
        solve_block(columns, lower, reciprocals, known, 0, True, False, half, estimates, squared)
        return
    solve_block(columns, lower, reciprocals, known, 0, True, True, half, estimates, squared)
    for first in range(BLOCK, len(columns), BLOCK):
        subtract(columns[first:], lower, first, 0, half, rest[0])
        side = 0
        for earlier in range(BLOCK, first, BLOCK):
            subtract(rest[side], lower, first, earlier, half, rest[1 - side])
            side = 1 - side
        solve_block(rest[side], lower, reciprocals, known, first, False, True, half, estimates, squared)


def _subtract(rows: Array, lower: Array, first: int, earlier: int, half: Array, into: Array) -> None:
    """The `rows` of the block that starts at `first`, minus the contribution of the solved block at `earlier`."""
    f, e = first, earlier
    p, q, r, s, t = half[e], half[e + 1], half[e + 2], half[e + 3], half[e + 4]
    p0, p1, p2, p3, p4 = entries(lower, f, e)
    q0, q1, q2, q3, q4 = entries(lower, f, e + 1)
    r0, r1, r2, r3, r4 = entries(lower, f, e + 2)
    s0, s1, s2, s3, s4 = entries(lower, f, e + 3)
    t0, t1, t2, t3, t4 = entries(lower, f, e + 4)
    row0, row1, row2, row3, row4 = rows[0], rows[1], rows[2], rows[3], rows[4]
    into0, into1, into2, into3, into4 = into[0], into[1], into[2], into[3], into[4]
    for a in range(len(p)):
        v, w, x, y, z = p[a], q[a], r[a], s[a], t[a]
        into0[a] = ((((row0[a] - p0 * v) - q0 * w) - r0 * x) - s0 * y) - t0 * z
        into1[a] = ((((row1[a] - p1 * v) - q1 * w) - r1 * x) - s1 * y) - t1 * z
        into2[a] = ((((row2[a] - p2 * v) - q2 * w) - r2 * x) - s2 * y) - t2 * z
        into3[a] = ((((row3[a] - p3 * v) - q3 * w) - r3 * x) - s3 * y) - t3 * z
        into4[a] = ((((row4[a] - p4 * v) - q4 * w) - r4 * x) - s4 * y) - t4 * z


@round_step
def entries(lower: Array, first: int, column: int) -> tuple[float, float, float, float, float]:
    """Entries of a column of L in the block of rows that starts at `first`."""
    f, c = first, column
    return lower[f, c], lower[f + 1, c], lower[f + 2, c], lower[f + 3, c], lower[f + 4, c]


def _solve_block(
    rows: Array,
    lower: Array,
    reciprocals: Array,
    known: Array,
    first: int,
    alone: bool,
    keep: bool,
    half: Array,
    estimates: Array,
    squared: Array,
) -> None:
    """Solve the block that starts at `first`, given the remainder of its `rows`.

    Parameters
    ----------
    alone : whether this is the only contribution, so that results are not added to those of earlier blocks.
    keep : whether L^-1 x is stored in `half`, for later blocks.
    """
    f, g, h, i, j = first, first + 1, first + 2, first + 3, first + 4
    p, q, r, s, t = rows[0], rows[1], rows[2], rows[3], rows[4]
    one, two, three, four, five = half[f], half[g], half[h], half[i], half[j]
    qp, rp, rq, sp, sq, sr = lower[g, f], lower[h, f], lower[h, g], lower[i, f], lower[i, g], lower[i, h]
    tp, tq, tr, ts = lower[j, f], lower[j, g], lower[j, h], lower[j, i]
    pp, qq, rr, ss, tt = reciprocals[f], reciprocals[g], reciprocals[h], reciprocals[i], reciprocals[j]
    up, uq, ur, us, ut = known[f], known[g], known[h], known[i], known[j]
    for a in range(len(squared)):
        v = p[a] * pp
        w = (q[a] - qp * v) * qq
        x = ((r[a] - rp * v) - rq * w) * rr
        y = (((s[a] - sp * v) - sq * w) - sr * x) * ss
        z = ((((t[a] - tp * v) - tq * w) - tr * x) - ts * y) * tt
        if keep:
            one[a], two[a], three[a], four[a], five[a] = v, w, x, y, z
        square = (((v * v + w * w) + x * x) + y * y) + z * z
        estimate = (((up * v + uq * w) + ur * x) + us * y) + ut * z
        squared[a] = square if alone else squared[a] + square
        estimates[a] = estimate if alone else estimates[a] + estimate


subtract, fused_subtract = round_step(_subtract), fused_step(_subtract)
solve_block, fused_solve_block = round_step(_solve_block), fused_step(_solve_block)
