"""The command that a verdict names is one that `dpbandits run` takes."""

import json
import shlex

import pytest

from dpbandits.cli.project import find_experiment
from dpbandits.cli.run import plans_of
from dpbandits.config.loading import load_project
from dpbandits.text.reproduction import arithmetic, command, expected, grid_of
from tests.shipped import COMMITTED

from .small import ROOT

RECORD = {
    "paper": "hanna2022",
    "kind": "statistical",
    "calibration": "certified",
    "evidence": {"table": "tables/hanna2022/figure2.parquet", "figure": ""},
    "details": [{}],
    "n": 40,
    "estimate": 1.5,
    "interval": [1.25, 1.75],
}


@pytest.mark.parametrize(
    ("label", "says"),
    [
        ("phased_elimination_central / phased_elimination at eps = 1", "central / non-private at eps = 1"),
        ("slope of phased_elimination_central - phased_elimination in T, T = 1000 .. 2e+06, eps = 0.5", None),
    ],
)
def test_the_curves_and_the_setting_of_a_comparison(label, says):
    found = command(RECORD | {"decisive": label})
    settings = "--set eps=1" if says else "--set T=1000,2e+06 --set eps=0.5"
    curves = "phased_elimination_central,phased_elimination --calibration certified --seeds 40"
    assert found == f"dpbandits run hanna2022/figure2 --algorithm {curves} {settings}"
    if says:
        assert expected(RECORD | {"decisive": label}) == f"{says}: 1.5 [1.25, 1.75]"


def test_values_are_written_as_the_configuration_has_them():
    label = "share of runs of cucb_ldp2 with regret above 2197 at width = 0.05, fallback = 2, eps = 1"
    assert "--set fallback=raised" in command(RECORD | {"decisive": label})
    label = "ldp_ols_multi: threshold = 1, eps = 1 over threshold = 0"
    assert "--set threshold=1,null" in command(RECORD | {"decisive": label})
    label = "slope of ftl / regret_rate in gap, gap = 0.05 .. 0.5, eps = 1"
    assert "eps" not in command(RECORD | {"decisive": label}), "it has no budget"
    label = "cucb_dp - cucb_ldp2@tuned at eps = 0.5"
    assert "cucb_dp,cucb_ldp2 --calibration certified,tuned" in command(RECORD | {"decisive": label})


def test_both_settings_of_a_difference_and_the_horizons_of_a_slope():
    label = "slope of ldp_ols in T at beta = 1 less that at 0.5"
    found = command(RECORD | {"decisive": label}, {"T": [1e4, 1e5, 1e6]})
    assert found.endswith("--set beta=1,0.5 --set T=10000,100000,1e+06")
    assert arithmetic({"decisive": label}).startswith("the slope is that of the logarithm")
    assert arithmetic({"decisive": "ldp_ols / ldp_ucb at eps = 1"}) == "the number is a ratio of these means"


def test_values_have_all_digits_of_the_grid():
    """Runs at a rounded horizon are other runs."""
    label = "phased_elimination_central: eps = 0.000112242, T = 5.45976e+07 over T = 999989"
    grid = {"T": [999989.0, 54597574.0], "eps": [0.00011224191702325091, 0.5]}
    found = command(RECORD | {"decisive": label}, grid)
    assert found.endswith("--set eps=0.00011224191702325091 --set T=54597574,999989")
    sloped = command(RECORD | {"decisive": "slope of ldp_ols in T at beta = 1"}, grid)
    assert sloped.endswith("--set T=999989,54597574")


def test_audits_are_explained_and_closed_forms_have_no_command():
    audit = RECORD | {
        "kind": "audit",
        "scale": "full",
        "evidence": {"table": "audit hanna2022/sums, audit hanna2022/reports"},
    }
    assert command(audit) == "dpbandits --scale full explain hanna2022/sums"
    assert command(RECORD | {"kind": "exact", "evidence": {"table": "dpbandits.claims.f"}}) == ""


@pytest.mark.parametrize("key", COMMITTED)
def test_every_verdict_of_the_committed_results_can_be_played_again(key):
    project = load_project(ROOT, {"scale": "full"}, valid=COMMITTED)
    records = json.loads((ROOT / f"figures/{key}/data/claims.json").read_text(encoding="utf-8"))["records"]
    played = 0
    for record in records:
        words = shlex.split(command(record, grid_of(project.papers[key], record)))
        if words[:2] != ["dpbandits", "run"]:
            continue
        options = dict(zip(words[3:9:2], words[4:9:2], strict=True))
        names, calibrations = (options[name].split(",") for name in ("--algorithm", "--calibration"))
        assert set(words[9::2]) <= {"--set"}
        paper, experiment = find_experiment(project, words[2])
        plans = plans_of(project, paper, experiment, names, calibrations, words[10::2], 100)
        played += 1
        assert len(plans) == len(names) * len(calibrations)
        settings = paper.experiments[experiment].settings_at("full")
        horizons = {setting["T"] for setting in settings if "T" in setting}
        asked = [each.partition("=") for each in words[10::2]]
        asked_horizons = {float(each) for name, _, text in asked if name == "T" for each in text.split(",")}
        assert asked_horizons <= horizons, words
    assert played > 40
