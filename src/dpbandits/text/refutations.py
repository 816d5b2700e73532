"""Describe how a privacy guarantee fails."""

import math
from collections.abc import Mapping
from typing import Any

from dpbandits.audits.release import SEARCHED
from dpbandits.text.audits import claimed, is_calculated, truth
from dpbandits.text.text import number, readable

Refutation = Mapping[str, Any]


def said(record: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Parts of the refutation in a claim record, each with its name; empty if no audit refutes the claim."""
    found = record.get("refutation")
    if not found:
        return []
    step = [("breaks", found["step"])] if found["step"] else []
    return [("inputs", inputs(found)), *step, ("repair", repair(found))]


def inputs(found: Refutation) -> str:
    """The two inputs, and the epsilon that they show."""
    pair = f"{found['inputs'][0].upper()}{found['inputs'][1:]}. "
    moved = ""
    if found["moves"]:
        numbers, largest = int(found["moves"]["numbers"]), number(found["moves"]["largest"])
        moved = f"This changes {numbers} numbers by at most {largest} before noise is added. "
        if numbers == 1:
            moved = f"This changes one number by {largest} before noise is added. "
    return f"{pair}{moved}At {claimed(found)}, {shown(found)} ({readable(found['cell'])})."


def shown(found: Refutation) -> str:
    """Epsilon shown by the inputs: by calculation, or by runs if they show more."""
    least = found["epsilons"][0]
    if least is not None and found["lower"] > least:
        return f"runs show that the actual ε is at least {number(found['lower'])}"
    return truth(found)


def repair(found: Refutation) -> str:
    """Factor on the noise that restores the claim."""
    if not found["repair"]:
        if found["target"] == "actions":
            return "Not computed: the audit compares the actions played, and their worst inputs depend on the noise."
        if not is_calculated(found):
            return "Not computed: no calculation covers the releases of your own class."
        return "None: the claim fails with any amount of this noise."
    low, high = (number(factor) for factor in found["factors"])
    times = f"{low} times" if low == high else f"Between {low} and {high} times"
    of_all = "" if found["cells"] == 1 else f" in the {found['cells']} settings that fail"
    tried = ", for the pairs of inputs tried" if found["status"] == SEARCHED else ""
    return f"{times} the noise{of_all}: at {claimed(found)}, {at_one(found)}{tried}."


def at_one(found: Refutation) -> str:
    """Repair of the representative cell; for several batches with different noise, only the factor."""
    factor, after, before = found["repair"]["factor"], found["repair"]["noise"], found["noise"]
    if math.isclose(after, factor * before, rel_tol=1e-6):
        return f"{number(after)} in place of {number(before)}"
    if after == int(after) and before == int(before):
        return f"{after:.0f} bits in place of {before:.0f}"
    return f"{number(factor)} times"
