"""The pages of the report, built from the committed records."""

import base64
import csv
import hashlib
import html
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from dpbandits.base.storage import PARTIAL, DamagedFile, replacing_folder
from dpbandits.certificate.contents import compared
from dpbandits.planning.documents import documents
from dpbandits.report.costs import Costs
from dpbandits.report.documents import page_of
from dpbandits.report.notebook_page import in_site, notebook_page
from dpbandits.report.sections import Claim, claims, matrix, short
from dpbandits.report.threshold_history import history
from dpbandits.stages import report as stage
from dpbandits.text.text import marked, worded
from tests.shipped import shipped

from ..committed_site import ROOT, SHOWN, build
from .modes import unusual

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
    found = [path for path in site.rglob("*.html") if path.parent.name != "notebooks"]
    return {path.relative_to(site).as_posix(): Page(path.read_text(encoding="utf-8")) for path in found}


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
            if link.startswith("https:"):
                assert re.fullmatch(r"https://arxiv\.org/abs/\d{4}\.\d{5}", link), (name, link)
                continue
            to = ((site / name).parent / file).resolve() if file else site / name
            assert to.is_file(), (name, link)
            assert not place or place in pages[to.relative_to(site).as_posix()].ids, (name, link)


def test_pages_are_sound(site, pages, records):
    of_claims = {f"{record['id']}.html" for key in KEYS for record in records[key]}
    alone = {"index.html", "claims.html", "run.html", "speed.html", *(f"{key}.html" for key in KEYS)}
    project = shipped("full")
    files = documents(replace(project, papers={key: project.papers[key] for key in KEYS}))
    assert set(pages) == alone | of_claims | {page_of(name) for name in files}
    for name, page in pages.items():
        assert len(page.ids) == len(set(page.ids)), name
        assert page.levels.count(1) == 1
        assert page.levels[0] == 1
        assert all(after <= before + 1 for before, after in zip(page.levels, page.levels[1:], strict=False)), name
        assert all(page.alts), name
        assert (site / name).stat().st_size < 2e6


def test_pages_link_to_the_files_behind_them(pages):
    assert {
        "docs/statements/hanna2022.html",
        "config/papers/hanna2022.yaml.html",
        "src/dpbandits/algorithms/phased_elimination/phased_elimination_central.py.html",
        "docs/background/verdicts.html",
        "docs/howto/audit_mechanism.html",
        "docs/proofs/ledger.html",
    } <= set(pages["hanna2022.html"].links)
    assert any(
        re.fullmatch(r"\.\./config/papers/hanna2022\.yaml\.html#L\d+", link)
        for link in pages["hanna2022/C4.html"].links
    )
    assert "../../hanna2022/C3.html#small-budgets" in pages["docs/statements/hanna2022.html"].links


def said(record):
    """`C1, two arms, printed: holds`."""
    name = ", ".join(filter(None, (record["id"].partition("/")[2], record["variant"].replace("_", " "))))
    return f"{name}, {record['calibration']}: {worded(marked(record))}"


def test_the_front_page_has_a_sign_for_every_claim_and_that_of_a_paper_for_every_record(site, pages, records):
    for key in KEYS:
        author, text = short(shipped().papers[key]), (site / f"{key}.html").read_text(encoding="utf-8")
        for record in records[key]:
            assert f'<span class="hidden">{said(record)}</span>' in text
            if not record["variant"]:
                assert f"{author}, {said(record)}" in pages["index.html"].labels


def test_the_front_page_answers_in_numbers(site, records):
    text = (site / "index.html").read_text(encoding="utf-8")
    own = [record for key in KEYS for record in records[key] if record["subject"] != "variant_of_ours"]
    assert f"Of <b>{len(own)}</b> verdicts on the papers' own claims" in text
    holds = sum(record["verdict"] == "holds" for record in own)
    assert f"✓</span> {holds} hold</span>" in text
    assert "Do two papers on private bandits keep their word?" in text
    assert "With the noise that we certify, none of" in text


def test_every_record_has_a_place_on_the_page_of_its_claim(pages, records):
    for key in KEYS:
        for record in records[key]:
            variant = record["variant"].replace("_", "-")
            place = "-".join(filter(None, (record["id"], variant)))
            assert place in pages["claims.html"].ids
            assert place in pages[f"{key}.html"].ids
            assert f"{variant or 'claim'}/{record['calibration']}" in pages[f"{record['id']}.html"].ids


