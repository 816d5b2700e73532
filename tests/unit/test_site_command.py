"""`dpbandits site` makes the pages of the committed results, without a run."""

import re

import pytest
from click.testing import CliRunner

from dpbandits.base import jit
from dpbandits.cli.main import main
from tests.shipped import COMMITTED

from .small import BARE, ROOT, write_project


def call(root, *arguments):
    jit.stay_plain()
    return CliRunner().invoke(main, ["--project", str(root), "site", *arguments])


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    out = tmp_path_factory.mktemp("out") / "site"
    done = call(ROOT, "--out", str(out))
    assert (done.exit_code, done.output) == (0, f"Report: {out}/index.html\n")
    return out


def test_it_has_all_papers_and_no_notebook(site):
    text = (site / "index.html").read_text(encoding="utf-8")
    assert "Do five papers on private bandits keep their word?" in text
    assert "Scale full" in text
    for key in COMMITTED:
        page = (site / f"{key}.html").read_text(encoding="utf-8")
        assert "notebooks/" not in page
        assert list((site / key).glob("C*.html"))
    assert not (site / "notebooks").exists()
    assert (site / "data/audit.csv").read_text(encoding="utf-8").count("\n") > 700


def test_pages_load_nothing_from_outside(site):
    """A link may lead to a paper; nothing else names another host."""
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert not re.findall(r'(?:src|srcset)="(?:https?:)?//', text), path.name
        assert set(re.findall(r'href="(https?://[^/"]+)', text)) <= {"https://arxiv.org"}, path.name
    assert not re.findall(r"https?://|@import", (site / "static/site.css").read_text(encoding="utf-8"))


def test_every_page_is_below_two_megabytes(site):
    assert max(path.stat().st_size for path in site.rglob("*.html")) < 2e6


def test_a_project_without_committed_results_is_refused_in_one_line(tmp_path):
    done = call(write_project(tmp_path, BARE), "--out", str(tmp_path / "site"))
    assert done.exit_code == 2
    said = "dpbandits: figures: has no committed results of these papers. Run `make full` first.\n"
    assert done.stderr == said
    assert not (tmp_path / "site").exists()


def test_another_scale_than_that_of_the_committed_results_is_refused():
    result = CliRunner().invoke(main, ["--project", str(ROOT), "--scale", "quick", "site"])
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "dpbandits: --scale: got 'quick'; the committed results are those of full. Leave it out.\n"
