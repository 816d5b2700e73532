"""Bernoulli arms whose means the configuration lists: in a grid, in a claim, by `dpbandits run`, and faults."""

import json

import pytest
import yaml
from click.testing import CliRunner

from dpbandits.cli.main import main
from dpbandits.config.grid import curves
from dpbandits.config.loading import load_project
from dpbandits.environments.instances import draw_instances

from .small import ARMS, KEY, changed, fault, write_project

MEANS = [0.9, 0.8, 0.8, 0.1]
PAPER = changed(
    {**yaml.safe_load(ARMS)},
    "experiments.study",
    {
        "title": "x",
        "environment": {"family": "bernoulli_means", "means": MEANS},
        "horizon": 100,
        "checkpoints_per_decade": 1,
        "grid": {"T": [50, 100]},
        "size": {scale: {"seeds": 4, "chunk": 4} for scale in ("smoke", "quick", "full")},
        "curves": [{"algorithm": "ucb1", "calibrations": ["printed"], "milliseconds": 1}],
    },
)
TEST = {"reading": "x", "predicate": "decreasing", "curves": ["ucb1"], "at": {"T": [50, 100]}, "bounds": [None, 9]}
PAPER["claims"]["C1"]["tests"] = [TEST]
PAPER["figures"]["growth"] |= {"curves": ["ucb1"], "along": "T", "panels": "T"}
PAPER.pop("constants")


def test_it_is_drawn_judged_and_run(tmp_path):
    root = write_project(tmp_path, PAPER)
    assert fault(root) == ""
    project = load_project(root)
    (curve,) = curves(project, project.papers[KEY], "study")
    assert curve.identity()["environment"] == {"family": "bernoulli_means", "means": tuple(MEANS)}
    point = curve.points[0]
    drawn = draw_instances(curve.environment_at(point), curve.instance_name(point), 7, range(3))
    assert all(sorted(means, reverse=True) == MEANS for (means,) in drawn)
    said = CliRunner().invoke(
        main, ["--project", str(root), "run", f"{KEY}/study", "--algorithm", "ucb1", "--seeds", "4", "--json"]
    )
    assert [row["setting"] for row in json.loads(said.stdout)["points"]] == [{"T": 50.0}, {"T": 100.0}]


def test_other_means_are_another_curve(tmp_path):
    folders = set()
    for k, means in enumerate((MEANS, MEANS[::-1], [0.9, 0.8])):
        record = changed(PAPER, "experiments.study.environment.means", means)
        project = load_project(write_project(tmp_path / str(k), record))
        folders |= {curve.folder for curve in curves(project, project.papers[KEY], "study")}
    assert len(folders) == 3


@pytest.mark.parametrize(
    ("means", "says"),
    [
        ([0.9], ".means: got [0.9]; must have at least 2 entries"),
        ([0.9, 1.2], ".means[1]: got 1.2; must be <= 1"),
        ("high", ".means: got 'high'; must be a list of numbers"),
        ([0.5, 0.5], ": got means = [0.5, 0.5]; all means are equal; one arm must be better than another"),
    ],
)
def test_a_fault_of_the_means_is_one_line(tmp_path, means, says):
    root = write_project(tmp_path, changed(PAPER, "experiments.study.environment.means", means))
    assert fault(root).endswith(f"experiments.study.environment{says}")
