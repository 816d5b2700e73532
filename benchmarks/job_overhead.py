"""Measure the start-up share of a scale's simulations, and the cost of a run.

    python -m benchmarks.job_overhead [--scale full] [--paper KEY]

The script measures CPU time, the best of several: one run of every curve (in this process, with compiled kernels), the
fixed cost of a job (a process that simulates two seeds), and Snakemake's planning. It prints a table and, as its last
line, JSON. The milliseconds in the table are those for `milliseconds` in the configuration; `seconds_per_job` must keep
the share small. With `--paper` it prints only the table of that paper.
"""

import argparse
import json
import resource
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import yaml

from benchmarks import ROOT
from dpbandits.config.curves import Curve
from dpbandits.config.grid import every_curve
from dpbandits.config.loading import SCALES, Project, load_project
from dpbandits.planning import dependencies
from dpbandits.planning.bundles import chunks_of, simulations
from dpbandits.planning.planning_cache import keep, recall
from dpbandits.stages.calibrate import calibrate
from dpbandits.stages.simulate import certified_noise, run_seeds

REPEATS = 3
SECONDS = 0.5  # of one repetition


def cpu_seconds(command: list[str], folder: Path) -> float:
    """User and system time of a command and its child processes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, check=True, capture_output=True)  # noqa: S603 - our own command
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def cost_of_a_run(curve: Curve, scratch: Path) -> float:
    """CPU seconds of one run, averaged over points and seeds."""
    if curve.calibration == "certified":
        calibrate(curve, "", scratch / curve.noise_name)
    noise = certified_noise(curve, scratch / curve.noise_name)
    seeds = max(2, round(1000.0 * SECONDS / (len(curve.points) * curve.replicates * curve.milliseconds)))
    run_seeds(curve, 0, range(1), noise)
    best = float("inf")
    for _ in range(REPEATS):
        start = time.process_time()
        run_seeds(curve, 0, range(seeds), noise)
        best = min(best, time.process_time() - start)
    return best / (seeds * len(curve.points) * curve.replicates)


def cost_of_a_job(folder: Path) -> float:
    """CPU seconds of a process that simulates two seeds of the cheapest curve, in a copy of the configuration.

    As in a workflow, the configuration is already checked and the source digests are known.
    """
    folder = folder.resolve()
    shutil.copytree(ROOT / "config", folder / "config")
    for path in (folder / "config/papers").glob("*.yaml"):
        record = yaml.safe_load(path.read_text(encoding="utf-8"))
        for section in record["experiments"].values():
            section["size"]["smoke"] = {"seeds": 2, "chunk": 2}
        path.write_text(yaml.safe_dump(record), encoding="utf-8")
    project = load_project(folder, {"scale": "smoke"})
    paper = next(iter(project.papers.values()))
    printed = [curve for curve in every_curve(project, paper) if curve.calibration == "printed" and not curve.bound]
    chunk = chunks_of([min(printed, key=lambda curve: curve.seconds_per_chunk)])[0]
    planning = recall(folder)
    dependencies.digest(dependencies.simulate(chunk.curve))
    keep(planning, project.papers)
    command = [
        "dpbandits",
        "simulate",
        paper.key,
        chunk.name,
        "--noise",
        "noise",
        "--out",
        "curves",
        "--receipts",
        "runs",
    ]

    def once() -> float:
        shutil.rmtree(folder / "curves", ignore_errors=True)
        return cpu_seconds(command, folder)

    return min(once() for _ in range(REPEATS))


def cost_of_planning(folder: Path, scale: str) -> float:
    """CPU seconds of Snakemake to plan all jobs of a scale in a project without any earlier planning."""
    plan = ["snakemake", "--cores", "1", "--dry-run", "--forceall", "--quiet", "all", "--config", f"scale={scale}"]

    def once() -> float:
        recall(folder).file.unlink(missing_ok=True)
        return cpu_seconds(plan, folder)

    return min(once() for _ in range(REPEATS))


def costs_of_runs(project: Project, scratch: Path) -> float:
    """CPU seconds of all runs; prints one line per curve."""
    work = 0.0
    print(f"{'curve':85} {'ms a run':>9} {'configured':>11} {'s in all':>9}", flush=True)
    for paper in project.papers.values():
        for curve in [each for each in every_curve(project, paper) if not each.bound]:
            cost = cost_of_a_run(curve, scratch)
            whole = cost * curve.seeds * len(curve.points) * curve.replicates
            work += whole
            name = f"{curve.experiment}/{curve.folder}"
            print(f"{name:85} {1e3 * cost:9.3f} {curve.milliseconds:11.3f} {whole:9.1f}", flush=True)
    return work


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--scale", choices=SCALES, default="full")
    parser.add_argument("--paper", metavar="KEY", help="measure the runs of this paper alone")
    given = parser.parse_args()
    project = load_project(ROOT, {"scale": given.scale}, only=given.paper)
    with tempfile.TemporaryDirectory() as scratch:
        work = costs_of_runs(project, Path(scratch))
        if given.paper:
            return
        fixed = cost_of_a_job(Path(scratch))
        planning = cost_of_planning(ROOT, given.scale)
    jobs = sum(len(simulations(project, paper)) for paper in project.papers.values())
    overhead = jobs * fixed + planning
    print(
        f"fixed cost of a job {fixed:.2f} CPU s, Snakemake's planning {planning:.2f} CPU s, simulation {work:.1f} CPU s"
    )
    print(f"start-up and Snakemake: {100 * overhead / (overhead + work):.1f} %")
    print(json.dumps({"scale": given.scale, "jobs": jobs, "share": round(overhead / (overhead + work), 3)}))


if __name__ == "__main__":
    main()
