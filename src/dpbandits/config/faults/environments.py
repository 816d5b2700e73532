"""Check the environments of experiments: families, arguments and problem instances."""

import functools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from dpbandits.algorithms.own import cannot_play as class_cannot_play
from dpbandits.base.digests import canonical_json
from dpbandits.base.registry import ALGORITHMS as MODULES
from dpbandits.base.registry import ENVIRONMENTS
from dpbandits.config.curves import Environment, numbers, whole
from dpbandits.config.entries import ALGORITHMS, BOUNDS, TABLE, Entry
from dpbandits.config.grid import name_key, points_of, ranges_of
from dpbandits.config.loading import Paper
from dpbandits.config.models.experiments import BoundEntry, Experiment
from dpbandits.config.plain_yaml import shown
from dpbandits.config.wording import got, listed, missing, unknown, unknown_key, unknown_keys
from dpbandits.environments.registry import TABLE as FAMILIES

MOST_NUMBERS = 10_000_000  # in an instance, or in an algorithm's state for it: 80 megabytes


def environment_faults(paper: Paper) -> Iterator[str]:
    """Faults of unknown families, unknown arguments and arguments outside their range."""
    for experiment, section in paper.experiments.items():
        own = section.environment
        key = f"experiments.{experiment}.environment"
        if "family" not in own:
            yield f"{key}.family: {missing()}"
        else:
            yield from _argument_faults(key, own, {})
        for calibration, changes in (section.environments or {}).items():
            yield from _argument_faults(f"experiments.{experiment}.environments.{calibration}", changes, own)


def own_environment_faults(key: str, given: Mapping[str, Any]) -> Iterator[str]:
    """Faults of an environment outside an experiment."""
    if "family" not in given:
        yield f"{key}.family: {missing()}"
        return
    found = list(_argument_faults(key, given, {}))
    yield from found
    if not found:
        for name in FAMILIES[given["family"]].arguments:
            if name not in given:
                yield f"{key}.{name}: {_needed(name, given)}"
            elif isinstance(given[name], tuple) and not _probabilities(given[name]):
                yield f"{key}.{name}: {got(given[name], 'must be a list of at least two numbers from 0 to 1')}"


def _needed(name: str, environment: Mapping[str, Any]) -> str:
    return f"required key is missing; `{environment['family']}` needs it. Add it."


def _probabilities(values: tuple[Any, ...]) -> bool:
    numbers_alone = all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
    return len(values) >= 2 and numbers_alone and all(0 <= value <= 1 for value in values)


def cannot_play(algorithm: str, family: str, others: Mapping[str, Entry]) -> str:
    """Fault of an algorithm that cannot play a family, with those that can; empty if it can."""
    arms = FAMILIES[family].arms
    if TABLE[algorithm].plays(arms):
        return ""
    if algorithm in ALGORITHMS and (rule := getattr(MODULES.module(algorithm), "rule", None)):
        return class_cannot_play(rule, family, arms)
    use = listed(algorithm, [name for name, each in others.items() if each.plays(arms)]) or "none"
    return f"`{algorithm}` cannot be used with `{family}`. Use one of: {use}."


def _argument_faults(key: str, given: Mapping[str, Any], around: Mapping[str, Any]) -> Iterator[str]:
    name = {**around, **given}.get("family")
    if not isinstance(name, str) or name not in FAMILIES:
        yield from unknown(f"{key}.family", [name] if "family" in given else [], FAMILIES)
        return
    family = FAMILIES[name]
    others = {argument for each in FAMILIES.values() for argument in each.arguments} if around else family.arguments
    for argument in given:
        if argument not in ("family", *others):
            yield f"{key}.{argument}: {unknown_key(argument, others)}"
    every = {argument: allowed for each in FAMILIES.values() for argument, allowed in each.words.items()}
    words, ranges = {**every, **family.words}, ranges_of(name)
    for argument, value in given.items():
        listed_numbers = argument not in words and argument not in ranges and argument in others
        if listed_numbers and not isinstance(value, tuple):
            yield f"{key}.{argument}: {got(value, 'must be a list of numbers')}"
        elif argument in words:
            yield from unknown(f"{key}.{argument}", [value], words[argument])
        elif argument in ranges:
            try:
                ranges[argument].number(value)
            except ValueError as fault:
                yield f"{key}.{argument}: {got(value, fault)}"


