"""Select the summary rows that figures draw: DataFrames with one row per curve and point.

Columns: `curve` as in the configuration, `panel` (its title) if there are several, grid values (NaN for a curve that
does not use one), the round `t`, the regret's `mean`, `low`, `high` and `median`, and the number of runs `n`.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from dpbandits.base.parquet import read_table
from dpbandits.base.references import parts
from dpbandits.config.grid import grid_names
from dpbandits.config.models.experiments import Experiment
from dpbandits.config.models.figures import OfExperiment, RegretAgainstRound
from dpbandits.figures.results import Results
from dpbandits.text.names import BOUND, trust_model_of

LABELS = ("algorithm", "calibration", "variant")
MOMENTS = ("t", "n", "mean", "standard_error", "low", "high", "median")
Held = Mapping[str, Sequence[float]]
"""Grid values to show, by name."""


def summary_of(results: Results, section: OfExperiment) -> pd.DataFrame:
    """Rows of the summary that a figure draws: those at all rounds, or those at the horizon.

    With `column`, the moments are those of that output, for curves that have it.
    """
    summary = pd.DataFrame(read_table(results.tables / f"{section.experiment}.summary.parquet")[0])
    if not isinstance(section, RegretAgainstRound):
        names = (*LABELS, *grid_names(results.paper.experiments[section.experiment].settings))
        return at_horizon(summary, [name for name in names if name in summary])
    if section.column is None:
        return summary
    moments = {moment: summary[f"{section.column}_{moment}"] for moment in (*MOMENTS[2:], "upper")}
    return summary.assign(**moments)[summary[f"{section.column}_mean"].notna()]


def at_horizon(summary: pd.DataFrame, names: list[str]) -> pd.DataFrame:
    """Rows at the last round of every point; `names` are the columns that identify a point."""
    return summary[summary["t"] == summary.groupby(names, dropna=False)["t"].transform("max")]


def lines_of(
    results: Results, summary: pd.DataFrame, curves: Sequence[str], calibration: str, at: Held
) -> pd.DataFrame:
    """Rows of some curves at a calibration, curve by curve, with each name in `curve`.

    A curve without runs at the calibration takes the rows of the calibration that represents it.
    """
    found = []
    for curve in curves:
        algorithm, variant, _ = parts(curve)
        every = shown(summary[(summary["algorithm"] == algorithm) & (summary["variant"] == variant)], at)
        own = every[every["calibration"] == calibration]
        if own.empty:
            own = every[every["calibration"] == results.stands_for(algorithm, calibration)]
        if not own.empty:
            found.append(own.assign(curve=curve))
    return pd.concat(found, ignore_index=True) if found else summary.iloc[:0].assign(curve="")


def shown(rows: pd.DataFrame, at: Held) -> pd.DataFrame:
    """Rows with one of these grid values, and rows of curves that do not use them."""
    for name, values in at.items():
        rows = rows[rows[name].isin(values) | rows[name].isna()]
    return rows


def by(column: str, rows: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Rows of each panel or curve, in order of appearance."""
    for name, own in rows.groupby(column, sort=False):
        yield str(name), own


def largest(lines: pd.DataFrame, along: str) -> pd.DataFrame:
    """Row with the largest mean for each curve and value of `along`; curves that do not use `along` have one row."""
    ordered = lines.sort_values([along, "mean"], kind="stable", na_position="first")
    last = ordered.drop_duplicates(["curve", along], keep="last")
    return pd.concat([last[last["curve"] == curve] for curve in lines["curve"].unique()], ignore_index=True)


def held_at(experiment: Experiment, held: Held, scale: str) -> dict[str, Sequence[float]]:
    """Grid values that a figure fixes, with the horizons that a scale plays."""
    return {
        name: [experiment.played(value, scale) for value in values] if name == "T" else values
        for name, values in held.items()
    }


def runs_of(lines: pd.DataFrame) -> str:
    """Number of runs per point, `25` or `8 to 96`. Bounds have no runs."""
    played = lines[[trust_model_of(curve) != BOUND for curve in lines["curve"]]]
    counts = (lines if played.empty else played)["n"]
    return f"{counts.min()}" if counts.min() == counts.max() else f"{counts.min()} to {counts.max()}"


def apart(rows: pd.DataFrame, along: str, factor: float) -> pd.DataFrame:
    """Rows in order, with a NaN row between distant neighbors, so that no line spans a range that was not run."""
    ordered = rows.sort_values(along, kind="stable").reset_index(drop=True)  # grids may list values in any order
    x = ordered[along].to_numpy()
    breaks = np.flatnonzero(x[1:] > factor * x[:-1])
    gaps = pd.DataFrame(np.nan, index=breaks + 0.5, columns=[along, "mean", "low", "high"])
    return pd.concat([ordered[gaps.columns], gaps]).sort_index() if len(breaks) else ordered
