"""Check the references in experiments: constants, algorithms, bounds, calibrations, grid values."""

from collections.abc import Iterator, Mapping
from typing import Any

from dpbandits.base.entries import Domain
from dpbandits.base.registry import ALGORITHMS as MODULES
from dpbandits.config.curves import numbers
from dpbandits.config.entries import ALGORITHMS, BOUNDS, TABLE
from dpbandits.config.grid import grid_names, own_key, ranges_of, varying_of
from dpbandits.config.loading import Paper
from dpbandits.config.models.experiments import BoundEntry, Entry, Experiment
from dpbandits.config.models.fields import Assumed
from dpbandits.config.values import given
from dpbandits.config.wording import got, unknown, unknown_keys


def value_faults(paper: Paper) -> Iterator[str]:
    """Faults of constants that no algorithm has, or whose value no algorithm allows."""
    every = _parameters(paper)
    yield from constant_faults("constants", paper.constants, every)
    for name, constants in paper.calibrations.items():
        yield from constant_faults(f"calibrations.{name}", constants, every)
    for experiment, section in paper.experiments.items():
        for index, entry in enumerate(section.entries):
            here = f"experiments.{experiment}.{section.key(index)}.{own_key(entry)}"
            known = TABLE[entry.algorithm].parameters if entry.algorithm in TABLE else every
            yield from constant_faults(here, entry.parameters or {}, known)
    for audit, each in paper.audits.items():
        for name, constant in (each.constants or {}).items():
            if name in every:
                yield from constant_faults(f"audits.{audit}.constants", {name: constant}, every)


def _parameters(paper: Paper) -> dict[str, Domain]:
    """Allowed values of constants: of the package's algorithms, then of the own algorithms that the paper uses."""
    used = {entry.algorithm for section in paper.experiments.values() for entry in section.curves}
    used |= {name for audit in paper.audits.values() for name in audit.algorithms}
    own = [name for name in MODULES.own() if name in used or name in paper.own.get("algorithms", {})]
    every: dict[str, Domain] = {}
    for algorithm in (*MODULES.places(), *own):
        for name, domain in ALGORITHMS[algorithm].parameters.items():
            every.setdefault(name, domain)
    return every


def constant_faults(key: str, constants: Mapping[str, Any], known: Mapping[str, Domain]) -> Iterator[str]:
    """Faults of constants that are not `known`, or whose value is not allowed."""
    yield from unknown_keys(key, constants, known)
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
        here = f"{key}.{section.key(index)}"
        yield from entry_faults(here, entry)
        if name not in (BOUNDS if bound else ALGORITHMS):
            continue
        if not bound:
            yield from _constant_faults(paper, here, section, entry)
            yield from _varying_faults(f"{here}.varying", section, entry)
        for calibration in entry.calibrations:
            identity = (name, calibration, entry.variant)
            if identity in seen:
                yield f"{here}: `{name}` is listed twice at calibration `{calibration}`. Give one entry a `variant`."
            seen.add(identity)


def _constant_faults(paper: Paper, key: str, section: Experiment, entry: Entry) -> Iterator[str]:
    """Faults of an entry's constants that are missing, or that hide what its environment or grid has."""
    name, given = entry.algorithm, {**paper.constants, **(entry.parameters or {})}
    around = numbers(section.environment_of("")) if name in MODULES.own() else {}  # a class also takes these
    for parameter in TABLE[name].parameters:
        place = f"{key}.{own_key(entry)}.{parameter}"
        if parameter in given and parameter in around:
            where = place if parameter in (entry.parameters or {}) else f"constants.{parameter}"
            yield f"{where}: the environment has this number, and the class takes it from there. Delete the constant."
        elif parameter in (*given, *around):
            continue
        elif parameter not in ALGORITHMS[name].optional:
            yield f"{place}: required key is missing. Add it here or to `constants`."
        elif parameter in grid_names(section.settings):
            yield f"{place}: required key is missing, as `grid` varies it. Add its default here or to `constants`."


