"""Claim records as text for a terminal."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from dpbandits.text.text import (
    basis,
    case,
    decided,
    distance,
    interval,
    left_out,
    nothing,
    range_of,
    readable,
    symbol,
    wants,
    worded,
)

COLORS = {"holds": "green", "fails": "red", "unclear": "yellow", "not_tested": "dim"}

Records = Sequence[Mapping[str, Any]]


def print_claims(records: Records, scale: str) -> None:
    """A table per paper, one row per claim and calibration: verdict, decisive comparison, what the claim says."""
    console = wide_console()
    if not records:
        console.print(f"No claims at the scale {scale}: the YAML of the paper has none.")
    for paper in dict.fromkeys(record["paper"] for record in records):
        table = Table(title=f"{paper}, scale {scale}", title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
        for name in ("claim", "calibration", "verdict"):
            table.add_column(name, no_wrap=True)
        for name in ("decided by", "says"):
            table.add_column(name, ratio=1)
        for record in records:
            if record["paper"] == paper:
                table.add_row(
                    record["id"].partition("/")[2],
                    case(record),
                    colored(record["verdict"]),
                    escape(decided(record)),
                    escape(record["says"]),
                )
        console.print(table)


def wide_console() -> Console:
    """The terminal, or lines of 120 characters where the output goes to a file or a pipe."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=120)


def colored(verdict: str) -> str:
    """A verdict with its sign and color."""
    return f"[{COLORS[verdict]}]{symbol(verdict)} {worded(verdict)}[/{COLORS[verdict]}]"


def print_explanation(record: Mapping[str, Any]) -> None:
    """One claim under one calibration: what it says, where it stands, and every comparison behind the verdict."""
    console = wide_console()
    console.print(f"\n[bold]{record['id']}[/bold], calibration {case(record)}, scale {record['scale']}")
    console.print(f"  says      {escape(record['says'])}")
    console.print(f"  where     {escape(record['where'])} ({record['strength']}, {record['severity']})")
    console.print(f"  verdict   {colored(record['verdict'])}")
    for reading in record["readings"]:
        console.print(f"            {escape(reading['reading'])}: {worded(reading['verdict'])}")
    if record["note"]:
        console.print(f"  note      {escape(record['note'])}")
    method = f", {record['method']}" if record["n"] else ""
    console.print(f"  test      {basis(record)}{method}")
    if record["details"]:
        console.print(f"  decisive  {readable(record['decisive'])}: {escape(interval(record))}{distance(record)}")
    else:
        console.print(f"  decisive  {nothing(record)}")
    if record["verdict"] in ("unclear", "not_tested"):
        console.print(f"  needs     {wants(record)}")
    for cell in left_out(record):
        console.print(f"  left out  {escape(cell)}")
    console.print(f"  evidence  {', '.join(value for value in record['evidence'].values() if value)}")
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("comparison", "estimate [interval]", "allowed", "verdict"):
        table.add_column(name)
    for detail in record["details"]:
        bound = range_of(detail)
        table.add_row(readable(detail["label"]), escape(interval(detail)), bound, colored(detail["verdict"]))
    console.print(table)
