"""The pages of the report, built from the committed records."""

import csv
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from dpbandits.certificate.contents import compared
from dpbandits.experiments.config import load_project
from dpbandits.report.notebook_page import in_site, notebook_page
from dpbandits.report.site import Claim, Costs, claims, matrix, short
from dpbandits.stages import report as stage
from dpbandits.storage import DamagedFile

from ..committed_site import ROOT, SHOWN, build

KEYS = ("hanna2022", "chowdhury2022")
VOID = {"meta", "link", "input", "img", "br"}


class Page(HTMLParser):
    """Elements of a page, its headings in order, its ids and its links; what is not closed is a fault."""

    def __init__(self, text):
        super().__init__()
        self.open, self.levels, self.ids, self.links, self.alts, self.labels = [], [], [], [], [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        if tag not in VOID:
            self.open.append(tag)
        if re.fullmatch("h[1-6]", tag):
            self.levels.append(int(tag[1]))
        self.ids += [found["id"]] if "id" in found else []
        self.links += [found[name] for name in ("href", "src") if name in found]
        self.alts += [found.get("alt")] if tag == "img" else []
        self.labels += [found["aria-label"]] if "aria-label" in found else []

    def handle_startendtag(self, tag, attrs):
        assert tag in {"path", "rect", "circle"}

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    return build(tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="module")
def pages(site) -> dict[str, Page]:
    return {path.name: Page(path.read_text(encoding="utf-8")) for path in site.glob("*.html")}


@pytest.fixture(scope="module")
def records() -> dict[str, list]:
    return {
        key: json.loads((ROOT / f"figures/{key}/data/claims.json").read_text(encoding="utf-8"))["records"]
        for key in KEYS
    }


def test_every_link_leads_somewhere(site, pages):
    """To a file of the folder, and to an id of it."""
    for name, page in pages.items():
        for link in page.links:
            file, _, place = link.partition("#")
            if link == "data:,":
                continue
            assert (site / (file or name)).is_file(), (name, link)
            assert not place or place in pages[file or name].ids, (name, link)


def test_pages_are_sound(site, pages):
    assert set(pages) == {"index.html", "run.html", *(f"{key}.html" for key in KEYS)}
    for name, page in pages.items():
        assert len(page.ids) == len(set(page.ids)), name
        assert page.levels.count(1) == 1
        assert page.levels[0] == 1
        assert all(after <= before + 1 for before, after in zip(page.levels, page.levels[1:], strict=False)), name
        assert all(page.alts), name
        size = (site / name).stat().st_size
        assert size < (1.5e6 if name == "index.html" else 3e6)


def test_the_matrix_has_a_sign_for_every_record(pages, records):
    for key in KEYS:
        wanted = {
            f"{', '.join(filter(None, (r['id'].partition('/')[2], r['variant'].replace('_', ' '))))}, "
            f"{r['calibration']}: {r['verdict']}"
            for r in records[key]
        }
        assert wanted <= set(pages["index.html"].labels)
        assert wanted <= set(pages[f"{key}.html"].labels)


def test_every_claim_has_a_place_on_both_pages(pages, records):
    for key in KEYS:
        for record in records[key]:
            place = "-".join(filter(None, (record["id"], record["variant"].replace("_", "-"))))
            assert place in pages["index.html"].ids
            assert place in pages[f"{key}.html"].ids


def test_every_comparison_is_drawn(site, records):
    for key in KEYS:
        text = (site / f"{key}.html").read_text(encoding="utf-8")
        assert text.count('<svg class="strip') == sum(len(record["details"]) for record in records[key])
        assert text.count('<svg class="picture') == sum(bool(record["details"]) for record in records[key])


def test_values_lie_over_their_figure_alone(site):
    text = (site / "hanna2022.html").read_text(encoding="utf-8")
    assert text.count('<svg class="values"') == 1
    assert '<circle cx="100.0" cy="60.0" r="6"><title>central: ε = 0.1, regret 9</title></circle>' in text
    assert text.index(SHOWN) < text.index('<svg class="values"') < text.index("regret_against_budget-tuned.svg")


def test_findings_lead_to_the_audit_that_they_rest_on(site):
    for page, start in (("index.html", "hanna2022.html"), ("hanna2022.html", "")):
        text = (site / page).read_text(encoding="utf-8")
        rests = [line for line in text.splitlines() if "Rests on" in line and f'href="{start}#hanna2022/C' in line]
        audited = [line for line in rests if line.count(f'<a href="{start}#hanna2022/audit">the audit</a>.') == 1]
        assert 0 < len(audited) < len(rests) == 3


def test_how_it_was_run(site):
    text = (site / "index.html").read_text(encoding="utf-8")
    assert "root seed <b>7</b>" in text
    assert "make full" in text
    assert "<code>dpbandits verify results/full</code>" in text, "the folder of the results, as the command wants it"
    assert 'href="run.html"' in text
    times = (site / "run.html").read_text(encoding="utf-8")
    assert '<td>judge</td><td class="number">1</td><td class="number">2.5</td>' in times


def test_times_are_on_one_page_alone(site, tmp_path, monkeypatch):
    monkeypatch.setattr(stage, "costs", lambda *_: Costs({"judge": (7, 123456.0)}, 654321.0))
    again = build(tmp_path)
    files = {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()}
    assert {name for name in files if (site / name).read_bytes() != (again / name).read_bytes()} == {"run.html"}
    assert {f"report/{name}" for name in files if not compared(f"report/{name}")} == {"report/run.html"}


def test_costs_are_summed_by_stage_wherever_the_project_lies(tmp_path):
    folder = tmp_path / "benchmarks/project/benchmarks"
    for name, seconds in (("simulate/p/0", "2.5"), ("simulate/p/1", "-"), ("judge/p", "NA")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.tsv").write_text(f"s\tcpu_time\n1\t{seconds}\n", encoding="utf-8")
    names = ["simulate/p/0.tsv", "simulate/p/1.tsv", "judge/p.tsv", "judge/another.tsv"]
    assert stage.costs(folder, names, []) == Costs({"simulate": (2, 2.5), "judge": (1, 0.0)}, 0)


def test_all_records_are_in_the_spreadsheet(site, records):
    with (site / "data/claims.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    every = [record for key in KEYS for record in records[key]]
    names = ("variant", "calibration", "verdict", "says")
    assert [[row["claim"], *(row[name] for name in names)] for row in rows] == [
        [record["id"], *(record[name] for name in names)] for record in every
    ]
    for row, record in zip(rows, every, strict=True):
        assert row["estimate"] == ("" if record["estimate"] is None else str(record["estimate"]))


def test_the_same_input_makes_the_same_bytes(site, tmp_path):
    again = build(tmp_path)
    files = {path.relative_to(site): path.read_bytes() for path in site.rglob("*") if path.is_file()}
    assert files == {path.relative_to(again): path.read_bytes() for path in again.rglob("*") if path.is_file()}
    assert str(ROOT).encode() not in b"".join(files.values())


def test_a_report_takes_the_place_of_the_last_one(tmp_path, monkeypatch):
    """Whole; after a fault the last one is still there, and nothing half-made; what a killed run left is removed."""
    out = tmp_path / "report"
    (out / "old").mkdir(parents=True)
    (tmp_path / ".report.new.1/half").mkdir(parents=True)
    (tmp_path / "sources").mkdir()

    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(stage, "write_text", full)
        with pytest.raises(OSError, match="No space"):
            build(tmp_path / "sources", KEYS[:1], "../report")
    assert [path.name for path in tmp_path.iterdir() if path.name != "sources"] == ["report"]
    assert (out / "old").is_dir()
    (tmp_path / "more").mkdir()
    build(tmp_path / "more", KEYS[:1], "../report")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["more", "report", "sources"]
    assert (out / "index.html").is_file()
    assert not (out / "old").exists()


@pytest.mark.parametrize(("text", "says"), [(None, "cannot be read"), ("<html/>", "no SVG with a viewBox; delete it")])
def test_a_damaged_figure_is_named(tmp_path, text, says):
    picture = tmp_path / "x.svg"
    if text:
        picture.write_text(text, encoding="utf-8")
    with pytest.raises(DamagedFile, match=rf"x\.svg: {says}"):
        stage.overlay_of(picture)


def test_notebooks_lead_back_in_the_site_alone(site):
    alone = notebook_page("A story", "<main>what a cell shows</main>")
    assert "href" not in alone
    (link,) = Page(in_site(alone, KEYS[0])).links
    assert (site / "notebooks" / link).resolve() == site / f"{KEYS[0]}.html"


def test_variants_share_the_column_of_their_claim():
    section = type("Section", (), {"paper": type("Paper", (), {"key": "p"})})
    section.records = [
        {"id": "p/C1", "variant": "", "calibration": "printed"},
        {"id": "p/C1", "variant": "", "calibration": "certified"},
        {"id": "p/C1", "variant": "two_arms", "calibration": "printed"},
        {"id": "p/C2", "variant": "", "calibration": "printed"},
    ]
    found = claims(section)
    assert [(claim.name, claim.anchor, list(claim.by)) for claim in found] == [
        ("C1", "p/C1", ["printed", "certified"]),
        ("C1, two arms", "p/C1-two-arms", ["printed"]),
        ("C2", "p/C2", ["printed"]),
    ]
    assert {number: [claim.variant for claim in each] for number, each in matrix(found).items()} == {
        "C1": ["", "two arms"],
        "C2": [""],
    }
    assert isinstance(found[0], Claim)


def test_papers_have_short_names():
    papers = load_project(ROOT).papers
    assert short(papers["hanna2022"]) == "Hanna et al."
    assert short(papers["chowdhury2022"]) == "Chowdhury and Zhou"
