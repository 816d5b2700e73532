"""When each threshold of a claim was set: the commits of a paper's YAML in which the thresholds changed.

The files `thresholds/<paper>.json` are written by `python tools/threshold_history.py --write`.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

NONE = "no number"
"""The thresholds of a claim whose tests have none: they ask for an order, or a fall, alone."""
IN_CODE = "set in the code"
"""The threshold of a closed form whose bounds stood beside its formula, as they did once."""


@dataclass(frozen=True)
class Change:
    """The thresholds of a claim from a commit on; all else is empty for a change that has no commit yet."""

    commit: str
    day: str
    subject: str
    thresholds: str


@cache
def history(key: str) -> dict[str, list[Change]]:
    """By claim (`C3`, `C3/variant`) the changes of its thresholds, oldest first; empty for a paper without a file."""
    path = files("dpbandits").joinpath("report", "thresholds", f"{key}.json")
    if not path.is_file():
        return {}
    found = json.loads(path.read_text(encoding="utf-8"))
    return {name: [Change(**change) for change in changes] for name, changes in found.items()}


def thresholds(paper: Mapping[str, Any]) -> dict[str, str]:
    """By claim (`C3`, `C3/variant`) the thresholds in words, from the YAML of a paper, today's or an older one.

    A variant without tests of its own has those of its claim. A claim without `tests` is a single test itself, as it
    was written once.
    """
    return {name: in_words(tests) for name, tests in _cases(paper.get("claims") or {})}


def in_words(tests: Iterable[Mapping[str, Any]]) -> str:
    """`at most 1.25 (2 tests); 0.95 to 1.05`: the different thresholds of tests, in their order.

    Each has the number of its tests, so that a change of a single one shows. Tests without a threshold are left out.
    """
    found = Counter(filter(None, map(_threshold, tests)))
    return "; ".join(said + (f" ({many} tests)" if many > 1 else "") for said, many in found.items()) or NONE


def _cases(claims: Mapping[str, Any]) -> Iterator[tuple[str, Sequence[Mapping[str, Any]]]]:
    for name, claim in claims.items():
        tests = claim.get("tests") or [claim]
        yield name, tests
        for variant, changes in (claim.get("variants") or {}).items():
            yield f"{name}/{variant}", changes.get("tests") or tests


def _threshold(test: Mapping[str, Any]) -> str:
    """What a single test allows; empty where it has no number."""
    if "function" in test and "bounds" not in test:
        return IN_CODE
    said = []
    if "factor" in test:
        said.append(f"within a factor of {_number(test['factor'])}")
    if "fit" in test:
        said.append(f"R^2 at least {_number(test['fit'])}")
    bounds = test.get("bounds", [None, test["rate"]] if "rate" in test else None)
    if bounds is not None:
        share = f"above {_number(test['above'])} in {{}} of the runs" if "above" in test else "{}"
        said.append(share.format(_range(bounds)))
    if "tolerated" in test:
        said.append(f"tolerated {_range(test['tolerated'])}")
    if "equivalent" in test:
        said.append(f"equal within {_number(test['equivalent'])}")
    return ", ".join(said)


def _range(bounds: Sequence[Any]) -> str:
    low, high = bounds
    if low is None:
        return "any number" if high is None else f"at most {_number(high)}"
    return f"at least {_number(low)}" if high is None else f"{_number(low)} to {_number(high)}"


def _number(value: Any) -> str:
    """Six digits, since 0.99999 is a threshold; YAML reads 5e-05 as a word."""
    return f"{float(value):g}"
