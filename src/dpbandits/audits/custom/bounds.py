"""Lower bounds on epsilon from the runs in selected pieces of a score.

threshold  As in `privacy.auditing`: epsilon >= ln((P(S) - delta) / P'(S)), with each probability bounded at alpha / 2.
guesses    For delta = 0 as in `privacy.auditing`. For delta > 0 a pair of inputs is a randomized response that reveals
           the input with probability delta and is otherwise epsilon-private [1]_. So the right guesses among r are
           dominated by a binomial count with e^eps / (1 + e^eps) plus the number of revealing runs, Bin(N, delta) for
           N labeled runs. The upper limit of the latter at alpha / 2 is subtracted; the rest is bounded at alpha / 2.

.. [1] Kairouz, Oh and Viswanath, "The composition theorem for differential privacy", ICML 2015, Theorem 3.2.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import stats

from dpbandits.audits.release import Array
from dpbandits.privacy.auditing_scores import Order, event_epsilon, guessed_epsilon, labeled

TINY = 1e-300  # avoids division by zero
BOTH: tuple[Order, Order] = ("first", "second")
Test = Literal["threshold", "guesses"]
Counts = tuple[int, ...]


@dataclass(frozen=True)
class Piece:
    """A closed interval of a score, and the input that it points to."""

    low: float
    high: float
    points: Order

    def has(self, scores: Array) -> Array:
        """Whether each score lies in the interval, (n,)."""
        found: Array = (scores >= self.low) & (scores <= self.high)
        return found


def counted(pieces: tuple[Piece, ...], runs: tuple[Array, Array]) -> Array:
    """Number of runs of each input in each piece, (2, pieces)."""
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
    """The lower bound on epsilon from `counts` (2, pieces) among `runs` of each input; may be negative.

    Parameters
    ----------
    labels : (2, pieces) counts among the labeled runs only, for guesses; by default a share of all counts.
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
    """The lower bound on epsilon from `right` among `guesses` guesses in `number` labeled runs."""
    if delta == 0.0:
        return float(guessed_epsilon(right, guesses, alpha)) if guesses else -math.inf
    most = revealed(number, delta, alpha / 2)
    return float(guessed_epsilon(right - most, guesses, alpha / 2)) if right > most else -math.inf


def revealed(number: int, delta: float, alpha: float) -> int:
    """The least count that a Bin(`number`, `delta`) exceeds with probability at most `alpha`."""
    return int(stats.binom.isf(alpha, number, delta))


def needed(eps: float, alpha: float) -> int:
    """The least number of guesses that violate the claim `eps` at delta 0 if all are right."""
    return math.floor(math.log(1.0 / alpha) / max(math.log1p(math.exp(-eps)), TINY)) + 1
