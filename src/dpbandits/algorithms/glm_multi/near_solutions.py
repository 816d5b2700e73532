"""Find the greedy arm, usually without solving, from approximate estimates and bounds on their errors.

To solve (G + c I) theta = u, let V = G + c I, m the mean of its diagonal, and f the Frobenius norm of F = V - m I. If
f < m, then V is positive definite with no eigenvalue below m - f. A step theta + r / m, with r = u - V theta, leaves
the residual -F r / m. The new theta is therefore within f ||r|| / (m (m - f)) of the solution. V and u change little
from round to round, so that one or two steps per round keep theta close. If no arm leads by more than the errors, all
systems are solved.

Line marks refer to the named algorithms.
"""

import math

import numpy as np

from dpbandits.algorithms.shared.contextual import greedy
from dpbandits.base.jit import round_step
from dpbandits.numerics.linalg import dot

Array = np.ndarray
STEPS = 3  # most steps before all systems are solved; source: our choice, by timing
ROUNDING = 1e-9  # relative; exceeds all rounding while the condition number of V is at most 2 / LEAST
LEAST = 0.05  # required (m - f) / m; source: our choice


@round_step
def approach(gram: Array, shift: float, target: Array, left: Array, theta: Array) -> float:
    """Take one step of theta towards (gram + shift I)^-1 target; return a bound on its error, infinite if unknown.

    Parameters
    ----------
    gram : (d, d), only the lower triangle is read; target, theta : (d,); left : (d,), overwritten.
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
    """The arm with the largest x' theta, or -1 if uncertain; errors : (K,) bounds on the distance of theta."""
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
    """The arm with the largest x' theta for the exact estimates, or -1 if undecided; improves theta.

    If the arm is decided, all matrices are positive definite. An arm without messages keeps its theta.

    Parameters
    ----------
    grams : (K, d, d); shifts, count : (K,); targets, theta : (K, d); room : (2, max(d, K) or more), overwritten.
    """
    left, errors = room[0, : theta.shape[1]], room[1]
    for _ in range(STEPS):
        for k in range(len(theta)):
            errors[k] = approach(grams[k], shifts[k], targets[k], left, theta[k]) if count[k] > 0 else 0.0
        arm = surely_greedy(theta, errors, x)
        if arm >= 0:
            return arm
    return -1
