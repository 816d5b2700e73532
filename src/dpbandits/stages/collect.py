"""Stage collect: merge the records of all audits of a paper into one file, and those of all papers into one table."""

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dpbandits.base.storage import read_json, write_record, write_text
from dpbandits.text.escapes import in_cell

COLUMNS = (
    *("audit", "algorithm", "calibration", "setting", "target", "claimed_eps", "claimed_delta"),
    *("in_theorem_range", "noise", "least_epsilon", "largest_epsilon", "least_delta", "most_delta", "lower_bound"),
    *("lower_if_normal", "cap", "trials", "tightness", "verdict", "domain", "neighbors", "view", "method"),
    *("second_method", "status", "alpha", "id"),
)
"""Columns of the table for spreadsheets; an infinite epsilon is `inf`."""


def collect(found: Mapping[str, Sequence[Path]], folder: Path) -> None:
    """Write `<paper>.json` for every paper, and `all.csv`, to a folder.

    Parameters
    ----------
    found : paper -> files of audit records, in the order of the configuration.
    """
    every: list[Mapping[str, Any]] = []
    for paper, paths in found.items():
        records = [record for path in paths for record in read_json(path)["records"]]
        write_record(folder / f"{paper}.json", {"paper": paper, "records": records})
        every += records
    write_text(folder / "all.csv", table_of(every))


def write_table(found: Sequence[Path], path: Path) -> None:
    """Write the records of these files as a CSV table for spreadsheets."""
    write_text(path, table_of([record for file in found for record in read_json(file)["records"]]))


def table_of(records: Sequence[Mapping[str, Any]]) -> str:
    """Records as CSV."""
    text = io.StringIO()
    table = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    table.writeheader()
    table.writerows({name: in_cell(value) for name, value in row(record).items()} for record in records)
    return text.getvalue()


def row(record: Mapping[str, Any]) -> dict[str, Any]:
    """One record as a row of the table."""
    least, most = ("inf" if end is None else end for end in record["epsilons"])
    setting = " ".join(f"{name}={value:g}" for name, value in record["point"].items())
    return {
        **{name: record[name] for name in COLUMNS if name in record},
        "setting": setting,
        "claimed_eps": record["eps"],
        "claimed_delta": record["delta"],
        "least_epsilon": least,
        "largest_epsilon": most,
        "least_delta": record["deltas"][0],
        "most_delta": record["deltas"][1],
        "lower_bound": record["lower"],
        "method": record["accounted"]["method"],
        "second_method": record["derived"]["method"],
    }