def family_faults(key: str, section: Experiment) -> Iterator[str]:
    """Faults of missing, unknown and invalid arguments, and of algorithms that cannot play the family."""
    for calibration in dict.fromkeys(c for entry in section.entries for c in entry.calibrations):
        environment = section.environment_of(calibration)
        family = FAMILIES[str(environment["family"])]
        for name in family.arguments:
            if name not in environment:
                yield f"{key}.environment.{name}: {_needed(name, environment)}"
        given = [name for name in environment if name != "family"]
        yield from unknown_keys(f"{key}.environment", given, family.arguments)
        for name, words in family.words.items():
            yield from unknown(f"{key}.environment.{name}", [environment[name]] if name in environment else [], words)
        for index, entry in enumerate(section.entries):
            if entry.algorithm in TABLE and calibration in entry.calibrations:
                own: Mapping[str, Entry] = BOUNDS if isinstance(entry, BoundEntry) else ALGORITHMS
                if said := cannot_play(entry.algorithm, str(environment["family"]), own):
                    yield f"{key}.{name_key(section, index)}: {said}"


def instance_faults(paper: Paper, key: str, section: Experiment) -> Iterator[str]:
    """Faults of arguments that are each in range but together define no instance."""
    return _fault_of(paper, key, section, no_instance)


def large_instances(paper: Paper, key: str, section: Experiment) -> Iterator[str]:
    """Faults of arguments that are each in range but together define an instance too large for memory."""
    return _fault_of(paper, key, section, too_large)


def _fault_of(paper: Paper, key: str, section: Experiment, reason: Callable[[Environment], str]) -> Iterator[str]:
    """The first instance of an experiment that is rejected, with the reason."""
    tried = set()
    for entry in section.entries:
        for calibration in entry.calibrations:
            environment = section.environment_of(calibration)
            for point in points_of(paper, section, entry, calibration):
                here = {name: whole(point[name]) if name in point else value for name, value in environment.items()}
                if (values := canonical_json(here)) in tried:
                    continue
                tried.add(values)
                if said := reason(here):
                    yield f"{key}.environment: {said}"
                    return


def no_instance(environment: Environment) -> str:
    """Why no instance exists with these arguments; empty if one exists."""
    family = FAMILIES[str(environment["family"])]
    if not family.refuses:
        return ""
    arguments = {name: environment[name] for name in family.arguments}
    module = ENVIRONMENTS.module(str(environment["family"]))
    check = getattr(module, "check_arguments", None) or functools.partial(module.draw, np.random.default_rng(0))
    try:
        check(**arguments)
    except ValueError as error:
        return f"got {_said(arguments)}; {error}"
    return ""


def too_large(environment: Environment) -> str:
    """Why an instance with these arguments is too large for memory; empty if it is not."""
    family = FAMILIES[str(environment["family"])]
    arguments = {name: environment[name] for name in family.arguments}
    count = family.holds(numbers(arguments)) if family.holds else 0.0
    if count <= MOST_NUMBERS:
        return ""
    return f"got {_said(arguments)}; this needs {count:g} numbers in memory, and at most {MOST_NUMBERS:g} are allowed"


def _said(arguments: Environment) -> str:
    def said(value: object) -> str:
        return f"{value:g}" if isinstance(value, int | float) else value if isinstance(value, str) else shown(value)

    return ", ".join(f"{name} = {said(value)}" for name, value in arguments.items())


def calibration_faults(key: str, section: Experiment) -> Iterator[str]:
    """Faults of calibrations' environments that no curve uses, or that differ although calibrations share runs."""
    runs = dict.fromkeys(calibration for entry in section.entries for calibration in entry.calibrations)
    yield from unknown(key, section.environments or {}, runs)
    for name in dict.fromkeys(entry.algorithm for entry in section.entries if entry.algorithm in TABLE):
        for calibration, own in TABLE[name].calibrations.items():
            known = calibration in runs and own in runs
            if known and section.environment_of(calibration) != section.environment_of(own):
                said = f"`{calibration}` and `{own}` must have the same environment"
                why = f"because `{name}` uses its runs at `{own}` for `{calibration}`. Change one of them."
                yield f"{key}: {said}, {why}"
