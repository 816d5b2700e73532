"""Findings of audit records about a claim: bounds on the ratio of actual to claimed epsilon in every cell.

The upper bound is proven for every neighboring pair. The lower bound is proven for one pair, or shown by runs, which
must violate a claim twice. A cell outside the range of the theorem decides nothing.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from dpbandits.audits.release import SEARCHED
from dpbandits.claims.comparisons import ends
from dpbandits.claims.judgements import Finding
from dpbandits.config.models.claims import AuditTest

ROUNDING = 1e-9  # relative rounding error of an epsilon that equals the claimed one
Record = Mapping[str, Any]


def findings(
    test: AuditTest,
    records: Sequence[Record],
    calibration: str,
    coincides: Mapping[str, Mapping[str, str]],
) -> list[Finding]:
    """One finding for every cell that a test selects; parameters as for `cells_of`."""
    return [finding(test, record) for record in cells_of(test, records, calibration, coincides)]


def finding(test: AuditTest, record: Record) -> Finding:
    """The finding of one cell."""
    low, high = ends(test.bounds)
    return Finding(test.reading, label(record), *_ratio(record), low, high * (1.0 + ROUNDING))


def cells_of(
    test: AuditTest,
    records: Sequence[Record],
    calibration: str,
    coincides: Mapping[str, Mapping[str, str]],
) -> list[Record]:
    """The audit cells that a test selects.

    Parameters
    ----------
    test : its `audit`; optional restrictions are `algorithms` and `within`, ranges of the setting.
    records : the audit records of the paper.
    coincides : algorithm -> calibration -> the calibration that is run in its place.
    """
    return [
        record
        for record in records
        if record["audit"].partition("/")[2] == test.audit
        and (test.algorithms is None or record["algorithm"] in test.algorithms)
        and record["calibration"] == coincides[record["algorithm"]].get(calibration)
        and all(_inside(record["point"], name, pair) for name, pair in (test.within or {}).items())
        and record["in_theorem_range"] is not False
    ]


def label(record: Record) -> str:
    """Name of a cell, such as `phased_elimination_central: eps = 1`."""
    setting = ", ".join(f"{name} = {value:g}" for name, value in record["point"].items())
    return f"{record['algorithm']}: {setting}"


def _inside(point: Mapping[str, float], name: str, ends: Sequence[float | None]) -> bool:
    least, most = ends
    return name in point and (least is None or point[name] >= least) and (most is None or point[name] <= most)


def _ratio(record: Record) -> tuple[float, float]:
    least, most = (math.inf if end is None else end for end in record["epsilons"])
    most = most if record["status"] != SEARCHED else math.inf
    shown = record["lower"] if record["verdict"] == "violated" else 0.0
    return min(max(least, shown), most) / record["eps"], most / record["eps"]
