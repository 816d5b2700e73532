"""The tables of README beside the committed records of the full scale and the sizes of the configuration."""

import json
import re
from pathlib import Path

import pytest

from dpbandits.text.audits import SYMBOLS, groups, ratio, verdict_of_all
from dpbandits.text.text import SYMBOLS as VERDICT_SIGNS
from dpbandits.text.text import marked, worded
from tests.shipped import shipped

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAPERS = ("hanna2022", "chowdhury2022", "hu2021", "chen2020", "han2021")
NAMES = {"ls22": "against the textbook's algorithm", "fw": "Frank-Wolfe as the paper remarks"}
OURS = {"fails_ours": "fails (ours)"}
"""A failure by a threshold of ours."""
JOINED = {"a quarter and a tenth of the width": ("quarter width", "tenth width")}
"""Variants that README names in other words, and rows that stand for several."""


def records(key, kind):
    return json.loads((ROOT / f"figures/{key}/data/{kind}.json").read_text(encoding="utf-8"))["records"]


def tables(first):
    """Tables whose first column has this heading, as lists of rows by column."""
    found = []
    for table in re.findall(rf"^(\| {first} \|.*\n(?:\|.*\n)+)", README, re.M):
        heads, _, *rows = [[part.strip() for part in line.strip("|").split("|")] for line in table.splitlines()]
        found.append([dict(zip(heads, row, strict=True)) for row in rows])
    return found


VERDICTS = dict(zip(PAPERS, tables("claim"), strict=True))


def of_readme(key):
    """(number, variant, calibration) -> verdict."""
    found = {}
    for row in VERDICTS[key]:
        number, _, variant = row["claim"].partition(", ")
        for calibration in set(row) - {"claim", "statement"}:
            for name in JOINED.get(variant, (variant,)):
                if row[calibration]:
                    assert (number, name, calibration) not in found
                    found[number, name, calibration] = row[calibration].strip("*")
    return found


def of_records(key):
    return {
        (
            r["id"].partition("/")[2],
            NAMES.get(r["variant"], r["variant"].replace("_", " ")),
            r["calibration"],
        ): OURS.get(marked(r), worded(r["verdict"]))
        for r in records(key, "claims")
    }


@pytest.mark.parametrize("key", PAPERS)
def test_verdicts_are_those_of_the_records(key):
    written, judged = of_readme(key), of_records(key)
    assert set(written) == set(judged)
    assert {case: verdict for case, verdict in written.items() if verdict != judged[case]} == {}


@pytest.mark.parametrize("key", PAPERS)
def test_failures_stand_out(key):
    shown = [cell for row in VERDICTS[key] for name, cell in row.items() if name not in ("claim", "statement") and cell]
    assert set(shown) <= {"holds", "unclear", "not tested", "**fails**", "fails (ours)"}


def numbers(cell):
    """`C1 to C3, C8` as numbers of claims."""
    found = set()
    for first, last in re.findall(r"C(\d+)(?: to C(\d+))?", cell):
        found |= {f"C{number}" for number in range(int(first), int(last or first) + 1)}
    return found


@pytest.mark.parametrize(("key", "rows"), list(zip(PAPERS, tables("figure"), strict=True)))
def test_every_claim_is_counted_beside_its_figure(key, rows):
    judged = records(key, "claims")
    for row in rows:
        found = [r["verdict"] for r in judged if r["id"].partition("/")[2] in numbers(row["claims"])]
        counts = [f"{sign} {found.count(name)}" for name, sign in VERDICT_SIGNS.items() if name in found]
        assert row["verdicts"] == ", ".join(counts), row["figure"]
    assert set().union(*(numbers(row["claims"]) for row in rows)) == {r["id"].partition("/")[2] for r in judged}


def test_epsilons_are_those_of_the_audits():
    (table,) = tables("audit")
    written = {
        (row["audit"].strip("`"), calibration): row[calibration]
        for row in table
        for calibration in ("printed", "released", "certified")
        if row[calibration]
    }
    audits = [record for key in PAPERS for record in records(key, "audit")]
    cells = {}
    for (audit, _, calibration), group in groups(audits).items():
        cells.setdefault((audit, calibration), []).extend(group)
    found = {}
    for place, group in cells.items():
        if place[1] != "tuned":
            sign = SYMBOLS[verdict_of_all(group)[0]]
            found[place] = f"{ratio(group)} {f'**{sign}**' if sign == SYMBOLS['violated'] else sign}"
    assert written == found


@pytest.mark.parametrize("scale", ["quick", "full"])
def test_the_instances_of_a_scale_are_those_of_its_experiments(scale):
    """With allocated seeds and fixed ones."""
    papers = shipped(scale).papers.values()
    sections = [section for paper in papers for section in paper.experiments.values()]
    seeds = [section.size.at(scale).number_of(section.calibrations) for section in sections]
    (found,) = re.findall(rf"^\| `make {scale}` \| (\d+) to (\d+) instances", README, re.M)
    assert tuple(map(int, found)) == (min(seeds), max(seeds))


def test_the_page_on_verdicts_counts_those_that_rest_on_few_runs():
    """Claims that only count events have exact limits, not Student's. 300 runs have a resolution of 1 %."""
    every = [each for paper in PAPERS for each in records(paper, "claims")]
    decided = [each for each in every if each["verdict"] in ("holds", "fails") and "Student" in each["method"]]
    few = sum(each["resolution"] > 0.01 for each in decided)
    page = " ".join((ROOT / "docs/verdicts.md").read_text(encoding="utf-8").split())
    said = f"Of the {len(decided)} statistical claims that hold or fail at the full scale, those that only count events"
    assert f"{said} apart, {few} have a resolution above 1 %" in page
