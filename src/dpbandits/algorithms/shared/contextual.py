"""Shared by contextual bandits with one parameter: choices, regret, and errors of an estimate.

Ties go to the first arm. Contexts of equal norm have equal bonuses before the first message, up to rounding, so that
indices within `ROUNDING` of the largest count as equal.
"""

import math

import numpy as np

from dpbandits.base.jit import round_step
from dpbandits.numerics.linalg import dot

Array = np.ndarray
OUTPUTS = ("regret", "error", "direction")
"""Up to the checkpoint: sum of the largest mean minus the mean of the arm played. At the checkpoint: distance between
estimate and parameter, and between both scaled to norm 1, which is sqrt 2 for an estimate of 0."""
ROUNDING = 1e-12  # relative; source: our choice


@round_step
def add(total: Array, value: float) -> None:
    """Add to `total` (2,), which holds a sum and its rounding error (Kahan)."""
    exact = value - total[1]
    new = total[0] + exact
    total[1] = (new - total[0]) - exact
    total[0] = new


@round_step
def shortfall(means: Array, arm: int) -> float:
    """The largest mean minus the mean of the arm."""
    best = means[0]
    for k in range(1, len(means)):
        best = max(best, means[k])
    return best - means[arm]


@round_step
def greedy(contexts: Array, theta: Array) -> int:
    """The first arm with the largest x' theta."""
    arm, largest = 0, dot(contexts[0], theta)
    for k in range(1, len(contexts)):
        score = dot(contexts[k], theta)
        if score > largest:
            arm, largest = k, score
    return arm


@round_step
def first_best(indices: Array) -> int:
    """The first arm whose index is NaN, as in NumPy's argmax; otherwise the first arm with the largest index."""
    largest = indices[0]
    for k in range(len(indices)):
        if math.isnan(indices[k]):
            return k
        largest = max(largest, indices[k])
    least = largest - ROUNDING * abs(largest)
    for k in range(len(indices)):
        if indices[k] >= least:
            return k
    return 0


@round_step
def errors(estimate: Array, theta: Array) -> tuple[float, float]:
    """The outputs `error` and `direction`."""
    apart, between = 0.0, 0.0
    long, unit = math.sqrt(dot(estimate, estimate)), math.sqrt(dot(theta, theta))
    for i in range(len(theta)):
        apart += (estimate[i] - theta[i]) ** 2
        if long != 0.0:
            between += (estimate[i] / long - theta[i] / unit) ** 2
    return math.sqrt(apart), math.sqrt(between if long != 0.0 else 2.0)


@round_step
def limited(value: float, bound: float) -> float:
    """The value clipped to [-bound, bound]."""
    return min(max(value, -bound), bound)
