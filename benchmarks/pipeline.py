"""Compare the cost of the pipeline with its goals: `python -m benchmarks.pipeline RESULTS... [--out FILE]`.

RESULTS are folders of finished runs, such as `results/full ../other/results/quick`. Make each run from scratch in its
own clone, because scales share runs, on two idle cores with compiled kernels. The first run is measured in all
respects, the others only by wall time. The command replaces its entries in the part `pipeline` of the record, which
holds no seconds but shares of budgets and other ratios.

The cost of a run is read from Snakemake's benchmark files; CPU seconds are upper bounds. Three goals are measured
directly: start-up, a run with nothing to do, and more seeds.
"""

import argparse
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from benchmarks import ROOT
from benchmarks.job_overhead import cost_of_a_job, cost_of_planning
from benchmarks.record import Entry, goal, write_part
from dpbandits.config.curves import Curve
from dpbandits.config.grid import every_curve
from dpbandits.config.loading import Project, load_project
from dpbandits.planning.benchmarks import plan
from dpbandits.planning.budgets import PAGES, budgets
from dpbandits.report.costs import Costs, Job, costs
from dpbandits.stages.benchmarks import compiling, measured
from dpbandits.stages.simulate import run_seeds

REPORT = "report/report.tsv"
LONGEST, IDLE = 90.0, 5.0  # wall seconds of a job, and of a run with nothing to do
MEGABYTES = 300.0  # memory of a job
WALL = {"smoke": (60.0, None), "quick": (300.0, 180.0), "full": (5400.0, 2700.0)}  # seconds: required and target
SEEDS, SECONDS, TURNS = 20, 3.0, 7  # of the curve that shows the cost of more seeds, and their approximate duration


class Unfit(Exception):
    """Results that cannot be used; the message is one line."""


