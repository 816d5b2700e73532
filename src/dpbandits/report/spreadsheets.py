"""Claim records as a table for spreadsheets."""

import csv
import io
from collections.abc import Iterable, Mapping
from typing import Any

from dpbandits.text.escapes import in_cell
from dpbandits.text.text import decisive

COLUMNS = (
    "claim",
    "variant",
    "calibration",
    "verdict",
    "by_our_threshold",
    "statement",
    "where",
    "source",
    "class",
    "threshold_from",
    "subject",
    "severity",
    "kind",
    "decided_by",
    "estimate",
    "low",
    "high",
    "allowed_low",
    "allowed_high",
    "comparisons",
    "seeds",
    "method",
    "needs",
)
"""Infinite ends and missing fields give empty cells."""


def claims_table(records: Iterable[Mapping[str, Any]]) -> str:
    """CSV with one line per record."""
    text = io.StringIO()
    table = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    table.writeheader()
    table.writerows(map(_row, records))
    return text.getvalue()


def _row(record: Mapping[str, Any]) -> dict[str, Any]:
    return {name: in_cell(value) for name, value in _values(record).items()}


def _values(record: Mapping[str, Any]) -> dict[str, Any]:
    allowed = decisive(record)["allowed"] if record["details"] else (None, None)
    return {
        **{name: record[name] for name in COLUMNS if name in record},
        "claim": record["id"],
        "decided_by": record["decisive"],
        "low": record["interval"][0],
        "high": record["interval"][1],
        "allowed_low": allowed[0],
        "allowed_high": allowed[1],
        "seeds": record["n"],
        "needs": record["needs"]["what"],
    }
