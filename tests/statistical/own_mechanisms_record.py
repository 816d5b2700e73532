"""The record of audits of many mechanisms, and the tables of `docs/howto/audit_mechanism.md` that show it.

`python -m tests.statistical.own_mechanisms_record --write` audits all of them with all seeds, about five minutes, and
writes both. Without `--write` it writes the tables alone, from the record.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from tests.shipped import ROOT

from .own_mechanisms import SEEDS, VERDICTS, record

FILE = ROOT / "tests/statistical/own_mechanisms.json"
PAGE = ROOT / "docs/howto/audit_mechanism.md"
BEGIN, END = "<!-- begin: python -m tests.statistical.own_mechanisms_record -->", "<!-- end -->"
Record = Mapping[str, Any]


def read() -> Record:
    return json.loads(FILE.read_text(encoding="utf-8"))


def table(rows: Sequence[Record]) -> list[str]:
    """A line for each mechanism: claim, verdicts, the median bound and the kind of event behind most bounds."""
    head = ["| mechanism | claimed ε, δ | violated | bound | event |", "| --- | --- | --- | --- | --- |"]
    lines = []
    for row in rows:
        violated = row["verdicts"].count(VERDICTS["violated"])
        claim = f"{row['eps']:.3g}" + (f", {row['delta']:.2g}" if row["delta"] else ", 0")
        lines.append(f"| {row['what']} | {claim} | {violated} | {row['median']:.3g} | {row['by']} |")
    return [*head, *lines]


def shown(found: Record) -> str:
    """The part of the page between its two marks."""
    alarms, fit, seconds = found["false_alarms"], found["calibration"], found["seconds"]
    wrong, rounds = sum(fit["errors"].values()), fit["rounds"] * len(fit["errors"])
    worst = max(fit["errors"], key=lambda what: fit["errors"][what])
    parts = [
        f"Private mechanisms ({len(found['private'])}):",
        "",
        *table(found["private"]),
        "",
        f"Broken mechanisms ({len(found['broken'])}). The last four are not found, or only in some seeds:",
        "",
        *table(found["broken"]),
        "",
        "## False alarms",
        "",
        f"Of {alarms['audits']:,} audits of private mechanisms with {alarms['trials']:,} runs on each input, "
        f"{alarms['violated']} ended in *violated*, and {alarms['first_rounds']} had a first round above the claim.",
        "",
        f"One round was also tried at an error probability of {100 * fit['rate']:g} %, on {len(fit['errors'])} "
        f"mechanisms whose claim is exact, with {fit['trials']:,} runs on each input. Of {rounds:,} bounds {wrong} "
        f"exceeded the actual epsilon ({100 * wrong / rounds:.2g} %). The worst mechanism had {fit['errors'][worst]} "
        f"of {fit['rounds']}.",
        "",
        "## Time",
        "",
        f"An audit that ends in *violated*, with {seconds['trials']:,} runs on each input in each of two rounds, "
        f"took {seconds['columns']['1']:.1f} s of CPU time with one column and {seconds['columns']['3']:.1f} s with "
        "three.",
    ]
    return "\n".join(parts)


def page(text: str, found: Record) -> str:
    """The page with the part between its marks replaced."""
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    return f"{before}{BEGIN}\n\n{shown(found)}\n\n{END}{after}"


def main(arguments: Sequence[str]) -> None:
    if "--write" in arguments:
        FILE.write_text(json.dumps(record(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), read()), encoding="utf-8")
    print(f"{FILE.relative_to(ROOT)} and {PAGE.relative_to(ROOT)}: {SEEDS} seeds")


if __name__ == "__main__":
    main(sys.argv[1:])
