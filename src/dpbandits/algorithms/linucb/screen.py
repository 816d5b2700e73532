"""The arm with the largest index in single precision, if its error bound leaves one; twice as fast as `rule.choose`.

If more than one arm remains, which is rare, all arms are scored as usual. Every choice therefore equals that of
`rule.choose` on every processor, although single precision may use fused multiply-adds.

Error bound. Let z = L^-1 x, z~ its computed value, and r the unit roundoff. Including the rounding of L and x,
(L + E) z~ = x + e with |E| <= (d + 5) r |L| and |e| <= r |x| (Higham, Accuracy and Stability of Numerical Algorithms,
Theorem 8.5), so |z~ - z| <= (d + 6) r |L^-1| |L| |z~|. With D the diagonal of L, |L^-1| is at most the inverse of
M = 2 D - |L|, and M^-1 |L| = 2 M^-1 D - 1 has the row sums `growth` - 1. So with g the largest entry of `growth`,
||z~ - z|| <= (d + 6) r sqrt(d) (g - 1) ||z~||. The squared width is ||z||^2 and the estimate (L^-1 u)'z. The errors of
these sums are at most (d + 3) r ||z~||^2 and (d + 3) r ||L^-1 u|| ||z~||: twice the bound, with g for g - 1, covers
them. It also covers the rounding in double precision and the tolerance for equal indices. Fused multiply-adds have
smaller errors.
"""

import math
from typing import NamedTuple

import numpy as np

from dpbandits.algorithms.linucb.forward import BLOCK, forward, fused_solve_block, fused_subtract, whole_blocks
from dpbandits.algorithms.linucb.rule import choose, move_to_front
from dpbandits.algorithms.linucb.server import Server, invert, score
from dpbandits.base.jit import fused_step, kernel, round_step
from dpbandits.numerics.linalg import LANES

Array = np.ndarray
UNIT = 2.0**-23  # twice the unit roundoff
WORST = 1e-3  # relative error above which no screen is used; source: our choice
LEAST, LARGEST = 1e-6, 1e9
"""Range of the diagonal of L, and of beta and L^-1 u, within which no relevant square underflows."""
GAP = 1e-24  # square of a gap between indices that exceeds every underflow


class Screen(NamedTuple):
    """Arguments of `forward` in float32; arrays are changed in place. K: number of arms rounded up to whole `LANES`."""

    columns: Array  # (D, K)
    lower: Array  # (D, D)
    reciprocals: Array  # (D,)
    known: Array  # (D,)
    half: Array  # (D, K)
    rest: Array  # (2, BLOCK, K)
    estimates: Array  # (K,)
    squared: Array  # (K,)
    solved: Array  # (d,) float64, scratch, like the next
    growth: Array  # (d,) float64


class Found(NamedTuple):
    """Results of `factorize_for`: whether V is positive definite, ||L^-1 u||, a bound on ||z~ - z|| / ||z~||."""

    definite: bool
    length: float
    error: float


UNKNOWN = Found(False, 0.0, np.inf)
"""Value before the first message."""


