"""The plan that the report uses is the one that Snakemake follows."""

import re

import pytest

from dpbandits.planning.benchmarks import plan
from tests.shipped import PAPERS

from .project import copy


def rule(job: str) -> str:
    """Rule of a job, given the name of its benchmark file; with its paper if the paper is a wildcard."""
    stage, *inner = job.removesuffix(".tsv").split("/")
    if stage == "judge":
        return f"judge {inner[0]}"
    return stage if stage == "collect" else "_".join((stage, *inner))


def test_jobs_wait_for_those_that_snakemake_has_them_wait_for(tmp_path):
    """All papers at the scale smoke, with jobs so small that every paper has several of each kind."""
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


def test_one_paper_needs_no_file_of_another(tmp_path):
    """Another paper that is broken is not even read."""
    project = copy(tmp_path, source=False, papers=["hanna2022", "chen2020"])
    (tmp_path / "config/papers/chen2020.yaml").write_text("title: [\n", encoding="utf-8")
    plan_of = ("snakemake", "--dry-run", "--cores", "1", "--config", "scale=smoke")
    said = project.call(*plan_of, "papers=hanna2022")
    assert "chen2020" not in said
    assert "Warning" not in said
    assert "results/smoke/audit/hanna2022.json" in said
    assert re.search(r"^judge +1$", said, re.M)
    wrong = project.call(*plan_of, "papers=hanna2022,hana2022", code=2)
    allowed = ", ".join(PAPERS)
    assert f"dpbandits: papers: unknown paper `hana2022`. Did you mean `hanna2022`? Use one of: {allowed}\n" in wrong
    assert "config/papers/chen2020.yaml" in project.call(*plan_of, code=2)


@pytest.mark.slow
def test_ready_jobs_are_looked_at_when_a_job_ends_and_not_time_and_again(tmp_path):
    """One check before the first job and one after each; a limit of jobs per second would check every second."""
    project = copy(tmp_path, source=False)
    project.revise("seconds_per_job", to=0.3, file="config/config.yaml")
    table = "results/smoke/tables/hanna2022/figure2.parquet"
    said = project.call("snakemake", table, "--cores", "1", "--verbose", "--config", "scale=smoke")
    ended = len(re.findall(r"^Finished jobid: ", said, re.M))
    assert ended > 3
    assert len(re.findall(r"^Ready jobs: ", said, re.M)) <= ended


def test_a_full_run_of_one_paper_leaves_the_verdicts_of_all(tmp_path):
    """Plan only; the figure of all papers is kept in `figures/`."""
    own = ("chen2020", "hanna2022")
    project = copy(tmp_path, source=False, papers=own)
    for key in set(PAPERS) - set(own):
        (tmp_path / f"config/papers/{key}.yaml").unlink()
    drawn = {}
    for papers in ("hanna2022", ",".join(own)):
        plan = project.call("snakemake", "--dry-run", "--cores", "1", "--config", "scale=full", f"papers={papers}")
        drawn[papers] = {name for name in ("claims.svg", "speed.svg") if f"figures/{name}" in plan}
    assert list(drawn.values()) == [{"speed.svg"}, {"claims.svg", "speed.svg"}]
