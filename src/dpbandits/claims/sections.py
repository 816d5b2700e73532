"""What a test of the configuration names and compares, for all that read its section: no numbers are needed for it."""

from collections.abc import Iterator, Mapping
from typing import Any

DIFFERENT = (
    "falling_excess",
    "decreasing",
    "slope_between",
    "slope_order",
    "argmin_between",
    "falling_supremum",
    "within_factor",
    "affine_between",
    "form_ratio",
)
"""Predicates that compare settings with each other, which must be different points of the curve."""
SEVERAL = (*DIFFERENT, "flat")
FEWEST = {"affine_between": 3, "form_ratio": 4}
"""Settings that a predicate needs at least, where two are not enough: more than what it fits has terms."""


def roles(test: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Every curve that a test names, after the key that it stands at."""
    yield from (("curves", name) for name in test["curves"])
    yield from ((role, test[role]) for role in ("against", "baseline") if role in test)


def column_of(test: Mapping[str, Any], role: str = "curves") -> str:
    """The output that a test takes of the curves at a key."""
    column = test.get("column", "regret")
    return str(test.get("against_column", column) if role == "against" else column)
