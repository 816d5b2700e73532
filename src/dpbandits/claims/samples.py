"""The runs of an experiment, by curve and setting, and what more runs of a curve say about one of its samples.

More runs are those of the same curve in cells that agree with the sample: the bulk of their runs, between the
quartiles, is spread alike. Rare runs leave the bulk as it is, so that cells with and without them agree.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from dpbandits.base.references import parts
from dpbandits.config.curves import Curve, names_of_points
from dpbandits.numerics.tails import Tail, is_large, pooled

Table = Mapping[str, np.ndarray]
Coincides = Mapping[str, Mapping[str, str]]
Kind = tuple[str, str, str, str]
"""Algorithm, calibration, variant and output."""
Family = tuple[str, str, str, tuple[tuple[str, float], ...]]
"""Algorithm, calibration, family of instances, and constants."""


AGREE = 3.0  # times: cells whose bulks differ by no more agree; our choice


@dataclass(frozen=True)
class Shown:
    """What all experiments of a paper show of an algorithm with the same constants on a family of instances.

    Attributes
    ----------
    runs : how many there are.
    linear : regret a round of the largest of the large runs, where these are a kind of their own; None where not.
    """

    runs: int
    linear: float | None


class Pools:
    """The tails of all curves of a table, each made when it is first asked for."""

    def __init__(self, runs: Table, curves: Sequence[Curve], shown: Mapping[Family, Shown] | None = None) -> None:
        self.runs, self.grid, self.shown = runs, names_of_points(curves), shown or {}
        self.cells: dict[Kind, list[tuple[float, np.ndarray]]] = {}
        self.pools: dict[tuple[Kind, tuple[int, ...]], tuple[Tail, bool]] = {}  # of the cells that agree
        self.places: dict[tuple[str, str, str], np.ndarray] = {}

    def rows(self, algorithm: str, calibration: str, variant: str) -> np.ndarray:
        """The numbers of the rows of a curve, in the order of the table."""
        key = algorithm, calibration, variant
        if key not in self.places:
            self.places[key] = np.flatnonzero(rows_of(self.runs, *key))
        return self.places[key]

    def tail(self, kind: Kind, sample: np.ndarray, family: Family | None, horizon: float) -> Tail:
        """What runs of a curve show, in all settings of the experiment that agree with a sample, and in others.

        Parameters
        ----------
        family, horizon : of the sample; a bound has no family.
        """
        if kind not in self.cells:
            every = (self.values(cell, kind[-1]) for cell in self.settings(*kind[:-1]))
            self.cells[kind] = [(bulk(cell), cell) for cell in every if np.isfinite(cell).all()]
        own = bulk(sample)
        agreeing = tuple(k for k, (other, _) in enumerate(self.cells[kind]) if agree(own, other))
        if (kind, agreeing) not in self.pools:
            cells = [self.cells[kind][k][1] for k in agreeing]
            found = pooled(cells) or Tail(0.0, 0.0, sum(cell.size for cell in cells))
            self.pools[kind, agreeing] = found, any(is_large(cell).any() for cell in cells)
        found, large = self.pools[kind, agreeing]
        if family is None:
            return replace(found, seen=math.inf)
        shown = self.shown.get(family, Shown(0, None))
        known = None
        if shown.linear is not None and kind[-1] == "regret" and not large:
            known = shown.linear * horizon / float(sample.mean())
        return replace(found, seen=shown.runs, known=known if known is not None and known > 1.0 else None)

    def settings(self, algorithm: str, calibration: str, variant: str) -> list[np.ndarray]:
        """The numbers of the rows of a curve, setting by setting."""
        own = self.rows(algorithm, calibration, variant)
        if not own.size:
            return []
        places = [np.unique(self.runs[name][own], return_inverse=True)[1] for name in self.grid]
        cells = np.ravel_multi_index(places, [place.max() + 1 for place in places]) if places else np.zeros(own.size)
        order = np.argsort(cells, kind="stable")
        return np.split(own[order], np.flatnonzero(np.diff(cells[order])) + 1)

    def values(self, rows: np.ndarray, column: str) -> np.ndarray:
        """An output of the runs in these rows, as floats."""
        return np.asarray(self.runs[column][rows], dtype=float)


class Runs:
    """The runs of a table at a calibration, (seeds,), ordered by seed.

    A curve that names a calibration has that one. A grid value that the setting does not give is the curve's default;
    of a curve that does not use it, any. What was found is kept: predicates over pairs of settings ask for it often.
    """

    def __init__(
        self, runs: Table, curves: Sequence[Curve], calibration: str, coincides: Coincides, pools: Pools | None = None
    ) -> None:
        self.runs, self.curves, self.calibration, self.coincides = runs, curves, calibration, coincides
        self.grid, self.pools = names_of_points(curves), pools or Pools(runs, curves)
        self.found: dict[tuple[object, ...], np.ndarray] = {}
        self.kinds: dict[int, tuple[Kind, Family | None, float]] = {}  # and horizons, by arrays in `found`, which stay
        self.tails: dict[int, Tail | None] = {}

    def __call__(self, curve: str, setting: Mapping[str, float], column: str = "regret") -> np.ndarray:
        """The runs of a curve at a setting."""
        key = (curve, tuple(sorted(setting.items())), column)
        if key not in self.found:
            self.found[key] = self._read(curve, setting, column)
        return self.found[key]

    def tail(self, sample: np.ndarray) -> Tail | None:
        """What more runs of the curve say about a sample that this gave; None for any other array."""
        kind, key = self.kinds.get(id(sample)), id(sample)
        if kind and key not in self.tails:
            own, family, horizon = kind
            self.tails[key] = self.pools.tail(own, sample, family, horizon)
        return self.tails.get(key) if kind else None

    def _read(self, curve: str, setting: Mapping[str, float], column: str) -> np.ndarray:
        algorithm, variant, pinned = parts(curve)
        own = self.coincides[algorithm][pinned or self.calibration]
        found = (c for c in self.curves if (c.algorithm, c.calibration, c.variant) == (algorithm, own, variant))
        defaults = next(found)
        rows = self.pools.rows(algorithm, own, variant)
        for name in self.grid:
            value = setting.get(name, defaults.default(name))
            if value is not None:
                given = self.runs[name][rows]
                rows = rows[(given == value) | np.isnan(given)]
        horizon = setting.get("T", float(defaults.horizon))
        if column == "T":
            return np.full(rows.size, horizon, dtype=float)
        values = np.asarray(self.runs[column][rows][np.argsort(self.runs["seed"][rows])], dtype=float)
        values.setflags(write=False)
        family = None if defaults.bound else family_of(defaults, setting)
        self.kinds[id(values)] = (algorithm, own, variant, column), family, horizon
        return values


def family_of(curve: Curve, setting: Mapping[str, float]) -> Family:
    """The algorithm of a curve, its calibration, the family of its instances and its constants at a setting."""
    constants = tuple(sorted((name, float(setting.get(name, value))) for name, value in curve.parameters.items()))
    return curve.algorithm, curve.calibration, str(curve.environment["family"]), constants


def bulk(cell: np.ndarray) -> float:
    """Distance of the quartiles over the median; NaN where the median is zero."""
    low, middle, high = np.quantile(cell, (0.25, 0.5, 0.75)) if cell.size else (0.0, 0.0, 0.0)
    return float((high - low) / abs(middle)) if middle else float("nan")


def agree(one: float, other: float) -> bool:
    """Whether two bulks are alike; one that is zero or undefined agrees with all."""
    if not (one > 0.0 and other > 0.0):
        return True
    return max(one, other) <= AGREE * min(one, other)


def rows_of(runs: Table, algorithm: str, calibration: str, variant: str) -> np.ndarray:
    """Which rows of a table are those of a curve."""
    found: np.ndarray = (
        (runs["algorithm"] == algorithm) & (runs["variant"] == variant) & (runs["calibration"] == calibration)
    )
    return found
