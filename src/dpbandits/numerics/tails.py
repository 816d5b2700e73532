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


def pooled(cells: Iterable[Floats]) -> Tail | None:
    """What runs of many cells show together, each relative to its cell.

    Parameters
    ----------
    cells : of each the runs, (n,). Cells with fewer than three runs, or whose mean is zero, do not count.

    Returns
    -------
    The tail; None where no cell counts or no run differs from another.
    """
    counted = [x for x in cells if x.size >= 3 and x.mean() != 0.0]
    found = _moments(counted)
    return None if found is None else replace(found, large=_large([x for x in counted if x.min() > 0.0]))


def _large(cells: Sequence[Floats]) -> Large | None:
    """The large runs of cells of positive runs, where they are rare, a kind of their own, and in all cells alike."""
    counts = np.array([int(is_large(x).sum()) for x in cells])
    runs = np.array([x.size for x in cells])
    if not _are_a_kind(cells) or _differ(counts, runs):
        return None
    sizes = [x[is_large(x)] / x[~is_large(x)].mean() for x in cells]
    ordinary = [each for each in (x[~is_large(x)] for x in cells) if each.size >= 3]
    return Large(np.concatenate(sizes), int(runs.sum()), _variation(sizes), _moments(ordinary))


def kind_of_large(cells: Iterable[Floats]) -> list[NDArray[np.bool_]]:
    """Which runs of each cell are large ones of a kind of their own; none where they are none, or are not rare."""
    every = list(cells)
    kind = _are_a_kind([x for x in every if x.size >= 3])
    return [is_large(x) & kind for x in every]


def _are_a_kind(cells: Sequence[Floats]) -> bool:
    """Whether large runs of cells together are rare and a kind of their own."""
    runs = sum(x.size for x in cells)
    count, more = (sum(int(is_large(x, times).sum()) for x in cells) for times in (LARGE, 0.5 * LARGE))
    return FEWEST_LARGE <= count <= MOST_LARGE * runs and more - count <= BETWEEN * count


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


def _moments(cells: Sequence[Floats]) -> Tail | None:
    """Skewness and spread of runs over the mean of their cell, from many cells together."""
    squares = cubes = 0.0
    runs = 0
    for x in cells:
        n, d = x.size, x / float(x.mean()) - 1.0
        squares += n * float(d @ d) / (n - 1)
        cubes += n * n * float((d * d) @ d) / ((n - 1) * (n - 2))
        runs += n
    if runs == 0 or squares <= 0.0:
        return None
    variance = squares / runs
    return Tail(cubes / runs / variance**1.5, math.sqrt(variance), runs)
