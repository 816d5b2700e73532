"""Selection of the audit's test on one half of the scores, and the Clopper-Pearson bounds for the other half.

Arrays over the two inputs are always in the order (first, second). The search ranks tests by Wilson score intervals,
which are fast. The best event and the best pair of tails are then compared by Clopper-Pearson bounds, as used later.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

DECIMALS = 9  # to which scores are rounded; our choice
RANKS = 50  # log-spaced ranks from each end of each input, whose scores are the thresholds; our choice
SPARE = 8.0  # times sqrt(n) of 2n runs get no label: the coins assign more than n to an input with probability 2e-8

Array = NDArray[np.float64]
Order = Literal["second", "first"]
Bound = Callable[[Array, Array], Array]


@dataclass(frozen=True)
class Rule:
    """A test on scores. A tail that the test does not use is None.

    Attributes
    ----------
    test : "threshold" counts the runs in one tail; "guesses" guesses the input of runs in both tails.
    order : the input with more runs in the counted tail, or the input that is guessed in the upper tail.
    above, below : the least score of the upper tail and the largest score of the lower tail.
    """

    test: Literal["threshold", "guesses"]
    order: Order
    above: float | None
    below: float | None

    def upper(self, scores: Array) -> int:
        """Number of scores in the upper tail."""
        return 0 if self.above is None else int(np.count_nonzero(scores >= self.above))

    def lower(self, scores: Array) -> int:
        """Number of scores in the lower tail."""
        return 0 if self.below is None else int(np.count_nonzero(scores <= self.below))


def halves(first: ArrayLike, second: ArrayLike) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    """The first half of each row (its size rounded down) and the second half; scores are rounded to `DECIMALS`.

    Raises
    ------
    ValueError
        The rows have unequal lengths, fewer than 4 scores, or NaN.
    """
    rows = [np.asarray(row, dtype=float) for row in (first, second)]
    shapes = [row.shape for row in rows]
    if any(len(shape) != 1 for shape in shapes) or shapes[0] != shapes[1] or len(rows[0]) < 4:
        raise ValueError(
            f"scores: must be one number per run, 4 runs or more, as many for each input; got shapes {shapes}"
        )
    if any(np.isnan(row).any() for row in rows):
        raise ValueError("scores: must not be NaN")
    with np.errstate(over="ignore"):  # scores beyond 1e299 become infinite
        one, other = (np.round(row, DECIMALS) for row in rows)
    half = len(one) // 2
    return (one[:half], other[:half]), (one[half:], other[half:])


def best_rule(first: Array, second: Array, delta: float, alpha: float) -> Rule | None:
    """The rule with the largest bound on these scores; None if no bound is positive.

    The candidates share `alpha`. Otherwise the best of many would often be a small tail that is large by chance.
    """
    runs = len(first)
    thresholds, counts = tails(first, second)
    alpha /= counts.size
    z = float(special.ndtri(1.0 - alpha / 2))

    def shown(hits: Array, errors: Array) -> Array:
        return log_ratio(wilson(hits, runs, z), 1.0 - wilson(runs - errors, runs, z), delta)

    event, hits, errors = best_event(thresholds, counts, shown)
    found = [(float(event_epsilon(hits, errors, runs, delta, alpha)), event)]
    if delta == 0.0:
        pair, right, wrong = best_pair(thresholds, counts, alpha)
        share = labeled(runs) / (2 * runs)
        found.append((float(guessed_epsilon(share * right, share * (right + wrong), alpha)), pair))
    epsilon, rule = max(found, key=lambda entry: entry[0])
    return rule if epsilon > 0.0 else None


def tails(first: Array, second: Array) -> tuple[Array, Array]:
    """Increasing thresholds (k,) and the number of scores in each tail.

    Returns
    -------
    counts : (2, 2, k + 1). [input, 0, j]: scores from threshold j on, none for j = k. [input, 1, i]: scores up to
        threshold i - 1, none for i = 0. Tails j and i are disjoint if i <= j.
    """
    rows = [np.sort(first), np.sort(second)]
    values = [row[np.append(True, row[1:] != row[:-1])] for row in rows]
    if sum(map(len, values)) > 4 * RANKS:
        n = len(first)
        ranks = np.unique(np.geomspace(1, n, RANKS).round().astype(int))
        values = [row[np.concatenate([ranks - 1, n - ranks])] for row in rows]
    thresholds = np.unique(np.concatenate(values))
    upper = [np.append(len(row) - np.searchsorted(row, thresholds, "left"), 0) for row in rows]
    lower = [np.append(0, np.searchsorted(row, thresholds, "right")) for row in rows]
    return thresholds, np.stack([upper, lower], axis=1).astype(float)


def best_event(thresholds: Array, counts: Array, bound: Bound) -> tuple[Rule, float, float]:
    """The tail and order with the largest `bound`, and the number of runs of each input in that tail."""
    values = bound(counts, counts[::-1])
    one, side, j = map(int, np.unravel_index(np.argmax(values), values.shape))
    above, below = _scores_at(thresholds, j if side == 0 else len(thresholds), j if side == 1 else 0)
    return Rule("threshold", _order(one), above, below), float(counts[one, side, j]), float(counts[1 - one, side, j])


def best_pair(thresholds: Array, counts: Array, alpha: float) -> tuple[Rule, float, float]:
    """The tails and order with the largest share of right guesses, and the numbers of right and wrong guesses."""
    z = float(special.ndtri(1.0 - alpha))
    right = counts[:, 0, :, None] + counts[::-1, 1, None, :]  # [input guessed above, j, i]
    wrong = counts[::-1, 0, :, None] + counts[:, 1, None, :]
    guesses = right + wrong
    share = np.where(np.tri(len(thresholds) + 1, dtype=bool), wilson(right, np.maximum(guesses, 1.0), z), -1.0)
    one, j, i = map(int, np.unravel_index(np.argmax(share), share.shape))
    return Rule("guesses", _order(one), *_scores_at(thresholds, j, i)), float(right[one, j, i]), float(wrong[one, j, i])


def labeled(runs: int) -> int:
    """Number of labeled runs, given `runs` of each input."""
    return max(runs, math.floor(2 * runs - SPARE * math.sqrt(runs)))


def event_epsilon(hits: float, errors: float, runs: int, delta: float, alpha: float) -> Array:
    """Lower bound on ln((P - delta) / P') from `hits` and `errors` among `runs` each."""
    return log_ratio(least(hits, runs, alpha / 2), 1.0 - least(runs - errors, runs, alpha / 2), delta)


def guessed_epsilon(right: float, guesses: float, alpha: float) -> Array:
    """Lower bound on ln(q / (1 - q)), where q is the probability of a right guess."""
    found: Array = special.logit(least(right, guesses, alpha))
    return found


def log_ratio(least: Array, most: Array, delta: float) -> Array:
    """ln((least - delta) / most); minus infinity where delta is at least `least`."""
    with np.errstate(divide="ignore"):
        return np.log(np.maximum(least - delta, 0.0) / most)


def least(hits: float, runs: float, alpha: float) -> Array:
    """Clopper-Pearson lower bound on a probability; `hits` and `runs` need not be integers."""
    return np.where(hits > 0.0, special.betaincinv(np.where(hits > 0.0, hits, 1.0), runs - hits + 1.0, alpha), 0.0)


def wilson(hits: Array, runs: Array | float, z: float) -> Array:
    """Wilson lower bound on a probability, `z` standard deviations away."""
    spread = z * np.sqrt(hits * (runs - hits) / runs + 0.25 * z * z)
    found: Array = np.maximum((hits + 0.5 * z * z - spread) / (runs + z * z), 0.0)
    return found


def _order(one: int) -> Order:
    return "second" if one == 1 else "first"


def _scores_at(thresholds: Array, j: int, i: int) -> tuple[float | None, float | None]:
    """The thresholds of the upper tail `j` and the lower tail `i`."""
    above = float(thresholds[j]) if j < len(thresholds) else None
    return above, float(thresholds[i - 1]) if i > 0 else None
