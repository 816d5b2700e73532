"""One curve without Snakemake: what `dpbandits run` prints."""

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from dpbandits.base.parquet import read_table
from dpbandits.config.curves import Curve
from dpbandits.numerics.statistics import mean, t_interval
from dpbandits.stages.bounds import evaluate
from dpbandits.stages.calibrate import calibrate
from dpbandits.stages.simulate import simulate


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
    with tempfile.TemporaryDirectory() as scratch:
        noise = Path(scratch) / "noise.json" if curve.calibration == "certified" else None
        if noise:
            calibrate(curve, source, noise)
        file = out or Path(scratch) / "runs.parquet"
        simulate(curve, root_seed, 0, curve.seeds - 1, noise, source, file)
        columns, _ = read_table(file)
    ends = ((columns["point"] == k) & (columns["t"] == curve.horizon_at(p)) for k, p in enumerate(curve.points))
    return [columns["regret"][end] for end in ends]
