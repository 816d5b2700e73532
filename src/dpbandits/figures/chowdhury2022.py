"""Rows of the closed-form tables of Chowdhury and Zhou: what their noise proves."""

import math
from typing import Any

from dpbandits.claims.analytic.chowdhury2022_audit import Audit, audit
from dpbandits.claims.analytic.chowdhury2022_shuffling import provable_amplification

SETTING: dict[str, Any] = {"horizon": 20000, "batch": 20, "delta": 0.1, "dimension": 5, "eps": [0.2, 1.0, 10.0]}
"""The paper's Figure 1."""
NAMES = {"local": "LDP", "shuffled": "SDP-Amp", "tree": "JDP", "vector_sum": "SDP-Vec"}


def audit_rows(calibration: str, scale: float = 1.0) -> list[dict[str, str]]:
    """Claimed and true privacy of the four mechanisms in Figure 1; `scale` multiplies the released bits."""
    return [_row(each) for each in audit(calibration, **SETTING, scale=scale)]


def amplification_rows(delta: float) -> list[dict[str, str]]:
    """How much less noise shuffled Gaussian reports are proven to need than local ones, beside the paper's sqrt(B)."""
    batches = [20.0, 100.0, 1000.0, 10000.0]
    columns = {eps: provable_amplification(batches, delta, eps) for eps in (0.2, 1.0, 10.0)}
    return [
        {"B": f"{n:g}", "paper": f"{math.sqrt(n):.3g}"}
        | {f"proven at eps = {eps:g}": f"{found[k][1]:.3g}" for eps, found in columns.items()}
        for k, n in enumerate(batches)
    ]


def _row(each: Audit) -> dict[str, str]:
    return {
        "mechanism": NAMES[each.mechanism],
        "claimed": f"({each.eps:g}, {each.delta:g})",
        "noise": f"{each.noise:.4g}",
        "in the theorem's range": "yes" if each.in_range else "no",
        f"true eps at delta = {each.delta:g}": _bounds(each.levels),
        "true delta at the claimed eps": _bounds(each.deltas),
        "the claim": _outcome(each),
    }


def _bounds(bounds: tuple[float, float]) -> str:
    low, high = (("infinite" if math.isinf(end) else f"{end:.3g}") for end in bounds)
    return low if low == high else f"{low} to {high}"


def _outcome(each: Audit) -> str:
    low, high = each.deltas
    if low > each.delta:
        return "broken"
    return "proven" if high <= each.delta else "not proven"
