"""Sections of YAML to curves; `faults` checks that every name in them refers to something."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from dpbandits.algorithms.entry import POSITIVE, PROBABILITY, Range
from dpbandits.algorithms.table import TABLE
from dpbandits.combinations import combinations
from dpbandits.digests import file_digest
from dpbandits.environments.table import TABLE as FAMILIES
from dpbandits.experiments.config import Paper, Project
from dpbandits.experiments.curves import Curve, Setting, Varying, numbers

GRID_RANGES = {
    "eps": Range(1e-6, 1e6, closed=True),
    "T": Range(8.0, 1e12, closed=True, whole=True),
    "arms": Range(2.0, 1e5, closed=True, whole=True),
    "dimension": Range(1.0, 100.0, closed=True, whole=True),
    "gap": PROBABILITY,
    "spread": Range(0.0, 1.0, closed=True),
    "middle": PROBABILITY,
    "brackets": Range(1.0, 20.0, closed=True, whole=True),
    "fewest": Range(1.0, 1000.0, closed=True, whole=True),
    "growth": Range(1.0, 10.0, closed=True, whole=True),
    "bad": Range(1.0, 1e5, closed=True, whole=True),
    "size": Range(1.0, 1e5, closed=True, whole=True),
    "side": Range(1.0, 100.0, closed=True, whole=True),
    "vertices": Range(3.0, 100.0, closed=True, whole=True),
    "left": Range(1.0, 100.0, closed=True, whole=True),
    "right": Range(2.0, 100.0, closed=True, whole=True),
    "density": PROBABILITY,
    "picks": Range(1.0, 100.0, closed=True, whole=True),
    "norm": Range(0.0, 1.0, closed=True),
    "beta": POSITIVE,
    "rounds": Range(8.0, 1e12, closed=True, whole=True),
    "noise": Range(0.0, 10.0, closed=True),
}
"""Where grid values may lie that are no parameter of an algorithm."""


@lru_cache(maxsize=256)  # planning asks for those of every experiment several times
def curves(project: Project, paper: Paper, experiment: str) -> tuple[Curve, ...]:
    """All curves of an experiment at the project's scale, in the order of the YAML."""
    return tuple(
        curve_of(project, paper, experiment, entry, calibration)
        for entry in paper.experiments[experiment]["curves"]
        for calibration in entry["calibrations"]
    )


def curve_of(project: Project, paper: Paper, experiment: str, entry: Mapping[str, Any], calibration: str) -> Curve:
    """The curve of one entry of an experiment at a calibration."""
    section = at_calibration(at_scale(paper.experiments[experiment], project.scale), calibration)
    size = section["size"][project.scale]
    curve = Curve(
        paper=paper.key,
        experiment=experiment,
        algorithm=entry["algorithm"],
        calibration=calibration,
        variant=entry.get("variant", ""),
        environment=section["environment"],
        horizon=section["horizon"],
        checkpoints_per_decade=section["checkpoints_per_decade"],
        parameters=parameters_of(paper, entry, calibration),
        points=points_of(paper, section, entry, calibration),
        replicates=entry.get("replicates", 1),
        seeds=size["seeds"],
        chunk=size["chunk"],
        milliseconds=float(entry["milliseconds"]),
        checkpoints_even=section.get("checkpoints_even", 0),
        longest=size.get("longest", 0),
        noise_asks=TABLE[entry["algorithm"]].noise_asks,
        data=data_of(project.root, section["environment"]),
        varying=varying_of(entry),
    )
    return replace(curve, milliseconds=curve.milliseconds * shortened(curve, paper.experiments[experiment]["horizon"]))


def data_of(root: Path, environment: Mapping[str, Any]) -> str:
    """SHA-256 of the file that an environment reads, if it does and the file is there."""
    files = FAMILIES[environment["family"]].files
    places = [root / files[word] for word in environment.values() if word in files]
    return "".join(file_digest(place) for place in places if place.is_file())


def shortened(curve: Curve, horizon: int) -> float:
    """Rounds of all points over those of the experiment's own horizon: what a scale with shorter runs saves."""
    own = sum(int(point.get("T", horizon)) for point in curve.points)
    return sum(map(curve.horizon_at, curve.points)) / own


def at_scale(section: Mapping[str, Any], scale: str) -> Mapping[str, Any]:
    """An experiment with the horizon of a scale, where that has one of its own."""
    return {**section, "horizon": section["size"][scale].get("horizon", section["horizon"])}


