"""What audit records say about a claim: the actual epsilon of every cell over the claimed one, bounded from both sides.

From above a cell is bounded by what is proven of every neighboring pair; from below by what is proven of one pair, or
shown by runs, where these had to break a claim twice. A cell outside the range of the theorem decides nothing.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from dpbandits.audits.release import SEARCHED
from dpbandits.claims.comparisons import ends
from dpbandits.claims.judgements import Finding
from dpbandits.config.models.claims import AuditTest

ROUNDING = 1e-9  # relative: of an epsilon that is equal to the claimed one
Record = Mapping[str, Any]


def findings(
    test: AuditTest,
    records: Sequence[Record],
    calibration: str,
    coincides: Mapping[str, Mapping[str, str]],
) -> list[Finding]:
    """One finding for every cell that a test speaks about; parameters as in `cells_of`."""
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
    """The cells that a test speaks about.

    Parameters
    ----------
    test : `audit`, and where it restricts them `algorithms` and `within`, ranges of the setting.
    records : the audit records of the paper.
    coincides : algorithm -> calibration -> the calibration that stands for it.
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
    """`phased_elimination_central: eps = 1`."""
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
