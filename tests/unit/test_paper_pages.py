"""The pages of the papers: up to date, and their tables beside the committed records; instances of the scales."""

import json
import re
import shlex
from pathlib import Path

import pytest

from dpbandits.cli import main as _main  # noqa: F401 - a command loads it first, which sets threads
from dpbandits.cli.run import plans_of
from dpbandits.cli.run import run as command
from dpbandits.text.audits import SYMBOLS, groups, ratio, verdict_of_all
from dpbandits.text.text import SYMBOLS as VERDICT_SIGNS
from dpbandits.text.text import marked, worded
from tests import tools
from tests.shipped import shipped

from .test_cli import call

ROOT = Path(__file__).resolve().parents[2]
PAPERS = ("hanna2022", "chowdhury2022", "hu2021", "chen2020", "han2021")
PAGES = {key: (ROOT / f"docs/papers/{key}.md").read_text(encoding="utf-8") for key in PAPERS}
OURS = {"fails_ours": "fails (ours)"}
"""A failure by a threshold of ours."""


@pytest.fixture(scope="module")
def tool():
    """tools/paper_pages.py as a module."""
    return tools.tool("paper_pages")


def test_pages_and_findings_are_up_to_date(tool):
    """Else: python tools/paper_pages.py --write."""
    written = tool.pages()
    assert {path.relative_to(ROOT).as_posix() for path in written} == {
        *(f"docs/papers/{key}.md" for key in PAPERS),
        "docs/papers/index.md",
        "README.md",
    }
    assert {path.name for path, said in written.items() if path.read_text(encoding="utf-8") != said} == set()


def test_a_main_finding_rests_on_verdicts(tool, monkeypatch):
    assert set(tool.headlines()) == set(PAPERS)
    read = tool.read

    def turned(key, kind):
        found = read(key, kind)
        return {**found, "records": [{**each, "verdict": "unclear"} for each in found["records"]]}

    monkeypatch.setattr(tool, "read", lambda key, kind: turned(key, kind) if kind == "claims" else read(key, kind))
    with pytest.raises(AssertionError, match="hanna2022: the main finding rests on C18 printed fails: unclear"):
        tool.headlines()


def test_a_main_finding_has_the_numbers_of_the_records(tool, monkeypatch):
    read = tool.read

    def moved(key, kind):
        found = read(key, kind)
        details = [[{**detail, "estimate": 123.0} for detail in each["details"]] for each in found["records"]]
        pairs = zip(found["records"], details, strict=True)
        return {**found, "records": [{**each, "details": own} for each, own in pairs]}

    before = tool.headlines()
    monkeypatch.setattr(tool, "read", lambda key, kind: moved(key, kind) if kind == "claims" else read(key, kind))
    after = tool.headlines()
    assert all("123" in after[key] for key in PAPERS)
    assert all("123" not in before[key] for key in PAPERS)


def records(key, kind):
    return json.loads((ROOT / f"figures/{key}/data/{kind}.json").read_text(encoding="utf-8"))["records"]


def table(key, first):
    """The first table of a page whose first column has this heading, as a list of rows by column."""
    found, *_ = re.findall(rf"^(\| {first} \|.*\n(?:\|.*\n)+)", PAGES[key], re.M)
    heads, _, *rows = [[part.strip() for part in line.strip().strip("|").split(" |")] for line in found.splitlines()]
    return [dict(zip(heads, row, strict=True)) for row in rows]


def of_page(key):
    """(number, variant, calibration) -> verdict."""
    found = {}
    for row in table(key, "claim"):
        number, _, variant = row["claim"].partition(", ")
        for calibration in set(row) - {"claim", "statement"}:
            if row[calibration]:
                assert (number, variant, calibration) not in found
                found[number, variant, calibration] = row[calibration].strip("*")
    return found


def of_records(key):
    return {
        (r["id"].partition("/")[2], r["variant"].replace("_", " "), r["calibration"]): OURS.get(
            marked(r), worded(r["verdict"])
        )
        for r in records(key, "claims")
    }


@pytest.mark.parametrize("key", PAPERS)
def test_verdicts_are_those_of_the_records(key):
    written, judged = of_page(key), of_records(key)
    assert set(written) == set(judged)
    assert {case: verdict for case, verdict in written.items() if verdict != judged[case]} == {}


