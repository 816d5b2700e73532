"""Builds curves from sections of the YAML; `faults.check` checks the names in them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from statistics import fmean
from typing import Any
from weakref import WeakKeyDictionary

from dpbandits.algorithms.base import POSITIVE, PROBABILITY, Domain, Range
from dpbandits.base.digests import file_digest
from dpbandits.config.curves import Curve, Environment, Setting, Varying, numbers
from dpbandits.config.entries import BOUNDS, TABLE
from dpbandits.config.loading import Paper, Project
from dpbandits.config.models.claims import Statistical
from dpbandits.config.models.experiments import BoundEntry, Entry, Experiment
from dpbandits.config.models.fields import Assumed, Constants
from dpbandits.config.models.figures import OfExperiment
from dpbandits.config.plain_yaml import shown
from dpbandits.config.sections import CurveName, cases, compared_curves
from dpbandits.config.values import domains_of, number_of
from dpbandits.environments.registry import TABLE as FAMILIES

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
"""Ranges of grid values that are not parameters of an algorithm."""
FIXED_RANGES = {"best": PROBABILITY, "scale": Range(0.0, 1.0, closed=True), "octave": Range(0.0, 4.0, closed=True)}
"""Ranges of the environments' arguments that no grid varies."""
ALWAYS = ("T", "eps", "arms", "dimension")
"""Names whose range no environment can change."""
KEPT: WeakKeyDictionary[Project, dict[tuple[Paper, str], tuple[Curve, ...]]] = WeakKeyDictionary()
"""Cache of the curves of experiments, by project."""


def ranges_of(family: str) -> dict[str, Domain]:
    """Ranges of the numeric arguments of a family and of grid values."""
    of_family = {name: domain for name, domain in FAMILIES[family].ranges.items() if name not in ALWAYS}
    return {**GRID_RANGES, **FIXED_RANGES, **of_family}


def curves(project: Project, paper: Paper, experiment: str) -> tuple[Curve, ...]:
    """All curves of an experiment at the project's scale, in the order of the YAML.

    They are cached as long as the project exists, because planning uses the curves of every experiment several times.
    """
    kept = KEPT.setdefault(project, {})
    if (paper, experiment) not in kept:
        kept[paper, experiment] = tuple(
            curve_of(project, paper, experiment, entry, calibration)
            for entry in paper.experiments[experiment].entries
            for calibration in entry.calibrations
        )
    return kept[paper, experiment]


def curve_of(project: Project, paper: Paper, experiment: str, entry: Entry, calibration: str) -> Curve:
    """The curve of one entry of an experiment at a calibration."""
    section = paper.experiments[experiment]
    size = section.size.at(project.scale)
    name = entry.algorithm, calibration, entry.variant or ""
    environment = section.environment_of(calibration)
    curve = Curve(
        paper=paper.key,
        experiment=experiment,
        algorithm=entry.algorithm,
        calibration=calibration,
        variant=entry.variant or "",
        environment=environment,
        horizon=section.horizon_at(project.scale),
        checkpoints_per_decade=section.checkpoints_per_decade or 0,
        parameters=parameters_of(paper, entry, calibration),
        points=points_of(paper, section, entry, calibration, project.scale),
        replicates=entry.replicates or 1,
        seeds=size.number_of(readers(paper, experiment).get(name, {calibration})),
        chunk=size.chunk,
        milliseconds=entry.milliseconds,
        checkpoints_even=section.checkpoints_even or 0,
        noise_asks=TABLE[entry.algorithm].noise_asks,
        data=data_of(project.root, environment),
        varying=varying_of(entry),
    )
    if "T" not in grid_names(section.settings):  # runs of one length, which saves planning from building all points
        return replace(curve, milliseconds=curve.milliseconds * (curve.horizon / section.horizon))
    planned = points_of(paper, section, entry, calibration)
    return replace(curve, milliseconds=curve.milliseconds * shortened(curve, planned, section.horizon))


@lru_cache(maxsize=256)
def readers(paper: Paper, experiment: str) -> dict[CurveName, set[str]]:
    """The calibrations at which each curve of an experiment is judged: its own, and those that share its runs.

    A bound is judged at all calibrations.
    """
    section = paper.experiments[experiment]
    coincides = {name: TABLE[name].calibrations for name in {entry.algorithm for entry in section.entries}}
    found: dict[CurveName, set[str]] = {}
    for entry in section.entries:
        for calibration in entry.calibrations:
            every = section.calibrations if isinstance(entry, BoundEntry) else [calibration]
            found[entry.algorithm, calibration, entry.variant or ""] = set(every)
    own = [each for each in paper.measurements.values() if each.experiment == experiment]
    judged = [(calibration, claim.tests_of(calibration)) for calibration, claim in _judged(paper).get(experiment, [])]
    judged += [(calibration, each.tests_of(calibration)) for each in own for calibration in each.calibrations]
    for calibration, tests in judged:
        for name in compared_curves(tests, calibration, coincides) & set(found):
            found[name].add(calibration)
    return found


@lru_cache(maxsize=1)  # planning finishes one paper before the next
def _judged(paper: Paper) -> dict[str, list[tuple[str, Statistical]]]:
    """Calibration and claim of every case that runs decide, by experiment."""
    found: dict[str, list[tuple[str, Statistical]]] = {}
    for *_, calibration, claim in cases(paper.claims):
        if isinstance(claim, Statistical):
            found.setdefault(claim.experiment, []).append((calibration, claim))
    return found


