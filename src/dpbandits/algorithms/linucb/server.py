"""What the server of LinUCB knows, and how it learns: V, u, and of every arm its estimate and width.

Of V = L L' the rule needs x' V^-1 u and x' V^-1 x of all arms. Both are products of L^-1 x, which `forward` computes
for all arms at once, with L^-1 u: no inverse and no theta. Where V is not positive definite they come from its inverse;
where it carries no noise, from rank-one updates of its inverse (Sherman and Morrison).

The kernels take the arrays that they need, since passing many of them costs as much as using them.
"""

import math
from typing import NamedTuple

import numpy as np

from dpbandits.base.jit import kernel, round_step
from dpbandits.numerics.linalg import LANES, add_multiples, dot, inverse, solve_lower, squares, try_cholesky

Array = np.ndarray
BLOCK = 5  # rows that `forward` takes at once
RECENT = 4  # source: our choice, by timing
REFRESH = 1000  # rank-one updates between two factorizations; source: our choice


class Server(NamedTuple):
    """The state of the server; arrays are changed in place, K is the number of arms rounded up to whole `LANES`."""

    columns: Array  # (d, K) features of the arms
    gram: Array  # (d, d) V, as its lower triangle
    target: Array  # (d,) u
    solved: Array  # (d, d) factor of V, or its inverse where V carries no noise or is not positive definite
    estimates: Array  # (K,) x' V^-1 u
    squared: Array  # (K,) x' V^-1 x
    theta: Array  # (d,) V^-1 u where it is computed by way of the inverse, else L^-1 u
    values: Array  # (K,) scratch, as `half`, `factor` and `noise`
    half: Array  # (d rounded up to whole blocks, K) L^-1 x
    before: Array  # (d, d) V when it was last solved
    factor: Array  # (d, d)
    noise: Array  # (d + d (d + 1) / 2,)
    recent: Array  # (RECENT,) int64 the arms played last
    nodes: Array  # (layers, d + d (d + 1) / 2) noise of the tree, layer by layer; or noise drawn once


