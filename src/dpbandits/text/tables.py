"""Tables as printed in the paper, with measured values beside the printed ones."""

from collections.abc import Mapping, Sequence
from typing import Any

from dpbandits.config.models.figures import Table
from dpbandits.text.text import interval, marked, symbol, worded


def table_rows(
    table: Table, measurements: Sequence[Mapping[str, Any]], records: Sequence[Mapping[str, Any]]
) -> list[dict[str, str]]:
    """Rows by column: printed entries, estimate and interval of each measured column, and verdicts.

    A curve without a setting that was played and resolved has no estimate.

    Parameters
    ----------
    table : section of the table in the paper's YAML.
    measurements, records : from the file of claim records.
    """
    rows: list[dict[str, str]] = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    for column in table.measured or ():
        wanted = (column.measurement, column.calibration)
        found = next(m for m in measurements if (m["name"], m["calibration"]) == wanted)
        by_curve = {detail["curve"]: detail for detail in found["details"]}  # the last of several, after its premises
        missing = "not played" if found["unplayed"] else "not resolved"
        for row, curve in zip(rows, column.curves, strict=True):
            measured = interval(by_curve[curve]) if curve in by_curve else missing
            row[column.column] = "" if curve is None else measured
    judged = table.verdicts or ()
    for row, claim in zip(rows, judged, strict=False):
        row["verdict"] = "" if claim is None else verdicts(claim, records, judged.count(claim) > 1)
    return rows


def verdicts(claim: str, records: Sequence[Mapping[str, Any]], together: bool = False) -> str:
    """Verdicts of a claim, or of a variant such as `C7/paths`: `C7: holds (printed, tuned), fails (certified)`.

    Parameters
    ----------
    together : whether the claim judges several rows of the table, which it then says.
    """
    number, _, variant = claim.partition("/")
    found: dict[tuple[str, str], list[str]] = {}
    for record in records:
        if record["id"].partition("/")[2] == number and record["variant"] == variant:
            found.setdefault((record["verdict"], marked(record)), []).append(record["calibration"])
    said = [f"{symbol(verdict)} {worded(word)} ({', '.join(names)})" for (verdict, word), names in found.items()]
    rows = " (these rows together)" if together else ""
    return f"{claim.replace('/', ', ').replace('_', ' ')}{rows}: {', '.join(said)}"