def data_of(root: Path, environment: Environment) -> str:
    """SHA-256 of the file that an environment reads; empty if it reads none or the file does not exist."""
    files = FAMILIES[str(environment["family"])].files
    places = [root / files[word] for word in environment.values() if isinstance(word, str) and word in files]
    return "".join(file_digest(place) for place in places if place.is_file())


def shortened(curve: Curve, planned: Sequence[Setting], horizon: int) -> float:
    """Mean rounds of a run over the points, divided by those of the experiment; below 1 at scales with shorter runs."""
    return fmean(map(curve.horizon_at, curve.points)) / fmean(point.get("T", horizon) for point in planned)


def other_horizon(paper: Paper, figure: str, scale: str) -> str:
    """The note of a figure whose experiment has another horizon at a scale; else empty."""
    drawn = paper.figures[figure]
    if not isinstance(drawn, OfExperiment):
        return ""
    section = paper.experiments[drawn.experiment]
    size = section.size.at(scale)
    if size.horizon:
        return f"at the scale {scale} T = {section.horizon_at(scale):g} instead of {section.horizon:g}"
    return f"at the scale {scale} no run is longer than T = {size.longest:g}" if size.longest else ""


def every_curve(project: Project, paper: Paper) -> tuple[Curve, ...]:
    """The curves of all experiments of a paper that are run at the project's scale."""
    return tuple(curve for experiment in paper.played(project.scale) for curve in curves(project, paper, experiment))


def own_key(entry: Entry) -> str:
    """The key of a curve's constants in its entry."""
    return "weights" if isinstance(entry, BoundEntry) else "parameters"


def name_key(section: Experiment, index: int) -> str:
    """The key of an entry's algorithm or bound in the YAML of its experiment."""
    return f"{section.key(index)}.{'bound' if isinstance(section.entries[index], BoundEntry) else 'algorithm'}"


def parameters_of(paper: Paper, entry: Entry, calibration: str) -> dict[str, float]:
    """Constants of one curve: the paper's, overridden by the calibration's, overridden by the curve's own.

    A bound has only its own weights; missing weights are 0.
    """
    own, domains = entry.parameters or {}, domains_of([entry.algorithm])
    if entry.algorithm in BOUNDS:
        return {name: number_of(name, own.get(name, 0.0), domains) for name in domains}
    merged = {**paper.constants, **paper.calibrations.get(calibration, {}), **own}
    return {name: number_of(name, merged[name], domains) for name in domains if name in merged}


def varying_of(entry: Entry) -> tuple[Varying, ...]:
    """Constants of one curve that depend on a grid value."""
    return tuple(
        Varying(name, section.along, tuple((float(value), float(constant)) for value, constant in section.values))
        for name, section in (entry.varying or {}).items()
    )


def defaults_of(
    paper: Paper, section: Experiment, entry: Entry, calibration: str, horizon: int | None = None
) -> dict[str, float]:
    """A curve's defaults for grid values that a point does not give; the horizon defaults to the experiment's."""
    parameters, environment = parameters_of(paper, entry, calibration), section.environment_of(calibration)
    return {**parameters, **numbers(environment), "T": float(horizon or section.horizon)}


def grid_names(settings: Iterable[Setting]) -> tuple[str, ...]:
    """Names that occur in some setting of a grid."""
    return tuple(dict.fromkeys(name for setting in settings for name in setting))


def points_of(
    paper: Paper, section: Experiment, entry: Entry, calibration: str, scale: str | None = None
) -> tuple[Setting, ...]:
    """The points of one entry of an experiment at a calibration; with a scale, those run at that scale."""
    settings = section.settings if scale is None else section.settings_at(scale)
    horizon = section.horizon if scale is None else section.horizon_at(scale)
    return points(settings, entry.algorithm, defaults_of(paper, section, entry, calibration, horizon))


def points(settings: Sequence[Setting], algorithm: str, defaults: Setting) -> tuple[Setting, ...]:
    """The distinct settings of the grid for an algorithm, in the order of the YAML.

    A name that is missing in some settings takes its default there.
    """
    own = [name for name in grid_names(settings) if name in defaults or name in TABLE[algorithm].grid]
    found = [{name: float(setting.get(name, defaults.get(name, float("nan")))) for name in own} for setting in settings]
    return tuple(dict(point) for point in dict.fromkeys(tuple(point.items()) for point in found))


def assumptions(paper: Paper) -> tuple[dict[str, Any], ...]:
    """Everything marked `source: assumed`: the listed readings, then the constants, without duplicates."""
    found = [entry.model_dump() for entry in paper.assumptions]
    found += _assumed(paper.constants, "")
    for calibration, constants in paper.calibrations.items():
        found += _assumed(constants, f" ({calibration})")
    for experiment, section in paper.experiments.items():
        for entry in section.entries:
            name = TABLE[entry.algorithm].label if entry.algorithm in TABLE else entry.algorithm
            found += _assumed(entry.parameters or {}, f" of {name} in {experiment}")
    return tuple(found)


def _assumed(constants: Constants, where: str) -> Iterator[dict[str, Any]]:
    for name, constant in constants.items():
        if isinstance(constant, Assumed):
            value = constant.value
            special = value is None or isinstance(value, bool)
            shown_value = shown(value) if special else value
            yield {"item": f"{name}{where}", "value": shown_value, "source": constant.source, "note": constant.note}
