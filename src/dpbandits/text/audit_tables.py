"""Audit records as tables: one row per audit, algorithm and calibration, showing the worst of its cells."""

from collections.abc import Sequence

from dpbandits.audits.release import PROVEN, SEARCHED, TIGHT
from dpbandits.config.entries import TABLE
from dpbandits.text import audits as text
from dpbandits.text.audits import Record
from dpbandits.text.text import number

STATUSES = (SEARCHED, PROVEN, TIGHT)  # weakest first


def audit_rows(records: Sequence[Record]) -> list[dict[str, str]]:
    """Rows for notebook and page. `verdict` is the verdict alone; `how many` counts its cells if not all have it.

    The ratio of actual to claimed epsilon is the largest over all cells, and so is the bound from runs.
    """
    found = []
    for (audit, algorithm, calibration), cells in text.groups(records).items():
        worst, many = text.verdict_of_all(cells)
        found.append(
            {
                "audit": audit.partition("/")[2].replace("_", " "),
                "algorithm": TABLE[algorithm].label,
                "calibration": calibration,
                "claimed ε": text.budgets(cells),
                "claimed → actual ε": text.worst_case(cells),
                "actual / claimed": text.ratio(cells),
                "runs show": number(max(record["tightness"] for record in cells)),
                "verdict": worst,
                "how many": many.strip(" ()"),
            }
        )
    return found


def what_is_seen(records: Sequence[Record]) -> list[dict[str, str]]:
    """One row per audit: the release, the algorithms, the neighboring inputs, and what the adversary sees."""
    first = {record["audit"]: record for record in reversed(records)}
    return [
        {"audit": name.partition("/")[2].replace("_", " "), "released": record["says"], "where": record["where"]}
        | {key: record[key] for key in ("domain", "neighbors", "inputs", "view", "note")}
        for name, record in reversed(first.items())
    ]


def ledger(records: Sequence[Record]) -> list[dict[str, str]]:
    """One row per audit, algorithm and calibration: amount of noise, proof of the upper bound, and its status.

    The status is the weakest over all cells. Theorems are listed by their source.
    """
    return [
        {
            "audit": audit.partition("/")[2].replace("_", " "),
            "algorithm": TABLE[algorithm].label,
            "calibration": calibration,
            "noise": text.noises(cells),
            "proof": "; ".join(each["source"] for each in cells[0]["proof"]) or "none",
            "status": min((record["status"] for record in cells), key=STATUSES.index)
            if text.is_calculated(cells[0])
            else "not calculated",
        }
        for (audit, algorithm, calibration), cells in text.groups(records).items()
    ]


def sentences(records: Sequence[Record], verdict: str = "violated") -> list[dict[str, str]]:
    """One entry per cell with this verdict: its labels, and the result in words."""
    return [
        {
            "audit": record["audit"].partition("/")[2].replace("_", " "),
            "algorithm": TABLE[record["algorithm"]].label,
            "calibration": record["calibration"],
            "setting": text.setting(record),
            "found": text.sentence(record),
        }
        for record in records
        if record["verdict"] == verdict
    ]
