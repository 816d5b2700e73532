"""The runs of an experiment, by curve and setting."""

from collections.abc import Mapping, Sequence

import numpy as np

from dpbandits.claims.pools import Family, Kind, Pools, Table, family_of, together
from dpbandits.config.curves import Curve, names_of_points
from dpbandits.config.sections import Coincides, name_of_curve, named_curve
from dpbandits.numerics.tails import Tail


class Runs:
    """The runs of a table at a calibration, (seeds,), sorted by seed; only the first `seeds` seeds if given.

    A curve that names a calibration uses that one. A grid value missing from the setting takes the curve's default, or
    any value if the curve does not use it. Results are cached, because predicates over pairs of settings reuse them
    often.
    """

    def __init__(
        self,
        runs: Table,
        curves: Sequence[Curve],
        calibration: str,
        coincides: Coincides,
        pools: Pools | None = None,
        seeds: int | None = None,
    ) -> None:
        self.runs, self.curves, self.calibration, self.coincides = runs, curves, calibration, coincides
        self.seeds = seeds
        self.grid, self.pools = names_of_points(curves), pools or Pools(runs, curves)
        self.found: dict[tuple[object, ...], np.ndarray] = {}
        self.kinds: dict[int, tuple[Kind, Family | None, float]] = {}  # by id of arrays in `found`, which are kept
        self.tails: dict[int, Tail | None] = {}

    def __call__(self, curve: str, setting: Mapping[str, float], column: str = "regret") -> np.ndarray:
        """The runs of a curve at a setting."""
        key = (curve, tuple(sorted(setting.items())), column)
        if key not in self.found:
            self.found[key] = self._read(curve, setting, column)
        return self.found[key]

    def tail(self, sample: np.ndarray) -> Tail | None:
        """The tail of a sample that this object returned; None for any other array."""
        kind, key = self.kinds.get(id(sample)), id(sample)
        if kind and key not in self.tails:
            own, family, horizon = kind
            self.tails[key] = self.pools.tail(own, sample, family, horizon)
        return self.tails.get(key) if kind else None

    def _read(self, curve: str, setting: Mapping[str, float], column: str) -> np.ndarray:
        name = algorithm, own, variant = named_curve(curve, self.calibration, self.coincides)
        defaults = next((each for each in self.curves if name_of_curve(each) == name), None)
        if defaults is None:
            raise KeyError(f"{curve} has no runs that stand for {self.calibration} ones")
        wanted = {grid: setting.get(grid, defaults.default(grid)) for grid in self.grid}
        rows = self._by_seed(
            [
                block
                for given, cell in self.pools.settings(algorithm, own, variant)
                if all(wanted[grid] in (None, value) for grid, value in given.items())
                for block in cell
            ]
        )
        horizon = setting.get("T", float(defaults.horizon))
        if column == "T":
            return np.full(self.runs["seed"][rows].size, horizon, dtype=float)
        values = np.asarray(self.runs[column][rows], dtype=float)[:]  # a new array, whose id identifies its tail
        values.setflags(write=False)
        family = None if defaults.bound else family_of(defaults, setting)
        self.kinds[id(values)] = (algorithm, own, variant, column), family, horizon
        return values

    def _by_seed(self, blocks: Sequence[slice]) -> slice | np.ndarray:
        """Rows sorted by seed; only the first `seeds` seeds if given."""
        rows, every = together(blocks), self.runs["seed"]
        seeds = every[rows]
        if isinstance(rows, slice) and (seeds[1:] > seeds[:-1]).all():
            kept = seeds.size if self.seeds is None else int(np.searchsorted(seeds, self.seeds))
            return slice(rows.start, rows.start + kept)
        numbers = np.arange(rows.start, rows.stop) if isinstance(rows, slice) else np.sort(rows)
        if self.seeds is not None:
            numbers = numbers[every[numbers] < self.seeds]
        return numbers[np.argsort(every[numbers])]