def entry_faults(key: str, entry: Entry) -> Iterator[str]:
    """Faults of an entry's unknown algorithm, bound or calibrations."""
    name = entry.algorithm
    if isinstance(entry, BoundEntry):
        yield from unknown(f"{key}.bound", [name], BOUNDS)
    elif name not in ALGORITHMS:
        yield from unknown(f"{key}.algorithm", [name], ALGORITHMS)
    else:
        own = [calibration for calibration, same in TABLE[name].calibrations.items() if calibration == same]
        yield from unknown(f"{key}.calibrations", entry.calibrations, own)


def _varying_faults(key: str, section: Experiment, entry: Entry) -> Iterator[str]:
    """Faults of varying constants that nothing reads, or that have a missing or invalid value at a grid value."""
    known = TABLE[entry.algorithm].parameters
    yield from unknown_keys(key, entry.varying or {}, known)
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


def unread_faults(paper: Paper) -> Iterator[str]:
    """Faults of the paper's constants that no algorithm of its experiments and audits has; audits may use delta."""
    played = [entry.algorithm for section in paper.experiments.values() for entry in section.entries]
    audited = [name for audit in paper.audits.values() for name in audit.algorithms]
    read = {parameter for name in (*played, *audited) for parameter in TABLE[name].parameters}
    read |= {"delta"} if paper.audits else set()
    every = {"constants": paper.constants, **{f"calibrations.{key}": each for key, each in paper.calibrations.items()}}
    for key, constants in every.items():
        for name in constants:
            if name not in read:
                yield f"{key}.{name}: no algorithm of this paper has this constant. Delete it."


def grid_faults(key: str, section: Experiment) -> Iterator[str]:
    """Faults of grid values that no curve uses, or that lie outside their range."""
    algorithms = [TABLE[entry.algorithm] for entry in section.entries]
    family = str(section.environment_of("")["family"])
    ranges = {**ranges_of(family), **{name: domain for a in algorithms for name, domain in a.parameters.items()}}
    used = {"T", *numbers(section.environment_of(""))}.union(
        *(a.grid for a in algorithms), *(a.parameters for a in algorithms)
    )
    allowed = [name for name in ranges if name in used]
    outputs = {output for algorithm in algorithms for output in algorithm.outputs}
    for place, block in section.blocks.items():
        for name, values in block.items():
            if name in outputs:
                said = f"`{name}` is an output of an algorithm and cannot be a grid value. Delete it."
                yield f"{key}.{place}.{name}: {said}"
                continue
            if name not in allowed:
                yield from unknown_keys(f"{key}.{place}", [name], allowed)
                continue
            wrong = [value for value in values if not ranges[name].allows(value)]
            if wrong:
                yield f"{key}.{place}.{name}: {got(wrong[0], f'must be {ranges[name]}')}"


def missing_grid_faults(key: str, section: Experiment) -> Iterator[str]:
    """Faults of grid values that an algorithm needs but a block of the grid lacks."""
    needed: dict[str, str] = {}
    for entry in section.entries:
        optional = ALGORITHMS[entry.algorithm].optional if entry.algorithm in ALGORITHMS else ()
        for value in TABLE[entry.algorithm].grid:
            if value not in optional:
                needed.setdefault(value, entry.algorithm)
    for place, block in section.blocks.items():
        for value, algorithm in needed.items():
            if value not in block:
                yield f"{key}.{place}.{value}: required key is missing; `{algorithm}` needs it. Add it."


def horizon_faults(key: str, section: Experiment) -> Iterator[str]:
    """Faults of horizons of a scale that replace nothing, because every setting of the grid has its own."""
    if all("T" in block for block in section.blocks.values()):
        for scale, size in section.size.items():
            if size.horizon:
                said = "every setting of the grid has its own T. Use `longest`, or delete it."
                yield f"{key}.size.{scale}.horizon: {got(size.horizon, said)}"
