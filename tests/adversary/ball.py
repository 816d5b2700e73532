"""Vectors that are sent by the mechanism of the l2-ball, delta 0: pairs of vectors, and outputs that tell them apart.

The mechanism keeps the direction of x with probability 1/2 + |x| / (2 R), else turns it round. The output is uniform on
the half of a sphere around that direction with probability `keep`, else on the other half.
Source: Section 2, arXiv 2106.03365.
"""

import functools
import math

import numpy as np

from .search import Array, ball, largest, one_of


def log_density(x: Array, output: Array, keep: float) -> Array:
    """Log density (n,) of outputs (d, n) for vectors (d, n) in the unit ball, relative to uniform outputs."""
    kept = 0.5 + 0.5 * np.sqrt((x**2).sum(axis=0))
    side = (x * output).sum(axis=0)
    near = kept * keep + (1.0 - kept) * (1.0 - keep)
    return np.log(np.where(side > 0.0, 2.0 * near, np.where(side < 0.0, 2.0 * (1.0 - near), 1.0)))


@functools.cache
def largest_loss(d: int, arms: int, together: bool, keep: float) -> float:
    """The largest log-ratio of densities that was found; any vector in the ball and any arm for either user.

    Parameters
    ----------
    arms : of which a user plays one. together : whether one message has a block for every arm; else every arm has a
        message of its own, about the vector 0 if it is not played.
    """
    numbers = d + 1

    def objective(p: Array) -> Array:
        found = np.zeros(p.shape[1])
        for start, sign in ((0, 1.0), (numbers, -1.0)):
            vector, arm = ball(p[start : start + d]), one_of(p[start + d], arms)
            blocks = [np.where(arm == place, vector, 0.0) for place in range(arms)]
            outputs = p[2 * numbers :].reshape(arms, d, -1)
            if together:
                blocks, outputs = [np.concatenate(blocks)], outputs.reshape(1, arms * d, -1)
            found += sign * sum(log_density(x, out, keep) for x, out in zip(blocks, outputs, strict=True))
        return found

    return largest(objective, 2 * numbers + arms * d)[0]


def less_noise(keep: float, noise: float) -> float:
    """The chance to keep a half where the epsilon of the mechanism is larger by the factor 1 / `noise`."""
    epsilon = (math.log(keep) - math.log1p(-keep)) / noise
    return 1.0 / (1.0 + math.exp(-epsilon))
