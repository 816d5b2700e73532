"""The largest of some values, where equal ones have equal chances.

Sums of 0/1 rewards are often equal, and a rule that took the first of them would favor an arm for its place.
"""

import math

import numpy as np
from numpy.random import Generator

from dpbandits.base.jit import kernel


@kernel
def largest_of(rng: Generator, values: np.ndarray) -> int:
    """The place of the largest value; of several equal ones, one uniformly at random; draws for these alone."""
    place, largest, equal = 0, -math.inf, 0
    for j in range(len(values)):
        if values[j] > largest:
            place, largest, equal = j, values[j], 1
        elif values[j] == largest:
            equal += 1
    if equal > 1:
        left = rng.integers(0, equal)
        for j in range(len(values)):
            if values[j] == largest:
                if left == 0:
                    return j
                left -= 1
    return place
