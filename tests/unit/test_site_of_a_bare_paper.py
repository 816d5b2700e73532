"""Pages and pictures of a paper that has experiments alone: what is missing is left out."""

import re

import pytest

from dpbandits.config.loading import load_project
from dpbandits.figures.kinds import matrix
from dpbandits.report.costs import Costs
from dpbandits.report.overlays import overlay
from dpbandits.report.sections import Section
from dpbandits.report.site import Run, Speed, pages

from .small import BARE, KEY, ROOT, write_project


@pytest.fixture(scope="module")
def paper(tmp_path_factory):
    return load_project(write_project(tmp_path_factory.mktemp("bare"), BARE), valid=[KEY]).papers[KEY]


def test_its_pages_have_no_empty_sections(paper):
    speed = overlay((ROOT / "figures/speed.svg").read_text(encoding="utf-8"))
    run = Run("smoke", 7, Costs({}, [], [], 0.0, 0, 0.0))
    found = pages([Section(paper, [], [], [], {}, [])], run, Speed(None, speed, speed))
    heads = {
        name: re.findall("<h2[^>]*>(.*?)</h2>", found[name]) for name in ("index.html", "claims.html", f"{KEY}.html")
    }
    assert heads == {
        "index.html": ["Paper by paper", "Why believe this?", "How to run it again", "What the words mean"],
        "claims.html": [],
        f"{KEY}.html": [],
    }
    assert "No claim of this paper has a test yet." in found[f"{KEY}.html"]
    assert "No claim has a test yet." in found["claims.html"]
    assert "Nothing was audited." in found["index.html"]
    assert not re.search("<table|<ul class=.summary|#claims|#open|#figures", found[f"{KEY}.html"])


def test_the_matrix_of_verdicts_counts_none(paper):
    axes = matrix.draw([paper], matrix.frame([])).axes[0]
    assert (
        axes.texts[0].get_text()
        == "0 verdicts on claims of 1 paper: 0 hold, 0 fail, 0 fail by our threshold, 0 unclear, 0 not tested"
    )