def test_every_comparison_is_drawn(site, records):
    for key in KEYS:
        for claim in dict.fromkeys(record["id"] for record in records[key]):
            own = [record for record in records[key] if record["id"] == claim]
            text = (site / f"{claim}.html").read_text(encoding="utf-8")
            assert text.count('<svg class="strip') == sum(len(record["details"]) for record in own)
            assert text.count('<svg class="picture') == sum(bool(record["details"]) for record in own)


def test_the_page_of_a_claim_says_how_to_get_its_number_again_and_when_its_threshold_was_set(site):
    text = (site / "hanna2022/C3.html").read_text(encoding="utf-8")
    assert "<pre><code>dpbandits run hanna2022/figure2 \\\n    --algorithm phased_elimination_central," in text
    assert "Central privacy comes almost for free around ε = 1." in text, "typeset"
    (last,) = history("hanna2022")["C3"][-1:]
    assert f"<code>{last.commit}</code>" in text
    assert 'href="https://arxiv.org/abs/2207.03445"' in text


def test_the_list_of_claims_knows_what_is_searched_for(site):
    text = (site / "claims.html").read_text(encoding="utf-8")
    (words,) = re.findall(r'<li id="hanna2022/C20".*?data-words="([^"]*)"', text)
    for word in ("theorem 3", "headline", "ε", "eps", "epsilon", "phased_elimination_shuffled"):
        assert word in words
    assert re.search(r'<li id="hanna2022/C20" data-paper="hanna2022" data-class="privacy" data-subject="paper ', text)


def test_values_lie_over_their_figure_alone(site):
    text = (site / "hanna2022.html").read_text(encoding="utf-8")
    assert text.count('<svg class="values"') == 1
    assert '<circle cx="100.0" cy="60.0" r="6"><title>central: ε = 0.1, regret 9</title></circle>' in text
    assert text.index(SHOWN) < text.index('<svg class="values"') < text.index("regret_against_budget-tuned.svg")


def test_findings_lead_to_the_audit_that_they_rest_on(site):
    text = (site / "hanna2022.html").read_text(encoding="utf-8")
    rests = [line for line in text.splitlines() if "Rests on" in line and 'href="hanna2022/C' in line]
    audited = [line for line in rests if line.count('<a href="hanna2022.html#hanna2022/audit">the audit</a>.') == 1]
    assert 0 < len(audited) < len(rests) == 3


def test_how_it_was_run(site):
    text = (site / "index.html").read_text(encoding="utf-8")
    assert "root seed <b>7</b>" in text
    assert "make full" in text
    assert "<code>dpbandits verify results/full</code>" in text, "the folder of the results, as the command wants it"
    assert 'href="run.html"' in text


def words(site, page):
    """The text of a page, blank by blank."""
    text = re.sub("<.*?>", " ", (site / page).read_text(encoding="utf-8"))
    return " ".join(html.unescape(text).split())


def test_times_are_by_stage_and_against_budgets(site):
    """Of jobs of 80 and 50 seconds the last readings are of second 45, and one compiled for 12.5 seconds."""
    shown = words(site, "run.html")
    assert "simulate 2 90 to 126 80 simulate/hanna2022/0 325 simulate/hanna2022/1" in shown
    assert "judge 1 0.0 to 1.0 1.0 judge/hanna2022 not read" in shown
    assert "audit 1 634 to 640 640 audit/0 94 audit/0" in shown
    assert "12 CPU seconds of simulate were spent compiling kernels" in shown
    papers = r"hanna2022 77 to 114 360 21 to 32 % \? open \d+ of \d+ chowdhury2022 not measured 1,300 \? open"
    assert re.search(papers + r" (\d+) of \1 audit 634 to 640 600 106 to 107 % ✗ over", shown)
    assert re.search(r"\d+ jobs have no benchmark file", shown)


def test_the_longest_chain_of_jobs_is_shown(site):
    shown = words(site, "run.html")
    assert "their sum, 641 seconds. This is 83 % of the 771 wall seconds that all jobs take" in shown
    assert "job wall seconds audit/0 640 judge/hanna2022 1.0 How to run it again" in shown


def test_speed_is_shown_from_the_record(site):
    shown = words(site, "speed.html")
    assert "UCB1 K = 10 & Bernoulli rewards C loop 0.71 0.66 to 0.74 0.4 0.65 ▲ reached" in shown
    assert (
        "NumPy 4.5 4.1 to 4.9 3 6 ✓ met a loop 150 148 to 151 LinUCB d = 5 C loop 0.3 0.29 to 0.31 0.35 0.6 ✗ missed"
        in shown
    )
    assert "1 target reached, 1 requirement met, 1 missed" in shown
    assert "Left out, and why UCB1 , mabwiser: plays another distribution" in shown
    assert "UCB1 T 1.00 0.98 to 1.02 1000 100,000 K = 10" in shown
    assert "Start-up 0.12 at most 0.1 ✗ missed Cores 1.9 times at least 1.8 ✓ met" in shown


