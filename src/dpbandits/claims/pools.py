"""What more runs of a curve say about one of its samples.

More runs are those of the same curve, with the same constants, in cells that agree with the sample: the bulk of their
runs, between the quartiles, is spread alike. Rare runs leave the bulk as it is, so that cells with and without them
agree. Where these runs are too few to show a common kind, those of all experiments of the paper count; and where few of
these agree, all of them.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from dpbandits.claims.judgements import ALPHA
from dpbandits.claims.unseen import enough
from dpbandits.config.curves import Curve, names_of_points
from dpbandits.numerics.statistics import Floats
from dpbandits.numerics.tails import Tail, is_large, pooled

Table = Mapping[str, np.ndarray]
Kind = tuple[str, str, str, str]
"""Algorithm, calibration, variant and output."""
Family = tuple[str, str, str, tuple[tuple[str, float], ...]]
"""Algorithm, calibration, family of instances, and constants."""

AGREE = 3.0  # times: cells whose bulks differ by no more agree; our choice
CHANCE = 3.0  # standard errors of the logarithms of both bulks, by which they may differ besides; our choice
ERROR = 1.2  # standard error of the logarithm of the bulk of normal runs, times the root of their number


@dataclass(frozen=True)
class Shown:
    """What all experiments of a paper show of an algorithm with the same constants on a family of instances.

    Attributes
    ----------
    runs : how many there are.
    linear : regret a round of the largest of the large runs, where these are a kind of their own; None where not.
    cells : regret of the runs of each setting, (seeds,).
    """

    runs: int
    linear: float | None
    cells: Sequence[Floats] = field(default=(), repr=False, compare=False)


class Cells:
    """The runs of cells, each (seeds,), and what their bulks say."""

    def __init__(self, cells: Iterable[Floats]) -> None:
        self.runs = [cell for cell in cells if np.isfinite(cell).all()]
        self.bulks = [bulk(cell) for cell in self.runs]

    def agreeing(self, sample: Floats) -> tuple[int, ...]:
        """Which cells agree with a sample."""
        own, pairs = bulk(sample), enumerate(zip(self.bulks, self.runs, strict=True))
        return tuple(k for k, (other, cell) in pairs if agree(own, other, sample.size, cell.size))

    def of(self, chosen: Iterable[int]) -> list[Floats]:
        return [self.runs[k] for k in chosen]


class Pools:
    """The tails of all curves of a table, each made when it is first asked for."""

    def __init__(self, runs: Table, curves: Sequence[Curve], shown: Mapping[Family, Shown] | None = None) -> None:
        self.runs, self.curves, self.grid, self.shown = runs, curves, names_of_points(curves), shown or {}
        self.cells: dict[tuple[Kind | None, Family | None], Cells] = {}  # without a kind, those of all experiments
        self.pools: dict[tuple[Kind | None, Family | None, tuple[int, ...]], tuple[Tail, bool]] = {}
        self.places: dict[tuple[str, ...], np.ndarray] | None = None

    def rows(self, algorithm: str, calibration: str, variant: str) -> np.ndarray:
        """The numbers of the rows of a curve, in the order of the table."""
        if self.places is None:
            self.places = rows_by_curve(self.runs)
        return self.places.get((algorithm, calibration, variant), np.zeros(0, dtype=np.intp))

    def tail(self, kind: Kind, sample: Floats, family: Family | None, horizon: float) -> Tail:
        """What more runs of a curve show, and the runs of all experiments.

        Parameters
        ----------
        family, horizon : of the sample; a bound has no family.
        """
        found, large = self.pool(kind, sample, family)
        if family is None:
            return replace(found, seen=math.inf)
        shown = self.shown.get(family, Shown(0, None))
        known = None
        if shown.linear is not None and kind[-1] == "regret" and not large:
            known = shown.linear * horizon / float(sample.mean())
        return replace(found, seen=shown.runs, known=known if known is not None and known > 1.0 else None)

    def pool(self, kind: Kind, sample: Floats, family: Family | None) -> tuple[Tail, bool]:
        """The tail of the runs that a sample is pooled with, and whether one of these is large."""
        own = self.cells_of(kind, family)
        chosen = own.agreeing(sample)
        source: Kind | None = kind
        if sum(cell.size for cell in own.of(chosen)) < enough(ALPHA):
            if kind[-1] == "regret" and family is not None and family in self.shown and self.shown[family].cells:
                source, own = None, self.cells_of(None, family)
                chosen = own.agreeing(sample)
            if sum(cell.size for cell in own.of(chosen)) < enough(ALPHA):
                chosen = tuple(range(len(own.runs)))
        if (source, family, chosen) not in self.pools:
            cells = own.of(chosen)
            found = pooled(cells) or Tail(0.0, 0.0, sum(cell.size for cell in cells))
            self.pools[source, family, chosen] = found, any(is_large(cell).any() for cell in cells)
        return self.pools[source, family, chosen]

    def cells_of(self, kind: Kind | None, family: Family | None) -> Cells:
        """The cells of a curve with the constants of a family; without a curve, those of the family."""
        if (kind, family) not in self.cells:
            if kind is None:
                every: Iterable[Floats] = self.shown[family].cells if family else ()
            else:
                curve = next(c for c in self.curves if (c.algorithm, c.calibration, c.variant) == kind[:3])
                every = (
                    self.values(rows, kind[-1])
                    for setting, rows in self.settings(*kind[:3])
                    if family in (None, family_of(curve, setting))
                )
            self.cells[kind, family] = Cells(every)
        return self.cells[kind, family]

    def settings(self, algorithm: str, calibration: str, variant: str) -> Iterator[tuple[dict[str, float], np.ndarray]]:
        """The settings of a curve, each with the numbers of its rows."""
        own = self.rows(algorithm, calibration, variant)
        if not own.size:
            return
        places = [np.unique(self.runs[name][own], return_inverse=True)[1] for name in self.grid]
        cells = np.ravel_multi_index(places, [place.max() + 1 for place in places]) if places else np.zeros(own.size)
        order = np.argsort(cells, kind="stable")
        for rows in np.split(own[order], np.flatnonzero(np.diff(cells[order])) + 1):
            values = {name: float(self.runs[name][rows[0]]) for name in self.grid}
            yield {name: value for name, value in values.items() if not math.isnan(value)}, rows

    def values(self, rows: np.ndarray, column: str) -> Floats:
        """An output of the runs in these rows, as floats."""
        return np.asarray(self.runs[column][rows], dtype=float)


def family_of(curve: Curve, setting: Mapping[str, float]) -> Family:
    """The algorithm of a curve, its calibration, the family of its instances and its constants at a setting."""
    constants = tuple(sorted((name, float(setting.get(name, value))) for name, value in curve.parameters.items()))
    return curve.algorithm, curve.calibration, str(curve.environment["family"]), constants


def bulk(cell: Floats) -> float:
    """Distance of the quartiles over the median; NaN where the median is zero."""
    low, middle, high = np.quantile(cell, (0.25, 0.5, 0.75)) if cell.size else (0.0, 0.0, 0.0)
    return float((high - low) / abs(middle)) if middle else float("nan")


def agree(one: float, other: float, size: int, other_size: int) -> bool:
    """Whether two bulks of so many runs are alike; one that is zero or undefined agrees with all."""
    if not (one > 0.0 and other > 0.0):
        return True
    chance = math.exp(CHANCE * ERROR * math.sqrt(1.0 / size + 1.0 / other_size))
    return max(one, other) <= AGREE * chance * min(one, other)


def rows_by_curve(runs: Table) -> dict[tuple[str, ...], np.ndarray]:
    """The numbers of the rows of every curve, in the order of a table, in which those of a curve mostly follow."""
    columns = [runs[name] for name in ("algorithm", "calibration", "variant")]
    size = columns[0].size
    other = np.logical_or.reduce([column[1:] != column[:-1] for column in columns]) if size else np.zeros(0, dtype=bool)
    blocks: dict[tuple[str, ...], list[np.ndarray]] = {}
    for rows in np.split(np.arange(size), np.flatnonzero(other) + 1) if size else ():
        blocks.setdefault(tuple(str(column[rows[0]]) for column in columns), []).append(rows)
    return {key: np.concatenate(each) for key, each in blocks.items()}


def rows_of(runs: Table, algorithm: str, calibration: str, variant: str) -> np.ndarray:
    """Which rows of a table are those of a curve."""
    found: np.ndarray = (
        (runs["algorithm"] == algorithm) & (runs["variant"] == variant) & (runs["calibration"] == calibration)
    )
    return found
