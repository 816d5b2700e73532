"""One curve without Snakemake: what `dpbandits run` prints."""

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from dpbandits.base.parquet import read_table
from dpbandits.config.curves import Curve
from dpbandits.numerics.statistics import mean, t_interval
from dpbandits.stages.bounds import evaluate
from dpbandits.stages.calibrate import calibrate
from dpbandits.stages.simulate import certified_noise, run_seeds, simulate


def run_single(curve: Curve, root_seed: int, out: Path | None, source: str) -> list[dict[str, Any]]:
    """Mean, standard error and 95 % interval of the final regret of a curve, point by point.

    An algorithm is calibrated and simulated on all seeds; `out` and `source` are for its runs. A bound is evaluated.
    """
    if curve.bound:
        every = [values[:, -1] for values in evaluate(curve, root_seed)]
    else:
        every = simulated(curve, root_seed, out, source)
    rows = []
    for point, final in zip(curve.points, every, strict=True):
        statistic = mean(final)
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


def simulated(curve: Curve, root_seed: int, out: Path | None, source: str) -> list[np.ndarray]:
    """Final regrets at every point, (seeds,); the runs stay in `out` where it is given."""
    if out is None:
        columns = run_seeds(curve, root_seed, range(curve.seeds), noise_of(curve))
    else:
        with tempfile.TemporaryDirectory() as scratch:
            noise = calibrated(curve, source, Path(scratch))
            simulate(curve, root_seed, 0, curve.seeds - 1, noise, source, out)
        columns, _ = read_table(out)
    ends = ((columns["point"] == k) & (columns["t"] == curve.horizon_at(p)) for k, p in enumerate(curve.points))
    return [columns["regret"][end] for end in ends]


def noise_of(curve: Curve) -> list[Mapping[str, float]]:
    """For every point of the curve the certified noise by name, computed now; empty mappings elsewhere."""
    with tempfile.TemporaryDirectory() as scratch:
        return certified_noise(curve, calibrated(curve, "", Path(scratch)))


def calibrated(curve: Curve, source: str, folder: Path) -> Path | None:
    """The file of the certified noise, written to a folder; None where the calibration is another one."""
    if curve.calibration != "certified":
        return None
    calibrate(curve, source, folder / "noise.json")
    return folder / "noise.json"