def at_calibration(section: Mapping[str, Any], calibration: str) -> Mapping[str, Any]:
    """An experiment with the environment of a calibration, where that replaces some of it."""
    return {
        **section,
        "environment": {**section["environment"], **section.get("environments", {}).get(calibration, {})},
    }


def other_horizon(paper: Paper, figure: str, scale: str) -> str:
    """What a figure must say where its experiment has a horizon of its own at a scale; else nothing."""
    section = paper.experiments.get(paper.figures[figure].get("experiment", ""))
    size = {} if section is None else section["size"][scale]
    if section is not None and "horizon" in size:
        return f"at the scale {scale} T = {size['horizon']:g} instead of {section['horizon']:g}"
    return f"at the scale {scale} runs end after {size['longest']:g} rounds" if "longest" in size else ""


def every_curve(project: Project, paper: Paper) -> tuple[Curve, ...]:
    """The curves of all experiments of a paper."""
    return tuple(curve for experiment in paper.experiments for curve in curves(project, paper, experiment))


def parameters_of(paper: Paper, entry: Mapping[str, Any], calibration: str) -> dict[str, float]:
    """Constants of one curve: the paper's, in their place those of the calibration, and those of the curve itself."""
    names = TABLE[entry["algorithm"]].parameters if entry["algorithm"] in TABLE else {}
    layers = (paper.constants, paper.calibrations.get(calibration, {}), entry.get("parameters", {}))
    merged = {name: value_of(constant) for layer in layers for name, constant in layer.items()}
    return {name: merged[name] for name in names if name in merged}


def varying_of(entry: Mapping[str, Any]) -> tuple[Varying, ...]:
    """Constants of one curve that take another value for every value of the grid."""
    return tuple(
        Varying(name, section["along"], tuple((float(value), float(constant)) for value, constant in section["values"]))
        for name, section in entry.get("varying", {}).items()
    )


def value_of(constant: Any) -> float:
    """The number of a constant, whether or not it carries a source."""
    return float(constant["value"] if isinstance(constant, Mapping) else constant)


def defaults_of(section: Mapping[str, Any], parameters: Setting) -> dict[str, float]:
    """What a curve with these parameters takes for a grid value where a point does not say."""
    return {**parameters, **numbers(section["environment"]), "T": float(section["horizon"])}


def grid_names(section: Mapping[str, Any]) -> tuple[str, ...]:
    """Names that some point of an experiment's grid gives."""
    return tuple(dict.fromkeys(name for setting in combinations(section["grid"]) for name in setting))


def points_of(
    paper: Paper, section: Mapping[str, Any], entry: Mapping[str, Any], calibration: str
) -> tuple[Setting, ...]:
    """The points of one entry of an experiment at a calibration."""
    defaults = defaults_of(at_calibration(section, calibration), parameters_of(paper, entry, calibration))
    return points(section, entry["algorithm"], defaults)


def points(section: Mapping[str, Any], algorithm: str, defaults: Setting) -> tuple[Setting, ...]:
    """The settings of the grid that an algorithm distinguishes, in the order of the YAML, each once.

    A name that one setting gives and another does not has its default there.
    """
    own = [name for name in grid_names(section) if name in defaults or name in TABLE[algorithm].grid]
    found = [
        {name: float(s.get(name, defaults.get(name, float("nan")))) for name in own}
        for s in combinations(section["grid"])
    ]
    return tuple(dict(point) for point in dict.fromkeys(tuple(point.items()) for point in found))


def assumptions(paper: Paper) -> tuple[dict[str, Any], ...]:
    """Everything marked `source: assumed`: the listed readings, then the constants, each once."""
    found = [dict(entry) for entry in paper.assumptions]
    found += _assumed(paper.constants, "")
    for calibration, constants in paper.calibrations.items():
        found += _assumed(constants, f" ({calibration})")
    for experiment, section in paper.experiments.items():
        for entry in section["curves"]:
            name = TABLE[entry["algorithm"]].label if entry["algorithm"] in TABLE else entry["algorithm"]
            found += _assumed(entry.get("parameters", {}), f" of {name} in {experiment}")
    return tuple(found)


def _assumed(constants: Mapping[str, Any], where: str) -> Iterator[dict[str, Any]]:
    for name, constant in constants.items():
        if isinstance(constant, Mapping):
            yield {"item": f"{name}{where}", **constant}
