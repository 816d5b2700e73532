"""Sections of YAML to the cells of the stage audit."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from dpbandits.combinations import combinations
from dpbandits.experiments.cells import Cell
from dpbandits.experiments.config import Paper, Project
from dpbandits.experiments.grid import value_of

MOST_TRIALS = 1_000_000  # that a large eps asks for; source: our choice
TRIALS_PER_ODDS = 20.0  # runs for each e^eps, so that the cap lies above eps; source: our choice


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
        in_theorem_range=in_range(section, point),
    )


def in_range(section: Mapping[str, Any], point: Mapping[str, float]) -> bool | None:
    """Whether a point lies in the range that the section names as the theorem's, None where it names none."""
    if "theorem" not in section:
        return None
    return all(
        (least is None or point[name] >= least) and (most is None or point[name] <= most)
        for name, (least, most) in section["theorem"].items()
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
