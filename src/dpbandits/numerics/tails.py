"""What many runs of a curve say about the distribution of one: its skewness, its spread and its rare large runs."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dpbandits.numerics.statistics import Floats

LARGE = 8.0  # times the lower quartile of its cell: a run above is a large one; our choice
BETWEEN = 0.25  # runs above half of that, over the large ones: with more, large runs are but a tail; our choice
FEWEST_LARGE = 5  # large runs that must have been seen before their rate and size are estimated; our choice
MOST_LARGE = 1.0 / 3.0  # of all runs: above, large runs are not rare; our choice
UNEQUAL = 2.0  # standard deviations of the chi-square statistic above which rates of cells differ; our choice


@dataclass(frozen=True)
class Large:
    """Large runs of a curve: those of more than `LARGE` times the lower quartile of their cell.

    Attributes
    ----------
    sizes : of each the value over the mean of the ordinary runs of its cell, (large runs,).
    runs : all runs of these cells.
    variation : standard deviation of the mean size from cell to cell.
    ordinary : skewness and spread of the ordinary runs, which are all others; None where these do not vary.
    """

    sizes: Floats
    runs: int
    variation: float
    ordinary: "Tail | None"


@dataclass(frozen=True)
class Tail:
    """What many runs of a curve say about the distribution of one.

    Attributes
    ----------
    skewness : of a run.
    spread : standard deviation of a run over its mean.
    runs : how many runs say so.
    large : the large ones among them; None where they are fewer than `FEWEST_LARGE` or more than a part `MOST_LARGE`,
        where they are no kind of their own, because the runs between them and the others are more than a part
        `BETWEEN` of them, and where their rate differs between cells.
    seen : runs of the algorithm on such instances in any experiment; those of a kind rarer than 3 in `seen` would
        probably not have been seen. Infinite where nothing is random but the instance.
    known : size, over the mean of the sample, of large runs that the algorithm has in other experiments, where none of
        `runs` is large; None where it has none, or they would not be larger here than others.
    """

    skewness: float
    spread: float
    runs: int
    large: Large | None = None
    seen: float = 0.0
    known: float | None = None


Tails = Callable[[Floats], Tail | None]
"""The tail of the curve whose runs a sample has; None where it is not known."""


def no_tails(_: Floats) -> Tail | None:
    """Nothing is known beyond the sample."""
    return None


@dataclass(frozen=True)
class Moments:
    """Sums over runs relative to the mean of their cell: how many, of squares and of cubes, without their bias."""

    runs: int
    squares: float
    cubes: float


@dataclass(frozen=True)
class CellSummary:
    """What is needed of the runs of a cell where those of many cells are pooled; the runs themselves are not.

    Attributes
    ----------
    size : how many runs.
    bulk : distance of their quartiles over their median; NaN where the median is zero.
    moments : of all runs; None where they are fewer than three, or their mean is zero.
    positive : whether all runs are.
    between : how many lie between half of the size of large ones and that.
    largest : the largest of the large runs; zero where there are none.
    sizes : of the large runs the value over the mean of the ordinary ones, (large runs,).
    ordinary : moments of the ordinary runs; None where they are fewer than three.
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
    """What is needed of the runs of a cell, (n,)."""
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
    """Distance of the quartiles over the median; NaN where the median is zero."""
    low, middle, high = np.quantile(cell, (0.25, 0.5, 0.75)) if cell.size else (0.0, 0.0, 0.0)
    return float((high - low) / abs(middle)) if middle else float("nan")


def pooled(cells: Iterable[CellSummary]) -> Tail | None:
    """What runs of many cells show together, each relative to its cell.

    Parameters
    ----------
    cells : those with fewer than three runs, or whose mean is zero, do not count.

    Returns
    -------
    The tail; None where no cell counts or no run differs from another.
    """
    counted = [(cell, cell.moments) for cell in cells if cell.moments is not None]
    found = _tail(moments for _, moments in counted)
    return None if found is None else replace(found, large=_large([cell for cell, _ in counted if cell.positive]))


def _large(cells: Sequence[CellSummary]) -> Large | None:
    """The large runs of cells of positive runs, where they are rare, a kind of their own, and in all cells alike."""
    counts, runs = (np.array(each) for each in ([cell.sizes.size for cell in cells], [cell.size for cell in cells]))
    if not are_a_kind(cells) or _differ(counts, runs):
        return None
    sizes = [cell.sizes for cell in cells]
    ordinary = _tail(cell.ordinary for cell in cells if cell.ordinary is not None)
    return Large(np.concatenate(sizes), int(runs.sum()), _variation(sizes), ordinary)


def are_a_kind(cells: Sequence[CellSummary]) -> bool:
    """Whether the large runs of cells together are rare and a kind of their own."""
    runs, count, between = (
        (sum(each) for each in zip(*((cell.size, cell.sizes.size, cell.between) for cell in cells), strict=True))
        if cells
        else (0, 0, 0)
    )
    return FEWEST_LARGE <= count <= MOST_LARGE * runs and between <= BETWEEN * count


def _differ(counts: NDArray[np.int_], runs: NDArray[np.int_]) -> bool:
    """Whether the rates of large runs differ between cells: chi-square, by its mean and variance at equal rates."""
    rate = counts.sum() / runs.sum()
    spread = rate * (1.0 - rate)
    statistic = ((counts**2 / runs).sum() - rate * counts.sum()) / spread
    variance = 2.0 * (counts.size - 1) + (1.0 / runs).sum() * (1.0 - 6.0 * spread) / spread
    return bool(statistic > counts.size - 1 + UNEQUAL * math.sqrt(max(variance, 0.0)))


def _variation(sizes: Sequence[Floats]) -> float:
    """Standard deviation of the mean size between cells, by analysis of variance: what cells do not have in common.

    Where no cell has two large runs, it is that of all of them.
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
    """Which runs of a cell, (n,), exceed so many times its lower quartile; none where a run is not positive."""
    place = (cell.size - 1) // 4
    quartile = float(np.partition(cell, place)[place])
    found: NDArray[np.bool_] = cell > (times * quartile if cell.min() > 0.0 else math.inf)
    return found


def _moments(cell: Floats) -> Moments:
    """Of three runs or more, whose mean is not zero."""
    n, d = cell.size, cell / float(cell.mean()) - 1.0
    square, cube = float(d @ d), float((d * d) @ d)
    return Moments(n, n * square / (n - 1), n * n * cube / ((n - 1) * (n - 2)))


def _tail(cells: Iterable[Moments]) -> Tail | None:
    """Skewness and spread of runs over the mean of their cell, from many cells together."""
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
