"""The goals of the pipeline, from the files of a made-up run."""

import os

import pytest

from benchmarks import pipeline
from dpbandits.planning.benchmarks import plan
from dpbandits.planning.budgets import part_of
from dpbandits.text.speed import RATIOS, check

from .small import write_project

HEAD = "s\th:m:s\tmax_pss\tmax_vms\tmax_uss\tmax_rss\tio_in\tio_out\tmean_load\tcpu_time\n"
ROW = "{wall}\t0:00:00\t{memory}\t0\t0\t0\t0\t0\t0\t{cpu}\n"
START = 1_700_000_000.0


@pytest.fixture
def project(tmp_path):
    """A project whose jobs ran one after the other, 2 seconds each with 1.5 of CPU time, and half a second between."""
    write_project(tmp_path / "here")
    folder = tmp_path / "here/results/smoke"
    folder.mkdir(parents=True)
    found = pipeline.project_of(folder)
    for k, name in enumerate([*plan(found), pipeline.REPORT]):
        note(found, name, START + 2.5 * k + 2.0)
    return found


def note(project, name, end, wall=2.0, cpu=1.5, memory=80.0):
    path = project.root / f"results/smoke/benchmarks/{name}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(HEAD + ROW.format(wall=wall, cpu=cpu, memory=memory), encoding="utf-8")
    os.utime(path, (end, end))


@pytest.fixture
def entries(project, monkeypatch):
    """A function that gives the goals by name."""
    monkeypatch.setattr(pipeline, "cost_of_a_job", lambda _: 0.25)
    monkeypatch.setattr(pipeline, "cost_of_planning", lambda *_: 1.0)

    def found():
        every = [*pipeline.from_files(project), pipeline.wall(project)]
        check({"kernels": [], "growth": [], "pipeline": every}, RATIOS)
        return {entry["name"]: entry for entry in every}

    return found


def test_goals_come_from_the_files(project, entries):
    (key,) = project.papers
    jobs = [*plan(project), pipeline.REPORT]
    longest = next(name for name in jobs if name.startswith("simulate/"))
    note(project, longest, START + 100.0, wall=45.0, cpu=44.0, memory=450.0)
    log = project.root / f"logs/simulate/smoke/{longest.removeprefix('simulate/').removesuffix('.tsv')}.log"
    log.parent.mkdir(parents=True)
    log.write_text("compiled or loaded dpbandits.algorithms.bernoulli.ucb1 in 4.0 s\n", encoding="utf-8")
    found = entries()
    assert found["longest_job"]["value"] == pytest.approx(0.5)
    assert longest.removesuffix(".tsv") in found["longest_job"]["title"]
    assert (found["memory"]["value"], found["memory"]["unit"]) == (pytest.approx(471.9, abs=0.05), "MB")
    spent = 1.5 * (len(jobs) - 1) + 44.0 - 4.0 + 1.0
    assert found["start_up"]["value"] == pytest.approx((0.25 * len(jobs) + 1.0) / spent)
    assert found["budget_pages"]["value"] == pytest.approx(3 * 2.0 / 30.0), (
        "draw, render and report, with what was not read"
    )
    own = sum(part_of(name) == key for name in jobs)
    assert found[f"budget_{key}"]["value"] == pytest.approx((2.0 * (own - 1) + 45.0 - 4.0) / 100.0)


def test_the_wall_time_goes_from_the_first_start_to_the_last_end(project, entries):
    jobs = len(plan(project)) + 1
    found = entries()
    assert found["wall_smoke"]["value"] == pytest.approx((2.5 * (jobs - 1) + 2.0) / 60.0)
    assert found["two_cores"]["value"] == pytest.approx(2.0 * jobs / (2.5 * (jobs - 1) + 2.0)), "0.8 at a time"


def test_a_run_that_others_helped_is_not_measured(project):
    next((project.root / "results/smoke/benchmarks/judge").iterdir()).unlink()
    with pytest.raises(pipeline.Unfit, match=r"benchmarks: 1 of \d+ jobs have no file"):
        pipeline.wall(project)


def test_results_are_named_by_their_scale(tmp_path):
    with pytest.raises(pipeline.Unfit, match="is not a folder results/<scale>"):
        pipeline.project_of(tmp_path)


@pytest.fixture
def told(monkeypatch):
    """Runs of Snakemake as they are asked for; each takes as many seconds as the next of a list."""
    asked, takes = [], []

    def snakemake(folder, scale, cores, *targets):
        asked.append((folder, scale, cores, *targets))
        return takes.pop(0), "Nothing to be done" if takes or len(asked) < 3 else ""

    monkeypatch.setattr(pipeline, "snakemake", snakemake)
    return asked, takes


def test_a_run_with_nothing_to_do_is_tried_before_it_is_timed(project, told):
    asked, takes = told
    takes += [9.0, 2.0, 1.0]
    assert pipeline.idle(project) == 2.0
    assert asked == [(project.root, "smoke", 2, "--dry-run"), (project.root, "smoke", 2)]


def test_a_run_with_something_to_do_is_not_started(project, monkeypatch):
    monkeypatch.setattr(pipeline, "snakemake", lambda *asked: (1.0, "12 jobs") if "--dry-run" in asked else 1 / 0)
    with pytest.raises(pipeline.Unfit, match="there is something to do"):
        pipeline.idle(project)


def test_more_seeds_are_a_tenth_more(project, monkeypatch):
    clock, played = [0.0], []

    def run_seeds(curve, root_seed, seeds, noise):
        played.append(len(seeds))
        clock[0] += 0.5 + len(seeds)

    monkeypatch.setattr(pipeline, "run_seeds", run_seeds)
    monkeypatch.setattr(pipeline.time, "process_time", lambda: clock[0])
    assert pipeline.more_seeds(project)[1] == pytest.approx(22.5 / 20.5 - 1.0)
    assert set(played[1:]) == {20, 22}
