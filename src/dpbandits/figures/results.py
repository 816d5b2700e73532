"""The results of one paper at one scale, as its notebook and its drawings read them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpbandits.algorithms.table import TABLE
from dpbandits.experiments.config import Paper, load_paper


@dataclass(frozen=True)
class Results:
    """The results of one paper at one scale."""

    paper: Paper
    tables: Path
    records: list[Mapping[str, Any]]
    measurements: list[Mapping[str, Any]]
    audits: list[Mapping[str, Any]]
    figures: Path

    def measurement(self, name: str, calibration: str) -> Mapping[str, Any]:
        """The record of a measurement."""
        return next(m for m in self.measurements if (m["name"], m["calibration"]) == (name, calibration))

    def stands_for(self, algorithm: str, calibration: str) -> str:
        """The calibration whose runs stand for another one of an algorithm; nothing where none do."""
        return TABLE[algorithm].calibrations.get(calibration, "")


def open_results(key: str, tables_dir: str, claims_json: str, audit_json: str, figures_dir: str) -> Results:
    """Find the configuration above the working folder and read the records of claims and audits."""
    root = next(folder for folder in (Path.cwd(), *Path.cwd().parents) if (folder / "config/config.yaml").is_file())
    found = json.loads(Path(claims_json).read_text(encoding="utf-8"))
    audits = json.loads(Path(audit_json).read_text(encoding="utf-8"))["records"]
    paper, tables, figures = load_paper(root, key), Path(tables_dir), Path(figures_dir)
    return Results(paper, tables, found["records"], found["measurements"], audits, figures)
