"""`dpbandits figure` and `dpbandits.figure`: one figure of a paper, from its results."""

import shutil
from pathlib import Path

import pytest

from dpbandits import api
from dpbandits.api.figures import named_figure
from dpbandits.config.loading import load_paper
from dpbandits.config.plain_yaml import ConfigError
from tests.shipped import ROOT

from .test_cli import call, refusal


@pytest.fixture
def here(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("paper", "name", "key"),
    [
        ("hanna2022", "regret_against_budget", "regret_against_budget"),
        ("hanna2022", "2", "regret_against_budget"),
        ("hanna2022", "3(a)", "regret_against_budget"),
        ("hanna2022", "3(b)", "core_set"),  # and not the whole action set, which Figure 3(b) shows as well
        ("hanna2022", "4", "regret_against_budget"),
        ("han2021", "9", "several"),
        ("han2021", "10", "lending"),
    ],
)
def test_a_figure_is_found_by_its_name_and_by_its_number(paper, name, key):
    assert named_figure(load_paper(ROOT, paper), name) == key


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("hanna2022/9",), "figure: unknown figure `9`. Use one of: regret_against_budget, core_set, "),
        (("han2021/8",), "figure: several show Figure 8. Use one of: logistic, poisson"),
        (("hana2022/2",), "figure: unknown paper `hana2022`. Did you mean `hanna2022`? "),
        (("hu2021/1", "--calibration", "best"), "calibration: got 'best'; must be `printed`"),
        (("hanna2022/2", "--out", "x.gif"), "--out: got 'x.gif'; must end in .pdf, .png, .svg"),
    ],
)
def test_what_is_not_allowed_is_one_line(here, arguments, says):
    assert refusal(ROOT, "figure", *arguments).startswith(says)


def test_results_that_do_not_exist_yet_are_one_line(here):
    shutil.copytree(ROOT / "config", here / "config")
    said = refusal(here, "--scale", "smoke", "figure", "hanna2022/2")
    assert said == "results/smoke/claims/hanna2022.json: does not exist yet. Run `make smoke` first."


@pytest.mark.parametrize("kind", ["pdf", "png", "svg"])
def test_the_same_figure_has_the_same_bytes(here, kind):
    found = []
    for _ in range(2):
        result = call(ROOT, "figure", "hu2021/2", "--format", kind)
        place, _, said = result.stdout.partition(": ")
        assert place == f"one_gap-printed.{kind}"
        assert "Bands: pointwise 95 % t intervals over " in said
        found.append((here / f"one_gap-printed.{kind}").read_bytes())
    assert found[0] == found[1]
    if kind == "svg":
        assert ">Figure 2, printed constants</text>" in found[0].decode()
        assert f"<desc>{said.strip()}</desc>" in found[0].decode()


def test_a_slide_is_smaller_beside_its_letters():
    paper, slide = (api.figure("hanna2022", "3(b)", for_=each) for each in ("paper", "slide"))
    assert slide.get_figwidth() < 0.8 * paper.get_figwidth()
    sizes = [each.axes[0].xaxis.label.get_size() for each in (paper, slide)]
    assert sizes[0] == sizes[1]
    assert api.figure("hanna2022", "3(b)").get_figwidth() == paper.get_figwidth(), "the next one is for a paper again"


def test_the_calibration_is_the_first_one_unless_it_is_named():
    titles = [api.figure("hanna2022", "2", **given).texts[0].get_text() for given in ({}, {"calibration": "certified"})]
    assert titles == ["Figures 2, 3(a) and 4, printed constants", "Figures 2, 3(a) and 4, certified constants"]


def test_another_purpose_is_one_line():
    with pytest.raises(ConfigError, match="for_: got 'poster'; must be one of: paper, slide"):
        api.figure("hanna2022", "2", for_="poster")


def test_a_format_beside_a_name_that_ends_in_one_is_refused(tmp_path):
    result = call(ROOT, "figure", "hu2021/2", "--format", "svg", "--out", str(tmp_path / "one.png"))
    assert result.exit_code == 2
    said = "--format: not allowed with --out, whose name ends in the format. Leave one of them out."
    assert result.stderr == f"dpbandits: {said}\n"
