"""Mutations of a configuration that are wrong whatever else stands there, kind by kind.

A place says which value is wrong where, and the key that a fault must name. What is wrong is known from what the words
mean (a budget below 0, a name that leaves its folder), and not from the schemas that are to refuse it.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from .small import DELETE, changed, text_of

Route = tuple[str | int, ...]
REQUIRED = {
    "": ("title", "authors", "reference", "experiments"),
    "cpu_budget": ("smoke", "quick", "full"),
    "assumptions/[0-9]+": ("item", "value", "source", "note"),
    "experiments/[a-z0-9_]+": (
        *("title", "environment", "horizon", "checkpoints_per_decade", "grid", "size", "curves"),
    ),
    "experiments/[a-z0-9_]+/environment": ("family",),
    "experiments/[a-z0-9_]+/size": ("smoke", "quick", "full"),
    "experiments/[a-z0-9_]+/size/[a-z]+": ("seeds", "chunk"),
    "experiments/[a-z0-9_]+/curves/[0-9]+": ("algorithm", "calibrations", "milliseconds"),
    "figures/[a-z0-9_]+": ("shows", "drawing", "calibrations", "caption", "claims"),
    "measurements/[a-z0-9_]+": ("says", "experiment", "calibrations", "tests"),
    "measurements/[a-z0-9_]+/tests/[0-9]+": ("reading", "predicate", "curves", "at"),
    "tables/[a-z0-9_]+": ("shows", "caption", "columns", "rows"),
    "claims/C[0-9]+": (
        *("where", "statement", "kind", "severity", "source", "class", "threshold_from", "threshold_reason", "subject"),
        *("could_fail", "calibrations", "combine", "tests"),
    ),
    "claims/C[0-9]+/tests/[0-9]+": ("reading",),
    "claims/C[0-9]+/variants/[a-z0-9_]+": ("note", "subject"),
    "gates/[0-9]+": ("column", "at_most", "note"),
    "audits/[a-z0-9_]+": (
        *("says", "where", "release", "target", "domain", "neighbors", "view", "algorithms", "calibrations", "grid"),
        *("trials", "milliseconds"),
    ),
    "audits/[a-z0-9_]+/(grid|trials|milliseconds)": ("smoke", "quick", "full"),
}
"""Of every closed mapping of a paper, what it must have."""
OF_PROJECT = {"": ("scale", "root_seed", "pilot_seed", "seconds_per_job")}
BUDGETS = (-0.5, -1, 0, -1e-9, -1e300, 1e300)
HORIZONS = (0, -1, -1000, -1e300, 10.5, 10**13, 10**30)
HORIZON_KEYS = ("horizon", "longest", "T", "rounds")
FRACTIONS = (1.0000001, 1.5, 2, 1e6, 1e300, -0.1, -1, -1e-9)
FRACTION_KEYS = ("delta", "gap", "best", "middle", "density", "spread")
SIZES = (10**7, 10**9, 10**12, 10**18, 10**30, -1, 2.5)
SIZE_KEYS = (
    *("arms", "dimension", "side", "vertices", "left", "right", "picks", "bad", "size", "brackets", "fewest", "growth"),
    *("seeds", "chunk", "replicates", "checkpoints_per_decade", "checkpoints_even", "trials"),
)
NAMED = (
    *(
        "algorithm",
        "family",
        "predicate",
        "drawing",
        "kind",
        "severity",
        "class",
        "subject",
        "combine",
        "experiment",
        "scale",
    ),
    *("measurement", "column", "against", "baseline", "along", "panels", "release", "target", "function", "reward"),
    *("link", "source", "calibration", "calibrations", "curves", "claims", "algorithms", "traced", "audit"),
)
"""Keys whose values are names of something."""
UNKNOWN = ("no_such_name", "Printed", "no such name", "", "x" * 70, "x" * 5000, "printed\n", "eps\x00", "\u2028", "ε")
NAMES_OF_SECTIONS = ("experiments", "figures", "tables", "measurements", "claims", "variants", "audits", "calibrations")
FREE = ("assumptions", "rows", "arguments")
ESCAPES = (
    *("../x", "..", ".", "../../etc/passwd", "/etc/passwd", "a/b", "a\\b", "~", "~root", "-x", "--help"),
    *("a\x00b", "a\nb", "\n", "a\rb", "a\tb", "study\n", "\u2028", "\x1b[2J", "", " ", "a b", "a.b", "con:", "A", "ä"),
    *("$(touch x)", "${HOME}", "`touch x`", "a; touch x", "a|b", "a&b", "a>b", "a'b", 'a"b', "*", "a{b}", "{a}", "#"),
    *("a" * 61, "a" * 300, "x" * 5000),
)
"""Names that leave their folder, break a line, mean something to a shell, or are too long for a file."""
WRONG_TYPES: Mapping[type, tuple[Any, ...]] = {
    bool: ("yes", 1, [True], {"a": True}),
    int: ("many", True, None, [1], {"a": 1}, "1_000", "0x10", "x" * 5000),
    float: ("many", True, None, [1.5], {"a": 1.5}, "1e", "x" * 5000),
    str: (3, None, True, ["x"], {"a": "x"}, 1.5),
    list: ("x", 3, None, {"a": 1}, "x" * 5000),
    dict: ("x", 3, None, [3], "x" * 5000),
}
NOT_FINITE = (float("nan"), float("inf"), float("-inf"), 10**400)
HUGE_GRID = {
    "eps": [n / 100 for n in range(1, 1001)],
    "T": list(range(8, 1008)),
    "arms": list(range(2, 1002)),
    "dimension": list(range(1, 101)),
}


@dataclass(frozen=True)
class Place:
    """A place in a record, values that are wrong there, and the key that the fault names, by its path."""

    path: Route
    values: Sequence[Any]
    key: Route


def written(path: Route) -> str:
    """A key as faults write it: `a.b[0].c`."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")


