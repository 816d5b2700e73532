"""Claim records as text for a terminal."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from dpbandits.report.text import allowed, decisive, interval, symbol, wants

COLOURS = {"holds": "green", "fails": "red", "unclear": "yellow", "not_applicable": "dim"}

Records = Sequence[Mapping[str, Any]]


def print_claims(records: Records, title: str) -> None:
    """One row per claim and calibration: verdict, decisive comparison, what the claim says."""
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for name, options in (
        ("claim", {"no_wrap": True}),
        ("calibration", {"no_wrap": True}),
        ("verdict", {"no_wrap": True}),
        ("estimate [interval]", {"no_wrap": True}),
        ("allowed", {"no_wrap": True}),
        ("says", {}),
    ):
        table.add_column(name, **options)  # type: ignore[arg-type]  # the options are keyword arguments of one kind
    for record in records:
        colour = COLOURS[record["verdict"]]
        table.add_row(
            record["id"],
            record["calibration"],
            f"[{colour}]{symbol(record['verdict'])} {record['verdict']}[/{colour}]",
            escape(interval(record)),
            allowed(decisive(record)["allowed"]),
            record["says"],
        )
    console = Console(highlight=False)
    console.print(table)


def print_explanation(record: Mapping[str, Any]) -> None:
    """One claim under one calibration: what it says, where it stands, and every comparison behind the verdict."""
    console = Console(highlight=False)
    colour = COLOURS[record["verdict"]]
    console.print(f"\n[bold]{record['id']}[/bold], calibration {record['calibration']}, scale {record['scale']}")
    console.print(f"  says      {record['says']}")
    console.print(f"  where     {record['where']} ({record['strength']}, {record['severity']})")
    console.print(f"  verdict   [{colour}]{symbol(record['verdict'])} {record['verdict']}[/{colour}]")
    for reading in record["readings"]:
        console.print(f"            {reading['reading']}: {reading['verdict']}")
    if record["note"]:
        console.print(f"  note      {record['note']}")
    console.print(
        f"  test      {record['comparisons']} comparisons over {record['n']} seeds, one simultaneous "
        f"{100 * record['level']:.0f} % interval (studentised bootstrap, paired by seed)"
    )
    console.print(f"  decisive  {record['decisive']}: {escape(interval(record))}, {record['margin']:+.2f} half-widths inside")
    if record["verdict"] == "unclear":
        console.print(f"  needs     {wants(record['needs'])}")
    console.print(f"  evidence  table {record['evidence']['table']}, figure {record['evidence']['figure']}")
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("comparison", "estimate [interval]", "allowed", "verdict"):
        table.add_column(name)
    for detail in record["details"]:
        colour = COLOURS[detail["verdict"]]
        verdict = f"[{colour}]{symbol(detail['verdict'])} {detail['verdict']}[/{colour}]"
        table.add_row(detail["label"], escape(interval(detail)), allowed(detail["allowed"]), verdict)
    console.print(table)
