"""YAML to validated, frozen values. Every fault is one line that names file, key, value and what is allowed."""

import difflib
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator, validators
from jsonschema.exceptions import ValidationError

from dpbandits.experiments.plain_yaml import ConfigError, load_yaml, shown

SCALES = ("smoke", "quick", "full")
MOST_NAMES = 20  # that a fault lists, where they are many
MOST_LETTERS = 250  # of the names that a fault lists
LONGEST = 380  # letters of a fault as it is printed
TYPES = {
    "object": "a mapping",
    "array": "a list",
    "boolean": "true or false",
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "null": "null",
}


@dataclass(frozen=True, eq=False)
class Paper:
    """One paper: who, what was assumed, and the sections of its experiments, figures and claims by name."""

    key: str
    file: str
    title: str
    authors: tuple[str, ...]
    reference: str
    assumptions: tuple[Mapping[str, Any], ...]
    constants: Mapping[str, Any]
    calibrations: Mapping[str, Mapping[str, Any]]
    experiments: Mapping[str, Mapping[str, Any]]
    figures: Mapping[str, Mapping[str, Any]]
    tables: Mapping[str, Mapping[str, Any]]
    measurements: Mapping[str, Mapping[str, Any]]
    claims: Mapping[str, Mapping[str, Any]]
    gates: tuple[Mapping[str, Any], ...]
    audits: Mapping[str, Mapping[str, Any]]

    @property
    def pictures(self) -> dict[str, tuple[str, str]]:
        """Figure and calibration of every picture by the name of its files, without their endings."""
        return {
            f"{name}-{calibration}": (name, calibration)
            for name, figure in self.figures.items()
            for calibration in figure["calibrations"]
        }


@dataclass(frozen=True, eq=False)
class Project:
    """A folder with a configuration, at one scale."""

    root: Path
    scale: str
    root_seed: int
    seconds_per_job: float
    papers: Mapping[str, Paper]


def _pattern_of_all(_: object, pattern: str, instance: object, __: object) -> Iterator[ValidationError]:
    """The pattern holds for the whole text: Python's `$` also stands before a final line break, JSON Schema's not."""
    if isinstance(instance, str) and not re.fullmatch(pattern, instance):
        yield ValidationError(f"does not match {pattern}")


_Validator = validators.extend(Draft202012Validator, {"pattern": _pattern_of_all})


@cache
def _validator(schema: str) -> Any:
    text = files("dpbandits").joinpath("schemas", f"{schema}.schema.json").read_text(encoding="utf-8")
    return _Validator(json.loads(text))


def _key(path: Iterable[Any]) -> str:
    text = ""
    for part in path:
        word = part if isinstance(part, str) and re.fullmatch(r"[\w-]{1,60}", part) else shown(part)
        text += f"[{part}]" if isinstance(part, int) else f".{word}" if text else word
    return text or "(top)"


def _numbers(value: object, path: tuple[Any, ...], name: str) -> None:
    if isinstance(value, float) and not math.isfinite(value):
        raise ConfigError(f"{name}: {_key(path)}: {value} is not allowed; a finite number is")
    if isinstance(value, Mapping | list):
        for key, inner in value.items() if isinstance(value, Mapping) else enumerate(value):
            _numbers(inner, (*path, key), name)


def unknown(key: str, names: Iterable[Any], allowed: Any) -> Iterator[str]:
    """A fault for every name that is not among the allowed ones."""
    for name in names:
        if name not in allowed:
            yield f"{key}: {shown(name)} is not allowed; allowed: {listed(name, allowed) or 'none'}"


def one_line(fault: ConfigError) -> str:
    """A fault in letters that can be printed, cut where it is long; what calls the check prints it so."""
    line = "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in str(fault))
    return line if len(line) <= LONGEST else line[: LONGEST - 3] + "..."


def listed(name: object, allowed: Iterable[Any]) -> str:
    """The allowed names; of many, those that are most like the given one, and how many more there are."""
    every = list(map(str, allowed))
    if len(every) <= MOST_NAMES and len(", ".join(every)) <= MOST_LETTERS:
        return ", ".join(every)
    near = difflib.get_close_matches(shown(name), every, MOST_NAMES, 0.0)
    while len(", ".join(near)) > MOST_LETTERS:
        near.pop()
    return f"{', '.join(near)}, and {len(every) - len(near)} more"


