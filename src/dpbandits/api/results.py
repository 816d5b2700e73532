"""Results of a paper, as DataFrames: tables of runs, verdicts on claims, audits."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from dpbandits.api.folders import Folder, needed_root
from dpbandits.base.parquet import read_table
from dpbandits.base.storage import read_json
from dpbandits.config.loading import SCALES
from dpbandits.config.paper_files import known_keys
from dpbandits.config.plain_yaml import ConfigError
from dpbandits.config.wording import got, not_known
from dpbandits.figures.results import places
from dpbandits.text.text import decisive

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


@dataclass(frozen=True)
class Results:
    """Results of a paper at a scale. Files are read when they are first asked for.

    Attributes
    ----------
    paper, scale : key of the paper, and scale.
    folders : of the tables, the claims and the audits.
    """

    paper: str
    scale: str
    folders: Mapping[str, Path]

    @cached_property
    def tables(self) -> Tables:
        """Runs by experiment: a row per curve, setting and seed, with the outputs at the horizon."""
        return Tables(self.folders["tables"], "")

    @cached_property
    def summaries(self) -> Tables:
        """Statistics over seeds by experiment: a row per curve, setting and checkpoint."""
        return Tables(self.folders["tables"], SUMMARY)

    @cached_property
    def claims(self) -> pd.DataFrame:
        """Verdicts: a row per claim, variant and calibration.

        `estimate` in `[low, high]` is that of the decisive comparison, which `decisive` names; the claim holds where it
        lies in `[threshold_low, threshold_high]`. NaN: no limit on this side, or not tested.
        """
        return pd.DataFrame([_claim(record) for record in self._records("claims")])

    @cached_property
    def audits(self) -> pd.DataFrame:
        """Audits: a row per audit, algorithm, calibration and setting.

        `eps` and `delta` are the claim. By calculation the actual epsilon at this delta lies in
        `[actual_low, actual_high]`. Where `status` is `searched`, this covers only the pairs of inputs that were tried.
        `lower` is the lower bound from runs. `setting_...` are the values of the grid.
        """
        return pd.DataFrame([_audit(record) for record in self._records("audits")])

    def _records(self, kind: str) -> list[Record]:
        found: list[Record] = read_json(self.folders[kind])["records"]
        return found

    def __repr__(self) -> str:
        return f"<Results of {self.paper} at the scale {self.scale}: {len(self.tables)} tables, claims, audits>"


def _claim(record: Record) -> dict[str, Any]:
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


def _audit(record: Record) -> dict[str, Any]:
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


def load_results(paper: str, scale: str = "full", project: Folder | None = None) -> Results:
    """Results of a paper: tables, verdicts and audits.

    Parameters
    ----------
    paper : str
        Key of the paper, such as `hu2021`.
    scale : str
        `full` for the committed results in `figures/<paper>/data`; `quick` or `smoke` for those in `results/<scale>`.
    project : path, optional
        Folder of the project. The default is the nearest one from the working folder upwards.

    Returns
    -------
    Results
        With `tables`, `summaries`, `claims` and `audits`.

    Raises
    ------
    ConfigError
        The paper or the scale does not exist, or the results do not exist yet.

    Examples
    --------
    >>> results = load_results("hu2021")
    >>> results.claims.query("claim == 'C9'")[["calibration", "verdict"]].to_dict("records")
    [{'calibration': 'printed', 'verdict': 'holds'}]
    """
    root = needed_root(project)
    if paper not in (keys := known_keys(root)):
        raise ConfigError(f"paper: {not_known('paper', paper, keys)}")
    if scale not in SCALES:
        raise ConfigError(f"scale: {got(scale, 'must be one of: ' + ', '.join(SCALES))}")
    here = places(root, paper, scale)
    for kind in ("claims", "audits"):
        if not here[kind].is_file():
            raise ConfigError(f"{here[kind].relative_to(root)}: does not exist yet. Run `make {scale}` first.")
    return Results(paper, scale, here)
