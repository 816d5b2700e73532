"""What a test of the configuration names and compares, for all that read its section: no numbers are needed for it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dpbandits.base.combinations import combinations

DIFFERENT = (
    "falling_excess",
    "decreasing",
    "slope_between",
    "slope_order",
    "increments",
    "argmin_between",
    "falling_supremum",
    "within_factor",
    "affine_between",
    "form_ratio",
)
"""Predicates that compare settings with each other, which must be different points of the curve."""
SEVERAL = (*DIFFERENT, "flat")
FEWEST = {"affine_between": 3, "form_ratio": 4, "increments": 3}
"""Settings that a predicate needs at least, where two are not enough: more than what it fits has terms."""
SLOPES = ("slope_between", "slope_order", "affine_between")


def roles(test: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Every curve that a test names, after the key that it stands at."""
    yield from (("curves", name) for name in test["curves"])
    yield from ((role, test[role]) for role in ("against", "baseline") if role in test)


def column_of(test: Mapping[str, Any], role: str = "curves") -> str:
    """The output that a test takes of the curves at a key."""
    column = test.get("column", "regret")
    return str(test.get("against_column", column) if role == "against" else column)


def enough(test: Mapping[str, Any], left: Sequence[Mapping[str, float]]) -> bool:
    """Whether a test of which these settings are left still compares what it is about.

    A slope over three values or more needs three, other comparisons of settings two, and a least value all: the least
    of some may not be the least of all.
    """
    predicate, before = test["predicate"], combinations(test["at"])
    ways = [test[name] for name in ("along", "across") if name in test]
    counts = [len({setting[name] for setting in left}) for name in ways] or [len(left)]
    least = 2 if predicate in SEVERAL else 1
    if predicate in SLOPES:
        least = min(3, len({setting[ways[0]] for setting in before}))
    if predicate == "argmin_between":
        return len(left) == len(before)
    return min(counts) >= least and len(left) >= FEWEST.get(predicate, 1)


def cases(claims: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, str, str, Mapping[str, Any]]]:
    """Claim, variant, calibration, and the claim's section with what the variant puts in its place."""
    for claim, section in claims.items():
        for variant, changes in {"": {}, **section.get("variants", {})}.items():
            merged = {**section, **changes}
            for calibration in merged["calibrations"]:
                yield claim, variant, calibration, merged


def gates_of(section: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """The gates of the paper, unless the claim or measurement does without them."""
    gates: Sequence[Mapping[str, Any]] = section.get("gates", ())
    return gates if section.get("gated", True) else ()


def judged_outputs(
    claims: Mapping[str, Mapping[str, Any]], measurements: Mapping[str, Mapping[str, Any]]
) -> dict[str, set[str]]:
    """By experiment the outputs of algorithms that a claim or measurement looks at."""
    found: dict[str, set[str]] = {}
    for section in (*(section for *_, section in cases(claims)), *measurements.values()):
        if "experiment" in section:
            names = {column_of(test, role) for test in section["tests"] for role, _ in roles(test)}
            gates = {gate[key] for gate in gates_of(section) for key in ("column", "over") if key in gate}
            found.setdefault(section["experiment"], set()).update(names, gates)
    return found
