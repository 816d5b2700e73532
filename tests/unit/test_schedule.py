"""List scheduling of jobs, against schedules made by hand."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import __main__ as command
from benchmarks import record, schedule
from benchmarks.pipeline import REPORT, Unfit
from benchmarks.schedule import estimated, goals, jobs_with_ends, repeated, scheduled
from dpbandits.config.models.speed import RatiosFile

FORK = {"a": (), "b": (), "c": (), "end": ("a", "b", "c")}


def test_jobs_that_wait_for_none_share_the_cores():
    seconds = {"a": 4.0, "b": 3.0, "c": 2.0, "end": 1.0}
    assert scheduled(seconds, FORK, 1).seconds == 10.0
    assert scheduled(seconds, FORK, 2).seconds == 6.0  # a on one core, b and c on the other, and the end after five
    assert scheduled(seconds, FORK, 3).seconds == 5.0
    assert scheduled(seconds, FORK, 99) == schedule.Schedule(5.0, ("a", "end"))


def test_the_job_with_the_longest_way_to_the_end_starts_first():
    """Would catch: the longest job first, or the order of the plan."""
    seconds = {"long": 5.0, "short": 1.0, "after": 6.0}
    waits = {"long": (), "short": (), "after": ("short",)}
    assert scheduled(seconds, waits, 1).seconds == 12.0
    assert scheduled(seconds, waits, 2).seconds == 7.0
    assert scheduled(seconds, waits, 2).chain == ("short", "after")


def test_jobs_that_wait_for_each_other_are_refused():
    with pytest.raises(ValueError, match="wait for each other: a, b"):
        scheduled({"a": 1.0, "b": 1.0}, {"a": ("b",), "b": ("a",)}, 1)


@given(st.lists(st.floats(0.5, 50.0), min_size=1, max_size=12), st.integers(1, 5), st.data())
def test_no_schedule_beats_its_bounds(times, cores, data):
    seconds = {str(k): each for k, each in enumerate(times)}
    waits = {
        str(k): tuple(map(str, data.draw(st.sets(st.integers(0, k - 1), max_size=3)) if k else ()))
        for k in range(len(times))
    }
    found = scheduled(seconds, waits, cores)
    chain = sum(seconds[job] for job in found.chain)
    assert found.seconds >= max(chain, sum(times) / cores) - 1e-9
    assert found.seconds <= chain + sum(times) / cores + 1e-9  # Graham's bound
    assert scheduled(seconds, waits, 1).seconds == pytest.approx(sum(times))


def test_more_papers_repeat_all_but_the_report():
    seconds = {"run": 2.0, "page": 1.0, REPORT: 4.0}
    waits = {"run": (), "page": ("run",), REPORT: ("page",)}
    longer, needs = repeated(seconds, waits, 3)
    assert longer == {
        **{f"{k}:{job}": seconds[job] for k in range(3) for job in ("run", "page")},
        REPORT: 12.0,
    }
    assert needs[REPORT] == ("0:page", "1:page", "2:page")
    assert needs["2:page"] == ("2:run",)


def test_results_that_are_not_there_are_refused(tmp_path):
    with pytest.raises(Unfit, match="is not a folder results/<scale>"):
        jobs_with_ends(tmp_path)


def test_the_command_prints_gains_and_the_chain(monkeypatch, capsys, tmp_path):
    seconds = {"simulate/a.tsv": 30.0, "simulate/b.tsv": 30.0, REPORT: 10.0}
    waits = {"simulate/a.tsv": (), "simulate/b.tsv": (), REPORT: ("simulate/a.tsv", "simulate/b.tsv")}
    monkeypatch.setattr(schedule, "jobs_with_ends", lambda folder: (seconds, waits))
    monkeypatch.setattr(sys, "argv", ["schedule", str(tmp_path), "--cores", "1,2", "--times", "1,2", "--start", "5"])
    schedule.main()
    said = capsys.readouterr().out.splitlines()
    assert said[1].split() == ["1x", "3", "85", "s", "85", "s", "1.0x", "50", "s", "1.7x"]
    assert said[2].split() == ["2x", "5", "170", "s", "170", "s", "1.0x", "100", "s", "1.7x"]
    assert said[3] == "longest chain: simulate/a 35 s, report/report 15 s"


def test_the_name_of_a_scale_stands_for_its_estimates():
    """Every job has seconds, those of simulation the most; the report waits for every page."""
    seconds, waits = estimated("quick")
    assert seconds.keys() == waits.keys()
    assert min(seconds.values()) > 0
    pages = {job for job in waits if job.startswith(("draw/", "render/"))}
    assert set(waits[REPORT]) == pages
    stages = {stage: sum(each for job, each in seconds.items() if job.startswith(stage)) for stage in ("sim", "judge")}
    assert stages["sim"] > stages["judge"] == pytest.approx(5 * 4.0)


def test_gains_are_goals_of_the_record():
    jobs = {"a": 60.0, "b": 60.0, REPORT: 1.0}, {"a": (), "b": (), REPORT: ("a", "b")}
    (quick,) = goals("quick", jobs, "estimated")
    assert (quick["name"], quick["required"], quick["better"]) == ("gain_quick_64", 12.0, "more")
    assert quick["value"] == pytest.approx(121 / 61)
    full = goals("full", jobs, "measured")
    assert [(each["name"], each["required"], each["target"]) for each in full] == [
        ("gain_full_64", 55.0, None),
        ("gain_full_512", 100.0, 150.0),
    ]
    assert "measured times" in full[0]["title"]
    assert goals("smoke", jobs, "estimated") == []
    RatiosFile.model_validate({"kernels": [], "growth": [], "pipeline": [quick, *full]})


def test_both_commands_write_gains_into_the_record(monkeypatch, capsys, tmp_path):
    jobs = {"simulate/a.tsv": 30.0, REPORT: 10.0}, {"simulate/a.tsv": (), REPORT: ("simulate/a.tsv",)}
    monkeypatch.setattr(schedule, "estimated", lambda scale: jobs)
    path = tmp_path / "ratios.json"
    monkeypatch.setattr(sys, "argv", ["benchmarks", "schedule", "--out", str(path)])
    command.main()
    said = capsys.readouterr().out
    assert "Scale quick, estimated times" in said
    assert "100x" in said
    assert [each["name"] for each in record.read(path)["pipeline"]] == [
        *("gain_quick_64", "gain_full_64", "gain_full_512"),
    ]
    monkeypatch.setattr(schedule, "jobs_with_ends", lambda folder: jobs)
    monkeypatch.setattr(sys, "argv", ["schedule", str(tmp_path / "results/quick"), "--out", str(path)])
    schedule.main()
    titles = [each["title"] for each in record.read(path)["pipeline"]]
    assert ["measured" in title for title in titles] == [True, False, False]


def test_what_is_required_of_the_configuration_is_met_by_its_estimates():
    """Longer jobs would not meet it: the last ones decide."""
    for scale in ("quick", "full"):
        for each in goals(scale, estimated(scale), "estimated"):
            assert each["value"] >= each["required"], each["title"]
