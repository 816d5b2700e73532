"""Functions that insert numbers into findings, from the claim and audit records that a finding rests on."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from dpbandits.audits.release import TIGHT
from dpbandits.config.wording import got
from dpbandits.text.text import cut_down

Record = Mapping[str, Any]
DIGITS = 3
"""Digits of a number in a finding."""


@dataclass(frozen=True)
class Entry:
    """A comparison of a claim or a cell of an audit: label, verdict, and the record."""

    label: str
    verdict: str
    record: Record


class Absent(Exception):
    """The records lack this number."""


class WordsFault(ValueError):
    """A fault in the text of a finding; its message does not name the place."""


Entries = Callable[[str, str, str], list[Entry]]


def _one(entries: Entries, name: str, calibration: str, form: str) -> Record:
    found = entries(name, calibration, form)
    labels = dict.fromkeys(entry.label for entry in found)
    if len(labels) > 1:
        raise WordsFault(
            got(form, f"must match one label, not {len(labels)}. Use one of: {', '.join(map(repr, labels))}")
        )
    return found[0].record


def _number(value: float | None) -> float:
    if value is None:
        raise Absent
    return value


def estimate(entries: Entries, name: str, calibration: str, form: str) -> float:
    """Estimate of one comparison."""
    return _number(_one(entries, name, calibration, form)["estimate"])


def low(entries: Entries, name: str, calibration: str, form: str) -> float:
    """Lower end of the interval of one comparison."""
    end = _one(entries, name, calibration, form)["interval"][0]
    return -math.inf if end is None else end


def high(entries: Entries, name: str, calibration: str, form: str) -> float:
    """Upper end of the interval of one comparison."""
    end = _one(entries, name, calibration, form)["interval"][1]
    return math.inf if end is None else end


def least_allowed(entries: Entries, name: str, calibration: str, form: str) -> float:
    """Smallest value that one comparison allows."""
    return _number(_one(entries, name, calibration, form)["allowed"][0])


def most_allowed(entries: Entries, name: str, calibration: str, form: str) -> float:
    """Largest value that one comparison allows."""
    return _number(_one(entries, name, calibration, form)["allowed"][1])


def smallest(entries: Entries, name: str, calibration: str, form: str) -> float:
    """Smallest estimate among all comparisons whose label matches this form."""
    return min(_number(entry.record["estimate"]) for entry in entries(name, calibration, form))


def largest(entries: Entries, name: str, calibration: str, form: str) -> float:
    """Largest estimate among all comparisons whose label matches this form."""
    return max(_number(entry.record["estimate"]) for entry in entries(name, calibration, form))


def epsilon(entries: Entries, name: str, calibration: str, form: str) -> float:
    """Actual epsilon of an audit cell, if known exactly."""
    cell = _one(entries, name, calibration, form)
    least, most = (math.inf if end is None else end for end in cell["epsilons"])
    if cell["status"] != TIGHT:
        raise Absent
    return most


def epsilon_at_least(entries: Entries, name: str, calibration: str, form: str) -> float:
    """Lower bound on the actual epsilon of an audit cell, proven by the pairs of inputs tried; rounded down."""
    least = _one(entries, name, calibration, form)["epsilons"][0]
    return math.inf if least is None else cut_down(least, DIGITS)


HELPERS: Mapping[str, Callable[..., float]] = {
    "estimate": estimate,
    "low": low,
    "high": high,
    "least_allowed": least_allowed,
    "most_allowed": most_allowed,
    "smallest": smallest,
    "largest": largest,
    "epsilon": epsilon,
    "epsilon_at_least": epsilon_at_least,
}
"""Functions that findings may call, each with a name, a calibration and the form of a label."""
