"""Print claim records on a terminal."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from dpbandits.config.letters import visible_in
from dpbandits.text.refutations import said
from dpbandits.text.text import (
    CLASSES,
    COUNTED,
    SOURCES,
    SUBJECTS,
    THRESHOLDS,
    basis,
    case,
    counted,
    decided,
    distance,
    flips,
    in_typical_run,
    interval,
    left_out,
    marked,
    nothing,
    own_claims,
    range_of,
    readable,
    symbol,
    unseen,
    wants,
    worded,
)

COLORS = {"holds": "green", "fails": "red", "fails_ours": "magenta", "unclear": "yellow", "not_tested": "dim"}

Records = Sequence[Mapping[str, Any]]


def print_claims(records: Records, scale: str) -> None:
    """Print a table per paper, one row per claim and calibration: verdict, decisive comparison and statement.

    Below it, verdicts on the paper's own claims are counted separately from those on our variants.
    """
    console, records = wide_console(), visible_in(records)
    if not records:
        console.print(f"No claims at the scale {scale}: the YAML of the paper has none.")
    for paper in dict.fromkeys(record["paper"] for record in records):
        table = Table(title=f"{paper}, scale {scale}", title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
        for name in ("claim", "calibration", "verdict"):
            table.add_column(name, no_wrap=True)
        for name in ("decided by", "statement"):
            table.add_column(name, ratio=1)
        for record in records:
            if record["paper"] == paper:
                table.add_row(
                    record["id"].partition("/")[2],
                    case(record),
                    colored(marked(record)),
                    escape(decided(record)),
                    escape(record["statement"]),
                )
        console.print(table)
        every = [record for record in records if record["paper"] == paper]
        own = own_claims(every)
        if own:
            console.print(f"The paper's own claims, {len(own)} verdicts: {totals(own)}.")
        others = [record for record in every if record["subject"] == "variant_of_ours"]
        if others:
            console.print(f"Our variants, {len(others)} verdicts: {totals(others)}.")


def totals(records: Records) -> str:
    """Counts in words: `12 hold, 3 fail, 1 unclear`."""
    return ", ".join(f"{count} {COUNTED[verdict]}" for verdict, count in counted(records).items() if count)


def wide_console() -> Console:
    """Console for the terminal, with 120 columns if the output goes to a file or a pipe."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=120)


def colored(verdict: str) -> str:
    """Verdict with its symbol and color."""
    return f"[{COLORS[verdict]}]{symbol(verdict)} {worded(verdict)}[/{COLORS[verdict]}]"


def print_explanation(record: Mapping[str, Any]) -> None:
    """Print one claim at one calibration: statement, place in the paper, and every comparison behind the verdict."""
    console, record = wide_console(), visible_in(record)
    console.print(f"\n[bold]{escape(record['id'])}[/bold], calibration {case(record)}, scale {record['scale']}")
    console.print(f"  statement {escape(record['statement'])}")
    console.print(f"  where     {escape(record['where'])} ({SOURCES[record['source']]}, {record['severity']})")
    console.print(f"  class     {CLASSES[record['class']]}, about {SUBJECTS[record['subject']]}")
    whose = THRESHOLDS[record["threshold_from"]]
    console.print(f"  threshold {whose}: {escape(record['threshold_reason'])}")
    console.print(f"  verdict   {colored(marked(record))}")
    if flips(record):
        console.print(f"            {flips(record)}")
    for reading in record["readings"]:
        console.print(f"            {escape(reading['reading'])}: {worded(reading['verdict'])}")
    for part, sentence in said(record):
        console.print(f"  {part:<9} {escape(sentence)}")
    if record["note"]:
        console.print(f"  note      {escape(record['note'])}")
    method = f", {record['method']}" if record["n"] else ""
    if record["typical_run"]:
        console.print(f"  typical   in a typical run: {worded(record['typical_run'])}")
    console.print(f"  test      {basis(record)}{method}")
    if record["details"]:
        console.print(f"  decisive  {readable(record['decisive'])}: {escape(interval(record))}{distance(record)}")
    else:
        console.print(f"  decisive  {nothing(record)}")
    if record["verdict"] in ("unclear", "not_tested"):
        console.print(f"  needs     {wants(record)}")
    for cell in left_out(record):
        console.print(f"  left out  {escape(cell)}")
    if unseen(record):
        console.print(f"  resolution {unseen(record)}")
    console.print(f"  refuted   {escape(record['could_fail'])}")
    console.print(f"  evidence  {', '.join(value for value in record['evidence'].values() if value)}")
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("comparison", "estimate [interval]", "allowed", "verdict", "as claimed in"):
        table.add_column(name)
    for detail in record["details"]:
        cells = readable(detail["label"]), escape(interval(detail)), range_of(detail)
        table.add_row(*cells, colored(detail["verdict"]), in_typical_run(detail))
    console.print(table)
