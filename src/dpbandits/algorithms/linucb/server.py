"""The state of a LinUCB server and its updates: V, u, and the estimate and width of every arm.

With V = L L', the rule needs x' V^-1 u and x' V^-1 x of all arms. Both are products of L^-1 x, which `forward` computes
for all arms at once, with L^-1 u, so that neither the inverse nor theta is needed. If V is not positive definite, they
are computed from its inverse. If it carries no noise, its inverse gets rank-one updates (Sherman and Morrison).

The kernels take only the arrays that they need, since passing many arrays costs as much as using them.
"""

import math
from typing import NamedTuple

import numpy as np

from dpbandits.algorithms.linucb.forward import BLOCK, forward, solve_block, subtract, whole_blocks
from dpbandits.base.jit import kernel, round_step
from dpbandits.numerics.linalg import LANES, add_multiples, dot, inverse, solve_lower, squares, try_cholesky

Array = np.ndarray
RECENT = 4  # recently played arms to remember; source: our choice, by timing
REFRESH = 1000  # rank-one updates between two factorizations; source: our choice


class Server(NamedTuple):
    """The state of the server; arrays are changed in place, K is the number of arms rounded up to whole `LANES`."""

    columns: Array  # (d, K) features of the arms
    gram: Array  # (d, d) V, as its lower triangle
    target: Array  # (d,) u
    solved: Array  # (d, d) factor of V; the inverse if V carries no noise or is not positive definite
    estimates: Array  # (K,) x' V^-1 u
    squared: Array  # (K,) x' V^-1 x
    theta: Array  # (d,) V^-1 u if computed from the inverse, otherwise L^-1 u
    values: Array  # (K,) scratch, like the following up to `noise`, except `before`
    padded: Array  # (D, K) for `forward`, like the next five; D = `whole_blocks`(d)
    lower: Array  # (D, D)
    reciprocals: Array  # (D,)
    known: Array  # (D,)
    half: Array  # (D, K)
    rest: Array  # (2, BLOCK, K)
    before: Array  # (d, d) V when it was last solved
    factor: Array  # (d, d)
    noise: Array  # (d + d (d + 1) / 2,)
    recent: Array  # (RECENT,) int64 the most recently played arms
    entries: Array  # (d^2,) view of `gram`, to copy all entries at once
    entries_before: Array  # (d^2,) view of `before`
    nodes: Array  # (layers, d + d (d + 1) / 2) noise of the tree, layer by layer; or noise drawn once


@kernel
def open_server(features: Array, ridge: float, layers: int) -> Server:
    """The server before the first message; features : (K, d), padded by arms with features 0 to fill the lanes."""
    d = features.shape[1]
    entries = d + d * (d + 1) // 2
    arms, rows = -(-len(features) // LANES) * LANES, whole_blocks(d)
    padded = np.zeros((rows, arms))
    padded[:d, : len(features)] = features.T
    gram, before = ridge * np.eye(d), ridge * np.eye(d)
    server = Server(
        padded[:d],
        gram,
        np.zeros(d),
        np.eye(d) / ridge,
        np.zeros(arms),
        np.zeros(arms),
        np.zeros(d),
        np.zeros(arms),
        padded,
        np.zeros((rows, rows)),
        np.ones(rows),
        np.zeros(rows),
        np.zeros((rows, arms)),
        np.zeros((2, BLOCK, arms)),
        before,
        np.zeros((d, d)),
        np.zeros(entries),
        np.zeros(RECENT, np.int64),
        gram.reshape(d * d),
        before.reshape(d * d),
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
    """Add the sums of a batch of one arm to u and the lower triangle of V; line marks refer to the named algorithms."""
    for i in range(len(x)):
        target[i] += ones * x[i]  # L4, L5, L7 of linucb_jdp; L4, L5 of linucb
        for j in range(i + 1):
            # L4, L5, L7 of linucb_jdp; L4, L5 of linucb
            gram[i, j] += batch * (x[i] * x[j])


@round_step
def add(gram: Array, target: Array, entries: Array, sign: float) -> None:
    """Add the vector and the lower triangle in `entries`, times `sign`, to u and V."""
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

    Checks the whole diagonal first, without branches, because noise is seldom positive definite.
    """
    larger = True
    for i in range(len(gram)):
        larger &= gram[i, i] - before[i, i] > 0.0
    return larger and grew_everywhere(gram, before, factor)


@kernel
def grew_everywhere(gram: Array, before: Array, factor: Array) -> bool:
    """Same as `grew`, for the case that every entry on the diagonal is larger."""
    for i in range(len(gram)):
        for j in range(i + 1):
            before[i, j] = gram[i, j] - before[i, j]
    return try_cholesky(before, factor)


@round_step
def solve(server: Server) -> tuple[bool, bool]:
    """Recompute the estimates and squared widths after V and u have changed.

    Returns
    -------
    Whether V is positive definite, and whether it is larger in every direction than when it was last solved.
    """
    growing = compare(server)
    return refresh(server), growing


@round_step
def compare(server: Server) -> bool:
    """Whether V is larger in every direction than at the previous call."""
    growing = grew(server.gram, server.before, server.factor)
    old, new = server.entries_before, server.entries
    for i in range(len(new)):
        old[i] = new[i]
    return growing


@round_step
def solve_without_noise(server: Server, x: Array, arm: int, batch: int, m: int) -> tuple[bool, bool]:
    """Same as `solve`, by a rank-one update, after batch m played one arm with features x and no noise was added."""
    if m % REFRESH == 0:
        refresh(server)
        inverse(server.gram, server.solved)
    else:
        rank_one(server, x, arm, 1.0 / batch)
    return True, True


@round_step
def rank_one(server: Server, x: Array, arm: int, weight: float) -> None:
    """Add x x' / weight to V: update its inverse, the squared widths and the estimates."""
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
    """Recompute estimates and squared widths from V itself; return whether it is positive definite.

    `solved` then holds the factor of V. `rank_one` needs the inverse there, which the caller must fill in.
    """
    definite = factorize(server)
    if definite:
        score(server)
    return definite


@round_step
def factorize(server: Server) -> bool:
    """Factorize V if it is positive definite; otherwise compute estimates and squared widths from its inverse."""
    if try_cholesky(server.gram, server.solved):
        return True
    invert(server)
    return False


@round_step
def invert(server: Server) -> None:
    """Compute estimates and squared widths from the inverse of V, which may be indefinite."""
    inverse(server.gram, server.solved)
    for i in range(len(server.theta)):
        server.theta[i] = dot(server.solved[i], server.target)
    server.estimates[:] = 0.0
    add_multiples(server.estimates, server.theta, server.columns)
    squares(server.columns, server.solved, False, server.half, server.squared)


@round_step
def score(server: Server) -> None:
    """Compute estimates and squared widths from the factor of V."""
    solve_lower(server.solved, server.target, server.theta)
    factor, lower, reciprocals, known = server.solved, server.lower, server.reciprocals, server.known
    for i in range(len(factor)):
        for j in range(i):
            lower[i, j] = factor[i, j]
        reciprocals[i] = 1.0 / factor[i, i]
        known[i] = server.theta[i]
    half, rest, estimates, squared = server.half, server.rest, server.estimates, server.squared
    forward(server.padded, lower, reciprocals, known, half, rest, estimates, squared, subtract, solve_block)
