"""Validate the record of `make bench`, and compare its numbers with requirements and targets."""

from collections.abc import Iterable, Mapping
from typing import Any

from dpbandits.config.models.speed import RatiosFile
from dpbandits.config.plain_yaml import ConfigError
from dpbandits.config.validation import validate
from dpbandits.text.text import number

RATIOS = "benchmarks/ratios.json"
"""Path in a project."""
NOTHING = f"{RATIOS} does not exist, because make bench has not been run"
SIGNS = {"reached": "▲", "met": "✓", "missed": "✗"}
"""Words by standing: target reached, requirement met, requirement missed."""
Entry = Mapping[str, Any]


def check(record: Any, name: str) -> None:
    """Validate a record against its model, and check that its lists have equal lengths.

    Raises
    ------
    ConfigError
        The record is invalid. One line names the file and the key of the first fault.
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


def standing(value: float, required: float | None, target: float | None, better: str = "more") -> str:
    """`reached`, `met` or `missed`; empty if the target is not reached and nothing is required."""

    def meets(bound: float | None) -> bool:
        return bound is not None and (value >= bound if better == "more" else value <= bound)

    if meets(target):
        return "reached"
    if meets(required):
        return "met"
    return "" if required is None else "missed"


def of_side(side: Entry) -> str:
    """Standing of a ratio; more is better."""
    return standing(side["ratio"], side["required"], side["target"])


def of_goal(goal: Entry) -> str:
    """Standing of a goal of the pipeline."""
    return standing(goal["value"], goal["required"], goal["target"], goal["better"])


def bound(value: float | None, better: str = "more") -> str:
    """Bound in words: `at least 3`, `at most 0.1`, or empty."""
    if value is None:
        return ""
    return f"{'at least' if better == 'more' else 'at most'} {number(value)}"


def digits(value: float) -> str:
    """Number with three digits, the accuracy of the measured speeds."""
    return number(float(f"{value:.3g}"))


def counted(standings: Iterable[str]) -> str:
    """Counts in words: `3 targets reached, 4 requirements met, 1 missed`; a reached target does not count as met."""
    found = list(standings)
    words = {
        "reached": ("target reached", "targets reached"),
        "met": ("requirement met", "requirements met"),
        "missed": ("missed",) * 2,
    }
    many = {name: found.count(name) for name in words}
    return ", ".join(f"{many[name]} {words[name][many[name] != 1]}" for name in words)
