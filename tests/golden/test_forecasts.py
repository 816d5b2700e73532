"""The committed pilots: what they forecast and what fresh runs decided, and the pilot of an experiment played again."""

from collections import Counter

import numpy as np
import pytest

from dpbandits.base.parquet import read_table
from dpbandits.base.storage import read_json
from dpbandits.claims.families import with_pilot
from dpbandits.claims.pools import Shown, family_of, rows_of
from dpbandits.config.allocations import pilot_of
from dpbandits.config.entries import TABLE
from dpbandits.config.grid import curves, every_curve
from dpbandits.config.sections import judged_outputs
from dpbandits.planning.allocation import ENOUGH, chance_at
from dpbandits.stages.aggregate import aggregate
from dpbandits.stages.pilot import forecasts
from dpbandits.stages.simulate import run_seeds, simulate
from tests.shipped import COMMITTED, ROOT, shipped

CALIBRATED = 0.7  # of the claims whose forecast is 80 % or more are decided at least
CHEAP = "hu2021", "restarts"
FIRST = 8  # seeds that are enough to tell random streams apart


def forecast_and_decided(paper):
    """For every claim of the committed pilot its chance with the seeds that it has, and whether it is decided."""
    records = read_json(ROOT / f"figures/{paper}/data/claims.json")["records"]
    verdicts = {(each["id"], each["variant"], each["calibration"]): each for each in records}
    for row in read_json(ROOT / pilot_of(paper))["claims"]:
        record = verdicts.get((f"{paper}/{row['claim']}", row["variant"], row["calibration"]))
        if record is None or record["n"] is None:  # the claim is gone, or a closed form
            continue
        yield chance_at(row["chances"]["full"], record["n"]), record["verdict"] in ("holds", "fails")


def test_claims_that_are_forecast_to_be_decided_are_decided():
    """By fresh seeds; of those with a chance as many are decided as forecast on average, up to a tenth."""
    every = [each for paper in COMMITTED for each in forecast_and_decided(paper)]
    found = [(chance, decided) for chance, decided in every if chance > 0.0]
    likely = [decided for chance, decided in found if chance >= ENOUGH]
    assert len(likely) > 200
    assert sum(likely) / len(likely) >= CALIBRATED
    expected, decided = (sum(each) / len(found) for each in zip(*found, strict=True))
    assert decided == pytest.approx(expected, abs=0.1)


@pytest.mark.parametrize("paper", COMMITTED)
def test_committed_results_are_not_the_runs_of_the_pilot(paper):
    """No table names its root seed, so the first seeds of the cheapest curve are run with that of the pilot."""
    project = shipped("full")
    section = project.papers[paper]
    every = [curve for name in section.experiments for curve in curves(project, section, name)]
    own = [curve for curve in every if not curve.bound and curve.calibration != "certified"]
    curve = min(own, key=lambda each: each.seconds_per_chunk / each.chunk)
    columns = run_seeds(curve, shipped("pilot").root_seed, range(FIRST), [{} for _ in curve.points])
    runs, _ = read_table(ROOT / f"figures/{paper}/data/{curve.experiment}.parquet")
    kept = rows_of(runs, curve.algorithm, curve.calibration, curve.variant)
    committed = runs["regret"][kept].reshape(len(curve.points), -1)[:, :FIRST]
    final = [
        (columns["point"] == p) & (columns["t"] == curve.horizon_at(point)) for p, point in enumerate(curve.points)
    ]
    piloted = np.array([columns["regret"][rows].reshape(FIRST, -1).mean(axis=1) for rows in final])
    assert not np.allclose(piloted, committed, rtol=1e-6), "run `make full` with `root_seed` of config/config.yaml"


@pytest.mark.parametrize("paper", COMMITTED)
def test_a_committed_pilot_shows_all_its_runs(paper):
    """As many of each algorithm as the configuration has seeds at its settings, in all experiments with a pilot."""
    project, wanted = shipped("pilot"), Counter()
    for curve in every_curve(project, project.papers[paper]):
        for point in () if curve.bound else curve.points:
            wanted[family_of(curve, point)] += curve.seeds
    rows = read_json(ROOT / pilot_of(paper))["shown"]
    assert {family: each.runs for family, each in with_pilot({}, rows).items()} == dict(wanted)


def test_a_committed_pilot_is_what_its_seeds_give(tmp_path):
    """As if other experiments had shown enough runs, which the forecasts of this paper took for granted."""
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
    enough = {family_of(each, at): Shown(10**6, None) for each in own for at in each.points}
    rows = forecasts(paper, claims, rules, outputs, own, quick, coincides, table, (enough, enough))
    committed = [row for row in read_json(ROOT / pilot_of(paper))["claims"] if row["experiment"] == experiment]
    assert len(committed) == len(rows) > 0
    for found, row in zip(rows.values(), committed, strict=True):
        assert found["effect"] == pytest.approx(row["effect"], rel=1e-5)
        assert found["spread"] == pytest.approx(row["spread"], rel=1e-5)
        assert found["chances"]["full"] == pytest.approx(row["chances"]["full"], abs=0.02)
        assert {name: found[name] for name in ("claim", "decisive", "group")} == {
            name: row[name] for name in ("claim", "decisive", "group")
        }
