"""The rule of every LinUCB of this family: the confidence radius, and the arm of largest index.

Choices that the paper leaves open:
    indefinite  A noisy V need not be positive definite. The paper excludes this with high probability and defines
                nothing. Here the index still uses the inverse, and the first arm with x' V^-1 x < 0 is played, as
                NumPy's argmax does with the NaN in the released code. The trace counts both.
    ties        The first arm is played, as in `contextual.first_best`: arms of one norm have equal indices in the first
                batch, but for rounding, and indices within `contextual.ROUNDING` of the largest count as equal to it.
"""

import math
from typing import NamedTuple

import numpy as np

from dpbandits.algorithms.linucb.server import Server
from dpbandits.algorithms.shared.contextual import ROUNDING
from dpbandits.base.jit import kernel, round_step

MARGIN = 1e-9  # relative
SMALL = 1e-280  # squares below it underflow


class Radius(NamedTuple):
    """The confidence radius beta = constant + scale sqrt(confidence + d ln(start + t / (d floor)))."""

    constant: float
    scale: float
    confidence: float
    start: float
    floor: float


@kernel
def width(radius: Radius, d: int, t: int) -> float:
    """Return beta after t rounds in closed batches."""
    if not radius.scale > 0.0:
        return radius.constant
    inside = radius.confidence + d * math.log(radius.start + t / (d * radius.floor))
    return radius.constant + radius.scale * math.sqrt(inside)


@kernel
def first_negative(values: np.ndarray) -> int:
    """Return the place of the first negative value."""
    return int(np.argmax(values < 0.0))


@round_step
def choose(server: Server, arms: int, beta: float) -> tuple[int, bool]:
    """As `best_of_all`, without the roots of arms that cannot win: their index is below that of an arm played lately.

    An index e + beta sqrt(s) lies below `least` if beta^2 s < (least - e)^2 and e < `least`. The margins exceed all
    rounding, also where squares underflow, and the distance within which indices count as equal. NaN never
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
    if left > 1 or largest == -np.inf:  # the arm played lately is always left
        arm, negative = best_of_all(estimates, squared, server.values, arms, beta)
    move_to_front(recent, arm)
    return arm, negative


@round_step
def move_to_front(recent: np.ndarray, arm: int) -> None:
    """Put the arm before the other ones; the last one goes where it was not among them."""
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
    """Return the arm of largest index among so many, and whether it is played for its negative x' V^-1 x instead."""
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
