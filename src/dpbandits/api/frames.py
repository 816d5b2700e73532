"""Tables and records of results as rows of DataFrames."""

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from dpbandits.base.parquet import read_table
from dpbandits.config.entries import TABLE
from dpbandits.config.plain_yaml import ConfigError
from dpbandits.config.wording import not_known
from dpbandits.text.names import name_of
from dpbandits.text.text import decisive, readable

Record = Mapping[str, Any]
SUMMARY = ".summary"
COPIED = {
    "claims": ("class", "statement", "where", "source", "subject", "severity", "by_our_threshold", "threshold_from"),
    "audits": ("title", "target", "neighbors", "status", "lower", "cap", "trials", "noise"),
}
"""Fields of records that are columns under the same name."""


class Unknown(ConfigError, KeyError):
    """The name of a table that does not exist."""

    def __str__(self) -> str:
        return "\n".join(self.faults)


class Tables(Mapping[str, pd.DataFrame]):
    """Tables by experiment; each is read, and compared with its checksum, when it is first asked for."""

    def __init__(self, folder: Path, ending: str) -> None:
        self.folder, self.ending = folder, ending
        self._read: dict[str, pd.DataFrame] = {}

    def __getitem__(self, experiment: str) -> pd.DataFrame:
        if experiment not in (known := list(self)):
            raise Unknown(f"experiment: {not_known('experiment', experiment, known)}")
        if experiment not in self._read:
            columns, _ = read_table(self.folder / f"{experiment}{self.ending}.parquet")
            self._read[experiment] = pd.DataFrame(columns)
        return self._read[experiment]

    def __contains__(self, experiment: object) -> bool:
        return experiment in list(self)

    def __iter__(self) -> Iterator[str]:
        stems = sorted(path.stem for path in self.folder.glob("*.parquet"))
        return iter(stem.removesuffix(SUMMARY) for stem in stems if stem.endswith(SUMMARY) == bool(self.ending))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"<tables: {', '.join(self)}>"


def named(rows: pd.DataFrame, calibration: str) -> pd.DataFrame:
    """The rows at a calibration or one that stands for it, with a column `curve`."""
    stands = {name: TABLE[name].calibrations.get(calibration, "") for name in rows["algorithm"].unique()}
    own = rows["calibration"] == calibration
    alone = ~rows["algorithm"].isin(rows.loc[own, "algorithm"].unique())
    found = rows[own | (alone & (rows["calibration"] == rows["algorithm"].map(stands)))]
    if found.empty:
        raise ConfigError(f"calibration: {not_known('', calibration, dict.fromkeys(rows['calibration']))}")
    curves = found["algorithm"].str.cat(found["variant"], sep=":").str.removesuffix(":")
    names = {curve: name_of(curve) for curve in curves.unique()}
    return found.assign(curve=curves.map(names)).dropna(axis="columns", how="all")


def as_float(value: float | None) -> float:
    """A number; NaN for None."""
    return math.nan if value is None else float(value)


def estimate(row: Record) -> dict[str, Any]:
    """A comparison with its estimate in `[low, high]`."""
    low, high = row["interval"]
    ends = {"estimate": as_float(row["estimate"]), "low": as_float(low), "high": as_float(high)}
    return {"comparison": readable(row["label"]), **ends}


def claim_row(record: Record) -> dict[str, Any]:
    """The columns of a verdict."""
    judged = decisive(record) if record["details"] else None
    ends = {"estimate": record["estimate"]}
    ends |= dict(zip(("low", "high"), record["interval"] if judged else (None, None), strict=True))
    ends |= dict(zip(("threshold_low", "threshold_high"), judged["allowed"] if judged else (None, None), strict=True))
    return {
        "id": record["id"],
        "claim": record["id"].partition("/")[2],
        "variant": record["variant"],
        "calibration": record["calibration"],
        "verdict": record["verdict"],
        "decisive": record["decisive"] if judged else "",
        **{name: math.nan if value is None else float(value) for name, value in ends.items()},
        "seeds": math.nan if record["n"] is None else float(record["n"]),
        **{name: record[name] for name in COPIED["claims"]},
        "figure": record["evidence"]["figure"],
    }


def audit_row(record: Record) -> dict[str, Any]:
    """The columns of an audit."""
    least, most = (math.inf if each is None else each for each in record["epsilons"])
    return {
        "audit": record["audit"],
        "algorithm": record["algorithm"],
        "calibration": record["calibration"],
        "eps": record["eps"],
        "delta": record["delta"],
        "verdict": record["verdict"],
        "actual_low": least,
        "actual_high": most,
        **{name: record[name] for name in COPIED["audits"]},
        **{f"setting_{name}": value for name, value in record["point"].items()},
    }
