"""What algorithms for contextual bandits with one parameter share: choices, regret, and errors of an estimate.

Among equal scores the first arm is played; a score that is no number counts as the largest, as in NumPy's argmax.
"""

import math

import numpy as np

from dpbandits.jit import kernel
from dpbandits.linalg import dot

Array = np.ndarray
OUTPUTS = ("regret", "error", "direction")
"""Up to the checkpoint: sum of the largest mean less that of the arm played; at it: distance of the estimate from the
parameter, and of the two scaled to norm 1, which is sqrt 2 for an estimate of 0."""


@kernel
def add(total: Array, value: float) -> None:
    """Add to `total` (2,), a sum and what its rounding lost (Kahan)."""
    exact = value - total[1]
    new = total[0] + exact
    total[1] = (new - total[0]) - exact
    total[0] = new


@kernel
def shortfall(means: Array, arm: int) -> float:
    """The largest mean less that of the arm."""
    best = means[0]
    for k in range(1, len(means)):
        best = max(best, means[k])
    return best - means[arm]


@kernel
def first_best(scores: Array) -> int:
    """The first arm of largest score."""
    best = 0
    for k in range(len(scores)):
        if math.isnan(scores[k]):
            return k
        if scores[k] > scores[best]:
            best = k
    return best


@kernel
def greedy(contexts: Array, theta: Array, scores: Array) -> int:
    """The first arm of largest x' theta; `scores` (K,) is overwritten."""
    for k in range(len(contexts)):
        scores[k] = dot(contexts[k], theta)
    return first_best(scores)


@kernel
def errors(estimate: Array, theta: Array) -> tuple[float, float]:
    """The outputs `error` and `direction`."""
    apart, between = 0.0, 0.0
    long, unit = math.sqrt(dot(estimate, estimate)), math.sqrt(dot(theta, theta))
    for i in range(len(theta)):
        apart += (estimate[i] - theta[i]) ** 2
        if long != 0.0:
            between += (estimate[i] / long - theta[i] / unit) ** 2
    return math.sqrt(apart), math.sqrt(between if long != 0.0 else 2.0)


@kernel
def limited(value: float, bound: float) -> float:
    """The value, cut to [-bound, bound]."""
    return min(max(value, -bound), bound)
