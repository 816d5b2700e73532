"""Explain a claim on one screen: statement, verdicts with the deciding numbers, and how to reproduce them."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.text import Text

from dpbandits.config.letters import visible_in
from dpbandits.text.refutations import said
from dpbandits.text.reproduction import arithmetic, command, expected
from dpbandits.text.terminal import COLORS
from dpbandits.text.text import (
    CLASSES,
    SOURCES,
    SUBJECTS,
    THRESHOLDS,
    case,
    decided,
    flips,
    marked,
    nothing,
    symbol,
    unseen,
    wants,
    worded,
)

Record = Mapping[str, Any]
MOST = 39
"""Largest number of lines for a claim; further verdicts get one line each, or are counted."""
KEPT = "\N{NO-BREAK SPACE}"
NAME = 11  # width of the names in front of the lines, in characters


def lines(
    records: Sequence[Record], page: str, width: int, grid: Mapping[str, Sequence[float]] | None = None
) -> Iterator[Text]:
    """Screen of a claim, as lines.

    Parameters
    ----------
    records : its verdicts, one or more.
    page : report page of the claim, or empty.
    width : characters per line.
    grid : values that the experiment of the first record plays, by name.
    """
    records = visible_in(records)
    first = records[0]
    head = [Text(line, style="bold") for line in textwrap.wrap(f"{first['id']}: {first['statement']}", width)]
    head += _part("Paper", f"{first['where']} ({SOURCES[first['source']]}, {first['severity']})", width)
    head += _part("Class", f"{CLASSES[first['class']]}, about {SUBJECTS[first['subject']]}", width)
    head += _part("Threshold", f"{THRESHOLDS[first['threshold_from']]}: {first['threshold_reason']}", width)
    tail = _ending(first, page, width, grid)
    blocks = [_verdict(record, first, width) for record in records]
    room = MOST - len(head) - len(tail)
    yield from head
    shown = _fitting(blocks, room)
    for block in blocks[:shown]:
        yield from block
    for record in records[shown:] if len(records) - shown <= room - sum(map(len, blocks[:shown])) else []:
        yield Text(f"{case(record)}: {worded(marked(record))}"[:width], style=COLORS[marked(record)])
    yield from tail


def _fitting(blocks: Sequence[Sequence[Text]], room: int) -> int:
    """Number of full blocks that fit if all others take one line each."""
    return max(
        (k for k in range(len(blocks) + 1) if sum(map(len, blocks[:k])) + len(blocks) - k <= room),
        default=0,
    )


def _part(name: str, text: str, width: int) -> list[Text]:
    """Lines with `name` at the left and the text, wrapped, beside it."""
    wrapped = textwrap.wrap(text, width - NAME) or [""]
    return [Text(f"{name if k == 0 else '':<{NAME}}{line}") for k, line in enumerate(wrapped)]


def _verdict(record: Record, first: Record, width: int) -> list[Text]:
    """Lines for one verdict: the number, the threshold at which it changes, and what is needed to decide it."""
    verdict = marked(record)
    found = [Text(f"{case(record)}: {symbol(verdict)} {worded(verdict)}", style=COLORS[verdict])]
    if record["statement"] != first["statement"]:
        found += _part("  says", record["statement"], width)
    found += _part("  number", decided(record) if record["details"] else nothing(record), width)
    if flips(record):
        found += _part("  flips", flips(record), width)
    if record["verdict"] in ("unclear", "not_tested"):
        found += _part("  needs", wants(record), width)
    for part, sentence in said(record):
        found += _part(f"  {part}", sentence, width)
    return found


def _ending(first: Record, page: str, width: int, grid: Mapping[str, Sequence[float]] | None) -> list[Text]:
    """Final lines: how to reproduce the first number, the expected output, and where to find more."""
    found = []
    again = command(first, grid)
    if again:
        whole = again.replace("--set ", f"--set{KEPT}")
        wrapped = textwrap.wrap(whole, width - NAME - 2, break_long_words=False, break_on_hyphens=False)
        wrapped = [line.replace(KEPT, " ") for line in wrapped]
        ends = [" \\"] * (len(wrapped) - 1) + [""]
        starts = ["Reproduce", *[""] * (len(wrapped) - 1)]
        found += [Text(f"{start:<{NAME}}{line}{end}") for start, line, end in zip(starts, wrapped, ends, strict=True)]
    if expected(first) and again.startswith("dpbandits run"):
        found += _part("  expect", f"{expected(first)}; {arithmetic(first)}", width)
    if unseen(first):
        found += _part("Resolution", unseen(first), width)
    if page:
        found += _part("Report", page, width)
    return [*found, *_part("More", f"dpbandits explain {first['id']} -v lists every comparison", width)]
