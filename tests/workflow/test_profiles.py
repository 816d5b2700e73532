"""Cluster profiles, and what the rules request. No scheduler is needed here."""

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from benchmarks.cluster import groups as submissions
from dpbandits.config.plain_yaml import load_yaml
from dpbandits.planning import cluster
from dpbandits.planning.bundles import simulations

from ..shipped import SETTINGS
from .project import ROOT, copy

PROFILES = {"slurm": "slurm", "cluster-generic": "cluster_generic"}
SHARED = ("scheduler", "rerun-incomplete", "nolock")
GROUPS = {"calibrate": 20, "simulate": 8, "audit": 8}
LOCAL = {"replicate", "collect", "report", "certificate"}
STATUS = ROOT / "profiles/cluster-generic/status.py"


def profile(name):
    return load_yaml(ROOT / f"profiles/{name}/config.yaml", name)


def components(name):
    return {group: int(number) for group, number in (each.split("=") for each in profile(name)["group-components"])}


@pytest.mark.parametrize("name", PROFILES)
def test_a_profile_says_what_a_run_on_a_cluster_depends_on(name):
    """Without `cores`, a group requests a processor for each of its jobs; without retries, a run ends with a node."""
    found, default = profile(name), profile("default")
    assert found["executor"] == name
    assert {key: found[key] for key in SHARED} == {key: default[key] for key in SHARED}
    assert found["cores"] == 1
    assert found["keep-incomplete"]
    assert found["retries"] >= 1
    assert found["latency-wait"] >= 30
    assert components(name) == GROUPS


