"""Epsilons and deltas of two distributions on the same outcomes, by sums over events.

An event E with probabilities P(E) and Q(E) requires P(E) <= e^eps Q(E) + delta. If the outcomes are sorted by
increasing odds of the second distribution to the first, the worst events are those beyond an outcome, at either end. In
any other order, and for distributions of a function of the view, the result is a lower bound.
"""

import numpy as np

from dpbandits.audits.release import Array


def epsilon(first: Array, second: Array, delta: float) -> float:
    """The least eps at `delta`, for the worse order of the two; infinite if one of them excludes an event."""
    found = 0.0
    for above, below in _events(first, second):
        usable = above > delta
        if np.any(usable & (below <= 0.0)):
            return np.inf
        if np.any(usable):
            found = max(found, float(np.max(np.log((above[usable] - delta) / below[usable]))))
    return found


def delta_at(first: Array, second: Array, eps: float) -> float:
    """The least delta at `eps`, for the worse order of the two distributions."""
    found = max(float(np.max(above - np.exp(eps) * below)) for above, below in _events(first, second))
    return min(1.0, max(0.0, found))


def _events(first: Array, second: Array) -> list[tuple[Array, Array]]:
    """Probabilities of the events at each end, under the likelier distribution first."""
    return [(np.cumsum(second[::-1]), np.cumsum(first[::-1])), (np.cumsum(first), np.cumsum(second))]
