"""`dpbandits run` with several algorithms, calibrations and values: lines, tables, pictures and own classes."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

from dpbandits.base.parquet import write_table
from dpbandits.cli import run
from dpbandits.cli.project import find_experiment
from dpbandits.cli.run import plans_of, played
from dpbandits.config.loading import load_project
from dpbandits.figures.kinds import sweep
from dpbandits.text.sweeps import with_error
from tests.shipped import COMMITTED

from .small import CENTRAL, KEY, LOCAL, PLAIN, ROOT, write_project
from .test_cli import SCALING, STUDY, call, refusal

OWN = """
class Alternate:
    def __init__(self, arms, step=1.0):
        self.arms, self.step = arms, int(step)

    def act(self, t):
        return t * self.step % self.arms

    def update(self, t, arm, reward):
        pass
"""
BUDGETS = ("--set", "eps=0.5,2", "--set", "T=64", "--seeds", "3")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_project(tmp_path)


def json_of(root: Path, *arguments: str):
    result = call(root, "run", STUDY, *arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_several_algorithms_and_values_are_what_each_is_alone(root: Path):
    """The baseline has no eps, and one row."""
    every = json_of(root, "--algorithm", f"{CENTRAL},{LOCAL},{PLAIN}", *BUDGETS)
    assert [len(each["points"]) for each in every] == [2, 2, 1]
    for algorithm, found in zip((CENTRAL, LOCAL), every, strict=False):
        for eps, point in zip((0.5, 2.0), found["points"], strict=True):
            alone = json_of(root, "--algorithm", algorithm, "--set", f"eps={eps}", "--set", "T=64", "--seeds", "3")
            assert alone["points"] == [point]
    assert json_of(root, "--algorithm", PLAIN, "--set", "T=64", "--seeds", "3") == every[2]


def test_an_algorithm_may_be_called_as_figures_call_it(root: Path):
    short, long = (json_of(root, "--algorithm", name, *BUDGETS) for name in ("central,local", f"{CENTRAL},{LOCAL}"))
    assert short == long


def test_lines_have_a_block_for_each_curve(root: Path):
    result = call(
        root, "run", STUDY, "--algorithm", f"{CENTRAL},{PLAIN}", "--calibration", "printed,certified", *BUDGETS
    )
    heads = [line.split(":")[0] for line in result.stdout.splitlines() if not line.startswith(" ")]
    assert heads == [
        "Phased elimination, central, printed",
        "Phased elimination, central, certified",
        "Phased elimination (no privacy), printed",
        "Phased elimination (no privacy), certified (= printed)",
    ]
    assert [line.split("  ")[1] for line in result.stdout.splitlines()[1:3]] == ["eps = 0.5", "eps = 2"]


def test_the_table_has_a_row_for_every_point(root: Path, tmp_path: Path):
    place = tmp_path / "out/means.csv"
    arguments = ("--algorithm", f"{CENTRAL},{PLAIN}", *BUDGETS)
    every = json_of(root, *arguments, "--table", str(place))
    rows = list(csv.DictReader(io.StringIO(place.read_text(encoding="utf-8"))))
    assert [(row["algorithm"], row["eps"], row["T"], row["seeds"]) for row in rows] == [
        (CENTRAL, "0.5", "64", "3"),
        (CENTRAL, "2.0", "64", "3"),
        (PLAIN, "", "64", "3"),
    ]
    points = [point for each in every for point in each["points"]]
    for row, point in zip(rows, points, strict=True):
        assert float(row["mean"]) == point["mean"]
        assert [float(row["low"]), float(row["high"])] == point["interval"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--set", "eps=0.5,x"), "--set eps: got 'x'; must be >= 1e-06 and <= 1e+06"),
        (("--set", "eps=0.5,"), "--set eps: got ''; must be >= 1e-06 and <= 1e+06"),
        (("--calibration", "printed,best"), "--calibration: got 'best'; must be one of: printed, tuned, certified"),
        (("--plot", "x.gif"), "--plot: got 'x.gif'; must end in .pdf, .png, .svg"),
        (
            ("--out", "x.parquet"),
            "--out: takes the runs of one algorithm at one calibration. Use --table for several.",
        ),
    ],
)
def test_what_is_not_allowed_is_one_line(root: Path, tmp_path: Path, monkeypatch, arguments, says):
    monkeypatch.chdir(tmp_path)
    assert refusal(root, "run", STUDY, "--algorithm", f"{CENTRAL},{LOCAL}", *arguments) == says


def test_a_setting_that_no_algorithm_has_is_refused(root: Path):
    said = refusal(root, "run", STUDY, "--algorithm", f"{PLAIN},{CENTRAL}", "--set", "magic=1")
    assert said.startswith("--set: unknown name `magic`. Use one of: T, arms, dimension, ")


def test_one_process_writes_runs(root: Path, tmp_path: Path):
    out = ("--out", str(tmp_path / "x.parquet"), "--jobs", "2")
    said = refusal(root, "run", STUDY, "--algorithm", PLAIN, *out)
    assert said == "--jobs: --out is written by one process. Leave one of the two out."


def test_several_processes_play_the_same(root: Path):
    arguments = ("--algorithm", CENTRAL, *BUDGETS)
    assert json_of(root, *arguments, "--jobs", "2") == json_of(root, *arguments)


class TestOwn:
    """A class in a file of the user's."""

    @pytest.fixture
    def name(self, tmp_path: Path, monkeypatch) -> str:
        monkeypatch.chdir(tmp_path)
        (tmp_path / "mine.py").write_text(OWN, encoding="utf-8")
        return "mine.py:Alternate"

    def test_it_plays_beside_registered_algorithms_on_their_instances(self, root: Path, name):
        """Of four arms it plays one after the other: in 64 rounds each 16 times, on any instance."""
        own, plain = json_of(root, "--algorithm", f"{name},{PLAIN}", "--set", "T=64", "--seeds", "3")
        (uniform,) = json_of(root, "--algorithm", name, "--set", "T=64", "--seeds", "3")["points"]
        assert own["points"] == [uniform]
        assert plain == json_of(root, "--algorithm", PLAIN, "--set", "T=64", "--seeds", "3")
        assert uniform["mean"] > plain["points"][0]["mean"] > 0

    def test_settings_go_to_those_that_have_them(self, root: Path, name):
        arguments = ("--algorithm", f"{name},{CENTRAL}", "--set", "step=1,3", "--set", "width=0.5,2", "--set", "eps=1")
        own, central = json_of(root, *arguments, "--set", "T=64", "--seeds", "2")
        assert [point["setting"].get("step") for point in own["points"]] == [1.0, 3.0]
        assert [point["setting"].get("width") for point in central["points"]] == [0.5, 2.0]

    @pytest.mark.parametrize(
        ("arguments", "says"),
        [
            (("--set", "magic=1"), "settings: unknown name `magic`. Use one of: T, arms, dimension, step"),
            (
                ("--out", "x.parquet"),
                "--out: takes the runs of algorithms of this project. Use `dpbandits.play` for your own.",
            ),
        ],
    )
    def test_what_it_does_not_take_is_one_line(self, root: Path, name, arguments, says):
        assert refusal(root, "run", STUDY, "--algorithm", name, *arguments) == says

    def test_a_missing_file_is_one_line(self, root: Path, name):
        said = refusal(root, "run", STUDY, "--algorithm", "other.py:Alternate")
        assert said.startswith("algorithm: ")
        assert "other.py" in said


