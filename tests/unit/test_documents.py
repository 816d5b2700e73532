"""Files of the project as pages of the report."""

import re
from pathlib import Path

import pytest

from dpbandits.planning.documents import algorithms_of, documents
from dpbandits.report.documents import (
    document,
    led,
    lines_of_claims,
    linked_claims,
    linked_proofs,
    numbered,
    page_of,
    place_of,
)
from tests.shipped import shipped

ROOT = Path(__file__).resolve().parents[2]


def test_the_files_of_a_paper_are_those_that_it_names_and_plays():
    project = shipped("quick")
    found = documents(project)
    assert {"docs/background/verdicts.md", "docs/howto/audit_mechanism.md", "docs/proofs/ledger.md"} <= set(found)
    for key, paper in project.papers.items():
        assert {f"docs/statements/{key}.md", f"config/papers/{key}.yaml"} <= set(found)
        for name, file in algorithms_of(paper).items():
            assert Path(file).stem == name
            assert re.search(r"^ALGORITHM\b", found[file].read_text(encoding="utf-8"), re.MULTILINE)
    assert "phased_elimination_local" in algorithms_of(project.papers["hanna2022"])
    assert "linucb_sdp_vec" not in algorithms_of(project.papers["hanna2022"])
    assert all(path == ROOT / name for name, path in found.items())


@pytest.mark.parametrize(
    ("name", "page"),
    [
        ("docs/background/verdicts.md", "docs/background/verdicts.html"),
        ("config/papers/hu2021.yaml", "config/papers/hu2021.yaml.html"),
        ("src/dpbandits/x.py", "src/dpbandits/x.py.html"),
    ],
)
def test_a_page_is_named_as_its_file(name, page):
    assert page_of(name) == page


@pytest.mark.parametrize(
    ("link", "leads"),
    [
        ("mechanisms.md", "mechanisms.html"),
        ("mechanisms.md#trees-of-sums", "mechanisms.html#trees-of-sums"),
        ("../../config/papers/hu2021.yaml", "../../config/papers/hu2021.yaml.html"),
        ("#below", "#below"),
        ("https://arxiv.org/abs/2207.03445", "https://arxiv.org/abs/2207.03445"),
        ("../python.md", ""),
    ],
)
def test_links_lead_to_pages_or_nowhere(link, leads):
    assert led(link, "docs/proofs/ledger.md", ["docs/proofs/mechanisms.md", "config/papers/hu2021.yaml"]) == leads


def test_markdown_has_a_title_captions_and_places_and_no_html_of_its_own():
    table = "| x | y |\n| --- | --- |\n| eps | <b> |\n"
    text = f"# Proofs of `eps`\n\nSee [one](a.md), [two](b.md).\n\n## Trees: sums\n\n{table}"
    made = document("docs/a.md", text, ["docs/b.md"])
    assert made.title == "Proofs of `eps`"
    assert '<h2 id="trees-sums">Trees: sums</h2>' in made.html
    assert '<a href=""' not in made.html
    assert '<p>See one, <a href="b.html">two</a>.</p>' in made.html
    assert '<div class="scroll" role="group" aria-label="Trees: sums" tabindex="0">' in made.html
    assert "<caption>Trees: sums</caption>" in made.html
    assert "<td>ε</td>" in made.html
    assert "<td>&lt;b&gt;</td>" in made.html


def test_a_heading_has_the_place_that_hosts_of_markdown_give_it():
    assert place_of("Share it: `a_b`, x-y!") == "share-it-a_b-x-y"


def test_lines_are_numbered_and_escaped():
    made = numbered("a: <b>\n\nc: &\n")
    assert made.count("<span") == 3
    assert '<span id="L1" data-line="1">a: &lt;b&gt;\n</span>' in made
    assert '<span id="L3" data-line="3">c: &amp;\n</span>' in made


def test_a_claim_is_found_in_the_line_that_names_it():
    text = (ROOT / "config/papers/hu2021.yaml").read_text(encoding="utf-8")
    found, lines = lines_of_claims(text), text.splitlines()
    assert len(found) > 20
    assert all(lines[line - 1] == f"  {name}:" for name, line in found.items())
    assert lines_of_claims("") == {}
    assert lines_of_claims("title: x\n") == {}


def test_sources_of_proofs_lead_to_their_headings():
    documents = {"docs/a.md": "# Proofs\n\n## Theorem 12\n\n## Theorem 1: least squares\n"}
    made = linked_proofs("Balle & Wang, Theorem 8; docs/a.md, Theorem 1; docs/a.md, Trees; docs/b.md", documents, "../")
    link = '<a href="../docs/a.html#theorem-1-least-squares">docs/a.md, Theorem 1</a>'
    whole = '<a href="../docs/a.html">docs/a.md, Trees</a>'
    assert made == f"Balle &amp; Wang, Theorem 8; {link}; {whole}; docs/b.md"


def test_names_of_claims_lead_to_their_pages_in_cells_alone():
    html = "<p>C3</p><table><tr><td>C3, C3/small_budgets; C31</td><td>C33/x</td></tr></table>"
    pages = {"C3": "../k/C3.html#claim", "C3/small_budgets": "../k/C3.html#small-budgets"}
    made = linked_claims(html, pages)
    assert made.startswith("<p>C3</p>")
    assert (
        '<td><a href="../k/C3.html#claim">C3</a>, <a href="../k/C3.html#small-budgets">C3/small_budgets</a>; C31'
        in made
    )
    assert "<td>C33/x</td>" in made
    assert linked_claims(html, {}) == html
