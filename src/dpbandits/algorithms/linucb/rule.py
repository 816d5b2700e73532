"""The rule shared by every LinUCB of this family: the confidence radius, and the arm with the largest index.

Choices that the paper leaves open:
    indefinite  A noisy V may fail to be positive definite. The paper excludes this with high probability and does not
                define the rule then. Here the index still uses the inverse, and the first arm with x' V^-1 x < 0 is
                played, as NumPy's argmax does with the NaN in the released code. The trace counts both events.
    ties        The first arm is played, as in `contextual.first_best`. Arms of equal norm have equal indices in the
                first batch, up to rounding, so indices within `contextual.ROUNDING` of the largest count as equal.
"""

import math
from typing import NamedTuple

import numpy as np

from dpbandits.algorithms.linucb.server import Server
from dpbandits.algorithms.shared.contextual import ROUNDING
from dpbandits.base.jit import kernel, round_step

MARGIN = 1e-9  # relative
SMALL = 1e-280  # smaller squares underflow


class Radius(NamedTuple):
    """The confidence radius beta = constant + scale sqrt(confidence + d ln(start + t / (d floor)))."""

    constant: float
    scale: float
    confidence: float
    start: float
    floor: float


@kernel
def width(radius: Radius, d: int, t: int) -> float:
    """beta after t rounds in completed batches."""
    if not radius.scale > 0.0:
        return radius.constant
    inside = radius.confidence + d * math.log(radius.start + t / (d * radius.floor))
    return radius.constant + radius.scale * math.sqrt(inside)


@kernel
def first_negative(values: np.ndarray) -> int:
    """The position of the first negative value."""
    return int(np.argmax(values < 0.0))


@round_step
def choose(server: Server, arms: int, beta: float) -> tuple[int, bool]:
    """Same as `best_of_all`, but skips the roots of arms whose index is certainly below that of a recently played arm.

    An index e + beta sqrt(s) lies below `least` if beta^2 s < (least - e)^2 and e < `least`. The margins exceed all
    rounding errors, including underflow of squares, and the tolerance within which indices count as equal. NaN never
    counts as below.
    """
    estimates, squared, recent = server.estimates, server.squared, server.recent
    arm, largest = 0, -np.inf
    for k in range(len(recent)):
        a = recent[k]
        if squared[a] >= 0.0:
            index = estimates[a] + beta * math.sqrt(squared[a])
            if index > largest:
                arm, largest = a, index
    least = largest - 2.0 * ROUNDING * abs(largest)
    most = max(beta * beta, SMALL) * (1.0 + MARGIN)
    left = 0
    for a in range(arms):
        gap = least - estimates[a]
        gap = gap if gap > 0.0 else 0.0
        left += not ((squared[a] >= 0.0) & (most * squared[a] + SMALL < gap * gap))
    negative = False
    if left > 1 or largest == -np.inf:  # the recently played arm always remains
        arm, negative = best_of_all(estimates, squared, server.values, arms, beta)
    move_to_front(recent, arm)
    return arm, negative


@round_step
def move_to_front(recent: np.ndarray, arm: int) -> None:
    """Move the arm to the front; if it was not in the list, the last arm drops out."""
    k = 0
    while k < len(recent) - 1 and recent[k] != arm:
        k += 1
    for j in range(k, 0, -1):
        recent[j] = recent[j - 1]
    recent[0] = arm


@kernel
def best_of_all(
    estimates: np.ndarray, squared: np.ndarray, values: np.ndarray, arms: int, beta: float
) -> tuple[int, bool]:
    """The arm with the largest index, and whether it is instead played for its negative x' V^-1 x."""
    negative = 0
    for a in range(arms):
        negative += squared[a] < 0.0
    if negative > 0:
        return first_negative(squared), True
    for a in range(arms):
        values[a] = estimates[a] + beta * math.sqrt(squared[a])
    best = -np.inf
    for a in range(arms):
        if values[a] > best:
            best = values[a]
    least = best - ROUNDING * abs(best)
    for a in range(arms):
        if values[a] >= least:
            return a, False
    return 0, False
