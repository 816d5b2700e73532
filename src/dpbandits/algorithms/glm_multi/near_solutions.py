"""Which arm is greedy, most often without solving: from approximate estimates, and how far they are from exact ones.

Of (G + c I) theta = u let V = G + c I have the diagonal's mean m, and F = V - m I the Frobenius norm f. If f < m then
V is positive definite, with no eigenvalue below m - f. A step theta + r / m, r = u - V theta, leaves the residual
-F r / m, so that the new theta is within f ||r|| / (m (m - f)) of the solution. From one round to the next V and u
change little, so a step or two in each keep theta near. Where no arm leads by more than the errors, all are solved.

Marks are the lines of the algorithms named.
"""

import math

import numpy as np

from dpbandits.algorithms.shared.contextual import greedy
from dpbandits.base.jit import round_step
from dpbandits.numerics.linalg import dot

Array = np.ndarray
STEPS = 3  # before all arms are solved; source: our choice, by timing
ROUNDING = 1e-9  # relative; more than all rounding where the condition of V is at most 2 / LEAST
LEAST = 0.05  # of m - f, relative to m; source: our choice


@round_step
def approach(gram: Array, shift: float, target: Array, left: Array, theta: Array) -> float:
    """Bring theta a step nearer to (gram + shift I)^-1 target; return how far it may still be, infinite where unknown.

    Parameters
    ----------
    gram : (d, d), of which the lower triangle is read; target, theta : (d,); left : (d,), overwritten.
    """
    d, mean, spread = len(target), 0.0, 0.0
    for i in range(d):
        mean += gram[i, i] / d
        left[i] = target[i]
    for i in range(d):
        row, x, along, squares = gram[i], theta[i], 0.0, 0.0
        for j in range(i):
            along += row[j] * theta[j]
            squares += row[j] * row[j]
            left[j] -= row[j] * x
        apart = row[i] - mean
        left[i] -= along + (row[i] + shift) * x
        spread += 2.0 * squares + apart * apart
    mean, spread = mean + shift, math.sqrt(spread)
    if not (mean < np.inf and mean - spread > LEAST * mean):
        return np.inf
    for i in range(d):
        theta[i] += left[i] / mean  # L5 of ldp_ols_multi_released
    step = math.sqrt(dot(left, left)) / mean
    error = spread * step / (mean - spread)
    return error + ROUNDING * (error + step + math.sqrt(dot(theta, theta)))


@round_step
def surely_greedy(theta: Array, errors: Array, x: Array) -> int:
    """The arm of largest x' theta, -1 where another might have it; errors : (K,) bounds of the distance of theta."""
    arm, length = greedy(theta, x), math.sqrt(dot(x, x))  # L4 of ldp_ols_multi_released
    least = dot(theta[arm], x) - errors[arm] * length
    for k in range(len(theta)):
        if k != arm and not dot(theta[k], x) + errors[k] * length < least:
            return -1
    return arm if least > -np.inf else -1


@round_step
def nearly_greedy(
    grams: Array, shifts: Array, targets: Array, count: Array, room: Array, theta: Array, x: Array
) -> int:
    """The arm of largest x' theta of the exact estimates, -1 where that stays open; theta comes nearer to them.

    All matrices are positive definite where it is known. An arm without messages keeps its theta.

    Parameters
    ----------
    grams : (K, d, d); shifts, count : (K,); targets, theta : (K, d); room : (2, d or K or more), overwritten.
    """
    left, errors = room[0, : theta.shape[1]], room[1]
    for _ in range(STEPS):
        for k in range(len(theta)):
            errors[k] = approach(grams[k], shifts[k], targets[k], left, theta[k]) if count[k] > 0 else 0.0
        arm = surely_greedy(theta, errors, x)
        if arm >= 0:
            return arm
    return -1
