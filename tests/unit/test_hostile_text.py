"""What a text of a configuration or of a record cannot do: command a terminal, run a script, start a formula."""

import json
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpbandits.config.letters import as_json, hidden, visible
from dpbandits.config.loading import load_project
from dpbandits.figures import files
from dpbandits.figures.default_notebook import default_notebook
from dpbandits.figures.kinds import estimates, matrix, speed
from dpbandits.report.spreadsheets import claims_table
from dpbandits.stages.collect import table_of
from dpbandits.stages.render import page_of
from dpbandits.text import audit_terminal, claim_lines, explanation, run_summary, terminal
from dpbandits.text.escapes import in_cell, in_markdown, in_picture, in_snakemake_report

from ..committed_site import RATIOS
from .small import BARE, KEY, PAPER, ROOT, changed, fault, write_project
from .test_cli import call

ACTING = ("\x1b[31m", "\x00", "\x07", "\x7f", "\x9b", "\t", "\r", "\u202e", "\u2066", "\u200b", "\u2028", "\ufeff")
"""Begins of commands, ends of lines, and signs that turn the direction of writing or are not seen."""
PLACES = {
    "title": "title",
    "authors.0": "authors[0]",
    "reference": "reference",
    "assumptions.0.item": "assumptions[0].item",
    "experiments.study.title": "experiments.study.title",
    "figures.regret.caption": "figures.regret.caption",
    "tables.table1.rows.0.0": "tables.table1.rows[0][0]",
    "claims.C1.statement": "claims.C1.statement",
    "claims.C1.tests.0.reading": "claims.C1.tests[0].reading",
}
HOSTILE = "<script>alert(1)</script> {a} $\\frac{ $ [x](javascript:y)"


def poisoned(value: Any) -> Any:
    """The texts of a record that are sentences, with a command for a terminal in each."""
    if isinstance(value, dict):
        return {key: poisoned(each) for key, each in value.items()}
    if isinstance(value, list):
        return list(map(poisoned, value))
    return f"{value}\x1b[2J\u202e" if isinstance(value, str) and " " in value else value


def records(kind: str) -> list[dict]:
    path = ROOT / f"figures/hanna2022/data/{kind}.json"
    found: list[dict] = json.loads(path.read_text(encoding="utf-8"))["records"]
    return found


@pytest.mark.parametrize("place", PLACES)
def test_texts_with_control_characters_are_refused(place: str, tmp_path: Path):
    """Would fail for a text that has a type of its own."""
    for letters in ACTING:
        line = fault(write_project(tmp_path, changed(PAPER, place, f"a{letters}b")))
        assert line.startswith(f"config/papers/{KEY}.yaml: {PLACES[place]}: got 'a\\"), line
        assert line.endswith("must have no control characters. Delete them; line breaks are allowed.")


def test_lines_may_break_and_are_listed_as_one(tmp_path: Path):
    root = write_project(tmp_path, changed(PAPER, "title", "one\ntwo\u00a0three\n"))
    assert call(root, "list", "papers").stdout == f"{KEY}  one two three   nowhere\n"


@given(st.text(st.characters(exclude_categories=())))
def test_what_is_shown_can_be_printed(text: str):
    assert visible(text).isprintable()
    assert visible(text) == text or not text.isprintable()
    assert not hidden(visible(text))
    assert hidden(text) == "" or not text.isprintable()
    written = as_json({"a": text})
    assert all(line.isprintable() for line in written.split("\n"))
    assert json.loads(written) == {"a": text}


def test_records_cannot_command_a_terminal(capsys):
    """Would fail for a screen that prints a text of a record as it is."""
    claims, audits = poisoned(records("claims"))[:12], poisoned(records("audit"))[:12]
    terminal.print_claims(claims, "full")
    terminal.print_explanation(claims[0])
    claim_lines.print_lines(claims, "full")
    audit_terminal.print_audits(audits, "full")
    audit_terminal.print_audit([each for each in audits if each["audit"] == audits[0]["audit"]])
    print(*explanation.lines(claims[:1], "", 80), sep="\n")
    judged = run_summary.Judged("hanna2022", "found\x1b[2J", claims, audits)
    print(*run_summary.lines([judged], "full", None, "none", [("a", "b")], 80), sep="\n")
    said = capsys.readouterr().out
    assert r"\x1b[2J\u202e" in said
    assert all(line.isprintable() for line in said.split("\n"))