@kernel
def open_screen(features: Array) -> Screen:
    """The screen before the first message; features : (K, d)."""
    d, f = features.shape[1], np.float32
    arms, rows = -(-len(features) // LANES) * LANES, whole_blocks(d)
    columns = np.zeros((rows, arms), f)
    columns[:d, : len(features)] = features.T
    return Screen(
        columns,
        np.zeros((rows, rows), f),
        np.ones(rows, f),
        np.zeros(rows, f),
        np.zeros((rows, arms), f),
        np.zeros((2, BLOCK, arms), f),
        np.zeros(arms, f),
        np.zeros(arms, f),
        np.zeros(d),
        np.zeros(d),
    )


@round_step
def choose_screened(server: Server, screen: Screen, found: Found, arms: int, beta: float) -> tuple[int, bool]:
    """Same as `choose`, after `factorize_for`."""
    if found.definite:
        arm = only_arm(server, screen, found, arms, beta)
        if arm >= 0:
            move_to_front(server.recent, arm)
            return arm, False
        score(server)
    return choose(server, arms, beta)


@round_step
def only_arm(server: Server, screen: Screen, found: Found, arms: int, beta: float) -> int:
    """The only arm that can have the largest index within the error bound; -1 if there are several.

    An index e + beta sqrt(s) is within (beta + ||L^-1 u||) error sqrt(s~) of e~ + beta sqrt(s~). The largest index is
    at least that of a recently played arm. If this does not leave one arm, the bound is improved over all arms.
    """
    length, error = found.length, found.error
    if not (error < WORST and 0.0 <= beta < LARGEST and length < LARGEST):
        return -1
    estimates, squared = screen.estimates, screen.squared
    lower, reciprocals, known, half, rest = screen.lower, screen.reciprocals, screen.known, screen.half, screen.rest
    subtract, solve = fused_subtract, fused_solve_block
    forward(screen.columns, lower, reciprocals, known, half, rest, estimates, squared, subtract, solve)
    apart = (beta + length) * error
    low, most = beta - apart, np.float32((beta + apart) ** 2 * (1.0 + 8.0 * UNIT))
    arm, largest = -1, -np.inf
    for k in range(len(server.recent)):
        a = server.recent[k]
        index = estimates[a] + low * math.sqrt(squared[a])
        if index > largest:
            arm, largest = a, index
    if not_below(estimates, squared, arms, largest, most) == 1:
        return arm
    for a in range(arms):
        index = estimates[a] + low * math.sqrt(squared[a])
        if index > largest:
            arm, largest = a, index
    return arm if not_below(estimates, squared, arms, largest, most) == 1 else -1


@round_step
def factorize_for(screen: Screen, server: Server) -> Found:
    """Same as `server.factorize`, and fills the arguments of `forward`; row by row, to shorten dependency chains.

    Multiplies by reciprocals where `solve_lower` divides, in double precision. The error bound is infinite if the
    diagonal of L is not between `LEAST` and `LARGEST`.
    """
    gram, target, factor = server.gram, server.target, server.solved
    solved, growth, lower = screen.solved, screen.growth, screen.lower
    d, most, inside, length = len(factor), 2.0, True, 0.0
    for i in range(d):
        pivot, left, grown = gram[i, i], target[i], 0.0
        for j in range(i):
            s = gram[i, j]
            for k in range(j):
                s -= factor[i, k] * factor[j, k]
            entry = s / factor[j, j]
            factor[i, j] = lower[i, j] = entry
            pivot -= entry * entry
            left -= entry * solved[j]
            grown += abs(entry) * growth[j]
        if not pivot > 0.0:
            invert(server)
            return Found(False, 0.0, np.inf)
        root = math.sqrt(pivot)
        reciprocal = 1.0 / root
        factor[i, i] = root
        solved[i] = left * reciprocal
        growth[i] = 2.0 + grown * reciprocal
        most = max(most, growth[i])
        inside &= (root >= LEAST) & (root <= LARGEST)
        length += solved[i] * solved[i]
        screen.reciprocals[i] = reciprocal
        screen.known[i] = solved[i]
    return Found(True, math.sqrt(length), (d + 6) * UNIT * math.sqrt(d) * most if inside else np.inf)


@fused_step
def not_below(estimates: Array, squared: Array, arms: int, largest: float, most: np.float32) -> int:
    """Number of arms that may have e + sqrt(most s) >= `largest`, in single precision; NaN always may."""
    least = np.float32(largest - 2.0 * UNIT * abs(largest))
    left, none, small = np.int32(0), np.float32(0.0), np.float32(GAP)
    for a in range(arms):
        gap = least - estimates[a]
        gap = gap if gap > none else none
        left = np.int32(left + (not (most * squared[a] + small < gap * gap)))
    return int(left)