def test_the_page_about_clusters_is_short_and_has_the_groups_of_the_profiles():
    text = (ROOT / "docs/howto/cluster.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 110
    assert {name: int(most) for name, most in re.findall(r"^\| `(\w+)` \|.*\| up to (\d+) \|$", text, re.M)} == GROUPS
    for page in ("README.md", "profiles/README.md"):
        assert "docs/howto/cluster.md)" in (ROOT / page).read_text(encoding="utf-8")


def test_a_killed_job_of_another_scheduler_is_asked_for():
    found = profile("cluster-generic")
    assert {f"cluster-generic-{name}-cmd" for name in ("submit", "status", "cancel")} <= found.keys()
    for asked in ("{threads}", "{resources.mem_mb}", "{resources.runtime}"):
        assert asked in found["cluster-generic-submit-cmd"]
    command = found["cluster-generic-status-cmd"].split()
    assert command[0] == "python"
    assert ROOT / command[1] == STATUS


def jobs(text):
    """By rule, from a dry run: whether it stays on the login node, its group if any, and its resources."""
    found, group = {}, None
    for line in text.splitlines():
        if match := re.match(r"(?:\[.*\] )?Group job (\w+) ", line):
            group = match[1]
        elif match := re.match(r"( *)(localrule|rule) (\w+):", line):
            inside = group if match[1] else None
            found[match[3]] = (match[2] == "localrule", inside, {})
            rule = match[3]
        elif match := re.match(r" +resources: (.*)", line):
            found[rule][2].update(each.split("=") for each in match[1].split(", "))
    return found


def groups(text):
    """Number of jobs of each group, by the name of the group."""
    parts = re.split(r"Group job (\w+) ", text)[1:]
    return [
        (name, len(re.findall(r"^    rule ", part, re.M))) for name, part in zip(parts[::2], parts[1::2], strict=True)
    ]


@pytest.fixture(scope="module")
def planned(tmp_path_factory):
    """A copy with more jobs than fit in a group, and a function that plans its scale `full` with a profile."""
    project = copy(tmp_path_factory.mktemp("planned"), source=False)
    project.write({**SETTINGS, "papers": ["hanna2022"], "seconds_per_job": 25}, "config/config.yaml")

    def plan(name):
        if not find_spec(f"snakemake_executor_plugin_{PROFILES[name]}"):
            pytest.skip("the plugins of Snakemake are not installed: make setup-slurm")
        options = ("--workflow-profile", f"profiles/{name}", "--config", "scale=full", "--quiet", "host")
        return project.call("snakemake", "--dry-run", *options)

    return project, plan


@pytest.mark.parametrize("name", PROFILES)
def test_every_rule_asks_for_time_and_memory_or_stays(planned, name):
    """Jobs on the login node take seconds. Each other job is in a group, and requests its estimated cost."""
    project, plan = planned
    text = plan(name)
    found = jobs(text)
    paper = project.project("full")
    sized = simulations(paper, paper.papers["hanna2022"])
    wanted = {f"simulate_hanna2022_{number}": chunks for number, chunks in enumerate(sized)}
    assert wanted.keys() <= found.keys()
    assert {rule for rule, (_, group, _) in found.items() if group is None} == LOCAL
    for _, group, resources in found.values():
        if group is not None:
            assert int(resources["runtime"]) >= cluster.START
            assert int(resources["mem_mb"]) >= cluster.MEGABYTES
    asked = {rule: int(found[rule][2]["runtime"]) for rule in wanted}
    assert asked == {rule: cluster.to_simulate(chunks) for rule, chunks in wanted.items()}
    assert len(set(asked.values())) > 1


@pytest.mark.parametrize("name", PROFILES)
def test_jobs_share_a_submission_by_their_group(planned, name):
    """As many as the profile says; the end of a paper (tables, verdicts, figures, notebook) is one submission."""
    project, plan = planned
    found = groups(plan(name))
    paper = project.project("full")
    sizes = {group: sorted(number for other, number in found if other == group) for group, _ in found}
    assert sum(sizes["simulate"]) == len(simulations(paper, paper.papers["hanna2022"])) > GROUPS["simulate"]
    assert sizes["simulate"][1:] == [GROUPS["simulate"]] * (len(sizes["simulate"]) - 1)
    assert sizes["paper"] == [4]
    assert sizes == {group: sorted(numbers) for group, numbers in submissions(paper).items()}
    assert set(sizes) == {*GROUPS, "paper"}
    assert all(number <= GROUPS.get(group, 4) for group, number in found)


PROGRAM = """\
#!/bin/sh
echo "{said}"
echo "{complained}" >&2
exit {code}
"""
SILENT = ("", "", 0)
UNKNOWN = ("", "slurm_load_jobs error: Invalid job id specified", 1)
BUSY = ("", "slurm_load_jobs error: Unable to contact slurm controller (connect failure)", 1)
DISABLED = ("", "Slurm accounting storage is disabled", 1)


@pytest.mark.parametrize(
    ("squeue", "sacct", "said"),
    [
        *[
            ((state, "", 0), SILENT, "running")
            for state in ("PENDING", "RUNNING", "COMPLETING", "SUSPENDED", "REQUEUED")
        ],
        (("COMPLETED", "", 0), SILENT, "success"),
        *[((state, "", 0), SILENT, "failed") for state in ("FAILED", "TIMEOUT", "OUT_OF_MEMORY", "NODE_FAIL")],
        *[((state, "", 0), SILENT, "failed") for state in ("CANCELLED", "PREEMPTED", "BOOT_FAIL", "DEADLINE")],
        (UNKNOWN, ("COMPLETED", "", 0), "success"),
        (UNKNOWN, ("CANCELLED by 1000", "", 0), "failed"),
        (UNKNOWN, ("TIMEOUT", "", 0), "failed"),
        (UNKNOWN, ("RUNNING", "", 0), "running"),
        (UNKNOWN, DISABLED, "failed"),
        (UNKNOWN, SILENT, "failed"),
        (SILENT, SILENT, "failed"),
        (BUSY, ("COMPLETED", "", 0), "running"),
        (BUSY, DISABLED, "running"),
    ],
)
def test_the_status_command_in_words_of_snakemake(tmp_path, squeue, sacct, said):
    for name, (words, complained, code) in (("squeue", squeue), ("sacct", sacct)):
        path = tmp_path / name
        path.write_text(PROGRAM.format(said=words, complained=complained, code=code), encoding="utf-8")
        path.chmod(0o755)
    assert status(tmp_path) == said


def test_no_scheduler_at_all_is_no_verdict(tmp_path):
    assert status(tmp_path) == "running"


def status(folder: Path) -> str:
    environment = {**os.environ, "PATH": str(folder)}
    command = [sys.executable, STATUS, "17;cluster"]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.strip()
