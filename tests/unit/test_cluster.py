"""What jobs ask of a cluster grows with what they are estimated to cost, and with every attempt."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpbandits.config.grid import curves
from dpbandits.planning import cluster
from dpbandits.planning.bundles import chunks_of, numbers_of, readers
from tests.shipped import shipped

from .small import CENTRAL, KEY, PAPER, PLAIN, SHUFFLED, curve, load, write_project

SECONDS = st.integers(0, 10**6)


@given(SECONDS, SECONDS)
def test_more_work_asks_for_more_time(one, other):
    less, more = sorted((one, other))
    assert 5 <= cluster.minutes(less) <= cluster.minutes(more)
    assert cluster.minutes(less) < cluster.minutes(less + 20)


@given(SECONDS)
def test_a_node_may_take_three_times_as_long(seconds):
    assert 60 * (cluster.minutes(seconds) - 5) >= 3 * seconds


@pytest.mark.parametrize(("seconds", "minutes"), [(0, 5), (0.1, 6), (20, 6), (21, 7), (50, 8), (600, 35)])
def test_minutes_by_hand(seconds, minutes):
    assert cluster.minutes(seconds) == minutes


@pytest.mark.parametrize(("held", "megabytes"), [(0, 2000), (1, 2001), (10**6, 2001), (2 * 10**9, 4000)])
def test_megabytes_by_hand(held, megabytes):
    assert cluster.megabytes(held) == megabytes


def test_a_job_asks_for_one_chunk_of_the_curve_with_the_largest_ones_however_many_seeds():
    """Powers of ten up to the horizon: 2 points x 4 checkpoints x 2 replicates x 500 seeds are 8000 numbers."""
    wide = curve(CENTRAL, points=({"eps": 1.0}, {"eps": 2.0}), replicates=2, seeds=500, chunk=500)
    assert cluster.numbers_of_chunk(wide) == 8000
    ragged = replace(wide, points=({"eps": 1.0, "T": 100.0}, {"eps": 1.0}))
    assert cluster.numbers_of_chunk(ragged) == 7000
    narrow = curve(PLAIN, seeds=10**6, chunk=1)
    assert cluster.to_hold([narrow, wide, ragged]) == 2000 + 4
    assert cluster.to_hold([replace(wide, seeds=500 * 10**4)]) == cluster.to_hold([wide])


@pytest.mark.parametrize("times", [10, 100])
def test_many_seeds_ask_for_the_memory_of_few(times):
    """Of every experiment of the papers, whose curves were asked for 50 times the gigabytes before."""
    project = shipped("full")
    for paper in project.papers.values():
        for name in paper.experiments:
            every = curves(project, paper, name)
            more = [replace(each, seeds=times * each.seeds) for each in every]
            assert cluster.to_hold(more) <= cluster.to_hold(every) + 100 < 3000


def test_judging_asks_for_the_rows_of_its_tables():
    every = [curve(CENTRAL, points=({"eps": 1.0}, {"eps": 2.0}), seeds=500), curve(PLAIN, seeds=300)]
    assert cluster.runs_of(every) == 1300
    assert [cluster.to_judge(runs) for runs in (0, 10**7, 10**8)] == [7, 8, 17]


@pytest.mark.parametrize(("attempt", "asked"), [(1, 7), (2, 14), (3, 21), (10, 21)])
def test_further_attempts_ask_for_more(attempt, asked):
    assert cluster.growing(7)(None, attempt) == asked
    assert cluster.growing(lambda wildcards: wildcards["rows"])({"rows": 7}, attempt) == asked


def test_simulating_is_estimated_by_all_runs():
    """4 chunks of 5 instances at 3 points, twice each, at 250 ms: 30 s, of which a slow node makes 90."""
    points = ({"eps": 1.0}, {"eps": 2.0}, {"eps": 3.0})
    chunks = chunks_of([curve(CENTRAL, points=points, replicates=2, seeds=20, chunk=5, milliseconds=250.0)])
    assert len(chunks) == 4
    assert cluster.to_simulate(chunks) == cluster.minutes(30.0) == 7
    assert cluster.to_simulate(chunks[:1]) == 6


def test_noise_is_estimated_by_trust_model_and_tables_by_their_numbers():
    """A second for reports that are shuffled, three of a slow node; the noise of other models is a formula."""
    central = curve(CENTRAL)
    shuffled = replace(central, algorithm=SHUFFLED)
    assert [cluster.to_calibrate(curves * [shuffled]) for curves in (0, 20, 21, 200)] == [5, 6, 7, 15]
    assert [cluster.to_calibrate(curves * [central]) for curves in (999, 1001)] == [6, 7]
    assert [cluster.to_aggregate(numbers) for numbers in (0, 10**6, 10**9)] == [5, 6, 20]


def test_numbers_of_an_experiment(tmp_path):
    """4 seeds x (1 + 3 x 2 + 3 x 2 + 3) runs x 4 checkpoints."""
    project = load(write_project(tmp_path, PAPER))
    assert numbers_of(project, project.papers[KEY], "study") == 256


def test_tables_that_take_longer_than_a_job_should_are_read_by_two_threads(tmp_path):
    """At 3e-7 seconds a number and 25 seconds a job, 83 million numbers."""
    project = replace(load(write_project(tmp_path, PAPER)), seconds_per_job=25)
    assert [readers(project, numbers) for numbers in (0, 83_000_000, 84_000_000)] == [1, 1, 2]
