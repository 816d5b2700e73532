"""The record of `make bench`: what it must look like, and how its numbers stand to their floors and aims."""

from collections.abc import Iterable, Mapping
from typing import Any

from dpbandits.config.loading import validate
from dpbandits.config.models.speed import RatiosFile
from dpbandits.config.plain_yaml import ConfigError
from dpbandits.text.text import number

RATIOS = "benchmarks/ratios.json"
"""Its place in a project."""
NOTHING = f"make bench has not been run here: there is no {RATIOS}"
SIGNS = {"reached": "▲", "kept": "✓", "missed": "✗"}
"""By standing: the aim is reached, the floor is kept, it is not."""
Entry = Mapping[str, Any]


def check(record: Any, name: str) -> None:
    """Hold a record against its model, and the lengths of its lists against each other.

    Raises
    ------
    ConfigError
        With the first fault, one line that names file and key.
    """
    validate(record, RatiosFile, name)
    for k, entry in enumerate(record["growth"]):
        places, costs = len(entry["places"]), len(entry["costs"])
        if places != costs:
            raise ConfigError(
                f"{name}: growth[{k}].costs: got {costs} entries; must have {places}, one for each of `places`"
            )
    for k, kernel in enumerate(record["kernels"]):
        for j, side in enumerate(kernel["sides"]):
            if not side["low"] <= side["ratio"] <= side["high"]:
                raise ConfigError(
                    f"{name}: kernels[{k}].sides[{j}].ratio: got {side['ratio']}; must lie between low and high"
                )


def standing(value: float, floor: float | None, aim: float | None, better: str = "more") -> str:
    """`reached`, `kept` or `missed`; nothing where neither floor nor aim is met and there is no floor."""

    def meets(bound: float | None) -> bool:
        return bound is not None and (value >= bound if better == "more" else value <= bound)

    if meets(aim):
        return "reached"
    if meets(floor):
        return "kept"
    return "" if floor is None else "missed"


def of_side(side: Entry) -> str:
    """How a ratio stands: more is better."""
    return standing(side["ratio"], side["floor"], side["aim"])


def of_target(target: Entry) -> str:
    """How a target of the pipeline stands."""
    return standing(target["value"], target["floor"], target["aim"], target["better"])


def bound(value: float | None, better: str = "more") -> str:
    """`at least 3`, `at most 0.1`, or nothing."""
    if value is None:
        return ""
    return f"{'at least' if better == 'more' else 'at most'} {number(value)}"


def digits(value: float) -> str:
    """Three of them: a speed is not known better."""
    return number(float(f"{value:.3g}"))


def counted(standings: Iterable[str]) -> str:
    """`3 aims reached, 4 floors kept, 1 missed`; a reached aim is not counted as a kept floor."""
    found = list(standings)
    words = {
        "reached": ("aim reached", "aims reached"),
        "kept": ("floor kept", "floors kept"),
        "missed": ("missed",) * 2,
    }
    many = {name: found.count(name) for name in words}
    return ", ".join(f"{many[name]} {words[name][many[name] != 1]}" for name in words)
