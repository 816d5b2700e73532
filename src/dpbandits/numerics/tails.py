"""The distribution of a curve's runs, estimated from many runs: skewness, spread and rare large runs."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dpbandits.numerics.statistics import Floats

LARGE = 8.0  # a run is large above this multiple of the lower quartile of its cell; our choice
BETWEEN = 0.25  # most runs above half that multiple, per large run; with more, large runs are just a tail; our choice
FEWEST_LARGE = 5  # large runs required to estimate their rate and size; our choice
MOST_LARGE = 1.0 / 3.0  # largest share of large runs that counts as rare; our choice
UNEQUAL = 2.0  # standard deviations of the chi-square statistic above which rates of cells differ; our choice


@dataclass(frozen=True)
class Large:
    """Large runs of a curve: those of more than `LARGE` times the lower quartile of their cell.

    Attributes
    ----------
    sizes : each large run divided by the mean of the ordinary runs of its cell, (large runs,).
    runs : number of all runs of these cells.
    variation : standard deviation of the mean size between cells.
    ordinary : skewness and spread of the ordinary runs, which are all others; None if these do not vary.
    """

    sizes: Floats
    runs: int
    variation: float
    ordinary: "Tail | None"


@dataclass(frozen=True)
class Tail:
    """What many runs of a curve show about their distribution.

    Attributes
    ----------
    skewness : of a run.
    spread : standard deviation of a run over its mean.
    runs : number of runs that the estimates use.
    large : the large runs among them; None if they are fewer than `FEWEST_LARGE` or more than a share `MOST_LARGE`.
        Also None if too many runs lie in between, according to `BETWEEN`, or if their rate differs between cells.
    seen : number of runs of the algorithm on such instances in any experiment. Events rarer than 3 in `seen` would
        probably have been missed. Infinite if only the instance is random.
    known : size, relative to the mean of the sample, of large runs that the algorithm has in other experiments, if none
        of `runs` is large. None if it has none, or if they would not be larger than the others here.
    """

    skewness: float
    spread: float
    runs: int
    large: Large | None = None
    seen: float = 0.0
    known: float | None = None


Tails = Callable[[Floats], Tail | None]
"""Returns the tail of the curve to which a sample belongs; None if it is not known."""


def no_tails(_: Floats) -> Tail | None:
    """None: nothing is known beyond the sample."""
    return None


@dataclass(frozen=True)
class Moments:
    """Sums over runs, relative to the mean of their cell: the count, squares and cubes, corrected for bias."""

    runs: int
    squares: float
    cubes: float


@dataclass(frozen=True)
class CellSummary:
    """Summary of the runs of a cell that suffices for pooling many cells, so that the runs can be freed.

    Attributes
    ----------
    size : number of runs.
    bulk : interquartile range over the median; NaN if the median is zero.
    moments : of all runs; None if they are fewer than three, or their mean is zero.
    positive : whether all runs are positive.
    between : number of runs between half the threshold of large runs and the threshold.
    largest : the largest of the large runs; zero if there are none.
    sizes : the large runs over the mean of the ordinary ones, (large runs,).
    ordinary : moments of the ordinary runs; None if they are fewer than three.
    """

    size: int
    bulk: float
    moments: Moments | None
    positive: bool
    between: int
    largest: float
    sizes: Floats
    ordinary: Moments | None


def summary(cell: Floats) -> CellSummary:
    """Summarize the runs of a cell, (n,), for pooling."""
    n = cell.size
    if n == 0:
        return CellSummary(0, bulk(cell), None, False, 0, 0.0, np.zeros(0), None)
    large, positive = is_large(cell), bool(cell.min() > 0.0)
    count, ordinary = int(large.sum()), cell[~large]
    return CellSummary(
        size=n,
        bulk=bulk(cell),
        moments=_moments(cell) if n >= 3 and cell.mean() != 0.0 else None,
        positive=positive,
        between=int(is_large(cell, 0.5 * LARGE).sum()) - count,
        largest=float(cell[large].max()) if count else 0.0,
        sizes=cell[large] / ordinary.mean() if count else np.zeros(0),
        ordinary=_moments(ordinary) if positive and ordinary.size >= 3 else None,
    )


def bulk(cell: Floats) -> float:
    """Interquartile range over the median; NaN if the median is zero."""
    low, middle, high = np.quantile(cell, (0.25, 0.5, 0.75)) if cell.size else (0.0, 0.0, 0.0)
    return float((high - low) / abs(middle)) if middle else float("nan")


def pooled(cells: Iterable[CellSummary]) -> Tail | None:
    """Estimate the tail from the runs of many cells, each relative to its cell.

    Parameters
    ----------
    cells : those with fewer than three runs, or whose mean is zero, are ignored.

    Returns
    -------
    The tail; None if no cell counts or all runs are equal.
    """
    counted = [(cell, cell.moments) for cell in cells if cell.moments is not None]
    found = _tail(moments for _, moments in counted)
    return None if found is None else replace(found, large=_large([cell for cell, _ in counted if cell.positive]))


def _large(cells: Sequence[CellSummary]) -> Large | None:
    """The large runs of cells of positive runs, if they are rare, a kind of their own, and equally frequent."""
    counts, runs = (np.array(each) for each in ([cell.sizes.size for cell in cells], [cell.size for cell in cells]))
    if not are_a_kind(cells) or _differ(counts, runs):
        return None
    sizes = [cell.sizes for cell in cells]
    ordinary = _tail(cell.ordinary for cell in cells if cell.ordinary is not None)
    return Large(np.concatenate(sizes), int(runs.sum()), _variation(sizes), ordinary)


def are_a_kind(cells: Sequence[CellSummary]) -> bool:
    """Whether the large runs of all cells together are rare and separate from the ordinary ones."""
    runs, count, between = (
        (sum(each) for each in zip(*((cell.size, cell.sizes.size, cell.between) for cell in cells), strict=True))
        if cells
        else (0, 0, 0)
    )
    return FEWEST_LARGE <= count <= MOST_LARGE * runs and between <= BETWEEN * count


def _differ(counts: NDArray[np.int_], runs: NDArray[np.int_]) -> bool:
    """Whether rates of large runs differ between cells: chi-square, by its mean and variance under equal rates."""
    rate = counts.sum() / runs.sum()
    spread = rate * (1.0 - rate)
    statistic = ((counts**2 / runs).sum() - rate * counts.sum()) / spread
    variance = 2.0 * (counts.size - 1) + (1.0 / runs).sum() * (1.0 - 6.0 * spread) / spread
    return bool(statistic > counts.size - 1 + UNEQUAL * math.sqrt(max(variance, 0.0)))


def _variation(sizes: Sequence[Floats]) -> float:
    """Standard deviation of the mean size between cells, by analysis of variance.

    If no cell has two large runs, it is the standard deviation of all of them.
    """
    groups = [each for each in sizes if each.size]
    every = np.concatenate(groups)
    squares = sum(float(each.sum()) ** 2 / each.size for each in groups)
    count, cells = every.size, len(groups)
    if cells == 1:
        return 0.0
    if count == cells:
        return float(every.std(ddof=1))
    within = (float(every @ every) - squares) / (count - cells)
    between = (squares - float(every.sum()) ** 2 / count) / (cells - 1)
    typical = (count - sum(each.size**2 for each in groups) / count) / (cells - 1)
    return math.sqrt(max(0.0, (between - within) / typical))


def is_large(cell: Floats, times: float = LARGE) -> NDArray[np.bool_]:
    """Mask of the runs of a cell, (n,), above `times` its lower quartile; all false if a run is not positive."""
    place = (cell.size - 1) // 4
    quartile = float(np.partition(cell, place)[place])
    found: NDArray[np.bool_] = cell > (times * quartile if cell.min() > 0.0 else math.inf)
    return found


def _moments(cell: Floats) -> Moments:
    """Moments of three or more runs whose mean is not zero."""
    n, d = cell.size, cell / float(cell.mean()) - 1.0
    square, cube = float(d @ d), float((d * d) @ d)
    return Moments(n, n * square / (n - 1), n * n * cube / ((n - 1) * (n - 2)))


def _tail(cells: Iterable[Moments]) -> Tail | None:
    """Skewness and spread of runs relative to the mean of their cell, from many cells together."""
    squares = cubes = 0.0
    runs = 0
    for each in cells:
        squares += each.squares
        cubes += each.cubes
        runs += each.runs
    if runs == 0 or squares <= 0.0:
        return None
    variance = squares / runs
    return Tail(cubes / runs / variance**1.5, math.sqrt(variance), runs)