def test_a_project_without_a_record_says_so(tmp_path):
    site = build(tmp_path, KEYS[:1], ratios=None)
    assert "benchmarks/ratios.json does not exist, because make bench has not been run." in words(site, "speed.html")
    assert not (site / "figures/speed.svg").exists()
    assert {path.name for path in (tmp_path / "together").iterdir()} == {"claims.svg", "speed.svg", "growth.svg"}


def test_a_record_without_a_part_says_what_it_lacks(tmp_path):
    site = build(tmp_path, KEYS[:1], ratios={"kernels": [], "growth": [], "pipeline": []})
    shown = words(site, "speed.html")
    assert (
        "The record has no kernels. How the cost grows The record has no growth. The pipeline The record has no"
        in shown
    )


def test_times_are_on_one_page_alone(site, tmp_path, monkeypatch):
    monkeypatch.setattr(stage, "costs_of", lambda *_: Costs({}, [], [], 123456.0, 7, 654321.0))
    again = build(tmp_path)
    files = {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()}
    assert {name for name in files if (site / name).read_bytes() != (again / name).read_bytes()} == {"run.html"}
    assert {name for name in files if not compared(f"report/{name}")} == {"run.html", ".dpbandits-report"}


def test_all_records_are_in_the_spreadsheet(site, records):
    with (site / "data/claims.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    every = [record for key in KEYS for record in records[key]]
    names = ("variant", "calibration", "verdict", "statement")
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


def test_files_have_the_usual_permissions(site):
    assert unusual(site) == {}


def test_a_report_takes_the_place_of_the_last_one(tmp_path, monkeypatch):
    """Whole; after a fault the last one is still there, and nothing half-made; what a killed run left is removed."""
    out = tmp_path / "report"
    with replacing_folder(out, "report") as folder:
        (folder / "old").touch()
    (tmp_path / f".report.1.{PARTIAL}/new").mkdir(parents=True)
    (tmp_path / "sources").mkdir()

    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(stage, "write_text", full)
        with pytest.raises(OSError, match="No space"):
            build(tmp_path / "sources", KEYS[:1], "../report")
    assert [path.name for path in tmp_path.iterdir() if path.name != "sources"] == ["report"]
    assert (out / "old").is_file()
    (tmp_path / "more").mkdir()
    build(tmp_path / "more", KEYS[:1], "../report")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["more", "report", "sources"]
    assert (out / "index.html").is_file()
    assert not (out / "old").exists()


@pytest.mark.parametrize(
    ("text", "says"), [(None, "cannot be read"), ("<html/>", "is not an SVG with a viewBox of four numbers. Delete it")]
)
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


def policy(page: str) -> dict[str, str]:
    """What a page may load and run, by the kind of it."""
    (found,) = re.findall('<meta http-equiv="Content-Security-Policy" content="([^"]*)">', page)
    before = page.partition("<meta http-equiv")[0]
    assert not re.search("<(script|style|link|img)", before), "it holds for all of the page"
    return {kind: " ".join(allowed) for kind, *allowed in map(str.split, html.unescape(found).split(";"))}


def test_pages_load_what_is_theirs_and_run_no_script_of_a_text(site):
    """Would fail for a page without a policy, or with one that allows other places or scripts in the page."""
    pages = {path: path.read_text(encoding="utf-8") for path in site.rglob("*.html")}
    of_notebooks = {path: text for path, text in pages.items() if path.parent.name == "notebooks"}
    assert len(pages) > 50
    assert of_notebooks
    nothing = {"default-src": "'none'", "base-uri": "'none'", "form-action": "'none'"}
    for path, text in pages.items():
        if path not in of_notebooks:
            own = {"script-src": "'self'", "style-src": "'self'", "img-src": "'self' data:"}
            assert policy(text) == nothing | own, path
            assert re.findall("<script[^>]*>", text) == re.findall('<script src="[./]*static/site.js">', text), path
            assert not re.search("<[^>]* (style|on[a-z]+)=", text), path
    for path, text in of_notebooks.items():
        (script,) = re.findall("<script>(.*?)</script>", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        own = {"script-src": f"'sha256-{digest}'", "style-src": "'unsafe-inline'", "img-src": "data:"}
        assert policy(text) == nothing | own, path


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
    papers = shipped().papers
    assert short(papers["hanna2022"]) == "Hanna et al."
    assert short(papers["chowdhury2022"]) == "Chowdhury and Zhou"
