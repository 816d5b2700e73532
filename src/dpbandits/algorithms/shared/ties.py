"""The index of the largest value, with ties broken uniformly at random.

Sums of 0/1 rewards are often equal, and breaking ties by position would favor the first arms.
"""

import math

import numpy as np
from numpy.random import Generator

from dpbandits.base.jit import kernel


@kernel
def largest_of(rng: Generator, values: np.ndarray) -> int:
    """The index of the largest value; ties are broken uniformly at random, and only ties use random numbers."""
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
