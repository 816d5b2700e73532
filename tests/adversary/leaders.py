"""Which of several noisy sums is the largest, delta 0: one reward vector in [0, 1]^K is replaced, all others are free.

The chance that an action leads is an integral over its own noise, by Gauss-Legendre quadrature of parts between the
scores and close to them. Names do not matter, so that the first action is the one whose lead tells the inputs apart.
"""

import functools

import numpy as np
from scipy import special

from .search import Array, largest, unit

NODES, WEIGHTS = np.polynomial.legendre.leggauss(10)
NEAR = np.array([0.0, 1.0, 3.0, 8.0, 20.0])  # distances from a score at which parts end, in scales
BEYOND = 45.0  # scales beyond the outermost scores that count
POINTS, GENERATIONS = 32, 40


def log_lead(scores: Array) -> Array:
    """Logarithm (n,) of the chance that the first of several scores (K, n), each + Lap(1), is the largest."""
    ordered = np.sort(scores, axis=0)
    edges = np.concatenate([ordered[:1] - BEYOND, ordered, ordered[-1:] + BEYOND])
    lengths = np.diff(edges, axis=0)
    steps = np.minimum(NEAR[:, None, None], 0.5 * lengths)  # (5, K + 1, n)
    cuts = np.concatenate([edges[:-1] + steps, (edges[1:] - steps)[::-1]])  # (10, K + 1, n)
    half = 0.5 * np.diff(cuts, axis=0)
    x = (cuts[:-1] + half) + half * NODES[:, None, None, None]  # (10, 9, K + 1, n)
    logs = -np.abs(x - scores[0]) - np.log(2.0)
    for score in scores[1:]:
        noise = x - score
        logs += np.where(noise < 0.0, noise - np.log(2.0), np.log1p(-0.5 * np.exp(-np.maximum(noise, 0.0))))
    return special.logsumexp(logs, axis=(0, 1, 2), b=WEIGHTS[:, None, None, None] * half)


@functools.cache
def largest_loss(arms: int, rounds: int, scale: float) -> float:
    """The largest log-ratio of the chances to lead that was found."""

    def objective(p: Array) -> Array:
        others = (rounds - 1) * unit(p[:arms])
        first, second = unit(p[arms : 2 * arms]), unit(p[2 * arms :])
        return log_lead((others + first) / scale) - log_lead((others + second) / scale)

    return largest(objective, 3 * arms, POINTS, GENERATIONS)[0]
