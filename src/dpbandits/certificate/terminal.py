"""Format the outcome of a certificate check for a terminal, and as a record for programs."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from dpbandits.certificate.comparison import LAST_STEPS, Judged, Outcome, Recomputed, shortened
from dpbandits.certificate.contents import METADATA
from dpbandits.config.letters import visible
from dpbandits.text.terminal import wide_console

PROVES = (
    "Checksums detect accidents, not forgery: whoever changes a certificate can change its checksums too. Compare this "
    "SHA-256 with a published one."
)
OTHERS = " --judge derives the verdicts again."


def all_equal(outcome: Outcome) -> str:
    """Line printed if all results match the certificate."""
    return f"All {outcome.equal} files of the scale {outcome.scale} match the certificate."


def print_outcome(outcome: Outcome, judged: Judged | None) -> None:
    """Print the result of the comparison, then what it proves, and the verdicts that were derived again."""
    console = wide_console()
    print_files(console, outcome)
    for name in shortened(outcome.unlisted):
        console.print(f"The certificate does not list its file {shown(name)}.")
    if judged:
        print_judged(console, judged)
    console.print(f"Certificate: SHA-256 {outcome.identity} of {METADATA}.")
    console.print(PROVES + ("" if judged else OTHERS))


def print_judged(console: Console, judged: Judged) -> None:
    """Print how many verdicts follow from the certified tables, and those that do not."""
    many = f"{judged.claims} verdicts on claims and {judged.audits} of audits"
    if not judged.changes:
        console.print(f"Judged again: all {many} follow from the certified tables and records.")
        return
    console.print(f"Judged again: of {many}, {len(judged.changes)} do not follow (certified -> derived):")
    for change in shortened(judged.changes):
        console.print(f"  {shown(change)}")


def print_recomputed(found: Sequence[Recomputed]) -> None:
    """Print what was expected and what was obtained, case by case."""
    console = wide_console()
    for each in found:
        console.print(f"[bold]{shown(each.name)}[/bold]: {'REPRODUCED' if each.same else 'DIFFERS'}")
        played, every = each.seeds
        of = f", {played} of {every} seeds" if every else ""
        console.print(f"  played    {each.runs:,} runs{of}" if each.runs else "  computed  in closed form")
        console.print(f"  expected  {shown(each.expected)}\n  obtained  {shown(each.obtained)}")
        if each.relative:
            console.print(f"  numbers differ by at most {each.relative:.2g} (relative)")


def print_files(console: Console, outcome: Outcome) -> None:
    """Print one line if all files match; else a table of differences, possible causes, and their effect."""
    if not outcome.differences:
        if outcome.equal:
            console.print(all_equal(outcome))
        else:
            console.print(f"All files of this certificate of the scale {outcome.scale} are whole.")
        print_changes(console, "Changed since certification (certified -> here):", outcome)
        print_lost(console, outcome)
        return
    table = Table(
        title=f"Files that do not match the certificate, scale {outcome.scale}",
        title_justify="left",
        box=box.SIMPLE_HEAD,
    )
    for name in ("file", "status", "differences"):
        table.add_column(name, overflow="fold", no_wrap=name == "status")
    for each in outcome.differences:
        table.add_row(shown(each.file), each.what, "\n".join(map(shown, each.changes)))
    console.print(table)
    console.print(f"{outcome.equal} files match the certificate, {len(outcome.differences)} do not.")
    for sentence in meaning(outcome):
        console.print(sentence)
    print_changes(console, "Possible causes (certified -> here):", outcome)
    print_lost(console, outcome)


def print_changes(console: Console, heading: str, outcome: Outcome) -> None:
    """Print what differs from the time of certification; nothing if nothing differs."""
    if outcome.environment:
        console.print(heading)
        for change in outcome.environment:
            console.print(f"  {shown(change)}")


def print_lost(console: Console, outcome: Outcome) -> None:
    """Print inputs of the results that are missing or changed; nothing if all are present."""
    if outcome.lost:
        console.print("Missing or changed inputs of these results (a run that needs them recomputes them):")
        for each in shortened(outcome.lost):
            console.print(f"  {shown(each)}")


def shown(text: str) -> str:
    """Safe form of text from files that others may have written: no markup and no terminal control sequences."""
    return escape(visible(text))


def meaning(outcome: Outcome) -> list[str]:
    """Whether the verdicts agree, and how large the numerical differences are."""
    said = []
    if outcome.verdicts is None:
        said.append("The verdicts cannot be compared, because some are missing.")
    elif outcome.verdicts[1]:
        said.append(f"{outcome.verdicts[1]} of {outcome.verdicts[0]} verdicts differ.")
    else:
        said.append(f"All {outcome.verdicts[0]} verdicts agree.")
    relative = [each.relative for each in outcome.differences if each.relative is not None]
    if relative:
        last = ": only last digits, as on another processor" if max(relative) <= LAST_STEPS else ""
        said.append(f"Numbers of tables differ by at most {max(relative):.2g} (relative){last}.")
    return said


def recomputed(found: Sequence[Recomputed]) -> list[dict[str, Any]]:
    """Record for programs; None is an infinite difference."""
    finite = ({**asdict(each), "relative": each.relative if each.relative < float("inf") else None} for each in found)
    return [{**each, "seeds": list(each["seeds"])} for each in finite]


def record(outcome: Outcome, judged: Judged | None) -> dict[str, Any]:
    """Record for programs; None is an infinite difference."""
    return {
        "certificate": outcome.identity,
        "equal": not outcome.differences,
        "scale": outcome.scale,
        "files_equal": outcome.equal,
        "differences": [
            {
                "file": each.file,
                "is": each.what,
                "changes": list(each.changes),
                "relative": each.relative if each.relative not in (None, float("inf")) else None,
            }
            for each in outcome.differences
        ],
        "environment": list(outcome.environment),
        "lost": list(outcome.lost),
        "unlisted": list(outcome.unlisted),
        "judged": judged and {"claims": judged.claims, "audits": judged.audits, "changes": list(judged.changes)},
        "verdicts": None if outcome.verdicts is None else {"all": outcome.verdicts[0], "changed": outcome.verdicts[1]},
    }