@pytest.mark.parametrize("key", PAPERS)
def test_the_authors_code_is_named_where_constants_come_from_it(key):
    """By repository and commit, or as not found; papers with released constants have a repository."""
    (said,) = re.findall(r"^### Authors' code\n\n(.*?)(?=^##? )", PAGES[key] + "\n## ", re.M | re.S)
    released = any(record["calibration"] == "released" for record in records(key, "claims"))
    assert bool(re.search(r"repository\s+`[\w-]+/[\w-]+`", said)) == released
    assert bool(re.search(r"commit\s+`[0-9a-f]{7}`", said)) == released
    assert released or re.search(r"not public|no code", said)


@pytest.mark.parametrize("key", PAPERS)
def test_failures_stand_out(key):
    rows = table(key, "claim")
    shown = [cell for row in rows for name, cell in row.items() if name not in ("claim", "statement") and cell]
    assert set(shown) <= {"holds", "unclear", "not tested", "**fails**", "fails (ours)"}


@pytest.mark.parametrize("key", PAPERS)
def test_every_claim_is_counted_beside_its_figure(key):
    judged = {}
    for record in records(key, "claims"):
        name = "/".join(filter(None, (record["id"].partition("/")[2], record["variant"].replace("_", " "))))
        judged.setdefault(name, []).append(record["verdict"])
    rows = table(key, "shows")
    for row in rows:
        found = [verdict for name in filter(None, row["claims"].split(", ")) for verdict in judged[name]]
        counts = [f"{sign} {found.count(name)}" for name, sign in VERDICT_SIGNS.items() if name in found]
        assert row["verdicts"] == ", ".join(counts), row["shows"]
    assert {name for row in rows for name in filter(None, row["claims"].split(", "))} == set(judged)


@pytest.mark.parametrize("key", PAPERS)
def test_the_commands_for_curves_are_accepted(key):
    """They are planned and not run: some take minutes."""
    project = shipped("full")
    lines = {
        found
        for row in table(key, "shows")
        for found in re.findall("`(dpbandits run .*?)`", row["command for one curve"])
    }
    assert lines
    for line in lines:
        context = command.make_context("run", shlex.split(line)[2:])
        told = context.params
        paper, _, experiment = told["experiment"].partition("/")
        (plan,) = plans_of(
            project, project.papers[paper], experiment, [told["algorithms"]], [told["calibrations"]], told["changes"], 2
        )
        assert len(plan.curve.points) == 1, line


@pytest.mark.parametrize("key", PAPERS)
def test_the_commands_that_explain_work(key):
    commands = set(re.findall("`dpbandits (--scale full .*?)`", PAGES[key]))
    assert len(commands) > 1
    for line in commands:
        found = call(ROOT, *shlex.split(line))
        assert (found.exit_code, bool(found.stdout)) == (0, True), line


def test_epsilons_are_those_of_the_audits():
    for key in PAPERS:
        written = {
            (row["audit"].strip("`"), calibration): row[calibration]
            for row in table(key, "audit")
            for calibration in ("printed", "released", "certified")
            if row.get(calibration)
        }
        cells = {}
        for (audit, _, calibration), group in groups(records(key, "audit")).items():
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
    page = (ROOT / "docs/tutorial/first_replication.md").read_text(encoding="utf-8")
    (found,) = re.findall(rf"^\| `make {scale}` \| (\d+) to (\d+) instances", page, re.M)
    assert tuple(map(int, found)) == (min(seeds), max(seeds))


def test_the_page_on_verdicts_counts_those_that_rest_on_few_runs():
    """Claims that only count events have exact limits, not Student's. 300 runs have a resolution of 1 %."""
    every = [each for paper in PAPERS for each in records(paper, "claims")]
    decided = [each for each in every if each["verdict"] in ("holds", "fails") and "paired" in each["method"]]
    few = sum(each["resolution"] > 0.01 for each in decided)
    page = " ".join((ROOT / "docs/background/verdict_errors.md").read_text(encoding="utf-8").split())
    said = f"At the full scale {len(decided)} statistical claims hold or fail, without those that only count events."
    assert f"{said} Of these, {few} have a resolution above 1 %" in page


def test_the_history_of_verdicts_ends_with_those_of_the_records():
    found = [each["verdict"] for paper in PAPERS for each in records(paper, "claims")]
    page = (ROOT / "docs/background/verdict_history.md").read_text(encoding="utf-8")
    hold, fail, unclear, untested = (found.count(verdict) for verdict in ("holds", "fails", "unclear", "not_tested"))
    said = f"{hold} of {len(found)} verdicts hold, {fail} fail, {unclear} are unclear and {untested} are not tested"
    assert f"**Now** {said}." in page