def main() -> None:
    """Measure the pipeline, print its goals, and write them into the record."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pipeline", description=main.__doc__)
    parser.add_argument("results", nargs="+", type=Path, help="folders of finished runs, the first one of scale full")
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks/ratios.json", help="the record")
    asked = parser.parse_args()
    try:
        projects = [project_of(folder) for folder in asked.results]
        found = [*from_files(projects[0]), *(wall(project) for project in projects), *now(projects[0])]
    except Unfit as fault:
        parser.error(str(fault))
    for entry in found:
        print(f"{entry['value']:10.4g} {entry['unit']:6} {entry['title']}")
    write_part(asked.out, "pipeline", found, whole=False)


def project_of(folder: Path) -> Project:
    """Project that a results folder belongs to, at the scale of the folder."""
    folder = folder.resolve()
    if folder.name not in WALL or folder.parent.name != "results":
        raise Unfit(f"{folder}: is not a folder results/<scale>")
    return load_project(folder.parents[1], {"scale": folder.name})


def jobs_of(project: Project) -> list[Job]:
    """All jobs by which a run is measured, including the report; Unfit if some did not run."""
    names = [*plan(project), REPORT]
    folder = project.root / "results" / project.scale / "benchmarks"
    found = list(measured(folder, names))
    if len(found) < len(names):
        raise Unfit(
            f"{folder}: {len(names) - len(found)} of {len(names)} jobs have no file; a run from nothing has all"
        )
    return found


def costs_of(project: Project) -> Costs:
    """Costs of the jobs, with the report counted among the pages."""
    jobs, compiled = jobs_of(project), {}
    for job in jobs:
        compiled[job.name] = compiling(project.root / "logs", project.scale, job.name)
    return costs({**plan(project), REPORT: ()}, jobs, compiled, budgets(project))


def from_files(project: Project) -> Iterator[Entry]:
    """Goals that are decided by the benchmark files of a run."""
    found, of = costs_of(project), f"at scale {project.scale}"
    jobs = sum(stage.jobs for stage in found.stages.values())
    with tempfile.TemporaryDirectory() as folder:
        fixed = jobs * cost_of_a_job(Path(folder))
    planning = cost_of_planning(project.root, project.scale)
    spent = sum(stage.least for stage in found.stages.values()) - found.compilation + planning
    title = f"Snakemake's planning and the start of {jobs} jobs, share of the CPU time {of}"
    yield goal("start_up", title, (fixed + planning) / spent, 0.1)
    longest = max((stage.longest for stage in found.stages.values()), key=lambda job: job.wall)
    yield goal("longest_job", f"Longest job {of} ({longest.title}), wall time over 90 s", longest.wall / LONGEST, 1.0)
    busy = sum(job.wall for job in jobs_of(project)) / seconds_of(project)
    yield goal("two_cores", f"Jobs at a time on two cores {of}, on average", busy, 1.8, "more", unit="jobs")
    sizes = [stage.largest for stage in found.stages.values() if stage.largest]
    largest = max(sizes, key=lambda job: job.megabytes or 0.0)
    title = f"Largest memory of a job {of} ({largest.title}), proportional set size as Snakemake samples it"
    yield goal("memory", title, largest.megabytes or 0.0, MEGABYTES, unit="MB")
    for part in found.parts:
        if part.budget:
            name = "pages" if part.name == PAGES else part.name
            yield goal(f"budget_{name}", f"CPU time of {part.name} {of} over its budget", part.most / part.budget, 1.0)


def wall(project: Project) -> Entry:
    """Wall time of a run over what is required."""
    required, target = WALL[project.scale]
    title = f"Scale {project.scale} on two cores, from its first job to its last, over {required / 60:g} min"
    share = seconds_of(project) / required
    return goal(f"wall_{project.scale}", title, share, 1.0, target=target and target / required)


def seconds_of(project: Project) -> float:
    """Wall seconds from the start of the first job to the end of the last one, according to the benchmark files."""
    folder = project.root / "results" / project.scale / "benchmarks"
    spans = [((folder / job.name).stat().st_mtime, job.wall) for job in jobs_of(project)]
    return max(end for end, _ in spans) - min(end - took for end, took in spans)


def now(project: Project) -> Iterator[Entry]:
    """Goals that are measured directly."""
    yield goal("nothing_to_do", f"Run of the scale {project.scale} that has nothing to do, wall time over 5 s",
                 min(idle(project) for _ in range(2)) / IDLE, 1.0)  # fmt: skip
    curve, extra = more_seeds(project)
    title = f"CPU time that 10 % more seeds add to simulating a curve ({curve.experiment}, {curve.algorithm})"
    yield goal("more_seeds", title, extra, 0.15)


def idle(project: Project) -> float:
    """Wall seconds of a run with nothing to do; Unfit if there is something to do."""
    if "Nothing to be done" not in snakemake(project.root, project.scale, 2, "--dry-run")[1]:
        raise Unfit(f"{project.root}: there is something to do")
    seconds, said = snakemake(project.root, project.scale, 2)
    if "Nothing to be done" not in said:
        raise Unfit(f"{project.root}: there was something to do")
    return seconds


def snakemake(folder: Path, scale: str, cores: int, *targets: str) -> tuple[float, str]:
    """Wall seconds and output of a run in a project; Unfit with the last lines of output if it failed."""
    command = ["snakemake", *targets, "--cores", str(cores), "--config", f"scale={scale}"]
    start = time.perf_counter()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603 - our own
    seconds, said = time.perf_counter() - start, done.stdout + done.stderr
    if done.returncode:
        raise Unfit(f"snakemake in {folder}: {' '.join(said.split())[-300:]}")
    return seconds, said


def more_seeds(project: Project) -> tuple[Curve, float]:
    """A curve, and the relative growth of its CPU time with a tenth more seeds."""
    every = [c for p in project.papers.values() for c in every_curve(project, p) if not c.bound]
    printed = [c for c in every if c.calibration == "printed"]

    def seconds(curve: Curve) -> float:
        return replace(curve, seeds=SEEDS, chunk=SEEDS).seconds_per_chunk

    curve = min(printed, key=lambda each: abs(seconds(each) - SECONDS))
    noise: list[Mapping[str, float]] = [{} for _ in curve.points]
    counts = (SEEDS, SEEDS + SEEDS // 10)
    run_seeds(curve, 0, range(1), noise)
    best = dict.fromkeys(counts, float("inf"))
    for _ in range(TURNS):
        for count in counts:
            start = time.process_time()
            run_seeds(curve, 0, range(count), noise)
            best[count] = min(best[count], time.process_time() - start)
    return curve, best[counts[1]] / best[counts[0]] - 1.0


if __name__ == "__main__":
    main()
