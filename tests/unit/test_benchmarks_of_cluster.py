"""What a run costs a cluster: submissions are counted group by group, and files by the calls that name a path."""

import sys

import pytest

from benchmarks import __main__ as command
from benchmarks import cluster, record
from benchmarks.cluster import Files
from dpbandits.config.loading import load_project
from dpbandits.config.models.speed import RatiosFile
from dpbandits.planning.bundles import simulations
from tests.shipped import ROOT, shipped

TRACE = b"""\
12 execve("/usr/bin/python", ["python", "-c", "1"], 0x7ffe /* 9 vars */) = 0
12 openat(AT_FDCWD, "/usr/lib/a.so", O_RDONLY|O_CLOEXEC) = 3
12 newfstatat(3, "", {st_mode=S_IFREG|0644, st_size=44, ...}, AT_EMPTY_PATH) = 0
12 openat(AT_FDCWD, "/usr/lib/b.so", O_RDONLY|O_CLOEXEC) = -1 ENOENT (No such file or directory)
13 newfstatat(AT_FDCWD, "/usr/lib", {st_mode=S_IFDIR|0755, st_size=4096, ...}, 0) = 0
13 open("/proc/self/stat", O_RDONLY) = 4
--- SIGCHLD {si_signo=SIGCHLD} ---
+++ exited with 0 +++
"""
TIMES = (1, 10, 30, 100)
FOUND = [
    {"simulate": [6, 6, 1], "paper": [3]},
    {"simulate": [6] * 22, "paper": [3] * 10},
    {"simulate": [6] * 66, "paper": [3] * 30},
    {"simulate": [6] * 220, "paper": [3] * 100},
]
NODE = [Files(3000, 12000), Files(3000, 12000), Files(3150, 12000), Files(3300, 12000)]
FILES = {"node": NODE, "job": [Files(1000, 6000)]}


def test_jobs_fill_submissions_group_by_group():
    """Every job of the papers is in one, none has more than the profile says, and the last takes what is left."""
    project, most = shipped("full"), cluster.most_jobs(ROOT)
    found = cluster.groups(project)
    assert set(found) == {*most, "paper"}
    jobs = [job for paper in project.papers.values() for job in simulations(project, paper)]
    assert sum(found["simulate"]) == len(jobs)
    for group, number in most.items():
        assert set(found[group][:-1]) <= {number}
        assert 0 < found[group][-1] <= number
    assert len(found["paper"]) == len(project.papers)


def test_copies_of_the_papers_are_counted():
    assert cluster.total(cluster.submissions(2)) > 1.5 * cluster.total(cluster.submissions(1))


def test_calls_that_name_a_path_are_counted_and_opened_files_among_them():
    assert cluster.files_of(TRACE.splitlines(keepends=True)) == Files(opened=2, asked=5)


def test_the_small_job_needs_no_noise_and_exists():
    key, chunk = cluster.smallest_chunk(ROOT)
    assert chunk.split("/")[0] in load_project(ROOT, {"scale": "smoke"}).papers[key].experiments
    assert "printed" in chunk


def test_what_was_not_measured_is_said_and_left_out(monkeypatch, capsys):
    monkeypatch.setattr(cluster.shutil, "which", lambda _: None)
    monkeypatch.setattr(cluster, "submissions", dict(zip(TIMES, FOUND, strict=True)).__getitem__)
    assert cluster.measured(TIMES) == (FOUND, {})
    assert "apt install strace" in capsys.readouterr().out
    assert [goal["name"] for goal in cluster.goals(FOUND, {}, TIMES)] == ["submissions"]


def test_submissions_grow_with_papers_and_fit_the_record():
    submitted, opened = cluster.lines(FOUND, FILES, TIMES)
    assert submitted["places"] == opened["places"] == [5, 50, 150, 500]
    assert submitted["costs"] == [1.0, 8.0, 24.0, 80.0]
    assert opened["costs"] == [1.0, 1.0, 1.05, 1.1]
    assert cluster.lines(FOUND, {}, TIMES) == [submitted]
    goals = cluster.goals(FOUND, FILES, TIMES)
    assert {goal["name"]: goal["value"] for goal in goals} == pytest.approx(
        {"submissions": 0.8, "files_node": 0.825, "files_job": 0.5}
    )
    RatiosFile.model_validate({"kernels": [], "growth": [submitted, opened], "pipeline": goals})


def test_the_command_prints_and_writes_both_and_other_parts_keep_them(tmp_path, monkeypatch, capsys):
    path = tmp_path / "ratios.json"
    monkeypatch.setattr(cluster, "measured", lambda: (FOUND, FILES))
    monkeypatch.setattr(command, "growths", lambda *_: [])
    for part in ("cluster", "growth"):
        monkeypatch.setattr(sys, "argv", ["benchmarks", part, "--out", str(path)])
        command.main()
    kept = record.read(path)
    assert [line["name"] for line in kept["growth"]] == ["submissions", "files"]
    assert [goal["name"] for goal in kept["pipeline"]] == ["submissions", "files_node", "files_job"]
    said = capsys.readouterr().out
    assert "paper 1 x 3, simulate 2 x 6 + 1 x 1" in said
    assert "Small job of simulate, 1x: 1,000 files opened, 6,000 paths asked for" in said
    assert "Start of Snakemake on a node, 100x: 3,300 files opened, 12,000 paths asked for" in said
