"""Jobs: pieces in their order, every piece exactly once, joined up to a cost."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpbandits.config.grid import every_curve
from dpbandits.config.loading import Paper, Project
from dpbandits.planning import bundles as planning
from dpbandits.planning.bundles import (
    Chunk,
    aggregations,
    audits,
    bundles,
    calibrations,
    chunks_of,
    pictures,
    seconds_to_calibrate,
    seconds_uncompiled,
    shares,
    simulations,
)
from tests.shipped import shipped

from .small import CENTRAL, KEY, LOCAL, PAPER, PLAIN, SHUFFLED, changed, curve, load, write_project

COSTS = st.lists(st.integers(0, 50), max_size=40)


def project_of(root: Path, seconds: float, record: object = PAPER) -> tuple[Project, Paper]:
    project = replace(load(write_project(root, record)), seconds_per_job=seconds)
    return project, project.papers[KEY]


@given(COSTS, st.integers(1, 100))
def test_every_piece_stands_in_one_job_in_order(costs, seconds):
    pieces = list(enumerate(costs))
    found = bundles(pieces, lambda piece: piece[1], seconds)
    assert [piece for job in found for piece in job] == pieces
    assert all(found)


@given(COSTS, st.integers(1, 100))
def test_a_job_ends_where_the_next_piece_would_exceed_the_limit(costs, seconds):
    """No job costs more than the limit, but for one piece that does; with the piece after it every job does."""
    found = bundles(costs, lambda cost: cost, seconds)
    assert all(sum(job) <= seconds or len(job) == 1 for job in found)
    assert all(sum(job) + after[0] > seconds or sum(job) >= seconds for job, after in pairwise(found))


@given(COSTS)
def test_at_zero_seconds_each_piece_stands_alone(costs):
    assert bundles(costs, lambda cost: cost, 0.0) == [[cost] for cost in costs]


def test_by_hand():
    assert bundles([3, 3, 3, 10, 1, 1], float, 6.0) == [[3, 3], [3], [10], [1, 1]]
    assert bundles([10, 10], float, 10.0) == [[10], [10]]
    assert bundles([1, 2, 3], float, 1e9) == [[1, 2, 3]]
    assert bundles([], float, 5.0) == []


@given(st.lists(st.floats(0.1, 50.0), min_size=1, max_size=60), st.floats(1.0, 100.0))
def test_shares_are_no_longer_than_wanted(costs, seconds):
    """Work is divided into eight jobs of 15 s at least, and in all into as many as `seconds_per_job` asks for."""
    project = replace(shipped("smoke"), seconds_per_job=seconds)
    found = shares(project, costs, float)
    most = min(seconds, max(15.0, sum(costs) / 8))
    assert [piece for job in found for piece in job] == costs
    assert all(sum(job) <= most or len(job) == 1 for job in found)


def test_shares_by_hand():
    """Eight jobs, as even as pieces allow: not three of 15 s and a short one, and none below 15 s without need."""
    project = replace(shipped("smoke"), seconds_per_job=40.0)

    def sizes(*pieces):
        return [sum(job) for job in shares(project, pieces, float)]

    assert sizes(*[1.0] * 15) == [15.0]
    assert sizes(*[1.0] * 46) == [12.0, 12.0, 12.0, 10.0]
    assert sizes(*[1.0] * 160) == [20.0] * 8
    assert sizes(*[20.0] * 40) == [40.0] * 20
    assert sizes(50.0, 1.0, 1.0) == [50.0, 2.0]
    assert sizes() == []


def test_the_jobs_of_a_paper_do_not_depend_on_others():
    every = shipped("full")
    for key, paper in every.papers.items():
        alone = replace(every, papers={key: paper})
        jobs, own = ([[c.name for c in job] for job in simulations(each, paper)] for each in (every, alone))
        assert jobs == own


def test_small_scales_are_divided_and_large_ones_into_longer_jobs():
    """The longest job decides what a run gains on many cores; 25 s are the configuration's."""
    for scale, least, most in (("quick", 15, 15.0), ("full", 100, 25.0)):
        project = replace(shipped(scale), seconds_per_job=25.0)
        jobs = [job for paper in project.papers.values() for job in simulations(project, paper)]
        assert len(jobs) > least
        assert all(len(job) == 1 or sum(c.curve.seconds_per_chunk for c in job) <= most for job in jobs)
        assert 4 <= len(audits(project)) < 30


def test_a_job_of_many_kernels_begins_before_one_with_as_much_to_simulate():
    """On a fresh machine the job of most kernels ran alone at the end of a run."""
    project = shipped("quick")
    jobs = simulations(project, project.papers["han2021"])
    most = max(jobs, key=lambda job: len({chunk.curve.algorithm for chunk in job}))
    assert len({chunk.curve.algorithm for chunk in most}) > 10
    assert max(jobs, key=seconds_uncompiled) is most
    one = most[:1] * 3
    assert seconds_uncompiled(one) == 3 * one[0].curve.seconds_per_chunk + 2.5


