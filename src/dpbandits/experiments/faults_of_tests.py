"""What tests, closed forms and drawings of the configuration refer to: the part of `faults` that speaks about them."""

import ast
import functools
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from dpbandits.algorithms.table import TABLE
from dpbandits.combinations import combinations, exponent
from dpbandits.experiments.config import Paper, shown, unknown
from dpbandits.experiments.grid import (
    at_calibration,
    at_scale,
    defaults_of,
    grid_names,
    parameters_of,
    points_of,
)

DIFFERENT = (
    "falling_excess",
    "decreasing",
    "slope_between",
    "slope_order",
    "argmin_between",
    "falling_supremum",
    "within_factor",
)
"""Predicates that compare settings with each other, which must be different points of the curve."""
SEVERAL = (*DIFFERENT, "flat")


def closed_forms(paper: str) -> dict[str, dict[str, str]]:
    """Public functions of `claims/analytic/<paper>.py`, and their arguments with what each must be."""
    return _functions(f"claims/analytic/{paper}.py", ("Numbers", "Bounds"))


def drawings(paper: str) -> dict[str, dict[str, str]]:
    """As `closed_forms`, of `figures/<paper>.py`."""
    return _functions(f"figures/{paper}.py", ("Figure",))


@functools.cache
def _functions(file: str, kinds: tuple[str, ...]) -> dict[str, dict[str, str]]:
    """Public functions of a file that return one of some types, found without importing the module."""
    path = Path(__file__).resolve().parents[1] / file
    tree = ast.parse(path.read_text(encoding="utf-8") if path.is_file() else "")
    return {
        each.name: {a.arg: ast.unparse(a.annotation) if a.annotation else "" for a in each.args.args}
        for each in tree.body
        if isinstance(each, ast.FunctionDef) and each.returns is not None and ast.unparse(each.returns) in kinds
    }


def silent_faults(key: str, section: Mapping[str, Any]) -> Iterator[str]:
    for calibration in section["calibrations"]:
        if not any(calibration in test.get("calibrations", [calibration]) for test in section["tests"]):
            yield f"{key}.calibrations: {calibration} is not allowed; no test speaks about it"


def known_curves(paper: Paper, experiment: str) -> dict[tuple[str, str], Mapping[str, Any]]:
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


def test_faults(paper: Paper, key: str, section: Mapping[str, Any]) -> Iterator[str]:
    yield from unknown(f"{key}.experiment", [section["experiment"]], paper.experiments)
    if section["experiment"] not in paper.experiments:
        return
    experiment = paper.experiments[section["experiment"]]
    known = known_curves(paper, section["experiment"])
    values = grid_values(paper, experiment, known)
    counting = {test["predicate"] == "never" for test in section["tests"]}
    if len(counting) > 1:
        yield f"{key}.tests: the predicate never is not allowed beside others; a claim of its own is"
    for index, test in enumerate(section["tests"]):
        here = f"{key}.tests[{index}]"
        for role in ("curves", "against", "baseline"):
            names = test.get(role, [])
            for name in [names] if isinstance(names, str) else names:
                yield from unknown(f"{here}.{role}", [name], sorted({each for each, _ in known}))
                algorithm = name.partition(":")[0]
                if algorithm not in TABLE:
                    continue
                if "column" in test:
                    yield from unknown(f"{here}.column", [test["column"]], TABLE[algorithm].outputs)
                for calibration in test.get("calibrations", section["calibrations"]):
                    own = TABLE[algorithm].calibrations.get(calibration, "")
                    if (name, own) not in known:
                        yield f"{key}.calibrations: {calibration} is not allowed; {name} does not run with it"
                    else:
                        entry = known[name, own]
                        yield from _setting_faults(paper, here, experiment, entry, own, test, role, values)
                        if role == "curves" and "reference" in test:
                            yield from _reference_faults(paper, here, experiment, entry, own, test, values)
        roles = [name for name in (test.get("against"), test.get("baseline")) if name]
        for name in roles:
            if [*test["curves"], *roles].count(name) > 1:
                yield f"{here}: {name} is compared with itself; curves, against and baseline must differ"
        if "against" in test and "reference" in test:
            yield f"{here}.reference: is not allowed beside against; one of the two is"
        if "equivalent" in test and "indistinguishable" in test:
            yield f"{here}.equivalent: is not allowed beside indistinguishable; one of the two is"
        yield from _along_faults(here, test)
        if test["predicate"] == "argmin_between":
            yield from _argmin_faults(here, experiment, test)
        for name in ("bounds", "tolerated"):
            yield from _bounds_faults(f"{here}.{name}", test.get(name, (0, 1)))


