"""Scores for views with an unknown likelihood ratio, learned from some runs and applied to the others."""

import numpy as np

from dpbandits.audits.release import Array
from dpbandits.numerics.logistic_fit import fit

LEARNED_FROM = 0.25  # share of each input's runs, the first ones; our choice
SMOOTHING = 1.0  # added to each input's count of a view; our choice
MOST_COLUMNS = 4  # up to which products of columns are features; our choice


def learned_scores(first_views: Array, second_views: Array) -> tuple[Array, Array]:
    """Estimates of the log-likelihood ratio of the second input to the first, for the runs not learned from.

    The first quarter of each input's runs is used for learning and left out, so that any part of the result may select
    or bound. The estimate is the log-ratio of smoothed frequencies if the learning runs have at most half as many
    different rows as runs. Otherwise it is a logistic regression on the standardized columns, their squares, and the
    products of at most `MOST_COLUMNS` columns.

    Parameters
    ----------
    first_views, second_views : (n, k), a row per run of each input, n >= 8.

    Returns
    -------
    (n - n // 4,) scores of the first input's runs, and of the second input's runs, in order.

    Raises
    ------
    ValueError
        The views are not two tables of equal shape with at least 8 finite rows.
    """
    rows = [np.asarray(views, dtype=float) for views in (first_views, second_views)]
    shapes = [table.shape for table in rows]
    if len(shapes[0]) != 2 or shapes[0] != shapes[1] or len(rows[0]) < 8 or shapes[0][1] == 0:
        raise ValueError(f"views: must be one row per run, 8 runs or more, as many for each input; got shapes {shapes}")
    if not all(np.isfinite(table).all() for table in rows):
        raise ValueError("views: must be finite")
    split = int(LEARNED_FROM * len(rows[0]))
    learned = np.concatenate([table[:split] for table in rows])
    scored = np.concatenate([table[split:] for table in rows])
    few = 2 * len(np.unique(codes(learned))) <= len(learned)
    scores = frequency_scores(learned, scored) if few else logistic_scores(learned, scored)
    return scores[: len(scores) // 2], scores[len(scores) // 2 :]


def codes(rows: Array) -> Array:
    """Numbers (n,) for `rows` (n, k), equal if and only if the rows are equal."""
    found = np.zeros(len(rows), dtype=np.int64)
    for column in rows.T:
        values = np.unique(column, return_inverse=True)[1]
        found = np.unique(found * len(rows) + values, return_inverse=True)[1]
    return found


def frequency_scores(learned: Array, scored: Array) -> Array:
    """ln((a + s) / (b + s)) for each row of `scored`, with s = `SMOOTHING`.

    a and b are the numbers of equal rows in the second and the first half of `learned`.
    """
    number = codes(np.concatenate([learned, scored]))
    half, kinds = len(learned) // 2, int(number.max()) + 1
    first, second = (np.bincount(part, minlength=kinds) for part in (number[:half], number[half : len(learned)]))
    scores: Array = np.log((second + SMOOTHING) / (first + SMOOTHING))[number[len(learned) :]]
    return scores


def logistic_scores(learned: Array, scored: Array) -> Array:
    """w'z for the features z of the rows `scored`, with w fitted to the halves of `learned`."""
    center, spread = learned.mean(axis=0), learned.std(axis=0)
    spread[spread == 0.0] = 1.0
    outcomes = np.repeat([0.0, 1.0], len(learned) // 2)
    w = fit(features((learned - center) / spread), outcomes)
    scores: Array = features((scored - center) / spread) @ w
    return scores


def features(columns: Array) -> Array:
    """Features (n, m): one, the `columns` (n, k), their squares, and their products if k <= `MOST_COLUMNS`."""
    k = columns.shape[1]
    pairs = [(i, j) for i in range(k) for j in range(i) if k <= MOST_COLUMNS]
    products = [columns[:, i] * columns[:, j] for i, j in pairs]
    return np.column_stack([np.ones(len(columns)), columns, columns**2, *products])
