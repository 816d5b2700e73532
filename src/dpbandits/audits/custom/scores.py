"""Scores of the views of a user's own mechanism, from which candidate events are built.

Any function of a view is a valid score, as long as the runs that give the bound do not influence its selection.

column      a column of the view.
difference  the difference of two columns, for views of up to `DIFFERENT` columns; shared noise cancels.
learned     an estimate of the log-likelihood ratio of the second input to the first, learned from the first quarter of
            each input's runs: log-ratios of frequencies if views repeat, else a logistic regression.
view        a different number for each different view; the order is meaningless.

The features of the regression are the columns, their squares, and the `KEPT` products whose means differ most between
the inputs, among products of up to three of the first `COMBINED` columns or of their signs.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from dpbandits.audits.learned import LEARNED_FROM, SMOOTHING
from dpbandits.audits.release import Array
from dpbandits.numerics.logistic_fit import fit
from dpbandits.privacy.auditing_scores import DECIMALS

DIFFERENT = 4  # columns of views whose differences are scores; our choice
COMBINED = 14  # columns whose products are tried: 455 products and as many of signs; our choice
KEPT = 20  # products that become features; our choice
ROWS_A_PRODUCT = 50  # learning runs per product; our choice
FARTHEST = 8.0  # columns are clipped at this many spreads from the median before multiplication; our choice
ONE_SIDE = 0.1  # least share of runs on each side of zero for signs about zero; else about the median; ours
BLOCK = 100_000  # views whose features are in memory at once; our choice
NORMAL_QUARTILES = 1.349  # interquartile range of a normal distribution in standard deviations

Scored = Literal["column", "difference", "learned", "view"]


@dataclass(frozen=True)
class Score:
    """A score of all runs.

    Attributes
    ----------
    scored : the kind of score; `columns` are its columns, counted from 0; empty if it uses all.
    first, second : (n,) scores of each input's runs, in order, rounded to 9 decimals.
    start : the runs before it were used for learning and must not select.
    """

    scored: Scored
    columns: tuple[int, ...]
    first: Array
    second: Array
    start: int = 0

    @property
    def ordered(self) -> bool:
        """Whether the order of scores, and so tails and intervals, is meaningful."""
        return self.scored != "view"

    def chooses(self) -> tuple[Array, Array]:
        """The scores of the first half of each input's runs, without the learning runs."""
        half = len(self.first) // 2
        return self.first[self.start : half], self.second[self.start : half]

    def bounds(self) -> tuple[Array, Array]:
        """The scores of the second half."""
        half = len(self.first) // 2
        return self.first[half:], self.second[half:]


def scores_of(first: Array, second: Array) -> tuple[Score, ...]:
    """The learned score, every column, and for several columns their differences and whole views.

    Parameters
    ----------
    first, second : (n, k) views of each input, n >= 8.
    """
    columns = first.shape[1]
    of_views = number_of_views(first), number_of_views(second)
    found = [Score("learned", (), *learned(first, second, *of_views), start=int(LEARNED_FROM * len(first)))]
    found += [Score("column", (j,), first[:, j], second[:, j]) for j in range(columns)]
    if columns == 1:
        return tuple(found)
    for i, j in combinations(range(columns if columns <= DIFFERENT else 0), 2):
        found.append(Score("difference", (i, j), *(np.round(v[:, i] - v[:, j], DECIMALS) for v in (first, second))))
    return (*found, Score("view", (), *of_views))


def number_of_views(views: Array) -> Array:
    """Integers (n,) below 2**52, equal for equal rows; two different rows coincide with probability 2**-52."""
    columns = views.shape[1]
    factors = np.random.default_rng(0).integers(0, 2**63, size=(columns, 1), dtype=np.uint64) * np.uint64(2) + 1
    mixed = np.zeros(len(views), dtype=np.uint64)
    for j in range(columns):
        column = np.ascontiguousarray(views[:, j] + 0.0)  # + 0.0 turns -0.0 into 0.0
        mixed = (mixed ^ column.view(np.uint64)) * factors[j]
        mixed ^= mixed >> np.uint64(29)
    return (mixed * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(12)).astype(float)


def learned(first: Array, second: Array, of_first: Array, of_second: Array) -> tuple[Array, Array]:
    """The learned scores (n,) of all runs of each input, including the learning runs.

    Parameters
    ----------
    of_first, of_second : the `number_of_views` of the views `first` and `second`.
    """
    split = int(LEARNED_FROM * len(first))
    kinds, at = np.unique(np.concatenate([of_first[:split], of_second[:split]]), return_inverse=True)
    if len(kinds) <= split:
        counts = [np.bincount(part, minlength=len(kinds) + 1) for part in (at[:split], at[split:])]
        ratios = np.round(np.log((counts[1] + SMOOTHING) / (counts[0] + SMOOTHING)), DECIMALS)
        found = []
        for numbers in (of_first, of_second):
            place = np.minimum(np.searchsorted(kinds, numbers), len(kinds) - 1)
            found.append(np.where(kinds[place] == numbers, ratios[place], 0.0))
        return found[0], found[1]
    rows = np.concatenate([first[:split], second[:split]])
    features = features_of(rows)
    w = fit(features(rows), np.repeat([0.0, 1.0], split))
    of_one, of_other = (
        np.concatenate([features(views[i : i + BLOCK]) @ w for i in range(0, len(views), BLOCK)])
        for views in (first, second)
    )
    return np.round(of_one, DECIMALS), np.round(of_other, DECIMALS)


def features_of(rows: Array) -> Callable[[Array], Array]:
    """A function from views (n, k) to features (n, m): one, columns, squares, and the products that differ most.

    Parameters
    ----------
    rows : (2 s, k) learning views, s of the first input, then s of the second. They determine medians, spreads and the
        selected products.
    """
    low, center, high = np.quantile(rows, [0.25, 0.5, 0.75], axis=0)
    spread = (high - low) / NORMAL_QUARTILES
    spread = np.where(spread > 0.0, spread, rows.std(axis=0))
    spread[spread == 0.0] = 1.0
    either = np.minimum((rows > 0.0).mean(axis=0), (rows < 0.0).mean(axis=0))
    about = np.where(either >= ONE_SIDE, 0.0, center)

    def tables(views: Array) -> tuple[Array, Array]:
        return np.clip((views - center) / spread, -FARTHEST, FARTHEST), np.sign(views - about)

    parts = range(min(rows.shape[1], COMBINED))
    tried: list[tuple[int, tuple[int, ...]]] = [(1, (i,)) for i in parts]
    for size in (2, 3):
        tried += [(table, chosen) for chosen in combinations(parts, size) for table in (0, 1)]
    learned_from = tables(rows)
    differ = [_difference(product(learned_from[table], chosen)) for table, chosen in tried]
    most = min(KEPT, len(rows) // ROWS_A_PRODUCT)
    kept = [tried[i] for i in np.argsort(differ)[::-1][:most]]

    def features(views: Array) -> Array:
        both = tables(views)
        products = [product(both[table], chosen) for table, chosen in kept]
        return np.column_stack([np.ones(len(views)), both[0], both[0] ** 2, *products])

    return features


def product(table: Array, chosen: tuple[int, ...]) -> Array:
    """Products (n,) of the `chosen` columns of a table (n, k)."""
    found = table[:, chosen[0]]
    for column in chosen[1:]:
        found = found * table[:, column]
    return found


def _difference(values: Array) -> float:
    """Distance of the means of the two halves of `values`, in standard deviations."""
    half = len(values) // 2
    spread = float(values.std())
    return abs(float(values[half:].mean() - values[:half].mean())) / spread if spread > 0.0 else 0.0
