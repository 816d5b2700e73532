"""Table rows for Chowdhury and Zhou: actual privacy of their noise by calculation, and proven gain from shuffling."""

import math

from dpbandits.claims.closed_forms.chowdhury2022.shuffling import provable_amplification
from dpbandits.figures.results import Results
from dpbandits.text import audits as text
from dpbandits.text.audits import Record
from dpbandits.text.text import number

NAMES = {"local_reports": "LDP", "shuffled_reports": "SDP-Amp", "sums": "JDP", "shuffled_bits": "SDP-Vec"}
"""Audits at the setting of the paper's Figure 1."""
EPS = (0.2, 1.0, 10.0)  # the panels of Figure 1


def privacy_rows(results: Results, calibration: str) -> list[dict[str, str]]:
    """Claimed and actual privacy of the audited mechanisms among the four in the panels of Figure 1."""
    by_name = {f"{results.paper.key}/{name}": label for name, label in NAMES.items()}
    found = [r for r in results.audits if r["audit"] in by_name and r["calibration"] == calibration]
    return [_row(by_name[each["audit"]], each) for eps in EPS for each in found if each["eps"] == eps]


def amplification_rows(delta: float) -> list[dict[str, str]]:
    """Proven noise reduction of shuffled Gaussian reports relative to local ones, beside the paper's sqrt(B)."""
    batches = [20.0, 100.0, 1000.0, 10000.0]
    columns = {eps: provable_amplification(batches, delta, eps) for eps in EPS}
    return [
        {"B": f"{n:g}", "paper": f"{math.sqrt(n):.3g}"}
        | {f"proven at eps = {eps:g}": f"{found[k][1]:.3g}" for eps, found in columns.items()}
        for k, n in enumerate(batches)
    ]


def _row(mechanism: str, record: Record) -> dict[str, str]:
    low, high = record["deltas"]
    return {
        "mechanism": mechanism,
        "claimed": f"({record['eps']:g}, {record['delta']:g})",
        "noise": number(record["noise"]),
        f"actual eps at delta = {record['delta']:g}": text.epsilons(record["epsilons"]),
        "actual delta at the claimed eps": text.epsilons((low, high)),
        "the claim": "broken" if low > record["delta"] else "proven" if high <= record["delta"] else "not proven",
    }
