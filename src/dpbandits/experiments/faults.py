"""The check that every name in the configuration refers to something: what a schema cannot say.

Every fault is one line: the key, what is wrong, and what is allowed.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from dpbandits.algorithms.table import TABLE, Range
from dpbandits.combinations import combinations
from dpbandits.experiments.config import ConfigError, Paper, Project, shown
from dpbandits.experiments.grid import (
    GRID_RANGES,
    defaults_of,
    environment_arguments,
    grid_names,
    parameters_of,
    points_of,
    value_of,
)


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
    every = {name: domain for algorithm in TABLE.values() for name, domain in algorithm.parameters.items()}
    for key, constants in {
        "constants": paper.constants,
        **{f"calibrations.{name}": constants for name, constants in paper.calibrations.items()},
    }.items():
        yield from _constant_faults(key, constants, every)
    for experiment, section in paper.experiments.items():
        key = f"experiments.{experiment}"
        for scale, size in section["size"].items():
            if size["seeds"] % size["chunk"]:
                allowed = f"a multiple of chunk ({size['chunk']}) is"
                yield f"{key}.size.{scale}.seeds: {size['seeds']} is not allowed; {allowed}"
        found = list(_curve_faults(paper, key, section))
        yield from found or _grid_faults(key, section)
    for figure, section in paper.figures.items():
        yield from _figure_faults(paper, f"figures.{figure}", section)
    for name, section in paper.measurements.items():
        yield from _test_faults(paper, f"measurements.{name}", section)
        yield from _silent_faults(f"measurements.{name}", section)
    for name, section in paper.tables.items():
        yield from _table_faults(paper, f"tables.{name}", section)
    for claim, section in paper.claims.items():
        for variant, changes in {"": {}, **section.get("variants", {})}.items():
            key = f"claims.{claim}" + (f".variants.{variant}" if variant else "")
            merged = {**section, **changes}
            if section["kind"] == "statistical":
                yield from _test_faults(paper, key, merged)
            else:
                yield from _closed_form_faults(key, merged, closed_forms(paper.key))
            yield from _silent_faults(key, merged)


def closed_forms(paper: str) -> dict[str, dict[str, str]]:
    """Public functions of `claims/analytic/<paper>.py`, and their arguments with what each must be."""
    return _functions(f"claims/analytic/{paper}.py", ("Numbers", "Bounds"))


def drawings(paper: str) -> dict[str, dict[str, str]]:
    """As `closed_forms`, of `figures/<paper>.py`."""
    return _functions(f"figures/{paper}.py", ("Figure",))


def _functions(file: str, kinds: Sequence[str]) -> dict[str, dict[str, str]]:
    """Public functions of a file that return one of some types, found without importing the module."""
    path = Path(__file__).resolve().parents[1] / file
    tree = ast.parse(path.read_text(encoding="utf-8") if path.is_file() else "")
    return {
        each.name: {a.arg: ast.unparse(a.annotation) if a.annotation else "" for a in each.args.args}
        for each in tree.body
        if isinstance(each, ast.FunctionDef) and each.returns is not None and ast.unparse(each.returns) in kinds
    }


def _silent_faults(key: str, section: Mapping[str, Any]) -> Iterator[str]:
    for calibration in section["calibrations"]:
        if not any(calibration in test.get("calibrations", [calibration]) for test in section["tests"]):
            yield f"{key}.calibrations: {calibration} is not allowed; no test speaks about it"


def _unknown(key: str, names: Iterable[Any], allowed: Any) -> Iterator[str]:
    for name in names:
        if name not in allowed:
            yield f"{key}: {shown(name)} is not allowed; allowed: {', '.join(map(str, allowed)) or 'none'}"


def _constant_faults(key: str, constants: Mapping[str, Any], known: Mapping[str, Range]) -> Iterator[str]:
    yield from _unknown(key, constants, known)
    for name, constant in constants.items():
        if name in known and not known[name].allows(value := value_of(constant)):
            yield f"{key}.{name}: {value:g} is not allowed; must be {known[name]}"


def _curve_faults(paper: Paper, key: str, section: Mapping[str, Any]) -> Iterator[str]:
    seen = set()
    for index, entry in enumerate(section["curves"]):
        here = f"{key}.curves[{index}]"
        name = entry["algorithm"]
        yield from _unknown(f"{here}.algorithm", [name], TABLE)
        if name not in TABLE:
            continue
        own = [c for c, same in TABLE[name].calibrations.items() if c == same]
        yield from _unknown(f"{here}.calibrations", entry["calibrations"], own)
        yield from _constant_faults(f"{here}.parameters", entry.get("parameters", {}), TABLE[name].parameters)
        given = {**paper.constants, **entry.get("parameters", {})}
        for parameter in TABLE[name].parameters:
            if parameter not in given:
                yield f"{here}.parameters.{parameter}: is missing, here and among the constants"
        for value in TABLE[name].grid:
            if any(value not in setting for setting in combinations(section["grid"])):
                yield f"{key}.grid.{value}: is missing; {name} needs it"
        for calibration in entry["calibrations"]:
            identity = (name, calibration, entry.get("variant", ""))
            if identity in seen:
                yield f"{here}: {name}, {calibration} stands twice; give one of them a variant"
            seen.add(identity)


def _grid_faults(key: str, section: Mapping[str, Any]) -> Iterator[str]:
    """Grid values that nothing uses, or that lie outside their range."""
    algorithms = [TABLE[entry["algorithm"]] for entry in section["curves"]]
    ranges = {**GRID_RANGES, **{name: domain for a in algorithms for name, domain in a.parameters.items()}}
    used = {"T", *environment_arguments(section)}.union(
        *(a.grid for a in algorithms), *(a.parameters for a in algorithms)
    )
    allowed = [name for name in ranges if name in used]
    for setting in combinations(section["grid"]):
        for name, value in setting.items():
            if name not in allowed:
                yield from _unknown(f"{key}.grid", [name], allowed)
                return
            if not ranges[name].allows(value):
                yield f"{key}.grid.{name}: {value:g} is not allowed; must be {ranges[name]}"
                return


def _known_curves(paper: Paper, experiment: str) -> dict[tuple[str, str], Mapping[str, Any]]:
    """Reference `algorithm[:variant]` and calibration -> the entry of the experiment."""
    return {
        (reference(entry), calibration): entry
        for entry in paper.experiments[experiment]["curves"]
        if entry["algorithm"] in TABLE
        for calibration in entry["calibrations"]
    }


def reference(entry: Mapping[str, Any]) -> str:
    """How tests and figures name a curve: `algorithm` or `algorithm:variant`."""
    return ":".join([entry["algorithm"], *([entry["variant"]] if "variant" in entry else [])])


def _figure_faults(paper: Paper, key: str, section: Mapping[str, Any]) -> Iterator[str]:
    yield from _unknown(f"{key}.claims", section["claims"], paper.claims)
    if "measurement" in section:
        yield from _unknown(f"{key}.measurement", [section["measurement"]], paper.measurements)
        if section["measurement"] in paper.measurements:
            have = paper.measurements[section["measurement"]]["calibrations"]
            yield from _unknown(f"{key}.calibrations", section["calibrations"], have)
    if "arguments" in section:
        functions = drawings(paper.key)
        yield from _unknown(f"{key}.drawing", [section["drawing"]], functions)
        yield from _argument_faults(key, section["arguments"], functions.get(section["drawing"]))
    if "experiment" not in section:
        return
    yield from _unknown(f"{key}.experiment", [section["experiment"]], paper.experiments)
    if section["experiment"] not in paper.experiments:
        return
    experiment = paper.experiments[section["experiment"]]
    known = _known_curves(paper, section["experiment"])
    yield from _unknown(f"{key}.curves", section["curves"], dict.fromkeys(name for name, _ in known))
    runs = dict.fromkeys(calibration for name, calibration in known if name in section["curves"])
    yield from _unknown(f"{key}.calibrations", section["calibrations"], runs)
    names = grid_names(experiment)
    yield from _unknown(f"{key}.at", section.get("at", {}), names)
    allowed = _values(paper, experiment, {each: entry for each, entry in known.items() if each[0] in section["curves"]})
    for name, values in section.get("at", {}).items():
        yield from _unknown(f"{key}.at.{name}", values, allowed[name] if name in names else values)
    yield from _unknown(f"{key}.panels", [section["panels"]] if "panels" in section else [], names)


def _table_faults(paper: Paper, key: str, section: Mapping[str, Any]) -> Iterator[str]:
    width, length = len(section["columns"]), len(section["rows"])
    for index, row in enumerate(section["rows"]):
        if len(row) != width:
            yield f"{key}.rows[{index}]: {len(row)} entries are not allowed; {width} are, one for each column"
    for index, column in enumerate(section.get("measured", [])):
        here = f"{key}.measured[{index}]"
        yield from _unknown(f"{here}.measurement", [column["measurement"]], paper.measurements)
        if len(column["curves"]) != length:
            yield f"{here}.curves: {len(column['curves'])} entries are not allowed; {length} are, one for each row"
        if column["measurement"] in paper.measurements:
            source = paper.measurements[column["measurement"]]
            yield from _unknown(f"{here}.calibration", [column["calibration"]], source["calibrations"])
            have = dict.fromkeys(curve for test in source["tests"] for curve in test["curves"])
            yield from _unknown(f"{here}.curves", [c for c in column["curves"] if c is not None], have)


def _test_faults(paper: Paper, key: str, section: Mapping[str, Any]) -> Iterator[str]:
    yield from _unknown(f"{key}.experiment", [section["experiment"]], paper.experiments)
    if section["experiment"] not in paper.experiments:
        return
    experiment = paper.experiments[section["experiment"]]
    known = _known_curves(paper, section["experiment"])
    values = _values(paper, experiment, known)
    counting = {test["predicate"] == "never" for test in section["tests"]}
    if len(counting) > 1:
        yield f"{key}.tests: the predicate never is not allowed beside others; a claim of its own is"
    for index, test in enumerate(section["tests"]):
        here = f"{key}.tests[{index}]"
        for role in ("curves", "against", "baseline"):
            names = test.get(role, [])
            for name in [names] if isinstance(names, str) else names:
                yield from _unknown(f"{here}.{role}", [name], sorted({each for each, _ in known}))
                algorithm = name.partition(":")[0]
                if algorithm not in TABLE:
                    continue
                for calibration in test.get("calibrations", section["calibrations"]):
                    own = TABLE[algorithm].calibrations.get(calibration, "")
                    if (name, own) not in known:
                        yield f"{key}.calibrations: {calibration} is not allowed; {name} does not run with it"
                    else:
                        entry = known[name, own]
                        yield from _setting_faults(paper, here, experiment, entry, own, test, role, values)
        roles = [name for name in (test.get("against"), test.get("baseline")) if name]
        for name in roles:
            if [*test["curves"], *roles].count(name) > 1:
                yield f"{here}: {name} is compared with itself; curves, against and baseline must differ"
        yield from _along_faults(here, test)
        for name in ("bounds", "tolerated"):
            yield from _bounds_faults(f"{here}.{name}", test.get(name, (0, 1)))


def _along_faults(key: str, test: Mapping[str, Any]) -> Iterator[str]:
    """Predicates over several settings need several, and the value along which they go."""
    found = combinations(test["at"])
    if test["predicate"] in ("decreasing", "slope_between", "flat") and len(found) < 2:
        yield f"{key}.at: one setting is not allowed; at least two are"
    along = test.get("along", "T" if test["predicate"] == "flat" else None)
    if along is None:
        return
    if any(along not in setting for setting in found) or len({s[along] for s in found if along in s}) < 2:
        yield f"{key}.at.{along}: is missing or always the same; {test['predicate']} goes along it"
    elif min(setting[along] for setting in found) <= 0.0:
        yield f"{key}.at.{along}: 0 is not allowed; must be > 0, for {test['predicate']} takes its logarithm"


def _setting_faults(
    paper: Paper,
    key: str,
    experiment: Mapping[str, Any],
    entry: Mapping[str, Any],
    calibration: str,
    test: Mapping[str, Any],
    role: str,
    values: Mapping[str, list[float | int]],
) -> Iterator[str]:
    """Every setting of a test is one point of the curve; those of `decreasing` and along a slope are different ones."""
    defaults = defaults_of(experiment, parameters_of(paper, entry, calibration))
    have = [tuple(point.items()) for point in points_of(paper, experiment, entry, calibration)]
    used = [name for name, _ in have[0]]
    wanted = []
    for setting in combinations(test["at"]):
        for name, value in setting.items():
            if name not in values:
                yield from _unknown(f"{key}.at", [name], values)
                return
            if value not in values[name]:
                yield from _unknown(f"{key}.at.{name}", [_plain(value)], values[name])
                return
        missing = [name for name in used if name not in setting and name not in defaults]
        if missing:
            yield f"{key}.at.{missing[0]}: is missing; allowed: {', '.join(map(str, values[missing[0]]))}"
            return
        wanted.append(tuple((name, float(setting.get(name, defaults.get(name, 0.0)))) for name in used))
        if wanted[-1] not in have:
            said = ", ".join(f"{name} = {value:g}" for name, value in wanted[-1])
            yield f"{key}.at: {said} is not allowed; the grid of the experiment has no such point"
            return
    if role == "curves" and test["predicate"] in ("decreasing", "slope_between") and len(set(wanted)) < len(wanted):
        said = f"{reference(entry)} is not allowed; its regret does not depend on what the test varies"
        yield f"{key}.curves: {said}"


def _values(
    paper: Paper, experiment: Mapping[str, Any], known: Mapping[tuple[str, str], Mapping[str, Any]]
) -> dict[str, list[float | int]]:
    """For every name of a grid what it is at the points of some curves."""
    every = [point for (_, c), entry in known.items() for point in points_of(paper, experiment, entry, c)]
    return {
        name: [_plain(value) for value in sorted({point[name] for point in every if name in point})]
        for name in grid_names(experiment)
    }


def _plain(value: float) -> float | int:
    return int(value) if value.is_integer() else value


def _closed_form_faults(
    key: str, section: Mapping[str, Any], functions: Mapping[str, Mapping[str, str]]
) -> Iterator[str]:
    for index, test in enumerate(section["tests"]):
        here = f"{key}.tests[{index}]"
        yield from _unknown(f"{here}.function", [test["function"]], functions)
        yield from _argument_faults(here, test["arguments"], functions.get(test["function"]))
        yield from _bounds_faults(f"{here}.bounds", test["bounds"], points=True)


def _argument_faults(key: str, given: Mapping[str, Any], known: Mapping[str, str] | None) -> Iterator[str]:
    """Arguments that a function does not take, lacks, or wants of another kind; some are not the user's to give."""
    if known is None:
        return
    wanted = {name: kind for name, kind in known.items() if name not in ("calibration", "title", "notes")}
    yield from _unknown(f"{key}.arguments", given, wanted)
    for name, kind in wanted.items():
        if name not in given:
            yield f"{key}.arguments.{name}: is missing"
            continue
        value = given[name]
        is_list, must_be_list = isinstance(value, list), kind.endswith("]")
        if is_list != must_be_list or (kind == "int" and not float(value).is_integer()):
            allowed = "a list of numbers" if must_be_list else "a whole number" if kind == "int" else "a number"
            yield f"{key}.arguments.{name}: {shown(value)} is not allowed; allowed: {allowed}"


def _bounds_faults(key: str, pair: Sequence[float | None], points: bool = False) -> Iterator[str]:
    low, high = pair
    if low is None and high is None:
        wrong = True
    else:
        wrong = low is not None and high is not None and (low > high or (low == high and not points))
    if wrong:
        allowed = "[low, high] with low < high, one may be null"
        yield f"{key}: {shown(list(pair))} is not allowed; {allowed}"
