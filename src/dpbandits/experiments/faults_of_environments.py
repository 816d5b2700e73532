"""What an experiment says about its environment: the part of `faults` that speaks about families and instances."""

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any

import numpy as np

from dpbandits.algorithms.table import TABLE
from dpbandits.environments.table import TABLE as FAMILIES
from dpbandits.experiments.config import Paper, unknown
from dpbandits.experiments.curves import Environment, numbers, whole
from dpbandits.experiments.grid import at_calibration, points_of

MOST_NUMBERS = 10_000_000  # in an instance, or in what an algorithm keeps of it: 80 megabytes


def family_faults(key: str, section: Mapping[str, Any]) -> Iterator[str]:
    """Arguments that their family lacks, does not take or takes no such word for; algorithms that cannot play."""
    for calibration in dict.fromkeys(c for entry in section["curves"] for c in entry["calibrations"]):
        environment = at_calibration(section, calibration)["environment"]
        family = FAMILIES[environment["family"]]
        for name in family.arguments:
            if name not in environment:
                yield f"{key}.environment.{name}: is missing; {environment['family']} needs it"
        given = [name for name in environment if name != "family"]
        yield from unknown(f"{key}.environment", given, family.arguments)
        for name, words in family.words.items():
            yield from unknown(f"{key}.environment.{name}", [environment[name]] if name in environment else [], words)
        for index, entry in enumerate(section["curves"]):
            known = entry["algorithm"] in TABLE and calibration in entry["calibrations"]
            if known and not TABLE[entry["algorithm"]].plays(family.arms):
                plays = [name for name, algorithm in TABLE.items() if algorithm.plays(family.arms)]
                yield from unknown(f"{key}.curves[{index}].algorithm", [entry["algorithm"]], plays)


def instance_faults(paper: Paper, key: str, section: Mapping[str, Any]) -> Iterator[str]:
    """Arguments that lie each in its range and together give no instance."""
    return _fault_of(paper, key, section, no_instance)


def large_instances(paper: Paper, key: str, section: Mapping[str, Any]) -> Iterator[str]:
    """Arguments that lie each in its range and together give an instance that memory does not hold."""
    return _fault_of(paper, key, section, too_large)


def _fault_of(
    paper: Paper, key: str, section: Mapping[str, Any], reason: Callable[[Environment], str]
) -> Iterator[str]:
    """The first instance of an experiment that is refused, with the reason."""
    tried = set()
    for entry in section["curves"]:
        for calibration in entry["calibrations"]:
            environment = at_calibration(section, calibration)["environment"]
            for point in points_of(paper, section, entry, calibration):
                here = {name: whole(point[name]) if name in point else value for name, value in environment.items()}
                if (values := tuple(here.items())) in tried:
                    continue
                tried.add(values)
                if said := reason(here):
                    yield f"{key}.environment: {said}"
                    return


def no_instance(environment: Environment) -> str:
    """Why there is no instance with these arguments; nothing where there is one."""
    family = FAMILIES[str(environment["family"])]
    if not family.refuses:
        return ""
    arguments = {name: environment[name] for name in family.arguments}
    try:
        import_module(f"dpbandits.environments.{environment['family']}").draw(np.random.default_rng(0), **arguments)
    except ValueError as error:
        return f"{_said(arguments)} is not allowed; {error}"
    return ""


def too_large(environment: Environment) -> str:
    """Why memory does not hold an instance with these arguments; nothing where it does."""
    family = FAMILIES[str(environment["family"])]
    arguments = {name: environment[name] for name in family.arguments}
    count = family.holds(numbers(arguments)) if family.holds else 0.0
    if count <= MOST_NUMBERS:
        return ""
    return f"{_said(arguments)} is not allowed; it makes {count:g} numbers, and at most {MOST_NUMBERS:g} are"


def _said(arguments: Environment) -> str:
    return ", ".join(f"{name} = {v if isinstance(v, str) else f'{v:g}'}" for name, v in arguments.items())


def calibration_faults(key: str, section: Mapping[str, Any]) -> Iterator[str]:
    """Environments of calibrations that nothing runs with, or in whose place a curve has runs on another one."""
    runs = dict.fromkeys(calibration for entry in section["curves"] for calibration in entry["calibrations"])
    yield from unknown(key, section.get("environments", {}), runs)
    for name in dict.fromkeys(entry["algorithm"] for entry in section["curves"] if entry["algorithm"] in TABLE):
        for calibration, own in TABLE[name].calibrations.items():
            known = calibration in runs and own in runs
            if known and at_calibration(section, calibration) != at_calibration(section, own):
                yield f"{key}: {calibration} and {own} must agree; {name} runs with {own} in the place of {calibration}"
