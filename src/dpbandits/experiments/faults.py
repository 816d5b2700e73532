"""The check that every name in the configuration refers to something: what a schema cannot say.

Every fault is one line: the key, what is wrong, and what is allowed.
"""

import functools
from collections.abc import Iterator, Mapping
from typing import Any

from dpbandits.algorithms.entry import Range
from dpbandits.algorithms.table import TABLE
from dpbandits.combinations import combinations
from dpbandits.experiments.config import ConfigError, Paper, Project, unknown
from dpbandits.experiments.curves import numbers
from dpbandits.experiments.faults_of_audits import audit_faults, audit_test_faults
from dpbandits.experiments.faults_of_environments import (
    calibration_faults,
    family_faults,
    instance_faults,
    large_instances,
)
from dpbandits.experiments.faults_of_functions import argument_faults, closed_form_faults, closed_forms, drawings
from dpbandits.experiments.faults_of_sizes import chunk_faults, size_faults
from dpbandits.experiments.faults_of_tests import grid_values, known_curves, silent_faults, test_faults
from dpbandits.experiments.grid import GRID_RANGES, grid_names, points_of, value_of, varying_of


def check(project: Project, instances: bool = True) -> None:
    """Check what a schema cannot.

    Parameters
    ----------
    instances : whether the environments are asked for an instance each, which takes their kernels a second to load.

    Raises
    ------
    ConfigError
        A name refers to nothing, two entries collide, or a number breaks a rule that spans keys.
    """
    for paper in project.papers.values():
        for fault in faults(paper, instances):
            raise ConfigError(f"{paper.file}: {fault}")


def faults(paper: Paper, instances: bool = True) -> Iterator[str]:
    """`key: what is wrong; what is allowed` for every fault, in the order of the file.

    What is too large comes first, and ends the search: nothing that follows could count on memory.
    """
    large = list(size_faults(paper))
    yield from large
    if large:
        return
    every = {name: domain for algorithm in TABLE.values() for name, domain in algorithm.parameters.items()}
    for key, constants in {
        "constants": paper.constants,
        **{f"calibrations.{name}": constants for name, constants in paper.calibrations.items()},
    }.items():
        yield from _constant_faults(key, constants, every)
    yield from _gate_faults(paper)
    for experiment, section in paper.experiments.items():
        key = f"experiments.{experiment}"
        for scale, size in section["size"].items():
            if size["seeds"] % size["chunk"]:
                allowed = f"a multiple of chunk ({size['chunk']}) is"
                yield f"{key}.size.{scale}.seeds: {size['seeds']} is not allowed; {allowed}"
        outputs = [name for e in section["curves"] if e["algorithm"] in TABLE for name in TABLE[e["algorithm"]].outputs]
        yield from unknown(f"{key}.traced", section.get("traced", []), dict.fromkeys(outputs))
        yield from calibration_faults(f"{key}.environments", section)
        found = [*family_faults(key, section), *_curve_faults(paper, key, section)]
        found = found or [*_grid_faults(key, section), *large_instances(paper, key, section)]
        found = found or list(chunk_faults(paper, key, section))
        yield from found or (instance_faults(paper, key, section) if instances else ())
    for audit, section in paper.audits.items():
        yield from audit_faults(paper, f"audits.{audit}", section)
    for figure, section in paper.figures.items():
        yield from _figure_faults(paper, f"figures.{figure}", section)
    of_grid = functools.cache(lambda name: grid_values(paper, paper.experiments[name], known_curves(paper, name)))
    for name, section in paper.measurements.items():
        yield from test_faults(paper, f"measurements.{name}", section, of_grid)
        yield from silent_faults(f"measurements.{name}", section)
        yield from _gated_faults(paper, f"measurements.{name}", section)
    for name, section in paper.tables.items():
        yield from _table_faults(paper, f"tables.{name}", section)
    for claim, section in paper.claims.items():
        for variant, changes in {"": {}, **section.get("variants", {})}.items():
            key = f"claims.{claim}" + (f".variants.{variant}" if variant else "")
            merged = {**section, **changes}
            if section["kind"] == "statistical":
                yield from test_faults(paper, key, merged, of_grid)
            else:
                yield from closed_form_faults(key, merged, closed_forms(paper.key))
                yield from audit_test_faults(paper, key, merged)
            yield from silent_faults(key, merged)
            yield from _gated_faults(paper, key, merged)


def _gate_faults(paper: Paper) -> Iterator[str]:
    """Gates of columns that no curve has."""
    entries = [entry for section in paper.experiments.values() for entry in section["curves"]]
    outputs = dict.fromkeys(name for e in entries if e["algorithm"] in TABLE for name in TABLE[e["algorithm"]].outputs)
    for index, gate in enumerate(paper.gates):
        for role in ("column", "over"):
            yield from unknown(f"gates[{index}].{role}", [gate[role]] if role in gate else [], outputs)


