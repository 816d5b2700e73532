"""Scores of views whose likelihood ratio is not known: learned from some runs, given to the others."""

import numpy as np

from dpbandits.audits.release import Array
from dpbandits.numerics.logistic_fit import fit

LEARNED_FROM = 0.25  # of the runs of either input, the first; our choice
SMOOTHING = 1.0  # runs added to those of either input that show a view; our choice
MOST_COLUMNS = 4  # of views whose products are features; our choice


def learned_scores(first_views: Array, second_views: Array) -> tuple[Array, Array]:
    """Estimates of the log-likelihood ratio of the second input to the first, for the runs not learned from.

    The first quarter of either input's runs is learned from and left out, so that every part of what is returned may
    choose or bound. The estimate is the log ratio of smoothed frequencies where the rows learned from are at most half
    as many as the runs, else the value of a logistic regression on the columns, standardized, their squares, and the
    products of at most `MOST_COLUMNS`.

    Parameters
    ----------
    first_views, second_views : (n, k), a row per run of either input, n >= 8.

    Returns
    -------
    (n - n // 4,) scores of the runs of the first input, and of the second, in their order.

    Raises
    ------
    ValueError
        The views are not two tables of equal shape with at least 8 finite rows.
    """
    rows = [np.asarray(views, dtype=float) for views in (first_views, second_views)]
    shapes = [table.shape for table in rows]
    if len(shapes[0]) != 2 or shapes[0] != shapes[1] or len(rows[0]) < 8 or shapes[0][1] == 0:
        raise ValueError(f"views: need a row a run, 8 runs or more, as many of either input; got {shapes}")
    if not all(np.isfinite(table).all() for table in rows):
        raise ValueError("views: must be finite")
    split = int(LEARNED_FROM * len(rows[0]))
    learned = np.concatenate([table[:split] for table in rows])
    scored = np.concatenate([table[split:] for table in rows])
    few = 2 * len(np.unique(codes(learned))) <= len(learned)
    scores = frequency_scores(learned, scored) if few else logistic_scores(learned, scored)
    return scores[: len(scores) // 2], scores[len(scores) // 2 :]


def codes(rows: Array) -> Array:
    """A number (n,) for each of `rows` (n, k), the same for rows that are equal and only for these."""
    found = np.zeros(len(rows), dtype=np.int64)
    for column in rows.T:
        values = np.unique(column, return_inverse=True)[1]
        found = np.unique(found * len(rows) + values, return_inverse=True)[1]
    return found


def frequency_scores(learned: Array, scored: Array) -> Array:
    """ln((a + s) / (b + s)) of the rows `scored`: a, b the rows equal to it in the second and first half of `learned`,
    s = `SMOOTHING`.
    """
    number = codes(np.concatenate([learned, scored]))
    half, kinds = len(learned) // 2, int(number.max()) + 1
    first, second = (np.bincount(part, minlength=kinds) for part in (number[:half], number[half : len(learned)]))
    scores: Array = np.log((second + SMOOTHING) / (first + SMOOTHING))[number[len(learned) :]]
    return scores


def logistic_scores(learned: Array, scored: Array) -> Array:
    """w'z of the features z of the rows `scored`, w fitted to the halves of `learned`."""
    center, spread = learned.mean(axis=0), learned.std(axis=0)
    spread[spread == 0.0] = 1.0
    outcomes = np.repeat([0.0, 1.0], len(learned) // 2)
    w = fit(features((learned - center) / spread), outcomes)
    scores: Array = features((scored - center) / spread) @ w
    return scores


def features(columns: Array) -> Array:
    """One, the `columns` (n, k), their squares, and their products for k up to `MOST_COLUMNS`; (n, m)."""
    k = columns.shape[1]
    pairs = [(i, j) for i in range(k) for j in range(i) if k <= MOST_COLUMNS]
    products = [columns[:, i] * columns[:, j] for i, j in pairs]
    return np.column_stack([np.ones(len(columns)), columns, columns**2, *products])
