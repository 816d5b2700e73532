"""Pools a sample with more runs of the same curve, to estimate its tail.

The pool contains runs of the same curve with the same constants, in cells that agree with the sample: the bulk of their
runs, between the quartiles, has a similar spread. Rare runs do not change the bulk, so cells with and without rare runs
agree. If these runs are too few to show a common kind of run, the pool uses all experiments of the paper; if too few of
those agree, it uses all of them.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from dpbandits.claims.judgements import ALPHA
from dpbandits.claims.unseen import enough
from dpbandits.config.curves import Curve, names_of_points
from dpbandits.numerics.statistics import Floats
from dpbandits.numerics.tails import CellSummary, Tail, bulk, pooled, summary

PART = 2**17  # rows compared at a time


class Column(Protocol):
    """A column of a table: an array in memory or on disk."""

    @property
    def size(self) -> int: ...

    def __len__(self) -> int: ...

    def __getitem__(self, rows: Any, /) -> Any: ...


Table = Mapping[str, Column]
Kind = tuple[str, str, str, str]
"""Algorithm, calibration, variant and output."""
Family = tuple[str, str, str, tuple[tuple[str, float], ...]]
"""Algorithm, calibration, family of instances, and constants."""

AGREE = 3.0  # largest factor between the bulks of cells that agree; our choice
CHANCE = 3.0  # standard errors of both log bulks that are allowed in addition; our choice
ERROR = 1.2  # standard error of the log bulk of normal runs, times the root of their number


@dataclass(frozen=True)
class Shown:
    """The runs of an algorithm with the same constants on a family of instances, over all experiments of a paper.

    Attributes
    ----------
    runs : number of runs.
    linear : regret per round of the largest run, if the large runs are a separate kind; else None.
    cells : the regret of the runs of each setting.
    """

    runs: int
    linear: float | None
    cells: Sequence[CellSummary] = field(default=(), repr=False, compare=False)


class Cells:
    """Summaries of the runs of cells, and which of them agree with a sample."""

    def __init__(self, cells: Iterable[CellSummary]) -> None:
        self.cells = list(cells)

    def agreeing(self, sample: Floats) -> tuple[int, ...]:
        """Indices of the cells that agree with a sample."""
        own = bulk(sample)
        return tuple(k for k, cell in enumerate(self.cells) if agree(own, cell.bulk, sample.size, cell.size))

    def of(self, chosen: Iterable[int]) -> list[CellSummary]:
        return [self.cells[k] for k in chosen]


class Pools:
    """The tails of all curves of a table, computed on first use."""

    def __init__(self, runs: Table, curves: Sequence[Curve], shown: Mapping[Family, Shown] | None = None) -> None:
        self.runs, self.curves, self.grid, self.shown = runs, curves, names_of_points(curves), shown or {}
        self.cells: dict[tuple[Kind | None, Family | None], Cells] = {}  # without a kind: cells of all experiments
        self.pools: dict[tuple[Kind | None, Family | None, tuple[int, ...]], tuple[Tail, bool]] = {}
        self.places: dict[tuple[str, ...], list[slice]] | None = None
        self.known: dict[tuple[str, ...], list[tuple[dict[str, float], list[slice]]]] = {}

    def rows(self, algorithm: str, calibration: str, variant: str) -> list[slice]:
        """The rows of a curve, in the order of the table."""
        if self.places is None:
            self.places = rows_by_curve(self.runs)
        return self.places.get((algorithm, calibration, variant), [])

    def tail(self, kind: Kind, sample: Floats, family: Family | None, horizon: float) -> Tail:
        """The tail of a curve's runs, with the number of runs in all experiments.

        Parameters
        ----------
        family, horizon : those of the sample; a bound has no family.
        """
        found, large = self.pool(kind, sample, family)
        if family is None:
            return replace(found, seen=math.inf)
        shown = self.shown.get(family, Shown(0, None))
        known = None
        if shown.linear is not None and kind[-1] == "regret" and not large and sample.mean() > 0.0:
            known = shown.linear * horizon / float(sample.mean())
        return replace(found, seen=shown.runs, known=known if known is not None and known > 1.0 else None)

    def pool(self, kind: Kind, sample: Floats, family: Family | None) -> tuple[Tail, bool]:
        """The tail of the pool of a sample, and whether the pool has a large run."""
        own = self.cells_of(kind, family)
        chosen = own.agreeing(sample)
        source: Kind | None = kind
        if sum(cell.size for cell in own.of(chosen)) < enough(ALPHA):
            if kind[-1] == "regret" and family is not None and family in self.shown and self.shown[family].cells:
                source, own = None, self.cells_of(None, family)
                chosen = own.agreeing(sample)
            if sum(cell.size for cell in own.of(chosen)) < enough(ALPHA):
                chosen = tuple(range(len(own.cells)))
        if (source, family, chosen) not in self.pools:
            cells = own.of(chosen)
            found = pooled(cells) or Tail(0.0, 0.0, sum(cell.size for cell in cells))
            self.pools[source, family, chosen] = found, any(cell.sizes.size for cell in cells)
        return self.pools[source, family, chosen]

    def cells_of(self, kind: Kind | None, family: Family | None) -> Cells:
        """The cells of a curve with the constants of a family; without a curve, all cells of the family."""
        if (kind, family) not in self.cells:
            if kind is None:
                every: Iterable[CellSummary] = self.shown[family].cells if family else ()
            else:
                curve = next(c for c in self.curves if (c.algorithm, c.calibration, c.variant) == kind[:3])
                found = (
                    self.values(rows, kind[-1])
                    for setting, rows in self.settings(*kind[:3])
                    if family in (None, family_of(curve, setting))
                )
                every = (summary(cell) for cell in found if np.isfinite(cell).all())
            self.cells[kind, family] = Cells(every)
        return self.cells[kind, family]

    def settings(self, algorithm: str, calibration: str, variant: str) -> list[tuple[dict[str, float], list[slice]]]:
        """The settings of a curve, sorted by value, each with its rows."""
        curve = algorithm, calibration, variant
        if curve not in self.known:
            own = self.rows(algorithm, calibration, variant)
            columns = [self.runs[name] for name in self.grid]
            cells: dict[tuple[float, ...], list[slice]] = {}
            for block in (each for rows in own for each in blocks(columns, rows)):
                values = (float(column[block.start]) for column in columns)
                cells.setdefault(tuple(math.inf if math.isnan(x) else x for x in values), []).append(block)
            self.known[curve] = [
                ({name: x for name, x in zip(self.grid, cell, strict=True) if x < math.inf}, cells[cell])
                for cell in sorted(cells)
            ]
        return self.known[curve]

    def values(self, rows: Sequence[slice], column: str) -> Floats:
        """An output of the runs in these rows, as floats."""
        return np.asarray(self.runs[column][together(rows)], dtype=float)


def family_of(curve: Curve, setting: Mapping[str, float]) -> Family:
    """A curve's algorithm, calibration, family of instances and constants at a setting."""
    constants = tuple(sorted((name, float(setting.get(name, value))) for name, value in curve.parameters.items()))
    return curve.algorithm, curve.calibration, str(curve.environment["family"]), constants


