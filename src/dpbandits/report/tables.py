"""Tables of a paper as it prints them, with what was measured beside them."""

from collections.abc import Mapping, Sequence
from typing import Any

from dpbandits.report.text import interval


def table_rows(table: Mapping[str, Any], measurements: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """Rows by column: the printed entries, then for each measured column estimate and interval of the row's curve.

    A curve of which no setting is resolved has none.

    Parameters
    ----------
    table : its section of the paper's YAML.
    measurements : of the claim records.
    """
    rows = [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]
    for column in table.get("measured", []):
        wanted = (column["measurement"], column["calibration"])
        details = next(m["details"] for m in measurements if (m["name"], m["calibration"]) == wanted)
        by_curve = {detail["curve"]: detail for detail in details}  # of several, the last: after its premises
        for row, curve in zip(rows, column["curves"], strict=True):
            measured = interval(by_curve[curve]) if curve in by_curve else "not resolved"
            row[column["column"]] = "" if curve is None else measured
    return rows
