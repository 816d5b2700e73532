"""The line of a run: counts, percent of estimated work and time left, on any terminal."""

import pytest

from dpbandits.config.loading import load_project
from dpbandits.planning.benchmarks import plan
from dpbandits.planning.estimates import SECONDS, START, seconds_of_rules
from dpbandits.text.progress import Progress, duration, estimated, fitting, planned
from tests.shipped import COMMITTED

from .small import ROOT


def begun(jobs=4, seconds=100.0, cores=2):
    return Progress(jobs, seconds, cores, now=1000.0)


def test_percent_is_of_estimated_work_and_not_of_jobs():
    progress = begun()
    progress.start(1, "simulate/hu2021/0", 70.0, now=1000.0)
    progress.start(2, "judge/hu2021", 5.0, now=1000.0)
    assert progress.end(2, now=1010.0) == "1 of 4 jobs,  15 %  judge/hu2021 (10 s)"  # 5, and 10 of the 70
    assert progress.percent(1035.0) == "40 %"
    assert progress.percent(1900.0) == "72 %"  # 5 and 0.95 times 70: it has not ended
    progress.end(1, now=1900.0)
    assert progress.percent(1900.0) == "75 %"


def test_time_left_is_the_estimate_first_and_follows_the_pace_then():
    progress = begun()
    assert progress.left(1000.0) == 50.0
    progress.start(1, "simulate/hu2021/0", 80.0, now=1000.0)
    assert progress.left(1001.0) == pytest.approx(49.5)
    assert progress.left(1040.0) == pytest.approx(60.0)  # 40 of 100 in 40 seconds
    assert progress.left(1020.0) == pytest.approx(80.0)


def test_failed_jobs_are_told_apart():
    progress = begun()
    progress.start(1, "judge/hu2021", 10.0, now=1000.0)
    assert progress.end(1, now=1004.0, failed=True) == "failed: judge/hu2021"
    assert progress.line(1004.0, 80) == "waiting  0 of 4 jobs, 1 failed  10 %  about 36 s left"
    assert progress.end(7, now=1004.0) == "", "which did not start"


@pytest.mark.parametrize(
    ("width", "names"), [(120, "hu2021/0, han2021/12, chen2020/3"), (80, "hu2021/0 and 2 more"), (60, "")]
)
def test_the_line_fits(width, names):
    progress = begun(jobs=231, seconds=9000.0)
    for k, name in enumerate(("hu2021/0", "han2021/12", "chen2020/3")):
        progress.start(k, f"simulate/{name}", 500.0, now=1000.0)
    line = progress.line(1000.0, width)
    assert line == "simulate  0 of 231 jobs  0 %  about 1 h 15 min left" + ("  " + names if names else "")
    assert len(line) <= width
    assert len(progress.line(1000.0, 20)) == 20


def test_names_that_fit_are_shown():
    assert fitting("a", ["b", "c"], 9) == "a  b, c"
    assert fitting("a", ["bbb", "c"], 7) == "a"


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0.4, "0 s"),
        (59.4, "59 s"),
        (59.6, "1 min"),
        (290, "4 min 50 s"),
        (599.7, "10 min"),
        (3599, "1 h 0 min"),
        (5074, "1 h 25 min"),
    ],
)
def test_durations(seconds, said):
    assert duration(seconds) == said


@pytest.mark.parametrize("scale", ["smoke", "quick", "full"])
def test_every_job_of_a_plan_has_an_estimate(scale):
    project = load_project(ROOT, {"scale": scale}, valid=COMMITTED)
    found = seconds_of_rules(project)
    for name in plan(project):
        stage, *rest = name.removesuffix(".tsv").split("/")
        rule = stage if stage in SECONDS else "_".join((stage, *rest))
        assert found[rule] >= START, name
    assert {"report", "certificate"} <= found.keys()


def test_rules_that_take_no_time_are_not_counted():
    assert estimated({"judge": 5, "all": 1, "report": 1}, {"judge": 4.0, "report": 3.0}) == (6, 23.0)


def test_a_plan_is_a_table_of_stages_in_the_order_of_a_run():
    rules = {"judge": 2, "simulate_hu2021_0": 1, "simulate_hanna2022_1": 1, "replicate": 1, "all": 1, "audit_0": 1}
    seconds = {"simulate_hu2021_0": 3000.0, "simulate_hanna2022_1": 600.0, "judge": 5.5, "audit_0": 90.0, "report": 5.0}
    assert planned(rules, seconds) == [
        "          jobs    CPU time",
        "simulate     2   1 h 0 min",
        "audit        1  1 min 30 s",
        "judge        2        11 s",
        "all          5   1 h 2 min",
    ]