def put(record: Any, path: Route, value: Any) -> Any:
    """A copy of the record with another value in a place, or none for DELETE; for the empty path, the value."""
    return value if not path else changed(record, ".".join(map(str, path)), value)


def rename(record: Any, path: Route, name: str) -> Any:
    """A copy of the record in which a section has another name."""
    *above, old = path
    section = at(record, tuple(above))
    return put(record, tuple(above), {name if key == old else key: value for key, value in section.items()})


def twice(record: Any, path: Route, value: Any) -> str:
    """The record as text, with one key written twice."""
    node = yaml.compose(text_of(record), yaml.CSafeLoader)
    inner = node
    for part in path[:-1]:
        inner = inner.value[part] if isinstance(part, int) else dict(_pairs(inner))[part]
    inner.value.append((yaml.ScalarNode("tag:yaml.org,2002:str", str(path[-1])), yaml.compose(str(value))))
    return yaml.serialize(node, Dumper=yaml.CSafeDumper)


def _pairs(node: yaml.MappingNode) -> Iterator[tuple[str, yaml.Node]]:
    return ((key.value, value) for key, value in node.value)


def at(record: Any, path: Route) -> Any:
    for part in path:
        record = record[part]
    return record


def walk(value: Any, above: Route = ()) -> Iterator[tuple[Route, Any]]:
    """Every value of a record with its path, the record itself first."""
    yield above, value
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield from walk(each, (*above, key))


def _required(record: Any) -> Iterator[Place]:
    sections = REQUIRED if "papers" not in record else OF_PROJECT
    for path, value in walk(record):
        for pattern, names in sections.items():
            if isinstance(value, dict) and re.fullmatch(pattern, "/".join(map(str, path))):
                yield from (Place((*path, name), (DELETE,), (*path, name)) for name in names if name in value)


def _extra(record: Any) -> Iterator[Place]:
    sections = REQUIRED if "papers" not in record else OF_PROJECT
    for path, value in walk(record):
        if isinstance(value, dict) and any(re.fullmatch(each, "/".join(map(str, path))) for each in sections):
            yield from (Place((*path, name), (1, None, "x", {}, []), (*path, name)) for name in ("extra", "horizons"))


def _types(record: Any) -> Iterator[Place]:
    """Values of another type, but where several are right: constants with a source, ends that may be open, notes."""
    for path, value in walk(record):
        free = any(part in FREE for part in path)
        nullable = any(
            part in ("bounds", "tolerated", "within", "theorem", "curves", "verdicts", "checkpoints_per_decade")
            for part in path
        )
        for wrong in WRONG_TYPES.get(type(value), ()):
            constant = wrong == 3 and isinstance(value, dict) and "source" in value
            if path and not free and not constant and not (wrong is None and nullable):
                yield Place(path, (wrong,), path)


def _numbers(record: Any, names: Sequence[str], values: Sequence[Any]) -> Iterator[Place]:
    """Numbers at some keys: as they are, with a source, by scale, or one of a list."""
    for path, value in walk(record):
        if isinstance(value, bool) or not isinstance(value, int | float):
            continue
        *_, above = ("", *(part for part in path if part not in ("value", "smoke", "quick", "full", 0, 1, 2, 3)))
        if above in names and not {"bounds", "within", "theorem", "rate"} & set(path):
            key = path[:-1] if isinstance(path[-1], int) or path[-1] == "value" else path
            yield Place(path, values, key)


