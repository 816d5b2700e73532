"""The power of an audit of a user's own mechanism, calculated from binomial distributions, not simulated.

A violation is found if two rounds of runs show it. Of the probability of a miss, 1 - `POWER`, each round's bound may
use a quarter. The other half is for the selection of the event in both rounds, whose errors are not calculated: tests
simulate both cases, also for claims near the cap. Two reference mechanisms stand for all; others may need more.

excess  Randomized response at delta 0: one bit, right with odds e^eps. At delta > 0 it also reveals the input with
        probability delta. No mechanism with this epsilon and delta shows more (Kairouz, Oh and Viswanath, ICML 2015).
leak    A value that one input returns with probability p and the other never; otherwise as private as claimed.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import optimize, special, stats

from dpbandits.audits.custom.bounds import guesses_bound
from dpbandits.audits.custom.candidates import KINDS
from dpbandits.audits.release import Array
from dpbandits.privacy.auditing import ALPHA, cap
from dpbandits.privacy.auditing_scores import labeled

POWER = 0.95  # probability with which an audit finds the violations in `Power`; our choice
ROUND = 1.0 - (1.0 - POWER) / 4  # power of each round's bound; our choice
FARTHEST = 9.0  # sums over counts cover this many standard deviations around the mean; our choice
LARGEST = 700.0  # largest epsilon of a reference, so that its odds are finite


@dataclass(frozen=True)
class Power:
    """The violations that are found with probability at least `POWER`.

    Attributes
    ----------
    epsilon : the least epsilon, above the claim, of a randomized response. leak : the least probability of a value that
        only one input returns. None if no such violation is found.
    """

    epsilon: float | None
    leak: float | None


def power_of(eps: float, delta: float, trials: int, alpha: float = ALPHA) -> Power:
    """The power of an audit of the claim (eps, delta).

    Parameters
    ----------
    trials : runs on each input that give the bound. alpha : error probability of a round, shared by the kinds of
        candidates.
    """
    share = alpha / len(KINDS)
    if cap(trials, delta, share) <= eps:
        return Power(None, None)
    excess = min(_guessed_excess(eps, delta, trials, share), _counted_excess(eps, delta, trials, share))
    leak = min(_guessed_leak(eps, delta, trials, share), _counted_leak(eps, delta, trials, share))
    return Power(excess if excess < math.inf else None, leak if leak < 1.0 else None)


def _guessed_excess(eps: float, delta: float, trials: int, alpha: float) -> float:
    """The least epsilon of a randomized response for which guesses on all labeled runs show more than `eps`."""
    number = labeled(trials)
    right = _least_count(number, lambda count: guesses_bound(count, number, number, delta, alpha) > eps)
    if right is None:
        return math.inf
    bit = (float(_probability(right, number)) - delta) / (1.0 - delta)
    return float(special.logit(bit))


def _counted_excess(eps: float, delta: float, trials: int, alpha: float) -> float:
    """The least epsilon of a randomized response for which counts of one bit on each input show more than `eps`."""

    def missing(actual: float) -> float:
        right = float(special.expit(actual))
        p, q = delta + (1.0 - delta) * right, (1.0 - delta) * (1.0 - right)
        return ROUND - _power_of_counts(eps, delta, trials, alpha, p, q)

    if missing(LARGEST) > 0.0:
        return math.inf
    return float(optimize.brentq(missing, eps, LARGEST, xtol=1e-6)) if missing(eps) > 0.0 else eps


def _power_of_counts(eps: float, delta: float, trials: int, alpha: float, p: float, q: float) -> float:
    """Probability that counts of an event with probability `p` or `q` on the two inputs show more than `eps`."""
    reach = FARTHEST * math.sqrt(trials * q) + FARTHEST
    errors = np.arange(max(0, math.floor(trials * q - reach)), min(trials, math.ceil(trials * q + reach)) + 1)
    hits = _hits_needed(errors, eps, delta, trials, alpha)
    return float(np.sum(stats.binom.pmf(errors, trials, q) * stats.binom.sf(hits - 1, trials, p)))


def _hits_needed(errors: Array, eps: float, delta: float, trials: int, alpha: float) -> Array:
    """The least number of hits that shows more than `eps`, given `errors`; `trials` + 1 if none does."""
    most = np.where(errors < trials, stats.beta.isf(alpha / 2, errors + 1, np.maximum(trials - errors, 1)), 1.0)
    with np.errstate(over="ignore"):
        bound = np.minimum(delta + math.exp(eps) * most, 1.0)  # the lower limit on the hits must exceed it
    found: Array = np.where(bound < 1.0, stats.binom.isf(alpha / 2, trials, bound) + 1, trials + 1)
    return found


def _guessed_leak(eps: float, delta: float, trials: int, alpha: float) -> float:
    """The least probability of a leaked value that guesses detect; half of all labeled runs are on its input."""
    number = labeled(trials)
    right = _least_count(number, lambda count: guesses_bound(count, count, number, delta, alpha) > eps)
    return math.inf if right is None else 2.0 * _probability(right, number)


def _counted_leak(eps: float, delta: float, trials: int, alpha: float) -> float:
    """The least probability of a leaked value that counts detect."""
    (hits,) = _hits_needed(np.zeros(1), eps, delta, trials, alpha)
    return math.inf if hits > trials else _probability(int(hits), trials)


def _least_count(most: int, shows: Callable[[int], bool]) -> int | None:
    """The least count up to `most` for which the increasing predicate `shows` holds; None if there is none."""
    if not shows(most):
        return None
    low, high = 0, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if shows(middle) else (middle, high)
    return high


def _probability(count: int, runs: int) -> float:
    """The hit probability at which `runs` have at least `count` hits with probability `ROUND`."""
    return float(special.betaincinv(count, runs - count + 1.0, ROUND))
