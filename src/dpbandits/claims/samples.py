"""The runs of an experiment, by curve and setting."""

from collections.abc import Mapping, Sequence

import numpy as np

from dpbandits.base.references import parts
from dpbandits.claims.pools import Family, Kind, Pools, Table, family_of
from dpbandits.config.curves import Curve, names_of_points
from dpbandits.numerics.tails import Tail

Coincides = Mapping[str, Mapping[str, str]]


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
