"""How a privacy guarantee fails: the two inputs, the step of the proof that breaks, and the least repair.

All numbers come from the audit; the step is the text under `breaks` of the claim.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from dpbandits.claims.audits import Record, cells_of, finding, label
from dpbandits.claims.judgements import FAILS, judge_finding
from dpbandits.config.models.claims import AuditClaim, AuditTest

DIGITS = 6  # to which ratios of actual to claimed epsilon are rounded for comparison; source: our choice
REPEATED = (
    *("audit", "algorithm", "target", "inputs", "eps", "delta", "epsilons", "status"),
    *("lower", "noise", "moves", "repair"),
)
"""Fields that a refutation copies from the audit's record."""


def refutation(
    claim: AuditClaim,
    records: Sequence[Record],
    calibration: str,
    coincides: Mapping[str, Mapping[str, str]],
) -> dict[str, Any] | None:
    """The refutation of a claim; None if no audit refutes it.

    Parameters
    ----------
    claim : a claim that fails.
    records, calibration, coincides : as for `claims.audits.cells_of`.

    Returns
    -------
    dict with `step`, the step that breaks, or None; `cell`, the label of the cell with the largest excess over the
    claim; the fields `REPEATED` of this cell; `cells`, the number of cells that fail; and `factors`, the least and
    largest factor on the noise that repairs the claim in these cells, or None. Cells of released numbers that more
    noise would repair come before others, and these come before cells of actions.
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
    """Sort key for the cell that represents all."""
    least = record["epsilons"][0]
    excess = math.inf if least is None else round(max(least, record["lower"]) / record["eps"], DIGITS)
    return record["repair"] is not None, record["target"] != "actions", excess
