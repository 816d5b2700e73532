"""The plan that the report knows is the one that Snakemake follows."""

import re

from dpbandits.experiments.plan import plan

from .project import copy


def rule(job: str) -> str:
    """Name of the rule of a job, given the name of its benchmark file; with its paper where that is a wildcard."""
    stage, *inner = job.removesuffix(".tsv").split("/")
    return f"judge {inner[0]}" if stage == "judge" else "_".join((stage, *inner))


def test_jobs_wait_for_those_that_snakemake_has_them_wait_for(tmp_path):
    """All papers at the scale smoke, with so small jobs that every paper has several of a kind."""
    project = copy(tmp_path, source=True, papers=["hanna2022", "chen2020"])
    project.revise("seconds_per_job", to=0.3, file="config/config.yaml")
    graph = project.call("snakemake", "--dag", "dot", "--config", "scale=smoke")
    names = dict(re.findall(r'^\s*(\d+)\[label = "(.*?)"', graph, re.M))
    names = {number: re.sub(r"\\npaper: ", " ", name) for number, name in names.items()}
    waits: dict[str, set[str]] = {name: set() for name in names.values()}
    for before, after in re.findall(r"^\s*(\d+) -> (\d+)$", graph, re.M):
        waits[names[after]].add(names[before])
    found = {rule(job): set(map(rule, others)) for job, others in plan(project.project()).items()}
    assert len(found) > 20
    assert {name: waits[name] for name in waits if name not in ("replicate", "report", "certificate")} == found


def test_ready_jobs_are_looked_at_when_a_job_ends_and_not_time_and_again(tmp_path):
    """One look before the first job, and one after each; a limit of jobs per second would ask for some each second."""
    project = copy(tmp_path, source=False)
    project.revise("seconds_per_job", to=0.3, file="config/config.yaml")
    table = "results/smoke/tables/hanna2022/figure2.parquet"
    said = project.call("snakemake", table, "--cores", "1", "--verbose", "--config", "scale=smoke")
    ended = len(re.findall(r"^Finished jobid: ", said, re.M))
    assert ended > 3
    assert len(re.findall(r"^Ready jobs: ", said, re.M)) <= ended
