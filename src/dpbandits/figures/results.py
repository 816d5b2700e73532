"""The results of one paper at one scale, as its notebook and its drawings read them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpbandits.config.entries import TABLE
from dpbandits.config.loading import Paper, load_paper


@dataclass(frozen=True)
class Results:
    """The results of one paper at one scale."""

    paper: Paper
    scale: str
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
    return read_results(load_paper(root, key), Path(tables_dir), Path(claims_json), Path(audit_json), Path(figures_dir))


def read_results(paper: Paper, tables: Path, claims: Path, audit: Path, figures: Path) -> Results:
    """Read the records of claims and audits of a paper."""
    found = json.loads(claims.read_text(encoding="utf-8"))
    audits = json.loads(audit.read_text(encoding="utf-8"))["records"]
    return Results(paper, found["scale"], tables, found["records"], found["measurements"], audits, figures)