def _along_faults(key: str, test: Mapping[str, Any]) -> Iterator[str]:
    """Predicates over several settings need several, and the value along which they go."""
    found = combinations(test["at"])
    if test["predicate"] in SEVERAL and len(found) < 2:
        yield f"{key}.at: one setting is not allowed; at least two are"
    along = test.get("along", "T" if test["predicate"] == "flat" else None)
    if along is None:
        return
    if any(along not in setting for setting in found) or len({s[along] for s in found if along in s}) < 2:
        yield f"{key}.at.{along}: is missing or always the same; {test['predicate']} goes along it"
    elif min(setting[along] for setting in found) <= 0.0:
        yield f"{key}.at.{along}: 0 is not allowed; must be > 0, for {test['predicate']} takes its logarithm"


def _argmin_faults(key: str, experiment: Mapping[str, Any], test: Mapping[str, Any]) -> Iterator[str]:
    """The values along which a least one is sought lie both within the bounds and outside, at every scale."""
    along = test["along"]
    low, high = (
        default if bound is None else bound for bound, default in zip(test["bounds"], (-1e9, 1e9), strict=True)
    )
    found = [setting for setting in combinations(test["at"]) if setting.get(along, 0.0) > 0.0]
    for scale in experiment["size"]:
        horizon = at_scale(experiment, scale)["horizon"]
        for rounds in dict.fromkeys(setting.get("T", horizon) for setting in found):
            values = [setting[along] for setting in found if setting.get("T", horizon) == rounds]
            if len({low <= exponent(value, rounds) <= high for value in values}) < 2:
                allowed = f"powers of T = {rounds:g} ({scale}) within bounds and others outside are"
                yield f"{key}.at.{along}: {', '.join(f'{value:g}' for value in values)} is not allowed; {allowed}"
                return


def _reference_faults(
    paper: Paper,
    key: str,
    experiment: Mapping[str, Any],
    entry: Mapping[str, Any],
    calibration: str,
    test: Mapping[str, Any],
    values: Mapping[str, list[float | int]],
) -> Iterator[str]:
    """Every setting of a test, moved to the reference, is a point of the curve, and another one than before."""
    for name, value in test["reference"].items():
        yield from unknown(f"{key}.reference", [name], values)
        yield from unknown(f"{key}.reference.{name}", [value], values.get(name, [value]))
    if not all(value in values.get(name, ()) for name, value in test["reference"].items()):
        return
    defaults = defaults_of(at_calibration(experiment, calibration), parameters_of(paper, entry, calibration))
    have = points_of(paper, experiment, entry, calibration)
    for setting in combinations(test["at"]):
        before, after = (
            {name: float(given.get(name, defaults.get(name, 0.0))) for name in have[0]}
            for given in (setting, {**setting, **test["reference"]})
        )
        said = ", ".join(f"{name} = {value:g}" for name, value in after.items())
        if after not in have:
            yield f"{key}.reference: {said} is not allowed; the grid of the experiment has no such point"
            return
        if after == before:
            yield f"{key}.reference: {said} is compared with itself; at must give other points of {reference(entry)}"
            return


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
    """Every setting of a test is one point of the curve; where the predicate compares them, they are different ones."""
    defaults = defaults_of(at_calibration(experiment, calibration), parameters_of(paper, entry, calibration))
    have = [tuple(point.items()) for point in points_of(paper, experiment, entry, calibration)]
    used = [name for name, _ in have[0]]
    wanted = []
    for setting in combinations(test["at"]):
        for name, value in setting.items():
            if name not in values:
                yield from unknown(f"{key}.at", [name], values)
                return
            if value not in values[name]:
                yield from unknown(f"{key}.at.{name}", [_plain(value)], values[name])
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
    if role == "curves" and test["predicate"] in DIFFERENT and len(set(wanted)) < len(wanted):
        said = f"{reference(entry)} is not allowed; its regret does not depend on what the test varies"
        yield f"{key}.curves: {said}"


def grid_values(
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


def closed_form_faults(
    key: str, section: Mapping[str, Any], functions: Mapping[str, Mapping[str, str]]
) -> Iterator[str]:
    for index, test in enumerate(section["tests"]):
        here = f"{key}.tests[{index}]"
        yield from unknown(f"{here}.function", [test["function"]], functions)
        yield from argument_faults(here, test["arguments"], functions.get(test["function"]))
        yield from _bounds_faults(f"{here}.bounds", test["bounds"], points=True)


def argument_faults(key: str, given: Mapping[str, Any], known: Mapping[str, str] | None) -> Iterator[str]:
    """Arguments that a function does not take, lacks, or wants of another kind; some are not the user's to give."""
    if known is None:
        return
    wanted = {name: kind for name, kind in known.items() if name not in ("calibration", "title", "notes")}
    yield from unknown(f"{key}.arguments", given, wanted)
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