def _budgets(record: Any) -> Iterator[Place]:
    return _numbers(record, ("eps",), BUDGETS)


def _horizons(record: Any) -> Iterator[Place]:
    return _numbers(record, HORIZON_KEYS, HORIZONS)


def _fractions(record: Any) -> Iterator[Place]:
    return _numbers(record, FRACTION_KEYS, FRACTIONS)


def _sizes(record: Any) -> Iterator[Place]:
    """Too large by themselves, or together though each may be so large."""
    yield from _numbers(record, SIZE_KEYS, SIZES)
    for path, value in walk(record):
        if path[-1:] == ("environment",):
            for pair in ({"bad": 10**5, "size": 10**5}, {"brackets": 20, "fewest": 1000, "growth": 10}):
                if set(pair) <= set(value):
                    yield Place(path, ({**value, **pair},), path)
            if value["family"].startswith("shared_"):
                yield Place(path, ({**value, "arms": 10**5, "dimension": 100},), path)
        elif path[-1:] in (("grid",), ("at",)) and "figures" not in path and "smoke" not in value:
            first = value[0] if isinstance(value, list) else value
            huge = {**HUGE_GRID, **{name: list(range(1, 1001)) for name in first if name not in HUGE_GRID}}
            yield Place(path, (huge, [huge], [first, huge]), path)
        elif "size" in path and isinstance(value, dict) and "chunk" in value:
            yield Place(path, ({**value, "seeds": 10**6, "chunk": 1},), path)
        elif path[:-1] == ("experiments",):
            whole = {scale: {"seeds": 10**6, "chunk": 10**6} for scale in value["size"]}
            yield Place(path, ({**value, "checkpoints_even": 1000, "horizon": 10**6, "size": whole},), (*path, "size"))


def _unknown(record: Any) -> Iterator[Place]:
    for path, value in walk(record):
        key = path[-2] if path and isinstance(path[-1], int) else (path or ("",))[-1]
        if isinstance(value, str) and key in NAMED and not {*FREE, "tables"} & set(path):
            yield Place(path, UNKNOWN, path[:-1] if isinstance(path[-1], int) else path)


def _not_finite(record: Any) -> Iterator[Place]:
    for path, value in walk(record):
        if isinstance(value, int | float) and not isinstance(value, bool):
            yield Place(path, NOT_FINITE, path)


def _keys_twice(record: Any) -> Iterator[Place]:
    for path, _ in walk(record):
        if path and isinstance(path[-1], str):
            yield Place(path, (1, "{a: 1}"), path[-1:])


def _entries_twice(record: Any) -> Iterator[Place]:
    """Entries of a list that collide: papers, curves, calibrations, curves of a figure or test."""
    for path, value in walk(record):
        named = path[-1:] and path[-1] in ("papers", "curves", "calibrations", "algorithms", "traced")
        if named and value and isinstance(value, list) and "measured" not in path:
            yield Place(path, ([*value, value[0]], [value[-1], *value]), path)


def _names(record: Any) -> Iterator[Place]:
    """Names of sections, which become names of files and folders, or of variants and papers, which do so as well."""
    for path, value in walk(record):
        if len(path) > 1 and path[-2] in NAMES_OF_SECTIONS and isinstance(value, dict) and isinstance(path[-1], str):
            yield Place(path, ESCAPES, path[:-1])


def _values(record: Any) -> Iterator[Place]:
    for path, _ in walk(record):
        if path[-1:] in (("variant",), ("algorithm",), ("scale",)) or (path[:1] == ("papers",) and len(path) == 2):
            yield Place(path, ESCAPES, path)


KINDS: Mapping[str, tuple[tuple[Callable[[Any], Iterator[Place]], Callable[[Any, Route, Any], Any]], ...]] = {
    "required key missing": ((_required, put),),
    "extra key": ((_extra, put),),
    "wrong type": ((_types, put),),
    "budget": ((_budgets, put),),
    "horizon": ((_horizons, put),),
    "fraction or gap": ((_fractions, put),),
    "too large": ((_sizes, put),),
    "unknown name": ((_unknown, put),),
    "not finite": ((_not_finite, put),),
    "twice": ((_keys_twice, twice), (_entries_twice, put)),
    "name of a file": ((_names, rename), (_values, put)),
}
"""Kind -> where it can strike, and how."""