@kernel
def open_server(features: Array, ridge: float, layers: int) -> Server:
    """Before the first message; features : (K, d). Behind its K arms come some of features 0, to fill the lanes."""
    d = features.shape[1]
    entries = d + d * (d + 1) // 2
    arms = -(-len(features) // LANES) * LANES
    columns = np.zeros((d, arms))
    columns[:, : len(features)] = features.T
    server = Server(
        columns,
        ridge * np.eye(d),
        np.zeros(d),
        np.eye(d) / ridge,
        np.zeros(arms),
        np.zeros(arms),
        np.zeros(d),
        np.zeros(arms),
        np.zeros((-(-d // BLOCK) * BLOCK, arms)),
        ridge * np.eye(d),
        np.zeros((d, d)),
        np.zeros(entries),
        np.zeros(RECENT, np.int64),
        np.zeros((layers, entries)),
    )
    root = math.sqrt(ridge)
    for i in range(d):
        for a in range(arms):
            part = server.columns[i, a] / root
            server.squared[a] += part * part
    return server


@round_step
def collect(gram: Array, target: Array, x: Array, ones: int, batch: int) -> None:
    """Add the sums of a batch of one arm to u and the lower triangle of V; marks are the lines of those named."""
    for i in range(len(x)):
        target[i] += ones * x[i]  # L4, L5, L7 of linucb_jdp; L4, L5 of linucb
        for j in range(i + 1):
            # L4, L5, L7 of linucb_jdp; L4, L5 of linucb
            gram[i, j] += batch * (x[i] * x[j])


@round_step
def add(gram: Array, target: Array, entries: Array, sign: float) -> None:
    """Add the vector and the lower triangle to u and V."""
    d = len(target)
    for i in range(d):
        target[i] += sign * entries[i]
    k = d
    for i in range(d):
        for j in range(i + 1):
            gram[i, j] += sign * entries[k]
            k += 1


@kernel
def grew(gram: Array, before: Array, factor: Array) -> bool:
    """Whether V is larger than before in every direction; `before` and `factor` (d, d) may be overwritten.

    Its first two rows are looked at first: noise is seldom positive definite.
    """
    first = gram[0, 0] - before[0, 0]
    if not first > 0.0:
        return False
    if len(gram) > 1:
        beside = (gram[1, 0] - before[1, 0]) / math.sqrt(first)
        if not (gram[1, 1] - before[1, 1]) - beside * beside > 0.0:
            return False
    for i in range(len(gram)):
        for j in range(i + 1):
            before[i, j] = gram[i, j] - before[i, j]
    return try_cholesky(before, factor)


@round_step
def solve(server: Server) -> tuple[bool, bool]:
    """Renew the estimates and squared widths after V and u have changed.

    Returns
    -------
    Whether V is positive definite, and whether it is larger than when it was last solved in every direction.
    """
    gram, before = server.gram, server.before
    growing = grew(gram, before, server.factor)
    for i in range(len(gram)):
        old, new = before[i], gram[i]
        for j in range(len(gram)):
            old[j] = new[j]
    return refresh(server), growing


@round_step
def solve_without_noise(server: Server, x: Array, arm: int, batch: int, m: int) -> tuple[bool, bool]:
    """As `solve`, after batch m has played one arm of features x, where V and u carry no noise: by rank-one updates."""
    if m % REFRESH == 0:
        refresh(server)
        inverse(server.gram, server.solved)
    else:
        rank_one(server, x, arm, 1.0 / batch)
    return True, True


@round_step
def rank_one(server: Server, x: Array, arm: int, weight: float) -> None:
    """V + x x' / weight: its inverse, the squared widths and the estimates."""
    d, h, theta, solved = len(x), server.noise, server.theta, server.solved
    for i in range(d):
        h[i] = dot(solved[i], x)
    scale = 1.0 / (weight + server.squared[arm])
    for i in range(d):
        for j in range(d):
            solved[i, j] -= scale * h[i] * h[j]
        theta[i] = dot(solved[i], server.target)
    overlap, squared, estimates = server.values, server.squared, server.estimates
    for a in range(len(squared)):
        overlap[a] = 0.0
        estimates[a] = 0.0
    add_multiples(overlap, h, server.columns)
    add_multiples(estimates, theta, server.columns)
    for a in range(len(squared)):
        left = squared[a] - scale * overlap[a] * overlap[a]
        squared[a] = left if left > 0.0 else 0.0


@round_step
def refresh(server: Server) -> bool:
    """Estimates and squared widths from V itself; whether it is positive definite.

    `solved` is left with the factor of V: `rank_one` needs the inverse there, which the caller must fill in.
    """
    if try_cholesky(server.gram, server.solved):
        solve_lower(server.solved, server.target, server.theta)
        forward(server.columns, server.solved, server.theta, server.half, server.estimates, server.squared)
        return True
    inverse(server.gram, server.solved)
    for i in range(len(server.theta)):
        server.theta[i] = dot(server.solved[i], server.target)
    server.estimates[:] = 0.0
    add_multiples(server.estimates, server.theta, server.columns)
    squares(server.columns, server.solved, False, server.half, server.squared)
    return False


@round_step
def forward(columns: Array, factor: Array, solved: Array, half: Array, estimates: Array, squared: Array) -> None:
    """Fill (K,) x' V^-1 u and x' V^-1 x for the `columns` x (d, K), V = L L'.

    Forward substitution of all columns by blocks of rows, each block one loop over the columns.

    Parameters
    ----------
    factor : (d, d) L; solved : (d,) L^-1 u.
    half : (d rounded up to whole blocks, K), overwritten.
    """
    d, arms = columns.shape
    for a in range(arms):
        estimates[a] = 0.0
        squared[a] = 0.0
    for i in range(min(BLOCK, d)):
        row, column = half[i], columns[i]
        for a in range(arms):
            row[a] = column[a]
    for i in range(d, len(half)):
        half[i] = 0.0
    solve_block(factor, 0, solved, half, estimates, squared)
    for first in range(BLOCK, d, BLOCK):
        begin_block(columns, factor, first, half)
        for earlier in range(BLOCK, first, BLOCK):
            subtract_block(factor, first, earlier, half)
        solve_block(factor, first, solved, half, estimates, squared)


@round_step
def entry(factor: Array, i: int, j: int) -> float:
    """An entry of L; beyond its end that of a unit matrix."""
    if i < len(factor):
        return factor[i, j]
    return 1.0 if i == j else 0.0


@round_step
def begin_block(columns: Array, factor: Array, first: int, half: Array) -> None:
    """The block of rows that starts at `first`, less its part along the first block, which is solved."""
    p, q, r, s, t = half[0], half[1], half[2], half[3], half[4]
    for i in range(first, min(first + BLOCK, len(factor))):
        row, column = half[i], columns[i]
        one, two, three, four, five = factor[i, 0], factor[i, 1], factor[i, 2], factor[i, 3], factor[i, 4]
        for a in range(len(row)):
            row[a] = ((((column[a] - one * p[a]) - two * q[a]) - three * r[a]) - four * s[a]) - five * t[a]


@round_step
def subtract_block(factor: Array, first: int, earlier: int, half: Array) -> None:
    """Subtract from the block of rows that starts at `first` its part along the solved block at `earlier`."""
    f, e = first, earlier
    p, q, r, s, t = half[e], half[e + 1], half[e + 2], half[e + 3], half[e + 4]
    for i in range(f, min(f + BLOCK, len(factor))):
        row = half[i]
        one, two, three = factor[i, e], factor[i, e + 1], factor[i, e + 2]
        four, five = factor[i, e + 3], factor[i, e + 4]
        for a in range(len(row)):
            row[a] = ((((row[a] - one * p[a]) - two * q[a]) - three * r[a]) - four * s[a]) - five * t[a]


@round_step
def solve_block(factor: Array, first: int, solved: Array, half: Array, estimates: Array, squared: Array) -> None:
    """Solve the block of rows that starts at `first`; add its part to the estimates and the squared widths."""
    f, d = first, len(factor)
    p, q, r, s, t = half[f], half[f + 1], half[f + 2], half[f + 3], half[f + 4]
    qp = entry(factor, f + 1, f)
    rp, rq = entry(factor, f + 2, f), entry(factor, f + 2, f + 1)
    sp, sq, sr = entry(factor, f + 3, f), entry(factor, f + 3, f + 1), entry(factor, f + 3, f + 2)
    tp, tq = entry(factor, f + 4, f), entry(factor, f + 4, f + 1)
    tr, ts = entry(factor, f + 4, f + 2), entry(factor, f + 4, f + 3)
    pp, qq, rr = 1.0 / factor[f, f], 1.0 / entry(factor, f + 1, f + 1), 1.0 / entry(factor, f + 2, f + 2)
    ss, tt = 1.0 / entry(factor, f + 3, f + 3), 1.0 / entry(factor, f + 4, f + 4)
    up, uq = solved[f], solved[f + 1] if f + 1 < d else 0.0
    ur, us = solved[f + 2] if f + 2 < d else 0.0, solved[f + 3] if f + 3 < d else 0.0
    ut = solved[f + 4] if f + 4 < d else 0.0
    for a in range(len(squared)):
        v = p[a] * pp
        w = (q[a] - qp * v) * qq
        x = ((r[a] - rp * v) - rq * w) * rr
        y = (((s[a] - sp * v) - sq * w) - sr * x) * ss
        z = ((((t[a] - tp * v) - tq * w) - tr * x) - ts * y) * tt
        p[a], q[a], r[a], s[a], t[a] = v, w, x, y, z
        squared[a] += (((v * v + w * w) + x * x) + y * y) + z * z
        estimates[a] += (((up * v + uq * w) + ur * x) + us * y) + ut * z
