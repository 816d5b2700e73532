"""What an experiment says about its environment: the part of `faults` that speaks about families and instances."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

import numpy as np

from dpbandits.algorithms.table import TABLE
from dpbandits.environments.table import TABLE as FAMILIES
from dpbandits.experiments.config import Paper, unknown
from dpbandits.experiments.curves import numbers, whole
from dpbandits.experiments.grid import at_calibration, points_of


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
    tried = set()
    for entry in section["curves"]:
        for calibration in entry["calibrations"]:
            environment = at_calibration(section, calibration)["environment"]
            family = FAMILIES[environment["family"]]
            if not family.refuses:
                continue
            draw = import_module(f"dpbandits.environments.{environment['family']}").draw
            for point in points_of(paper, section, entry, calibration):
                given = {**numbers(environment), **point}
                arguments = {
                    name: environment[name] if name in family.words else whole(given[name]) for name in family.arguments
                }
                if (values := tuple(arguments.values())) in tried:
                    continue
                tried.add(values)
                try:
                    draw(np.random.default_rng(0), **arguments)
                except ValueError as error:
                    said = ", ".join(
                        f"{name} = {value if name in family.words else f'{value:g}'}"
                        for name, value in arguments.items()
                    )
                    yield f"{key}.environment: {said} is not allowed; {error}"
                    return


def calibration_faults(key: str, section: Mapping[str, Any]) -> Iterator[str]:
    """Environments of calibrations that nothing runs with, or in whose place a curve has runs on another one."""
    runs = dict.fromkeys(calibration for entry in section["curves"] for calibration in entry["calibrations"])
    yield from unknown(key, section.get("environments", {}), runs)
    for name in dict.fromkeys(entry["algorithm"] for entry in section["curves"] if entry["algorithm"] in TABLE):
        for calibration, own in TABLE[name].calibrations.items():
            known = calibration in runs and own in runs
            if known and at_calibration(section, calibration) != at_calibration(section, own):
                yield f"{key}: {calibration} and {own} must agree; {name} runs with {own} in the place of {calibration}"