class TestPlot:
    """Pictures of what was played."""

    @pytest.mark.parametrize("ending", ["svg", "pdf", "png"])
    def test_the_same_command_writes_the_same_bytes(self, root: Path, tmp_path: Path, ending):
        found = []
        for k in range(2):
            place = tmp_path / f"{k}.{ending}"
            json_of(root, "--algorithm", f"{CENTRAL},{PLAIN}", *BUDGETS, "--plot", str(place))
            found.append(place.read_bytes())
        assert found[0] == found[1]
        if ending == "svg":
            assert b">Phased elimination, central</text>" in found[0]

    def figure(self, root: Path, experiment: str, names, changes, calibrations=("printed",)):
        project = load_project(root, {"scale": "full"})
        paper = project.papers[KEY]
        plans = plans_of(project, paper, experiment, names, calibrations, changes, 3)
        return sweep.draw(played(project, plans, 3, 1, None), paper, experiment, root / "figures")

    def test_the_setting_that_varies_is_on_the_horizontal_axis(self, root: Path):
        (axes,) = self.figure(root, "study", [CENTRAL, PLAIN], ["eps=0.5,2,8", "T=64"]).axes
        curve, across = axes.get_lines()[:2]
        assert list(curve.get_xdata()) == [0.5, 2.0, 8.0]
        assert len(set(across.get_ydata())) == 1
        assert axes.get_xscale() == "log"

    def test_nothing_that_varies_leaves_the_round(self, root: Path):
        (axes,) = self.figure(root, "study", [CENTRAL], ["eps=1", "T=64"]).axes
        (curve,) = axes.get_lines()
        assert curve.get_xdata()[-1] == 64
        assert np.all(np.diff(curve.get_ydata()) >= 0)
        assert axes.get_xlabel() == "round $t$"

    def test_a_second_setting_has_panels(self, root: Path):
        every = self.figure(root, "scaling", [CENTRAL], ["T=64", "eps=1,2,4", "arms=4,8", "core_factor=2"]).axes
        assert [axes.get_title(loc="left") for axes in every] == ["$K$ = 4", "$K$ = 8"]

    def test_calibrations_differ_in_their_dashes(self, root: Path):
        (axes,) = self.figure(root, "study", [CENTRAL], ["eps=1,2", "T=64"], ("printed", "tuned")).axes
        assert [line.get_linestyle() for line in axes.get_lines()] == ["-", "--"]

    @pytest.fixture
    def committed(self, root: Path):
        """Results of the experiment `study`, whose horizon at full is 1000."""
        summary = {
            "algorithm": np.array([CENTRAL] * 3),
            "calibration": np.array(["printed"] * 3),
            "variant": np.array([""] * 3),
            "eps": np.array([0.5, 2.0, 16.0]),
            "t": np.array([1000, 1000, 1000]),
            "mean": np.array([7.0, 5.0, 1.0]),
        }
        write_table(root / f"figures/{KEY}/data/study.summary.parquet", summary, {})

    def test_what_the_figures_have_is_gray(self, root: Path, committed):
        """As far as the settings reach: 16 is beyond them."""
        (axes,) = self.figure(root, "study", [CENTRAL], ["eps=0.5,8"]).axes
        gray = axes.get_lines()[0]
        assert gray.get_color() == sweep.GRAY
        assert (list(gray.get_xdata()), list(gray.get_ydata())) == ([0.5, 2.0], [7.0, 5.0])

    @pytest.mark.parametrize("change", ["T=500", "width=0.5", "width=0.5,1", "arms=6", "dimension=3"])
    def test_other_curves_are_not_drawn_in_gray(self, root: Path, committed, change):
        axes = self.figure(root, "study", [CENTRAL], ["eps=0.5,8", change]).axes[0]
        assert sweep.GRAY not in [line.get_color() for line in axes.get_lines()]

    def test_too_many_panels_are_one_line_before_anything_is_computed(self, root: Path, tmp_path: Path, monkeypatch):
        monkeypatch.setattr(run, "played", pytest.fail)
        many = ("--set", "T=64,65,66,67,68,69,70,71", "--set", "eps=1,2,3,4,5,6,7", "--seeds", "2")
        said = refusal(root, "run", SCALING, "--algorithm", CENTRAL, *many, "--plot", str(tmp_path / "x.svg"))
        assert said.startswith("--plot: ")
        assert said.endswith("panels; at most 6 are drawn. Set fewer.")


@pytest.mark.parametrize(
    ("value", "half", "shown"),
    [
        (1234.4, 56.2, "1234 ± 56"),
        (123456.0, 9876.0, "123500 ± 9900"),
        (0.12344, 0.0056, "0.1234 ± 0.0056"),
        (1.0, 0.0, "1"),
        (2.5, float("nan"), "2.5"),
        (99.96, 9.96, "100.0 ± 10.0"),
    ],
)
def test_half_of_an_interval_has_two_digits(value, half, shown):
    assert with_error(value, half) == shown


def test_panels_are_of_settings_that_are_played():
    """hu2021/figures has three pairs of gap and spread, and not all six of their values."""
    project = load_project(ROOT, {"scale": "smoke"}, valid=COMMITTED)
    paper, name = find_experiment(project, "hu2021/figures")
    plans = plans_of(project, paper, name, ["dp_se"], ["printed"], ["eps=0.25,0.5,1", "T=2000"], 5)
    along, panels = sweep.layout([plan.curve for plan in plans])
    assert along == "eps"
    assert sorted((held["gap"], held["spread"]) for held in panels.values()) == [(0.05, 0), (0.125, 0.375), (0.25, 0)]