def _gated_faults(paper: Paper, key: str, section: Mapping[str, Any]) -> Iterator[str]:
    if "gated" in section and not paper.gates:
        yield f"{key}.gated: {section['gated']} is not allowed; the paper has no gates"


def _constant_faults(key: str, constants: Mapping[str, Any], known: Mapping[str, Range]) -> Iterator[str]:
    yield from unknown(key, constants, known)
    for name, constant in constants.items():
        if name in known and not known[name].allows(value := value_of(constant)):
            yield f"{key}.{name}: {value:g} is not allowed; must be {known[name]}"


def _curve_faults(paper: Paper, key: str, section: Mapping[str, Any]) -> Iterator[str]:
    seen = set()
    for index, entry in enumerate(section["curves"]):
        here = f"{key}.curves[{index}]"
        name = entry["algorithm"]
        yield from unknown(f"{here}.algorithm", [name], TABLE)
        if name not in TABLE:
            continue
        own = [c for c, same in TABLE[name].calibrations.items() if c == same]
        yield from unknown(f"{here}.calibrations", entry["calibrations"], own)
        yield from _constant_faults(f"{here}.parameters", entry.get("parameters", {}), TABLE[name].parameters)
        given = {**paper.constants, **entry.get("parameters", {})}
        for parameter in TABLE[name].parameters:
            if parameter not in given:
                yield f"{here}.parameters.{parameter}: is missing, here and among the constants"
        yield from _varying_faults(f"{here}.varying", section, entry)
        for value in TABLE[name].grid:
            if any(value not in setting for setting in combinations(section["grid"])):
                yield f"{key}.grid.{value}: is missing; {name} needs it"
        for calibration in entry["calibrations"]:
            identity = (name, calibration, entry.get("variant", ""))
            if identity in seen:
                yield f"{here}: {name}, {calibration} stands twice; give one of them a variant"
            seen.add(identity)


def _varying_faults(key: str, section: Mapping[str, Any], entry: Mapping[str, Any]) -> Iterator[str]:
    """Constants that nothing reads, and grid values for which one of them has no value or a wrong one."""
    known = TABLE[entry["algorithm"]].parameters
    yield from unknown(key, entry.get("varying", {}), known)
    for each in varying_of(entry):
        here = f"{key}.{each.name}"
        yield from unknown(f"{here}.along", [each.along], grid_names(section))
        given = dict(each.values)
        for setting in combinations(section["grid"]):
            if each.along in setting and setting[each.along] not in given:
                yield f"{here}.values: has none for {each.along} = {setting[each.along]:g}"
        for constant in given.values():
            if each.name in known and not known[each.name].allows(constant):
                yield f"{here}.values: {constant:g} is not allowed; must be {known[each.name]}"


def _grid_faults(key: str, section: Mapping[str, Any]) -> Iterator[str]:
    """Grid values that nothing uses, or that lie outside their range."""
    algorithms = [TABLE[entry["algorithm"]] for entry in section["curves"]]
    ranges = {**GRID_RANGES, **{name: domain for a in algorithms for name, domain in a.parameters.items()}}
    used = {"T", *numbers(section["environment"])}.union(
        *(a.grid for a in algorithms), *(a.parameters for a in algorithms)
    )
    allowed = [name for name in ranges if name in used]
    outputs = {output for algorithm in algorithms for output in algorithm.outputs}
    for setting in combinations(section["grid"]):
        for name, value in setting.items():
            if name in outputs:
                yield f"{key}.grid.{name}: is not allowed; an algorithm has an output of this name"
                return
            if name not in allowed:
                yield from unknown(f"{key}.grid", [name], allowed)
                return
            if not ranges[name].allows(value):
                yield f"{key}.grid.{name}: {value:g} is not allowed; must be {ranges[name]}"
                return