def agree(one: float, other: float, size: int, other_size: int) -> bool:
    """Whether two bulks of samples of these sizes are similar; a zero or undefined bulk agrees with all."""
    if not (one > 0.0 and other > 0.0):
        return True
    chance = math.exp(CHANCE * ERROR * math.sqrt(1.0 / size + 1.0 / other_size))
    return max(one, other) <= AGREE * chance * min(one, other)


def blocks(columns: Sequence[Column], rows: slice) -> Iterator[slice]:
    """Yield blocks of rows with equal values (NaN equals NaN), reading a part of the rows at a time."""
    ends = [rows.start]
    for first in range(rows.start, rows.stop, PART):
        part = slice(max(first - 1, rows.start), min(first + PART, rows.stop))
        other = np.zeros(part.stop - part.start - 1, dtype=bool)
        for column in columns:
            values = column[part]
            before, after = values[:-1], values[1:]
            unlike = after != before
            other |= unlike & ~(np.isnan(after) & np.isnan(before)) if values.dtype.kind == "f" else unlike
        ends += (np.flatnonzero(other) + part.start + 1).tolist()
    yield from (slice(*each) for each in pairwise([*ends, rows.stop]))


def together(rows: Sequence[slice]) -> slice | np.ndarray:
    """Rows as one index: a slice, which avoids a copy, if there is one block; otherwise an array."""
    if len(rows) == 1:
        return rows[0]
    return np.concatenate([np.zeros(0, dtype=np.intp), *(np.arange(each.start, each.stop) for each in rows)])


def rows_by_curve(runs: Table) -> dict[tuple[str, ...], list[slice]]:
    """The rows of every curve, in the order of the table, where rows of a curve are mostly contiguous."""
    columns = [runs[name] for name in ("algorithm", "calibration", "variant")]
    found: dict[tuple[str, ...], list[slice]] = {}
    for rows in blocks(columns, slice(0, columns[0].size)) if columns[0].size else ():
        found.setdefault(tuple(str(column[rows.start]) for column in columns), []).append(rows)
    return found


def rows_of(runs: Mapping[str, np.ndarray], algorithm: str, calibration: str, variant: str) -> np.ndarray:
    """Mask of the rows of a curve in a table."""
    found: np.ndarray = (
        (runs["algorithm"] == algorithm) & (runs["variant"] == variant) & (runs["calibration"] == calibration)
    )
    return found
