"""What experiments refer to: constants, algorithms and bounds, calibrations, grid values."""

from collections.abc import Iterator, Mapping
from typing import Any

from dpbandits.base.entries import Domain
from dpbandits.config.curves import numbers
from dpbandits.config.entries import ALGORITHMS, BOUNDS, TABLE
from dpbandits.config.grid import GRID_RANGES, grid_names, name_key, own_key, varying_of
from dpbandits.config.loading import Paper
from dpbandits.config.models.experiments import BoundEntry, Entry, Experiment
from dpbandits.config.models.fields import Assumed
from dpbandits.config.values import given
from dpbandits.config.wording import got, unknown


def value_faults(paper: Paper) -> Iterator[str]:
    """Constants that no algorithm has, or whose value no algorithm allows."""
    every = {name: domain for algorithm in ALGORITHMS.values() for name, domain in algorithm.parameters.items()}
    yield from _constant_faults("constants", paper.constants, every)
    for name, constants in paper.calibrations.items():
        yield from _constant_faults(f"calibrations.{name}", constants, every)
    for experiment, section in paper.experiments.items():
        for index, entry in enumerate(section.entries):
            here = f"experiments.{experiment}.{section.key(index)}.{own_key(entry)}"
            known = TABLE[entry.algorithm].parameters if entry.algorithm in TABLE else every
            yield from _constant_faults(here, entry.parameters or {}, known)
    for audit, each in paper.audits.items():
        for name, constant in (each.constants or {}).items():
            if name in every:
                yield from _constant_faults(f"audits.{audit}.constants", {name: constant}, every)


def _constant_faults(key: str, constants: Mapping[str, Any], known: Mapping[str, Domain]) -> Iterator[str]:
    yield from unknown(key, constants, known)
    for name, constant in constants.items():
        if name in known:
            try:
                known[name].number(given(constant))
            except ValueError as fault:
                place = f"{key}.{name}" + ".value" * isinstance(constant, Mapping | Assumed)
                yield f"{place}: {got(given(constant), fault)}"


def curve_faults(paper: Paper, key: str, section: Experiment) -> Iterator[str]:
    seen = set()
    for index, entry in enumerate(section.entries):
        bound, name = isinstance(entry, BoundEntry), entry.algorithm
        here, own_table = f"{key}.{section.key(index)}", BOUNDS if bound else ALGORITHMS
        yield from unknown(f"{key}.{name_key(section, index)}", [name], own_table)
        if name not in own_table:
            continue
        if not bound:
            own = [c for c, same in TABLE[name].calibrations.items() if c == same]
            yield from unknown(f"{here}.calibrations", entry.calibrations, own)
            given = {**paper.constants, **(entry.parameters or {})}
            for parameter in TABLE[name].parameters:
                if parameter not in given:
                    place = f"{here}.{own_key(entry)}.{parameter}"
                    yield f"{place}: required key is missing. Add it here or to `constants`."
            yield from _varying_faults(f"{here}.varying", section, entry)
        for value in TABLE[name].grid:
            if any(value not in setting for setting in section.settings):
                yield f"{key}.grid.{value}: required key is missing; `{name}` needs it"
        for calibration in entry.calibrations:
            identity = (name, calibration, entry.variant)
            if identity in seen:
                yield f"{here}: `{name}` is listed twice at calibration `{calibration}`. Give one entry a `variant`."
            seen.add(identity)


def _varying_faults(key: str, section: Experiment, entry: Entry) -> Iterator[str]:
    """Constants that nothing reads, and grid values for which one of them has no value or a wrong one."""
    known = TABLE[entry.algorithm].parameters
    yield from unknown(key, entry.varying or {}, known)
    for each in varying_of(entry):
        here = f"{key}.{each.name}"
        yield from unknown(f"{here}.along", [each.along], grid_names(section.settings))
        given = dict(each.values)
        for setting in section.settings:
            if each.along in setting and setting[each.along] not in given:
                yield f"{here}.values: no value for {each.along} = {setting[each.along]:g}, which `grid` has. Add one."
        for constant in given.values():
            if each.name in known and not known[each.name].allows(constant):
                yield f"{here}.values: {got(constant, f'must be {known[each.name]}')}"


def grid_faults(key: str, section: Experiment) -> Iterator[str]:
    """Grid values that no curve uses, or that lie outside their range."""
    algorithms = [TABLE[entry.algorithm] for entry in section.entries]
    ranges = {**GRID_RANGES, **{name: domain for a in algorithms for name, domain in a.parameters.items()}}
    used = {"T", *numbers(section.environment_of(""))}.union(
        *(a.grid for a in algorithms), *(a.parameters for a in algorithms)
    )
    allowed = [name for name in ranges if name in used]
    outputs = {output for algorithm in algorithms for output in algorithm.outputs}
    for setting in section.settings:
        for name, value in setting.items():
            if name in outputs:
                yield f"{key}.grid.{name}: `{name}` is an output of an algorithm and cannot be a grid value. Delete it."
                return
            if name not in allowed:
                yield from unknown(f"{key}.grid", [name], allowed)
                return
            if not ranges[name].allows(value):
                yield f"{key}.grid.{name}: {got(value, f'must be {ranges[name]}')}"
                return
