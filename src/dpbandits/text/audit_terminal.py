"""Print audit records on a terminal."""

from collections.abc import Sequence

from rich import box
from rich.markup import escape
from rich.table import Table

from dpbandits.config.entries import TABLE
from dpbandits.config.letters import visible_in
from dpbandits.text import audits as text
from dpbandits.text.audit_tables import audit_rows
from dpbandits.text.audits import Record
from dpbandits.text.terminal import wide_console

COLORS = {"consistent": "green", "violated": "red", "no power": "yellow"}


def colored(verdict: str, more: str = "") -> str:
    """Audit verdict with its symbol and color."""
    color = COLORS[verdict]
    return f"[{color}]{text.symbol(verdict)} {verdict}{more}[/{color}]"


def print_audits(records: Sequence[Record], scale: str) -> None:
    """Print one table with a row per audit, algorithm and calibration; each row shows the worst of its cells."""
    console, records = wide_console(), visible_in(records)
    if not records:
        console.print(f"No audits at the scale {scale}: the YAML of the paper has none.")
        return
    table = Table(title=f"audit, scale {scale}", title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("audit", "algorithm", "calibration", "claimed ε", "actual / claimed", "runs show", "verdict"):
        table.add_column(name, overflow="fold", no_wrap=name in ("algorithm", "calibration", "verdict"))
    for ((audit, algorithm, _), found), row in zip(text.groups(records).items(), audit_rows(records), strict=True):
        numbers = (row[name] for name in ("calibration", "claimed ε", "actual / claimed", "runs show"))
        table.add_row(audit, TABLE[algorithm].short, *numbers, colored(*text.verdict_of_all(found)))
    console.print(table)
    console.print(
        "Actual / claimed: largest ratio of epsilon by calculation to the claimed one; searched: for the pairs tried, "
        "not proven for all.\nruns show: the part that runs alone prove. "
        "`consistent` does not prove privacy where actual / claimed exceeds 1 or says searched. "
        "`dpbandits explain PAPER/AUDIT` explains a row."
    )


def print_audit(records: Sequence[Record]) -> None:
    """Print all cells of one audit."""
    console, records = wide_console(), visible_in(records)
    head = records[0]
    console.print(f"\n[bold]{escape(head['audit'])}[/bold], scale {head['scale']}")
    console.print(f"  released    {escape(head['says'])}")
    console.print(f"  where       {escape(head['where'])}")
    console.print(f"  domain      {escape(head['domain'])}")
    console.print(f"  neighbors   {escape(head['neighbors'])}")
    console.print(f"  inputs      {escape(head['inputs'])}")
    console.print(f"  seen        {escape(head['view'])}")
    for each in head["proof"]:
        console.print(f"  proof       {each['theorem'].replace('_', ' ')}: {escape(each['source'])}")
    if head["note"]:
        console.print(f"  note        {escape(head['note'])}")
    for (_, algorithm, calibration), found in text.groups(records).items():
        console.print(f"\n  [bold]{algorithm}, {calibration}[/bold]  {colored(*text.verdict_of_all(found))}")
        for record in found:
            console.print(f"    {text.setting(record)}: {colored(record['verdict'])}", soft_wrap=True)
            upper = f" Upper bound: {record['status']}." if text.is_calculated(record) else ""
            console.print(f"      {text.sentence(record)}{upper}", soft_wrap=True)
        methods = [found[0][name]["method"] for name in ("accounted", "derived")]
        if text.is_calculated(found[0]):
            console.print(f"    calculations, which agree: {methods[0]}; {methods[1]}.", soft_wrap=True)
