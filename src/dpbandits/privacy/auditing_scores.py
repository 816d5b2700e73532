"""What half of the scores of two inputs chooses for the other half, and the bounds of Clopper and Pearson.

Rows of two inputs always stand as (first, second). The search goes by the score interval of Wilson, which is quick and
ranks well; the best event and the best pair of tails are then compared by bounds like those that they will be given.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

DECIMALS = 9  # of a score; our choice
RANKS = 50  # of either input from either end, evenly spaced in their logarithm, whose scores are thresholds; our choice
SPARE = 8.0  # sqrt(n) times this many of 2n runs are not labeled: coins exceed n of an input with probability 2e-8

Array = NDArray[np.float64]
Order = Literal["second", "first"]
Bound = Callable[[Array, Array], Array]


@dataclass(frozen=True)
class Rule:
    """What is made of a score. Tails of which there is none are None.

    Attributes
    ----------
    test : whether the runs in one tail are counted, or those in either tail guessed.
    order : the input that has more runs in the tail counted, or that is guessed in the upper tail.
    above, below : the least score of the upper tail and the largest of the lower.
    """

    test: Literal["threshold", "guesses"]
    order: Order
    above: float | None
    below: float | None

    def upper(self, scores: Array) -> int:
        """How many scores lie in the upper tail."""
        return 0 if self.above is None else int(np.count_nonzero(scores >= self.above))

    def lower(self, scores: Array) -> int:
        """How many scores lie in the lower tail."""
        return 0 if self.below is None else int(np.count_nonzero(scores <= self.below))


def halves(first: ArrayLike, second: ArrayLike) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    """The first half of either row, rounded down, and the rest; scores are rounded to `DECIMALS`.

    Raises
    ------
    ValueError
        The rows are not two of equal length, at least 4, without NaN.
    """
    rows = [np.asarray(row, dtype=float) for row in (first, second)]
    shapes = [row.shape for row in rows]
    if any(len(shape) != 1 for shape in shapes) or shapes[0] != shapes[1] or len(rows[0]) < 4:
        raise ValueError(f"scores: need one a run, 4 runs or more, as many of either input; got {shapes}")
    if any(np.isnan(row).any() for row in rows):
        raise ValueError("scores: must not be NaN")
    with np.errstate(over="ignore"):  # beyond 1e299 they become infinite
        one, other = (np.round(row, DECIMALS) for row in rows)
    half = len(one) // 2
    return (one[:half], other[:half]), (one[half:], other[half:])


def best_rule(first: Array, second: Array, delta: float, alpha: float) -> Rule | None:
    """The rule with the largest bound on these scores; None if no bound is positive.

    The bounds compared share `alpha`: else the best of many would be one of a small tail that had luck.
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
    """Thresholds (k,), increasing, and the number of scores in the tails that they cut off.

    Returns
    -------
    counts : (2, 2, k + 1). [input, 0, j]: scores from threshold j on, none for j = k. [input, 1, i]: scores up to
        threshold i - 1, none for i = 0. Tails j and i have no score in common if i <= j.
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
    """The tail and the order with the largest `bound`(runs of the one input, of the other), and these two numbers."""
    values = bound(counts, counts[::-1])
    one, side, j = map(int, np.unravel_index(np.argmax(values), values.shape))
    above, below = _scores_at(thresholds, j if side == 0 else len(thresholds), j if side == 1 else 0)
    return Rule("threshold", _order(one), above, below), float(counts[one, side, j]), float(counts[1 - one, side, j])


def best_pair(thresholds: Array, counts: Array, alpha: float) -> tuple[Rule, float, float]:
    """The tails and the order in which most is guessed right, and how many of all runs are, and are not."""
    z = float(special.ndtri(1.0 - alpha))
    right = counts[:, 0, :, None] + counts[::-1, 1, None, :]  # [input guessed above, j, i]
    wrong = counts[::-1, 0, :, None] + counts[:, 1, None, :]
    guesses = right + wrong
    share = np.where(np.tri(len(thresholds) + 1, dtype=bool), wilson(right, np.maximum(guesses, 1.0), z), -1.0)
    one, j, i = map(int, np.unravel_index(np.argmax(share), share.shape))
    return Rule("guesses", _order(one), *_scores_at(thresholds, j, i)), float(right[one, j, i]), float(wrong[one, j, i])


def labeled(runs: int) -> int:
    """How many runs are labeled where there are `runs` of either input."""
    return max(runs, math.floor(2 * runs - SPARE * math.sqrt(runs)))


def event_epsilon(hits: float, errors: float, runs: int, delta: float, alpha: float) -> Array:
    """ln((P - delta) / P'), bounded from `hits` and `errors` of as many `runs`."""
    return log_ratio(least(hits, runs, alpha / 2), 1.0 - least(runs - errors, runs, alpha / 2), delta)


def guessed_epsilon(right: float, guesses: float, alpha: float) -> Array:
    """ln(q / (1 - q)), q bounded from the `right` of all `guesses`."""
    found: Array = special.logit(least(right, guesses, alpha))
    return found


def log_ratio(least: Array, most: Array, delta: float) -> Array:
    """ln((least - delta) / most); minus infinity where delta covers all."""
    with np.errstate(divide="ignore"):
        return np.log(np.maximum(least - delta, 0.0) / most)


def least(hits: float, runs: float, alpha: float) -> Array:
    """The lower bound of Clopper and Pearson on a probability; `hits` and `runs` need not be whole."""
    return np.where(hits > 0.0, special.betaincinv(np.where(hits > 0.0, hits, 1.0), runs - hits + 1.0, alpha), 0.0)


def wilson(hits: Array, runs: Array | float, z: float) -> Array:
    """The lower bound of Wilson on a probability, `z` normal standard deviations away."""
    spread = z * np.sqrt(hits * (runs - hits) / runs + 0.25 * z * z)
    found: Array = np.maximum((hits + 0.5 * z * z - spread) / (runs + z * z), 0.0)
    return found


def _order(one: int) -> Order:
    return "second" if one == 1 else "first"


def _scores_at(thresholds: Array, j: int, i: int) -> tuple[float | None, float | None]:
    """The scores that bound the upper tail `j` and the lower tail `i`."""
    above = float(thresholds[j]) if j < len(thresholds) else None
    return above, float(thresholds[i - 1]) if i > 0 else None
