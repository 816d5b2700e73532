"""One curve without Snakemake: what `dpbandits run` prints."""

import tempfile
from pathlib import Path
from typing import Any

from dpbandits.experiments.curves import Curve
from dpbandits.parquet import read_table
from dpbandits.stages.calibrate import calibrate
from dpbandits.stages.simulate import simulate
from dpbandits.statistics import mean, standard_error, t_interval


def run_single(curve: Curve, root_seed: int, out: Path | None, source: str) -> list[dict[str, Any]]:
    """Calibrate and simulate all seeds of a curve; mean, standard error and 95 % interval of the final regret."""
    with tempfile.TemporaryDirectory() as scratch:
        noise = Path(scratch) / "noise.json" if curve.calibration == "certified" else None
        if noise:
            calibrate(curve, source, noise)
        file = out or Path(scratch) / "runs.parquet"
        simulate(curve, root_seed, 0, curve.seeds - 1, noise, source, file)
        columns, _ = read_table(file)
    rows = []
    for index, point in enumerate(curve.points):
        final = columns["regret"][(columns["point"] == index) & (columns["t"] == curve.horizon_at(point))]
        statistic = mean(final)
        interval = t_interval(statistic)
        rows.append(
            {
                "setting": dict(point),
                "mean": statistic.estimate,
                "standard_error": standard_error(statistic),
                "interval": [interval.low, interval.high],
            }
        )
    return rows
