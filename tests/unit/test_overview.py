"""The picture of all verdicts: at the scale `full` a run of some papers leaves the one that is kept in `figures/`."""

from dataclasses import replace

import pytest

from dpbandits.certificate import contents
from dpbandits.config.loading import load_project
from dpbandits.stages.report import draw
from tests.shipped import ROOT, shipped

from .small import PAPER, write_project

OVERVIEW = {"figures/claims.svg"}


@pytest.fixture
def root(tmp_path):
    """A project with two papers."""
    for key in ("one2020", "two2021"):
        write_project(
            tmp_path, PAPER, "scale: full\npapers: null\nroot_seed: 1\npilot_seed: 2\nseconds_per_job: 1\n", key
        )
    return tmp_path


@pytest.mark.parametrize(
    ("scale", "papers", "drawn"),
    [
        ("full", None, True),
        ("full", "two2021,one2020", True),
        ("full", "one2020", False),
        ("quick", "one2020", True),
    ],
)
def test_it_is_drawn_for_all_papers_or_among_the_results_of_a_scale(root, scale, papers, drawn):
    project = load_project(root, {"scale": scale, **({"papers": papers} if papers else {})})
    assert project.overview == drawn
    assert (set(contents.results(project)) & OVERVIEW == OVERVIEW) == drawn
    assert {"figures/speed.svg", "figures/growth.svg"} < set(contents.results(project))


def test_without_it_the_other_pictures_are_drawn(tmp_path):
    draw([], None, tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"speed.svg", "growth.svg"}


def test_the_settings_of_the_project_draw_it():
    project = shipped("full")
    assert project.overview
    assert not replace(project, papers={"hu2021": project.papers["hu2021"]}).overview
    assert (ROOT / "figures/claims.svg").is_file()
