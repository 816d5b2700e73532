"""Results of one paper at one scale, as its notebook and its figures read them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpbandits.config.entries import TABLE
from dpbandits.config.loading import SCALES, Paper
from dpbandits.config.plain_yaml import ConfigError


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
        """Record of a measurement."""
        return next(m for m in self.measurements if (m["name"], m["calibration"]) == (name, calibration))

    def stands_for(self, algorithm: str, calibration: str) -> str:
        """Calibration whose runs represent another calibration of an algorithm; empty if there is none."""
        return TABLE[algorithm].calibrations.get(calibration, "")


def places(root: Path, key: str, scale: str) -> dict[str, Path]:
    """Locations of a paper's tables, claims and audits; for `full`, those beside the figures."""
    if scale == "full":
        data = root / f"figures/{key}/data"
        return {"tables": data, "claims": data / "claims.json", "audits": data / "audit.json"}
    here = root / "results" / scale
    claims, audits = here / f"claims/{key}.json", here / f"audit/{key}.json"
    return {"tables": here / f"tables/{key}", "claims": claims, "audits": audits}


def last_places(root: Path, key: str) -> dict[str, Path]:
    """Locations for the scale judged last. If none was judged, those of `full`, which are committed."""
    judged = {scale: root / f"results/{scale}/claims/{key}.json" for scale in SCALES}
    when = {scale: path.stat().st_mtime_ns for scale, path in judged.items() if path.is_file()}
    found = places(root, key, max(when, key=lambda scale: when[scale], default="full"))
    if not found["claims"].is_file():
        raise ConfigError(f"{found['claims'].relative_to(root)}: does not exist yet. Run `make` first.")
    return found


def read_results(paper: Paper, tables: Path, claims: Path, audit: Path, figures: Path) -> Results:
    """Read the records of claims and audits of a paper."""
    found = json.loads(claims.read_text(encoding="utf-8"))
    audits = json.loads(audit.read_text(encoding="utf-8"))["records"]
    return Results(paper, found["scale"], tables, found["records"], found["measurements"], audits, figures)
