"""Play curves without Snakemake, for `dpbandits run`."""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dpbandits.base.parquet import read_table
from dpbandits.config.curves import Curve
from dpbandits.numerics.statistics import mean, t_interval
from dpbandits.stages.bounds import evaluate
from dpbandits.stages.calibrate import calibrate
from dpbandits.stages.simulate import certified_noise, run_seeds, simulate

Traces = list[np.ndarray]
"""For every point of a curve, its regret (seeds, checkpoints)."""


def played(curve: Curve, root_seed: int, out: Path | None = None, source: str = "") -> Traces:
    """Play all seeds of an algorithm, or evaluate a bound.

    Parameters
    ----------
    out, source : a file for the runs, and the source digest that it states.
    """
    if curve.bound:
        return evaluate(curve, root_seed, range(curve.seeds))
    if out is None:
        return traces(curve, run_seeds(curve, root_seed, range(curve.seeds), noise_of(curve)))
    with tempfile.TemporaryDirectory() as scratch:
        noise = calibrated(curve, source, Path(scratch))
        simulate(curve, root_seed, 0, curve.seeds - 1, noise, source, out)
    return traces(curve, read_table(out)[0])


def traces(curve: Curve, columns: Mapping[str, np.ndarray]) -> Traces:
    """The regret of all runs of a curve, from the columns of its table; one run per instance."""
    regret = (columns["regret"][columns["point"] == k] for k in range(len(curve.points)))
    return [each.reshape(-1, len(curve.rounds_at(p))) for each, p in zip(regret, curve.points, strict=True)]


def rows_of(curve: Curve, found: Sequence[np.ndarray]) -> list[dict[str, Any]]:
    """Mean, standard error and 95 % interval of the final regret, point by point."""
    rows = []
    for point, each in zip(curve.points, found, strict=True):
        statistic = mean(each[:, -1])
        interval = t_interval(statistic)
        rows.append(
            {
                "setting": dict(point),
                "mean": statistic.estimate,
                "standard_error": statistic.standard_error,
                "interval": [interval.low, interval.high],
            }
        )
    return rows


def courses(found: Sequence[np.ndarray]) -> list[np.ndarray]:
    """For every point, the mean regret and both ends of its 95 % interval at the checkpoints, (3, checkpoints)."""
    intervals = ([t_interval(mean(each)) for each in traces.T] for traces in found)
    return [np.array([(each.estimate, each.low, each.high) for each in own]).T for own in intervals]


def noise_of(curve: Curve) -> list[Mapping[str, float]]:
    """For every point, the certified noise by name, computed now; empty mappings for other calibrations."""
    with tempfile.TemporaryDirectory() as scratch:
        return certified_noise(curve, calibrated(curve, "", Path(scratch)))


def calibrated(curve: Curve, source: str, folder: Path) -> Path | None:
    """The certified-noise file, written to a folder; None if the curve is not certified."""
    if curve.calibration != "certified":
        return None
    calibrate(curve, source, folder / "noise.json")
    return folder / "noise.json"
