"""The committed pilots: what they forecast and what fresh runs decided, and the pilot of an experiment played again."""

import pytest

from dpbandits.base.storage import read_json
from dpbandits.config.allocations import pilot_of
from dpbandits.config.entries import TABLE
from dpbandits.config.grid import curves
from dpbandits.config.sections import judged_outputs
from dpbandits.planning.allocation import ENOUGH, chance_at
from dpbandits.stages.aggregate import aggregate
from dpbandits.stages.pilot import forecasts
from dpbandits.stages.simulate import simulate
from tests.shipped import COMMITTED, ROOT, shipped

CALIBRATED = 0.7  # of the claims whose forecast is 80 % or more are decided at least
CHEAP = "hu2021", "restarts"


def forecast_and_decided(paper):
    """For every claim of the committed pilot its chance with the seeds that it has, and whether it is decided."""
    records = read_json(ROOT / f"figures/{paper}/data/claims.json")["records"]
    verdicts = {(each["id"], each["variant"], each["calibration"]): each for each in records}
    for row in read_json(ROOT / pilot_of(paper))["claims"]:
        record = verdicts[f"{paper}/{row['claim']}", row["variant"], row["calibration"]]
        yield chance_at(row["chances"]["full"], record["n"]), record["verdict"] in ("holds", "fails")


def test_claims_that_are_forecast_to_be_decided_are_decided():
    """By fresh seeds; on average as many are decided as forecast, up to a tenth."""
    found = [each for paper in COMMITTED for each in forecast_and_decided(paper)]
    likely = [decided for chance, decided in found if chance >= ENOUGH]
    assert len(likely) > 200
    assert sum(likely) / len(likely) >= CALIBRATED
    expected, decided = (sum(each) / len(found) for each in zip(*found, strict=True))
    assert decided == pytest.approx(expected, abs=0.1)


def test_a_committed_pilot_is_what_its_seeds_give(tmp_path):
    paper, experiment = CHEAP
    project = shipped("pilot")
    own = curves(project, project.papers[paper], experiment)
    assert project.root_seed != shipped("full").root_seed
    files = {curve.folder: [] for curve in own}
    for curve in own:
        for first, last in curve.chunks():
            files[curve.folder].append(tmp_path / curve.folder / f"{first}.parquet")
            simulate(curve, project.root_seed, first, last, None, "", files[curve.folder][-1])
    table = tmp_path / f"{experiment}.parquet"
    aggregate(own, files, table, tmp_path / f"{experiment}.summary.parquet", project.root_seed, ())
    claims, rules = project.papers[paper].claims, project.papers[paper].rules
    quick = curves(shipped("quick"), project.papers[paper], experiment)
    coincides = {name: algorithm.calibrations for name, algorithm in TABLE.items()}
    outputs = judged_outputs(claims, {}, rules)[experiment]
    rows = forecasts(paper, claims, rules, outputs, own, quick, coincides, table)
    committed = [row for row in read_json(ROOT / pilot_of(paper))["claims"] if row["experiment"] == experiment]
    assert len(committed) == len(rows) > 0
    for found, row in zip(rows.values(), committed, strict=True):
        assert found["effect"] == pytest.approx(row["effect"], rel=1e-5)
        assert found["spread"] == pytest.approx(row["spread"], rel=1e-5)
        assert found["chances"]["full"] == pytest.approx(row["chances"]["full"], abs=0.02)
        assert {name: found[name] for name in ("claim", "decisive", "group")} == {
            name: row[name] for name in ("claim", "decisive", "group")
        }