def test_every_figure_is_drawn_once():
    project = shipped()
    for paper in project.papers.values():
        jobs = pictures(project, paper)
        assert [name for job in jobs for name in job] == list(paper.figures)
        longest = max(sum(len(paper.figures[name].calibrations) for name in job) for job in jobs)
        assert planning.SECONDS_PER_PICTURE * longest <= 10.0
        alone = pictures(replace(project, seconds_per_job=0.0), paper)
        assert alone == [[name] for name in paper.figures]


def test_certifying_takes_long_for_shuffled_reports_alone():
    local = curve(LOCAL)
    assert seconds_to_calibrate(replace(local, algorithm=SHUFFLED)) > 20 * seconds_to_calibrate(local)


def test_the_name_of_a_chunk_says_where_its_file_is():
    c = curve(CENTRAL, chunk=3)
    first, second = chunks_of([c])
    assert (first.name, second.name) == (f"study/{c.folder}/0000-0002", f"study/{c.folder}/0003-0005")
    assert second.file == f"study/{c.folder}/seeds_0003-0005.parquet"
    assert chunks_of([c, curve(PLAIN)]) == [first, second, Chunk(curve(PLAIN), 0, 5)]


@pytest.mark.parametrize(("seconds", "number"), [(0.0, 20), (0.001, 20), (0.029, 13), (20.0, 1)])
def test_every_chunk_of_a_paper_is_simulated_once(tmp_path: Path, seconds: float, number: int):
    project, paper = project_of(tmp_path, seconds)
    jobs = simulations(project, paper)
    names = [chunk.name for job in jobs for chunk in job]
    wanted = [
        f"{c.experiment}/{c.folder}/{seeds}"
        for c in every_curve(project, paper)
        for seeds in ("0000-0001", "0002-0003")
    ]
    assert names == wanted
    assert len(set(names)) == len(names) == 20
    assert len(jobs) == number


def test_the_cost_of_a_chunk_is_that_of_all_its_runs():
    """3 points of 2 replicates for 4 seeds at 5 ms are 0.12 s."""
    points = ({"eps": 1.0}, {"eps": 2.0}, {"eps": 3.0})
    c = curve(CENTRAL, points=points, replicates=2, seeds=8, chunk=4, milliseconds=5.0)
    assert c.seconds_per_chunk == pytest.approx(0.12)


def test_jobs_of_chunks_come_to_the_seconds(tmp_path: Path):
    """Chunks of the sample in ms: 2 (plain), 12 (central, twice over), 6 (local); then 12, 30 and so on."""
    project, paper = project_of(tmp_path, 0.014)
    costs = [[round(1000 * chunk.curve.seconds_per_chunk) for chunk in job] for job in simulations(project, paper)]
    assert costs == [[2, 2], *[[12]] * 4, [6, 6], *[[12]] * 4, *[[30]] * 8]


def test_each_file_of_noise_is_computed_once(tmp_path: Path):
    """A second experiment with the same certified points asks for the file of the first."""
    record = changed(PAPER, "experiments.again", {**PAPER["experiments"]["study"], "checkpoints_per_decade": 2})
    project, paper = project_of(tmp_path, 0.0, record)
    certified = [c.noise_name for c in every_curve(project, paper) if c.calibration == "certified"]
    assert Counter(Counter(certified).values()) == {2: 1, 1: 1}
    jobs = calibrations(project, paper)
    assert [[c.noise_name for c in job] for job in jobs] == [[name] for name in dict.fromkeys(certified)]
    together = calibrations(replace(project, seconds_per_job=20.0), paper)
    assert [c.noise_name for job in together for c in job] == list(dict.fromkeys(certified))
    assert len(together) == 1


def test_a_paper_without_certified_curves_has_no_job_for_noise(tmp_path: Path):
    record = changed(PAPER, "experiments.study.curves.1.calibrations", ["printed"])
    record = changed(record, "experiments.scaling.curves.1.calibrations", ["printed", "tuned"])
    project, paper = project_of(tmp_path, 20.0, changed(record, "figures.regret.calibrations", ["printed"]))
    assert calibrations(project, paper) == []


@pytest.mark.parametrize(("seconds", "jobs"), [(0.0, [["study"], ["scaling"]]), (20.0, [["study", "scaling"]])])
def test_every_experiment_is_aggregated_once(tmp_path: Path, seconds: float, jobs: list[list[str]]):
    assert aggregations(*project_of(tmp_path, seconds)) == jobs


def test_the_cost_of_an_experiment_is_that_of_its_numbers(tmp_path: Path):
    """4 seeds x (1 + 3 x 2 + 3 x 2 + 3) runs x 4 checkpoints of the study are 256 numbers, at 3e-7 s each.

    Those of the other experiment are 392.
    """
    project, paper = project_of(tmp_path, 647 * 3e-7)
    assert len(aggregations(project, paper)) == 2
    assert len(aggregations(replace(project, seconds_per_job=649 * 3e-7), paper)) == 1
