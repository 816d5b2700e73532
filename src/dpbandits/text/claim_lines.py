"""Print claims on a terminal, one line each: verdict symbols by calibration, and the statement."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from dpbandits.config.letters import visible_in
from dpbandits.text.terminal import COLORS, totals
from dpbandits.text.text import calibrations, marked, own_claims

Record = Mapping[str, Any]
SIGNS = {"holds": "✓", "fails": "✗", "fails_ours": "(✗)", "unclear": "?", "not_tested": "–"}
"""Symbols in a line. A failure by our threshold has parentheses, because color alone must not carry meaning."""
SHOWN = "✓ holds, ✗ fails, (✗) fails by our threshold, ? unclear, – not tested"
NAME, COLUMN = 6, 4  # widths of a claim name and a calibration, in characters


def console_of() -> Console:
    """Console for the terminal, with 80 columns if the output goes to a file or a pipe."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=80)


def print_lines(records: Sequence[Record], scale: str) -> None:
    """Print a block per paper: one line per claim and variant, and counts of the paper's own claims."""
    console, records = console_of(), visible_in(records)
    if not records:
        console.print(f"No such claims at the scale {scale}.")
        return
    for paper in dict.fromkeys(record["paper"] for record in records):
        own = [record for record in records if record["paper"] == paper]
        columns = calibrations(own)
        heads = "".join(f"{each[0].upper():^{COLUMN}}" for each in columns)
        title = f"{paper}, scale {scale}"
        console.print(Text(f"{title:<{console.width - len(heads)}}{heads}".rstrip(), style="bold"))
        for line in lines(own, columns, console.width):
            console.print(line)
        if judged := own_claims(own):
            said = f"Verdicts on the paper's own claims: {totals(judged)}."
            console.print(textwrap.fill(said, console.width))
        console.print()
    initials = ", ".join(f"{each[0].upper()} {each}" for each in calibrations(records))
    console.print(Text(f"{SHOWN}\n{initials}", style="dim"))


def lines(records: Sequence[Record], columns: Sequence[str], width: int) -> Iterator[Text]:
    """Lines of one paper."""
    cases: dict[tuple[str, str], dict[str, Record]] = {}
    for record in records:
        claim = record["id"].partition("/")[2]
        cases.setdefault((claim, record["variant"]), {})[record["calibration"]] = record
    room = width - NAME - COLUMN * len(columns) - 2
    before = ("", "")
    for (claim, variant), found in cases.items():
        statement, case = next(iter(found.values()))["statement"], variant.replace("_", " ")
        if (claim, statement) == before:
            said = f"{'':<{NAME}}  {shortened(case, room - 2):<{room - 2}}  "
        else:
            said = f"{claim:<{NAME}}{shortened(f'{statement} ({case})' if case else statement, room):<{room}}  "
        before = (claim, statement)
        line = Text(said)
        for calibration in columns:
            verdict = marked(found[calibration]) if calibration in found else None
            sign = SIGNS[verdict] if verdict else ""
            line.append(f"{sign:^{COLUMN}}", style=COLORS[verdict] if verdict else "")
        line.rstrip()
        yield line


def shortened(text: str, room: int) -> str:
    """Text shortened at a word boundary if it is too long."""
    if len(text) <= room:
        return text
    return text[: room - 1].rsplit(" ", 1)[0].rstrip(",;:") + "…"
