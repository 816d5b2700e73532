"""Sections of YAML to curves, and the check that every name in them refers to something."""

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from dpbandits.algorithms.table import TABLE, Algorithm
from dpbandits.experiments.config import ConfigError, Paper, Project, shown
from dpbandits.experiments.curves import Curve, Setting


def curves(project: Project, paper: Paper, experiment: str) -> tuple[Curve, ...]:
    """All curves of an experiment at the project's scale, in the order of the YAML."""
    section = paper.experiments[experiment]
    size = section["size"][project.scale]
    return tuple(
        Curve(
            paper=paper.key,
            experiment=experiment,
            algorithm=entry["algorithm"],
            calibration=calibration,
            variant=entry.get("variant", ""),
            environment=section["environment"],
            horizon=section["horizon"],
            checkpoints_per_decade=section["checkpoints_per_decade"],
            parameters={name: value_of(constant) for name, constant in entry["parameters"].items()},
            points=points(section["grid"], TABLE[entry["algorithm"]]),
            replicates=entry.get("replicates", 1),
            seeds=size["seeds"],
            chunk=size["chunk"],
            milliseconds=float(entry["milliseconds"]),
        )
        for entry in section["curves"]
        for calibration in entry["calibrations"]
    )


def value_of(constant: Any) -> float:
    """The number of a constant, whether or not it carries a source."""
    return float(constant["value"] if isinstance(constant, Mapping) else constant)


def points(grid: Mapping[str, list[float]], algorithm: Algorithm) -> tuple[Setting, ...]:
    """The settings of the grid that an algorithm distinguishes, in the order of the YAML."""
    settings: list[Setting] = [{}]
    for name in algorithm.grid:
        settings = [{**setting, name: float(value)} for setting in settings for value in grid[name]]
    return tuple(settings)


def assumptions(paper: Paper) -> tuple[dict[str, Any], ...]:
    """Everything marked `source: assumed`: the listed readings, then the constants, each once."""
    found = [dict(entry) for entry in paper.assumptions]
    for experiment, section in paper.experiments.items():
        for entry in section["curves"]:
            for name, constant in entry["parameters"].items():
                if isinstance(constant, Mapping):
                    item = f"{name} of {TABLE[entry['algorithm']].label} in {experiment}"
                    found.append({"item": item, **constant})
    return tuple(found)


def check(project: Project) -> None:
    """Check what a schema cannot.

    Raises
    ------
    ConfigError
        A name refers to nothing, two entries collide, or a number breaks a rule that spans keys.
    """
    for paper in project.papers.values():
        for fault in faults(paper):
            raise ConfigError(f"{paper.file}: {fault}")


def faults(paper: Paper) -> Iterator[str]:
    """`key: what is wrong; what is allowed` for every fault, in the order of the file."""
    for experiment, section in paper.experiments.items():
        key = f"experiments.{experiment}"
        for scale, size in section["size"].items():
            if size["seeds"] % size["chunk"]:
                allowed = f"a multiple of chunk ({size['chunk']}) is"
                yield f"{key}.size.{scale}.seeds: {size['seeds']} is not allowed; {allowed}"
        yield from _curve_faults(key, section)
    for figure, section in paper.figures.items():
        key = f"figures.{figure}"
        yield from _unknown(f"{key}.experiment", [section["experiment"]], paper.experiments)
        yield from _unknown(f"{key}.claims", section["claims"], paper.claims)
        if section["experiment"] in paper.experiments:
            entries = paper.experiments[section["experiment"]]["curves"]
            known = dict.fromkeys(entry["algorithm"] for entry in entries)
            yield from _unknown(f"{key}.curves", section["curves"], known)
            runs = dict.fromkeys(c for e in entries if e["algorithm"] in section["curves"] for c in e["calibrations"])
            yield from _unknown(f"{key}.calibrations", section["calibrations"], runs)
    for claim, section in paper.claims.items():
        if "function" in section:
            yield from _closed_form_faults(f"claims.{claim}", section, closed_forms(paper.key))
            continue
        yield from _unknown(f"claims.{claim}.experiment", [section["experiment"]], paper.experiments)
        if section["experiment"] in paper.experiments:
            yield from _claim_faults(f"claims.{claim}", section, paper.experiments[section["experiment"]])


