"""How a privacy guarantee fails: the two inputs, the step of the argument that breaks, and the least repair.

All numbers are those of the audit; the step is what the claim says under `breaks`.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from dpbandits.claims.audits import Record, cells_of, finding, label
from dpbandits.claims.judgements import FAILS, judge_finding
from dpbandits.config.models.claims import AuditClaim, AuditTest

DIGITS = 6  # of the ratio of actual to claimed epsilon, in which cells are compared; source: our choice
REPEATED = (
    *("audit", "algorithm", "target", "inputs", "eps", "delta", "epsilons", "status"),
    *("lower", "noise", "moves", "repair"),
)
"""What a refutation repeats of the audit's record."""


def refutation(
    claim: AuditClaim,
    records: Sequence[Record],
    calibration: str,
    coincides: Mapping[str, Mapping[str, str]],
) -> dict[str, Any] | None:
    """What refutes a claim; None where no audit does.

    Parameters
    ----------
    claim : one that fails.
    records, calibration, coincides : as in `claims.audits.cells_of`.

    Returns
    -------
    dict with `step`, what breaks, or None; `cell`, the label of the cell that exceeds the claim most; what `REPEATED`
    names of this cell; `cells`, how many cells fail; and `factors`, the least and the largest factor on the noise that
    keeps the claim in them, or None. Cells of released numbers that some noise would mend go before others, which go
    before those of actions.
    """
    failing = [
        record
        for test in claim.tests_of(calibration)
        if isinstance(test, AuditTest)
        for record in cells_of(test, records, calibration, coincides)
        if judge_finding(finding(test, record)).verdict == FAILS
    ]
    if not failing:
        return None
    factors = [record["repair"]["factor"] for record in failing if record["repair"]]
    worst = max(failing, key=_weight)
    return {
        "step": next((text for name, text in (claim.breaks or {}).items() if name == calibration), None),
        "cell": label(worst),
        **{name: worst[name] for name in REPEATED},
        "cells": len(failing),
        "factors": [min(factors), max(factors)] if factors else None,
    }


def _weight(record: Record) -> tuple[bool, bool, float]:
    """By which the cell is chosen that stands for all."""
    least = record["epsilons"][0]
    excess = math.inf if least is None else round(max(least, record["lower"]) / record["eps"], DIGITS)
    return record["repair"] is not None, record["target"] != "actions", excess
