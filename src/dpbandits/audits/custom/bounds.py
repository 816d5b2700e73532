"""Bounds on epsilon from the runs in chosen pieces of a score.

threshold  As in `privacy.auditing`: epsilon >= ln((P(S) - delta) / P'(S)), each probability bounded at alpha / 2.
guesses    As there at delta = 0. At delta > 0 a pair of inputs is a randomized response that reveals the input with
           probability delta and is else epsilon-private [1]_. So the right guesses of r are at most those of a binomial
           distribution with e^eps / (1 + e^eps), and the runs that reveal, Bin(N, delta) of N labeled ones. The upper
           limit of these at alpha / 2 is taken off the right guesses; the rest is bounded at alpha / 2.

.. [1] Kairouz, Oh and Viswanath, "The composition theorem for differential privacy", ICML 2015, Theorem 3.2.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import stats

from dpbandits.audits.release import Array
from dpbandits.privacy.auditing_scores import Order, event_epsilon, guessed_epsilon, labeled

TINY = 1e-300  # above zero, to divide by
BOTH: tuple[Order, Order] = ("first", "second")
Test = Literal["threshold", "guesses"]
Counts = tuple[int, ...]


@dataclass(frozen=True)
class Piece:
    """An interval of a score, ends included, and the input to which it points."""

    low: float
    high: float
    points: Order

    def has(self, scores: Array) -> Array:
        """(n,) whether each score lies in it."""
        found: Array = (scores >= self.low) & (scores <= self.high)
        return found


def counted(pieces: tuple[Piece, ...], runs: tuple[Array, Array]) -> Array:
    """(2, pieces): how many runs of either input lie in each piece."""
    return np.array([[np.count_nonzero(piece.has(row)) for piece in pieces] for row in runs], dtype=float)


def bound_of(
    test: Test,
    pieces: tuple[Piece, ...],
    counts: Array,
    runs: int,
    delta: float,
    alpha: float,
    labels: Array | None = None,
) -> float:
    """The lower bound on epsilon from the `counts` (2, pieces) of as many `runs` of either input; may be negative.

    Parameters
    ----------
    labels : (2, pieces), the counts among the labeled runs alone, to guess; a share of all of them if not given.
    """
    to_second = np.array([piece.points == "second" for piece in pieces])
    if test == "threshold":
        one = int(to_second[0])
        return float(event_epsilon(counts[one].sum(), counts[1 - one].sum(), runs, delta, alpha))
    number = labeled(runs)
    guessed = counts * (number / (2 * runs)) if labels is None else labels
    right = float(np.where(to_second, guessed[1], guessed[0]).sum())
    return guesses_bound(right, float(guessed.sum()), number, delta, alpha)


def guesses_bound(right: float, guesses: float, number: int, delta: float, alpha: float) -> float:
    """The lower bound on epsilon from the `right` of all `guesses` in `number` labeled runs."""
    if delta == 0.0:
        return float(guessed_epsilon(right, guesses, alpha)) if guesses else -math.inf
    most = revealed(number, delta, alpha / 2)
    return float(guessed_epsilon(right - most, guesses, alpha / 2)) if right > most else -math.inf


def revealed(number: int, delta: float, alpha: float) -> int:
    """The least count that a Bin(`number`, `delta`) exceeds with probability at most `alpha`."""
    return int(stats.binom.isf(alpha, number, delta))


def needed(eps: float, alpha: float) -> int:
    """The least number of guesses that break the claim `eps` at delta 0 if all are right."""
    return math.floor(math.log(1.0 / alpha) / max(math.log1p(math.exp(-eps)), TINY)) + 1
