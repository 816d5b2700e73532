"""Sections of YAML to cells: one mechanism with its noise at one setting, the unit of the stage audit."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dpbandits.combinations import combinations
from dpbandits.digests import json_digest, short
from dpbandits.experiments.config import Paper, Project
from dpbandits.experiments.grid import value_of

MOST_TRIALS = 1_000_000  # that a large eps asks for; source: our choice
TRIALS_PER_ODDS = 20.0  # runs for each e^eps, so that the cap lies above eps; source: our choice


@dataclass(frozen=True)
class Cell:
    """One release whose privacy is looked at.

    Attributes
    ----------
    audit : `<paper>/<name>` of its section. release : function of `dpbandits.audits.<paper>`.
    level : `mechanism`, what one step of the algorithm releases, or `actions`, what all of it lets anybody see.
    setting : constants of the paper, of the calibration and of the section, and the point of the grid.
    point : the point of the grid alone.
    eps, delta : the claim. trials : runs on either input. seconds : estimated CPU time.
    """

    audit: str
    release: str
    level: str
    algorithm: str
    calibration: str
    setting: Mapping[str, float]
    point: Mapping[str, float]
    eps: float
    delta: float
    trials: int
    seconds: float

    def identity(self) -> dict[str, object]:
        """All that determines the record, and no name or cost."""
        return {
            "release": self.release,
            "level": self.level,
            "algorithm": self.algorithm,
            "calibration": self.calibration,
            "setting": dict(self.setting),
            "eps": self.eps,
            "delta": self.delta,
            "trials": self.trials,
        }

    @property
    def id(self) -> str:
        """Eight hexadecimal digits, in the record and in the names of its streams."""
        return short(json_digest(self.identity()))


def cells(project: Project, paper: Paper, audit: str) -> tuple[Cell, ...]:
    """The cells of an audit at the project's scale: algorithm by algorithm, calibration by calibration."""
    section = paper.audits[audit]
    return tuple(
        cell_of(project, paper, audit, algorithm, calibration, point)
        for algorithm in section["algorithms"]
        for calibration in section["calibrations"]
        for point in combinations(section["grid"][project.scale])
    )


def cell_of(
    project: Project, paper: Paper, audit: str, algorithm: str, calibration: str, point: Mapping[str, float]
) -> Cell:
    """One cell of an audit."""
    section = paper.audits[audit]
    layers = (paper.constants, paper.calibrations.get(calibration, {}), section.get("constants", {}))
    setting = {name: value_of(constant) for layer in layers for name, constant in layer.items()} | dict(point)
    eps = setting["eps"]
    return Cell(
        audit=f"{paper.key}/{audit}",
        release=section["release"],
        level=section["level"],
        algorithm=algorithm,
        calibration=calibration,
        setting=setting,
        point=dict(point),
        eps=eps,
        delta=float(section.get("delta", setting.get("delta", 0.0))),
        trials=trials_of(section["trials"][project.scale], eps),
        seconds=section["milliseconds"][project.scale] / 1000.0,
    )


def trials_of(given: int, eps: float) -> int:
    """The trials of a scale, or where more are needed to see a level of `eps` so many, up to `MOST_TRIALS`."""
    return max(given, min(MOST_TRIALS, int(TRIALS_PER_ODDS * math.exp(min(eps, 50.0)))))


def sections_of(project: Project) -> list[tuple[str, str]]:
    """Paper and name of every audit, in the order of the configuration."""
    return [(key, name) for key, paper in project.papers.items() for name in paper.audits]


def seconds_of(project: Project, found: Sequence[str]) -> float:
    """Estimated CPU seconds of an audit, given by paper and name."""
    key, name = found
    return sum(cell.seconds for cell in cells(project, project.papers[key], name))


def described(section: Mapping[str, Any]) -> dict[str, str]:
    """What the section of an audit says in words."""
    return {name: section[name] for name in ("says", "where", "domain", "neighbours", "view")} | {
        "note": section.get("note", "")
    }
