"""Format the outcome of a certificate check for a terminal, and as a record for programs."""

from typing import Any

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from dpbandits.certificate.comparison import LAST_DIGITS, Outcome, shortened
from dpbandits.config.letters import visible
from dpbandits.text.terminal import wide_console


def all_equal(outcome: Outcome) -> str:
    """Line printed if all results match the certificate."""
    return f"All {outcome.equal} files of the scale {outcome.scale} match the certificate."


def print_outcome(outcome: Outcome) -> None:
    """Print one line if all files match; else a table of differences, possible causes, and their effect."""
    console = wide_console()
    if not outcome.differences:
        console.print(all_equal(outcome))
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
        last = ": only last digits, as on another processor" if max(relative) <= LAST_DIGITS else ""
        said.append(f"Numbers of tables differ by at most {max(relative):.2g} (relative){last}.")
    return said


def record(outcome: Outcome) -> dict[str, Any]:
    """Record for programs; None is an infinite difference."""
    return {
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
        "verdicts": None if outcome.verdicts is None else {"all": outcome.verdicts[0], "changed": outcome.verdicts[1]},
    }
