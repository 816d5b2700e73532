"""History of claim thresholds: the commits of a paper's YAML in which thresholds changed.

`python tools/threshold_history.py --write` writes the files `thresholds/<paper>.json`.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

NONE = "no number"
"""Thresholds of a claim whose tests have none, because they only ask for an order or a decrease."""
IN_CODE = "set in the code"
"""Threshold of a closed form whose bounds were stored beside its formula, as in old versions."""


@dataclass(frozen=True)
class Change:
    """Thresholds of a claim from a commit on. For a change that is not committed yet, all other fields are empty."""

    commit: str
    day: str
    subject: str
    thresholds: str


@cache
def history(key: str) -> dict[str, list[Change]]:
    """Changes of the thresholds by claim (`C3`, `C3/variant`), oldest first; empty for a paper without a file."""
    path = files("dpbandits").joinpath("report", "thresholds", f"{key}.json")
    if not path.is_file():
        return {}
    found = json.loads(path.read_text(encoding="utf-8"))
    return {name: [Change(**change) for change in changes] for name, changes in found.items()}


def thresholds(paper: Mapping[str, Any]) -> dict[str, str]:
    """Thresholds in words by claim (`C3`, `C3/variant`), from a current or older YAML of a paper.

    A variant without tests of its own has the thresholds of its claim. In old files, a claim without `tests` is itself
    a single test.
    """
    return {name: in_words(tests) for name, tests in _cases(paper.get("claims") or {})}


def in_words(tests: Iterable[Mapping[str, Any]]) -> str:
    """Distinct thresholds of the tests, in order: `at most 1.25 (2 tests); 0.95 to 1.05`.

    Each comes with its number of tests, so that a change of a single test is visible. Tests without a threshold are
    left out.
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
    """Allowed range of a single test in words; empty if it has no number."""
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
    """Number with six digits, because 0.99999 is a threshold. YAML reads 5e-05 as a string."""
    return f"{float(value):g}"
