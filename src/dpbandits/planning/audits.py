"""Turn the audit sections of a paper's YAML into cells of the audit stage."""

import math
from collections.abc import Mapping, Sequence
from typing import Any
from weakref import WeakKeyDictionary

from dpbandits.config.loading import Paper, Project
from dpbandits.config.models.claims import Audit
from dpbandits.config.values import domains_of, number_of
from dpbandits.planning.cells import Cell

MOST_TRIALS = 1_000_000  # for large eps; source: our choice
TRIALS_PER_ODDS = 20.0  # runs per e^eps, so that the cap exceeds eps; source: our choice
KEPT: WeakKeyDictionary[Project, dict[tuple[Paper, str], tuple[Cell, ...]]] = WeakKeyDictionary()
"""Cache of the cells of audits, by project."""


def cells(project: Project, paper: Paper, audit: str) -> tuple[Cell, ...]:
    """Cells of one audit at the project's scale, ordered by algorithm, then by calibration.

    They are cached as long as the project exists, because planning uses the cells of every audit several times.
    """
    kept = KEPT.setdefault(project, {})
    if (paper, audit) not in kept:
        section = paper.audits[audit]
        kept[paper, audit] = tuple(
            cell_of(project, paper, audit, algorithm, calibration, point)
            for algorithm in section.algorithms
            for calibration in section.calibrations
            for point in section.settings(project.scale)
        )
    return kept[paper, audit]


def cell_of(
    project: Project, paper: Paper, audit: str, algorithm: str, calibration: str, point: Mapping[str, float]
) -> Cell:
    """One cell of an audit."""
    section = paper.audits[audit]
    layers = (paper.constants, paper.calibrations.get(calibration, {}), section.constants or {})
    domains = domains_of([algorithm])
    setting = {name: number_of(name, each, domains) for layer in layers for name, each in layer.items()} | dict(point)
    eps = setting["eps"]
    return Cell(
        audit=f"{paper.key}/{audit}",
        release=section.release,
        target=section.target,
        algorithm=algorithm,
        calibration=calibration,
        setting=setting,
        point=dict(point),
        eps=eps,
        delta=float(setting.get("delta", 0.0) if section.delta is None else section.delta),
        trials=trials_of(section.trials.at(project.scale), eps),
        seconds=section.milliseconds.at(project.scale) / 1000.0,
        in_theorem_range=in_range(section, point),
        named=bool(section.proof),
    )


def in_range(section: Audit, point: Mapping[str, float]) -> bool | None:
    """Whether a point lies in the range of the theorem, as the audit states it; None if it states no range."""
    if section.theorem is None:
        return None
    return all(
        (least is None or point[name] >= least) and (most is None or point[name] <= most)
        for name, (least, most) in section.theorem.items()
    )


def trials_of(given: int, eps: float) -> int:
    """Runs per input: those of the scale, or more if an epsilon of `eps` needs more, up to `MOST_TRIALS`."""
    return max(given, min(MOST_TRIALS, int(TRIALS_PER_ODDS * math.exp(min(eps, 50.0)))))


def sections_of(project: Project) -> list[tuple[str, str]]:
    """Paper and name of every audit, in the order of the configuration."""
    return [(key, name) for key, paper in project.papers.items() for name in paper.audits]


def seconds_of(project: Project, found: Sequence[str]) -> float:
    """Estimated CPU seconds of an audit, given its paper and name."""
    key, name = found
    return sum(cell.seconds for cell in cells(project, project.papers[key], name))


def described(paper: Paper, audit: str) -> dict[str, Any]:
    """Descriptive texts of an audit and the theorems behind its upper bound, each with its source."""
    section = paper.audits[audit]
    return {
        "title": section.title,
        "says": section.says,
        "where": section.where,
        "domain": section.domain,
        "neighbors": section.neighbors,
        "inputs": section.inputs,
        "view": section.view,
        "proof": [{"theorem": name, "source": paper.theorems[name].source} for name in section.proof or ()],
        "note": section.note or "",
    }