def closed_forms(paper: str) -> dict[str, list[str]]:
    """Public functions of `claims/analytic/<paper>.py` and their arguments, found without importing it."""
    path = Path(__file__).resolve().parents[1] / f"claims/analytic/{paper}.py"
    tree = ast.parse(path.read_text(encoding="utf-8") if path.is_file() else "")
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")]
    return {each.name: [argument.arg for argument in each.args.args] for each in functions}


def _unknown(key: str, names: list[Any], allowed: Any) -> Iterator[str]:
    for name in names:
        if name not in allowed:
            yield f"{key}: {shown(name)} is not allowed; allowed: {', '.join(map(str, allowed)) or 'none'}"


def _curve_faults(key: str, section: Mapping[str, Any]) -> Iterator[str]:
    seen = set()
    for index, entry in enumerate(section["curves"]):
        here = f"{key}.curves[{index}]"
        name = entry["algorithm"]
        yield from _unknown(f"{here}.algorithm", [name], TABLE)
        if name not in TABLE:
            continue
        own = [c for c, same in TABLE[name].calibrations.items() if c == same]
        yield from _unknown(f"{here}.calibrations", entry["calibrations"], own)
        yield from _unknown(f"{here}.parameters", list(entry["parameters"]), TABLE[name].parameters)
        for parameter, (low, high) in TABLE[name].parameters.items():
            if parameter not in entry["parameters"]:
                yield f"{here}.parameters.{parameter}: is missing"
            elif not low < (value := value_of(entry["parameters"][parameter])) < high:
                yield f"{here}.parameters.{parameter}: {value} is not allowed; must be {interval(low, high)}"
        for calibration in entry["calibrations"]:
            identity = (name, calibration, entry.get("variant", ""))
            if identity in seen:
                yield f"{here}: {name}, {calibration} stands twice; give one of them a variant"
            seen.add(identity)


def interval(low: float, high: float) -> str:
    """`> 0 and < 1`, without what is infinite."""
    return f"> {low:g}" + (f" and < {high:g}" if high < float("inf") else "")


def _claim_faults(key: str, section: Mapping[str, Any], experiment: Mapping[str, Any]) -> Iterator[str]:
    have = {(e["algorithm"], c) for e in experiment["curves"] if "variant" not in e for c in e["calibrations"]}
    for index, test in enumerate(section["tests"]):
        here = f"{key}.tests[{index}]"
        for role in ("curves", "against", "baseline"):
            names = test.get(role, [])
            for name in [names] if isinstance(names, str) else names:
                yield from _unknown(f"{here}.{role}", [name], sorted({algorithm for algorithm, _ in have}))
                if name not in TABLE:
                    continue
                for calibration in section["calibrations"]:
                    if (name, TABLE[name].calibrations.get(calibration)) not in have:
                        yield f"{key}.calibrations: {calibration} is not allowed; {name} does not run with it"
        roles = [name for name in (test.get("against"), test.get("baseline")) if name]
        for name in roles:
            if [*test["curves"], *roles].count(name) > 1:
                yield f"{here}: {name} is compared with itself; curves, against and baseline must differ"
        for name, values in test["at"].items():
            yield from _unknown(f"{here}.at.{name}", values, experiment["grid"][name])
            if test["predicate"] == "decreasing":
                fit = sorted(
                    {algorithm for algorithm, _ in have if algorithm in TABLE and name in TABLE[algorithm].grid}
                )
                yield from _unknown(f"{here}.curves", test["curves"], fit)
        yield from _bounds_faults(here, test)


def _closed_form_faults(key: str, section: Mapping[str, Any], functions: Mapping[str, list[str]]) -> Iterator[str]:
    yield from _unknown(f"{key}.function", [section["function"]], functions)
    wanted = functions.get(section["function"], list(section["arguments"]))
    yield from _unknown(f"{key}.arguments", list(section["arguments"]), wanted)
    for name in wanted:
        if name not in section["arguments"]:
            yield f"{key}.arguments.{name}: is missing"
    yield from _bounds_faults(key, section)


def _bounds_faults(key: str, section: Mapping[str, Any]) -> Iterator[str]:
    low, high = section.get("bounds", (0, 1))
    if (low is None and high is None) or (None not in (low, high) and low >= high):
        allowed = "[low, high] with low < high, one may be null"
        yield f"{key}.bounds: {shown(section['bounds'])} is not allowed; {allowed}"