def _sentence(error: ValidationError) -> tuple[str, str]:
    """Key and complaint of one violation of a schema."""
    path, value = tuple(error.absolute_path), shown(error.instance)
    wants: Any = error.validator_value
    instance: Any = error.instance
    schema = error.schema if isinstance(error.schema, dict) else {}
    if error.validator == "not":
        kinds = {"tests": "predicate", "figures": "drawing"}
        kind = next((kinds[part] for part in path[:-1] if part in kinds), "kind")
        return _key(path), f"{value} is not allowed; this {kind} takes none"
    if error.validator == "additionalProperties":
        unknown = sorted(set(instance) - set(schema.get("properties", {})))
        return _key((*path, unknown[0])), f"unknown key; allowed: {listed(unknown[0], sorted(schema['properties']))}"
    if error.validator in ("oneOf", "anyOf"):
        inside = list(error.context or ())
        others = {e.schema_path[0] for e in inside if e.validator == "type" and e.absolute_path == error.absolute_path}
        meant = [e for e in inside if e.schema_path[0] not in others]
        return _sentence(meant[0]) if meant else (_key(path), f"{value} is not allowed; allowed: {schema['title']}")
    if error.validator == "required":
        missing = sorted(set(wants) - set(instance))
        return _key((*path, missing[0])), "is missing"
    limits = {"minimum": ">=", "maximum": "<=", "exclusiveMinimum": ">", "exclusiveMaximum": "<"}
    if error.validator in limits:
        return _key(path), f"{value} is not allowed; must be {limits[str(error.validator)]} {wants}"
    words = {
        "enum": lambda: "one of: " + listed(instance, wants),
        "const": lambda: str(wants),
        "type": lambda: " or ".join(TYPES[name] for name in ([wants] if isinstance(wants, str) else wants)),
        "pattern": lambda: f"text that matches {wants}",
        "minItems": lambda: f"at least {wants} {'entry' if wants == 1 else 'entries'}",
        "maxItems": lambda: f"at most {wants} entries",
        "minProperties": lambda: "at least one entry",
        "minLength": lambda: "text that is not empty",
        "maxLength": lambda: f"at most {wants} characters",
        "uniqueItems": lambda: "entries that differ",
    }
    name = "the name " if "propertyNames" in error.absolute_schema_path else ""
    return _key(path), f"{name}{value} is not allowed; allowed: {words[str(error.validator)]()}"


def validate(value: object, schema: str, name: str) -> None:
    """Check a value against one of the package's schemas.

    Raises
    ------
    ConfigError
        With the first fault in the alphabetical order of the keys.
    """
    _numbers(value, (), name)
    faults = sorted(
        _validator(schema).iter_errors(value), key=lambda e: ([str(p) for p in e.absolute_path], str(e.validator))
    )
    if faults:
        key, complaint = _sentence(faults[0])
        raise ConfigError(f"{name}: {key}: {complaint}")


def load_paper(root: Path, key: str, valid: bool = False) -> Paper:
    """Read and validate `config/papers/<key>.yaml`, by its schema alone; `faults` checks what refers to what.

    With `valid`, the file was found to fit the schema before.
    """
    name = f"config/papers/{key}.yaml"
    record = load_yaml(root / name, name)
    if not valid:
        validate(record, "paper", name)
    return Paper(
        key=key,
        file=name,
        title=record["title"],
        authors=tuple(record["authors"]),
        reference=record["reference"],
        assumptions=tuple(record["assumptions"]),
        constants=record["constants"],
        calibrations=record.get("calibrations", {}),
        experiments=record["experiments"],
        figures=record["figures"],
        tables=record.get("tables", {}),
        measurements=with_rules(record, record.get("measurements", {})),
        claims=with_rules(record, record["claims"]),
        gates=tuple(record.get("gates", ())),
        audits=record.get("audits", {}),
    )


def with_rules(record: Mapping[str, Any], sections: Mapping[str, Any]) -> Mapping[str, Any]:
    """Claims or measurements with the paper's way of making intervals, and its gates, where it has some."""
    own = {name: record[name] for name in ("intervals", "gates") if name in record}
    return {name: {**section, **own} for name, section in sections.items()}


def load_project(
    root: Path, overrides: Mapping[str, Any] | None = None, only: str | None = None, valid: bool = False
) -> Project:
    """Read and validate the configuration below `root`; `overrides` replaces keys of `config/config.yaml`.

    With `only`, no paper but that one is read: a job needs no other, and reading takes time. With `valid`, the papers
    were found to fit their schema before.

    Raises
    ------
    ConfigError
        Some file is missing or at fault, or `only` is no configured paper.
    """
    name = "config/config.yaml"
    record = load_yaml(root / name, name)
    if isinstance(record, dict):
        record = {**record, **(overrides or {})}
    validate(record, "config", name)
    keys = record["papers"]
    if only is not None and only not in keys:
        raise ConfigError(f"paper: {shown(only)} is not allowed; allowed: {listed(only, keys)}")
    papers = {key: load_paper(root, key, valid) for key in (keys if only is None else [only])}
    return Project(
        root=root,
        scale=record["scale"],
        root_seed=record["root_seed"],
        seconds_per_job=float(record["seconds_per_job"]),
        papers=papers,
    )
