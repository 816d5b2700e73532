"""Summary of the last run on one screen: results by paper, changes, and next steps."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.text import Text

from dpbandits.config.letters import visible, visible_in
from dpbandits.planning.last_run import LastRun
from dpbandits.text.audits import groups, verdict_of_all
from dpbandits.text.claim_lines import shortened
from dpbandits.text.progress import duration
from dpbandits.text.terminal import COLORS
from dpbandits.text.text import case, counted, marked, own_claims, worded

Record = Mapping[str, Any]
HEADS = {"holds": "holds", "fails": "fails", "fails_ours": "by our threshold", "unclear": "unclear",
         "not_tested": "not tested"}  # fmt: skip
"""Column heads. Failures by our threshold are separate from failures by the paper's own words."""
NAME = 22  # width of the first column, in characters
WITH_FINDINGS, MOST_PAPERS = 5, 10  # this many papers get a line for their finding, and this many are listed
MOST_CHANGES = 3  # of listed changes


@dataclass(frozen=True)
class Judged:
    """A judged paper: its key, its main finding if any, and its claim and audit records."""

    key: str
    finding: str
    records: Sequence[Record]
    audits: Sequence[Record]


def lines(
    papers: Sequence[Judged],
    scale: str,
    last: LastRun | None,
    report: str,
    following: Sequence[tuple[str, str]],
    width: int,
) -> Iterator[Text]:
    """Lines of the screen, at most 24.

    Parameters
    ----------
    last : last run of the scale, with verdicts named as in `verdicts`; None if there was none.
    report : path of the report.
    following : suggested next commands, each with its purpose.
    width : characters per line.
    """
    yield Text(_title(scale, last), style="bold")
    yield Text()
    yield _row("", HEADS, "bold")
    for paper in papers[:MOST_PAPERS]:
        yield _counts(paper.key, own_claims(paper.records))
        if paper.finding and len(papers) <= WITH_FINDINGS:
            yield Text(f"  {shortened(visible(paper.finding), width - 2)}", style="italic")
    if len(papers) > MOST_PAPERS:
        yield Text(f"  and {len(papers) - MOST_PAPERS} more papers: dpbandits claims")
    every = [visible_in(record) for paper in papers for record in paper.records]
    if len(papers) > 1:
        yield _counts("all papers", own_claims(every), "bold")
    if others := [record for record in every if record["subject"] == "variant_of_ours"]:
        yield _counts("our variants", others)
    yield Text()
    if last and last.before is not None:
        keys = {paper.key for paper in papers}
        before = {name: verdict for name, verdict in last.before.items() if name.partition("/")[0] in keys}
        yield Text(shortened(changed(before, verdicts(every)), width))
    if audits := [record for paper in papers for record in paper.audits]:
        yield Text(shortened(audited(audits), width))
    yield Text(f"Report  {report}")
    long = max(len(command) for command, _ in following)
    for k, (command, does) in enumerate(following):
        yield Text(f"{'Next' if k == 0 else '':<6}  {command:<{long}}  {does}")


def _title(scale: str, last: LastRun | None) -> str:
    if last is None:
        return f"dpbandits {scale}"
    cpu = "" if last.cpu_seconds is None else f" ({duration(last.cpu_seconds)} of CPU time)"
    return f"dpbandits {scale}: the last run took {duration(last.seconds)}{cpu}"


def _counts(name: str, records: Sequence[Record], style: str = "") -> Text:
    found = counted(records)
    return _row(name, {verdict: str(found[verdict]) for verdict in HEADS}, style)


def _row(name: str, cells: Mapping[str, str], style: str) -> Text:
    row = Text(f"{shortened(name, NAME):<{NAME}}", style=style)
    for verdict, head in HEADS.items():
        color = COLORS[verdict] if cells[verdict] not in ("0", head) else ""
        row.append(f"{cells[verdict]:>{len(head) + 3}}", style=f"{style} {color}".strip())
    return row


def verdicts(records: Sequence[Record]) -> dict[str, str]:
    """Verdicts by name, such as `hanna2022/C4 printed, local excess`."""
    return {f"{record['id']} {case(record)}": marked(record) for record in records}


def changed(before: Mapping[str, str], now: Mapping[str, str]) -> str:
    """Changed verdicts in words: `Changed since the run before: hanna2022/C4 printed unclear -> holds; 3 more`."""
    both = [name for name in now if name in before and before[name] != now[name]]
    new, gone = len(now.keys() - before.keys()), len(before.keys() - now.keys())
    said = [f"{name} {worded(before[name])} -> {worded(now[name])}" for name in both[:MOST_CHANGES]]
    said += [f"{len(both) - MOST_CHANGES} more"] * (len(both) > MOST_CHANGES)
    said += [f"{new} new"] * bool(new) + [f"{gone} gone"] * bool(gone)
    return f"Changed since the run before: {'; '.join(said) or 'nothing'}"


def audited(audits: Sequence[Record]) -> str:
    """Counts of audit verdicts: `Audits  58 of 62 mechanisms consistent, 4 violate their claim`."""
    worst = Counter(verdict_of_all(own)[0] for own in groups(audits).values())
    said = [f"{worst['consistent']} of {worst.total()} mechanisms consistent"]
    said += [f"{worst['violated']} violate their claim"] * bool(worst["violated"])
    said += [f"{worst['no power']} without power"] * bool(worst["no power"])
    return f"Audits  {', '.join(said)}"