def test_stored_files_cannot_command_a_terminal(tmp_path: Path):
    """Messages of commands that name what they read."""
    folder = tmp_path / "smoke"
    (folder / "certificate").mkdir(parents=True)
    graph = [
        {"@id": name, "sha256": "0"} for name in ("manifest-sha256.txt", "README.md", "codecheck.yml", "\x1b[2J\u202e")
    ]
    metadata = {"@graph": [*reversed(graph), {"@id": "environment.json", "sha256": "0"}]}
    (folder / "certificate/ro-crate-metadata.json").write_text(json.dumps(metadata))
    result = call(write_project(tmp_path / "project"), "verify", str(folder))
    assert result.exit_code == 2
    assert r"certificate/\x1b[2J\u202e: is missing" in result.stderr
    assert result.stderr.removesuffix("\n").isprintable()


def test_labels_of_the_report_of_snakemake_hold_neither_wildcards_nor_tags():
    assert in_snakemake_report("a {b} </script>") == "a (b) ‹/script›"
    rules = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "workflow/rules").glob("*.smk"))
    labels = re.findall(r'labels=\{"shows": ([^}]*?)[,}]', rules)
    assert len(labels) >= 3
    assert all(each.startswith(('"', "in_snakemake_report(")) for each in labels), labels


def test_pictures_show_dollar_signs_as_they_are(tmp_path: Path):
    """Would fail where Matplotlib takes a text for a formula: this one has none that it can read."""
    text = HOSTILE.replace("<script>alert(1)</script>", "a")
    paper = load_project(write_project(tmp_path, {**BARE, "title": text, "authors": [text]})).papers[KEY]
    kernel, growth = RATIOS["kernels"][0], RATIOS["growth"][0]
    side = {**kernel["sides"][0], "label": text}
    rows = pd.DataFrame(
        {"reading": [text], "curve": ["ucb1"], "estimate": [1.0], "low": [0.5], "high": [2.0], "panel": ["a"]}
    )
    drawn = {
        "matrix": matrix.draw([paper], matrix.frame([])),
        "ratios": speed.ratios([{**kernel, "title": text, "setting": text, "sides": [side]}]),
        "growth": speed.growth([{**growth, "title": text, "axis": text}]),
        "estimates": estimates.draw(rows, "axis", in_picture(text), []),
    }
    for name, figure in drawn.items():
        files.write(figure, tmp_path / f"{name}.svg")
        svg = (tmp_path / f"{name}.svg").read_text(encoding="utf-8")
        assert "$\\frac{" in svg, name
        assert "\\$" not in svg, name


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        *((text, f"'{text}") for text in ("=1+1", "+A1", "-A1", "@SUM(A1)", " =1", "\n=1", '=HYPERLINK("x")')),
        *((value, value) for value in ("a = b", "-1", "-1e-5", "+2.5", "-inf", -1.5, None, "", 3)),
    ],
)
def test_cells_hold_no_formula(value, shown):
    assert in_cell(value) == shown


def test_sheets_hold_no_formula():
    claims = [{**each, "statement": "=1+1", "where": "@x"} for each in records("claims")[:3]]
    assert claims_table(claims).count(",'=1+1,'@x,") == 3
    audits = [{**each, "audit": "=1+1"} for each in records("audit")[:3]]
    assert table_of(audits).count("'=1+1") == 3


def test_notebooks_hold_no_script_of_a_text(tmp_path: Path):
    """The page of a generated notebook, before its cells are executed."""
    import nbformat

    places = ("title", "reference", "figures.regret.shows", "figures.regret.caption", "tables.table1.caption")
    paper = PAPER
    for place in (*places, "measurements.slope.says", "authors.0"):
        paper = changed(paper, place, HOSTILE)
    notebook = default_notebook(load_project(write_project(tmp_path, paper)).papers[KEY])
    page = page_of(nbformat.writes(notebook))
    assert page.count("&lt;script&gt;alert(1)&lt;/script&gt;") == 7
    assert "<script" not in page
    assert 'href="javascript' not in page
    assert in_markdown("a *b* `c`") == "a *b* `c`"
