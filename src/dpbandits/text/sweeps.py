"""Format regret of curves played by `dpbandits run`, as lines and as a table."""

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpbandits.config.curves import Curve, names_of_points
from dpbandits.config.entries import TABLE
from dpbandits.text.escapes import in_cell


@dataclass(frozen=True)
class Played:
    """A curve with its results.

    Attributes
    ----------
    calibration : requested calibration; the runs may be those of an equivalent one.
    own : whether the algorithm is the user's own class.
    courses : for each point, the mean regret and both ends of its interval at the checkpoints, (3, checkpoints).
    rows : for each point, `setting`, `mean`, `standard_error` and `interval` of the final regret.
    changed : whether a constant, the environment or the horizon differs from the scale full.
    """

    curve: Curve
    calibration: str
    own: bool
    seeds: int
    courses: Sequence[np.ndarray]
    rows: Sequence[Mapping[str, Any]]
    changed: bool = False

    @property
    def name(self) -> str:
        """Name of the algorithm with its variant."""
        label = self.curve.algorithm if self.own else TABLE[self.curve.algorithm].label
        return label + (f" ({self.curve.variant.replace('_', ' ')})" if self.curve.variant else "")


def lines(played: Played) -> list[str]:
    """Heading, and one line per point: `  eps = 0.1  1234 ± 56`."""
    curve = played.curve
    same = "" if curve.calibration == played.calibration else f" (= {curve.calibration})"
    horizons = {curve.horizon_at(point) for point in curve.points}
    rounds = horizons.pop() if len(horizons) == 1 else "T"
    found = [
        f"{played.name}, {played.calibration}{same}: regret after {rounds} rounds, "
        f"mean ± half of its 95 % interval, {played.seeds} seeds"
    ]
    places = [", ".join(f"{name} = {value:.10g}" for name, value in row["setting"].items()) for row in played.rows]
    width = max(map(len, places))
    for place, row in zip(places, played.rows, strict=True):
        found.append(f"  {place:{width}}  {with_error(row['mean'], row['interval'][1] - row['mean'])}".rstrip())
    return found


def with_error(value: float, half: float) -> str:
    """Number and half-width of its interval, which has two digits: `1234 ± 56`, `0.1234 ± 0.0056`."""
    if not math.isfinite(half) or half <= 0.0:
        return f"{value:.6g}"
    places = 1 - math.floor(math.log10(half))
    if places <= 0:
        return f"{round(value, places):.0f} ± {round(half, places):.0f}"
    return f"{value:.{places}f} ± {half:.{places}f}"


def table(every: Sequence[Played]) -> str:
    """CSV with one row per point of each curve; settings that a curve lacks are empty."""
    names = [name for name in names_of_points([each.curve for each in every]) if name != "T"]
    drawn = io.StringIO()
    writer = csv.writer(drawn, lineterminator="\n")
    labels = ("algorithm", "variant", "calibration")
    writer.writerow([*labels, *names, "T", "seeds", "mean", "standard_error", "low", "high"])
    for each in every:
        curve = each.curve
        for point, row in zip(curve.points, each.rows, strict=True):
            settings = [point.get(name, "") for name in names]
            numbers = [row["mean"], row["standard_error"], *row["interval"]]
            label = [curve.algorithm, curve.variant, each.calibration]
            writer.writerow([*map(in_cell, label), *settings, curve.horizon_at(point), each.seeds, *numbers])
    return drawn.getvalue()
