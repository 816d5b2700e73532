"""Check references to closed forms and drawings, and their arguments."""

import ast
import functools
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from dpbandits.algorithms.base import PROBABILITY, Range
from dpbandits.config.grid import GRID_RANGES
from dpbandits.config.models.claims import Analytic, AuditClaim, ClosedForm
from dpbandits.config.models.fields import Arguments
from dpbandits.config.wording import got, missing, unknown, unknown_keys

ROUNDS = Range(1.0, 1e12, closed=True, whole=True)
TRIALS = Range(1.0, 1e7, closed=True, whole=True)
RANGES = {
    **{name: GRID_RANGES[name] for name in ("eps", "arms", "dimension")},
    **dict.fromkeys(("delta", "gap"), PROBABILITY),
    **dict.fromkeys(("T", "horizon", "rounds", "longer"), ROUNDS),
    **dict.fromkeys(("draws", "runs", "seeds", "clients", "batches", "reports"), TRIALS),
}
"""Ranges of the numbers of these names that functions and audits receive."""


def range_faults(key: str, name: str, values: Sequence[float]) -> Iterator[str]:
    """Faults of numbers outside the range of their name."""
    for value in values:
        if name in RANGES and not RANGES[name].allows(value):
            yield f"{key}.{name}: {got(value, f'must be {RANGES[name]}')}"
            return


def closed_forms(paper: str) -> dict[str, dict[str, str]]:
    """Public functions in `claims/closed_forms/<paper>/`, with the type of each argument."""
    return _functions(f"claims/closed_forms/{paper}/*.py", ("Numbers", "Bounds"))


def releases(paper: str) -> dict[str, dict[str, str]]:
    """Public functions in `audits/papers/<paper>.py`, with the type of each argument."""
    return _functions(f"audits/papers/{paper}.py", ("Release",))


@functools.cache
def settings_read(paper: str) -> frozenset[str]:
    """Names that the releases of a paper read from a setting: `setting["name"]` and `setting.get("name")`."""
    place = Path(__file__).resolve().parents[2] / f"audits/papers/{paper}.py"
    nodes = list(ast.walk(ast.parse(place.read_text(encoding="utf-8")))) if place.is_file() else []
    keys = [node.slice for node in nodes if isinstance(node, ast.Subscript) and ast.unparse(node.value) == "setting"]
    keys += [node.args[0] for node in nodes if isinstance(node, ast.Call) and ast.unparse(node.func) == "setting.get"]
    return frozenset(str(key.value) for key in keys if isinstance(key, ast.Constant))


def drawings(paper: str) -> dict[str, dict[str, str]]:
    """Public functions in `figures/papers/<paper>.py`, with the type of each argument."""
    return _functions(f"figures/papers/{paper}.py", ("Figure",))


@functools.cache
def _functions(modules: str, kinds: tuple[str, ...]) -> dict[str, dict[str, str]]:
    """Public functions of the modules that match a pattern and return one of `kinds`, found without importing."""
    files = sorted(Path(__file__).resolve().parents[2].glob(modules))
    return {
        each.name: {a.arg: ast.unparse(a.annotation) if a.annotation else "" for a in each.args.args}
        for file in files
        for each in ast.parse(file.read_text(encoding="utf-8")).body
        if isinstance(each, ast.FunctionDef) and each.returns is not None and ast.unparse(each.returns) in kinds
        if not each.name.startswith("_")
    }


def closed_form_faults(
    key: str, section: Analytic | AuditClaim, functions: Mapping[str, Mapping[str, str]]
) -> Iterator[str]:
    for index, test in enumerate(section.tests):
        if not isinstance(test, ClosedForm):
            continue
        here = f"{key}.tests[{index}]"
        yield from unknown(f"{here}.function", [test.function], functions)
        yield from argument_faults(here, test.arguments, functions.get(test.function))
        yield from bounds_faults(f"{here}.bounds", test.bounds, points=True)


def argument_faults(key: str, given: Arguments, known: Mapping[str, str] | None) -> Iterator[str]:
    """Faults of unknown, missing and invalid arguments; some arguments are not set by the user."""
    if known is None:
        return
    wanted = {name: kind for name, kind in known.items() if name not in ("calibration", "title", "notes")}
    yield from unknown_keys(f"{key}.arguments", given, wanted)
    for name, kind in wanted.items():
        if name not in given:
            yield f"{key}.arguments.{name}: {missing()}"
            continue
        value = given[name]
        is_list, must_be_list = isinstance(value, tuple), kind.endswith("]")
        whole = isinstance(value, tuple) or float(value).is_integer()
        if is_list != must_be_list or (kind == "int" and not whole):
            allowed = "a list of numbers" if must_be_list else "a whole number" if kind == "int" else "a number"
            yield f"{key}.arguments.{name}: {got(value, f'must be {allowed}')}"
            continue
        yield from range_faults(f"{key}.arguments", name, value if isinstance(value, tuple) else [value])


def bounds_faults(key: str, pair: Sequence[float | None], points: bool = False) -> Iterator[str]:
    low, high = pair
    if low is None and high is None:
        wrong = True
    else:
        wrong = low is not None and high is not None and (low > high or (low == high and not points))
    if wrong:
        yield f"{key}: {got(list(pair), 'must be [low, high] with low < high; one of them may be null')}"