def _figure_faults(paper: Paper, key: str, section: Mapping[str, Any]) -> Iterator[str]:
    variants = (f"{name}/{variant}" for name, claim in paper.claims.items() for variant in claim.get("variants", {}))
    yield from unknown(f"{key}.claims", section["claims"], dict.fromkeys((*paper.claims, *variants)))
    if "measurement" in section:
        yield from unknown(f"{key}.measurement", [section["measurement"]], paper.measurements)
        if section["measurement"] in paper.measurements:
            measurement = paper.measurements[section["measurement"]]
            yield from unknown(f"{key}.calibrations", section["calibrations"], measurement["calibrations"])
            for name in dict.fromkeys(name for test in measurement["tests"] for name in test["curves"] if "@" in name):
                said = f"it measures {name}, and no figure shows a calibration beside its own"
                yield f"{key}.measurement: {section['measurement']} is not allowed; {said}"
    if "arguments" in section:
        functions = drawings(paper.key)
        yield from unknown(f"{key}.drawing", [section["drawing"]], functions)
        yield from argument_faults(key, section["arguments"], functions.get(section["drawing"]))
    if section["drawing"].startswith("audit"):
        own = {TABLE[a].calibrations.get(c) for each in paper.audits.values() for a in each["algorithms"] if a in TABLE
               for c in each["calibrations"]}  # fmt: skip
        yield from unknown(f"{key}.calibrations", section["calibrations"], sorted(filter(None, own)))
    if "experiment" not in section:
        return
    yield from unknown(f"{key}.experiment", [section["experiment"]], paper.experiments)
    if section["experiment"] not in paper.experiments:
        return
    experiment = paper.experiments[section["experiment"]]
    known = known_curves(paper, section["experiment"])
    yield from unknown(f"{key}.curves", section["curves"], dict.fromkeys(name for name, _ in known))
    runs = dict.fromkeys(calibration for name, calibration in known if name in section["curves"])
    yield from unknown(f"{key}.calibrations", section["calibrations"], runs)
    if "statistic" in section and "column" not in section:
        yield f"{key}.statistic: is not allowed without column"
    column = [section["column"]] if "column" in section else []
    yield from unknown(f"{key}.column", column, experiment.get("traced", []))
    names = grid_names(experiment)
    yield from unknown(f"{key}.at", section.get("at", {}), names)
    allowed = grid_values(
        paper, experiment, {each: entry for each, entry in known.items() if each[0] in section["curves"]}
    )
    for name, values in section.get("at", {}).items():
        yield from unknown(f"{key}.at.{name}", values, allowed[name] if name in names else values)
    yield from unknown(f"{key}.panels", [section["panels"]] if "panels" in section else [], names)
    if section["drawing"] == "regret_growth":
        yield from unknown(f"{key}.along", [section.get("along", "T")], names)
    if section["drawing"] == "regret_against_round" and section["panels"] in names:
        yield from _panel_faults(paper, key, section, known)


def _panel_faults(
    paper: Paper, key: str, section: Mapping[str, Any], known: Mapping[tuple[str, str], Mapping[str, Any]]
) -> Iterator[str]:
    """Regret against the round: every curve has one point in a panel, and there is a panel."""
    experiment, panels, held = paper.experiments[section["experiment"]], section["panels"], section.get("at", {})
    shown_values = set()
    for (name, calibration), entry in known.items():
        points = [
            point
            for point in points_of(paper, experiment, entry, calibration)
            if name in section["curves"] and all(point.get(each, values[0]) in values for each, values in held.items())
        ]
        values = {point.get(panels) for point in points}
        if len(points) > len(values):
            free = [each for each in points[0] if each != panels and len({point[each] for point in points}) > 1]
            yield f"{key}.at: must leave one value of {', '.join(free)}; a panel shows one point of {name}"
            return
        shown_values |= values - {None}
    if not shown_values:
        yield f"{key}.panels: {panels} is not allowed; no curve of the figure has a value of it"


def _table_faults(paper: Paper, key: str, section: Mapping[str, Any]) -> Iterator[str]:
    width, length = len(section["columns"]), len(section["rows"])
    for index, row in enumerate(section["rows"]):
        if len(row) != width:
            yield f"{key}.rows[{index}]: {len(row)} entries are not allowed; {width} are, one for each column"
    verdicts = section.get("verdicts", [None] * length)
    if len(verdicts) != length:
        yield f"{key}.verdicts: {len(verdicts)} entries are not allowed; {length} are, one for each row"
    every = [*paper.claims, *(f"{c}/{v}" for c, claim in paper.claims.items() for v in claim.get("variants", {}))]
    yield from unknown(f"{key}.verdicts", [claim for claim in verdicts if claim is not None], every)
    for index, column in enumerate(section.get("measured", [])):
        here = f"{key}.measured[{index}]"
        yield from unknown(f"{here}.measurement", [column["measurement"]], paper.measurements)
        if len(column["curves"]) != length:
            yield f"{here}.curves: {len(column['curves'])} entries are not allowed; {length} are, one for each row"
        if column["measurement"] in paper.measurements:
            source = paper.measurements[column["measurement"]]
            yield from unknown(f"{here}.calibration", [column["calibration"]], source["calibrations"])
            have = dict.fromkeys(curve for test in source["tests"] for curve in test["curves"])
            yield from unknown(f"{here}.curves", [c for c in column["curves"] if c is not None], have)
