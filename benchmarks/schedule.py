"""Estimate the duration of a run on more cores by list scheduling of its job times.

    python -m benchmarks.schedule RESULTS [--cores 2,8,64,512] [--times 1,10,100]

RESULTS is the folder of a finished run, such as `results/full`, with measured times, or the name of a scale, for which
times are estimated. A job starts when its dependencies have ended and a core is free; jobs with the longest remaining
chain start first. The gain is the total time of all jobs over the duration of the run. With `--times 10`, every paper
is included ten times. On a cluster, each submission takes some seconds more, which `--start` adds to each job.
"""

import argparse
import heapq
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks import ROOT
from benchmarks.pipeline import REPORT, WALL, Unfit, jobs_of, project_of
from benchmarks.record import Entry, goal, write_part
from dpbandits.config.loading import Project, load_project
from dpbandits.planning.benchmarks import Plan, plan
from dpbandits.planning.estimates import seconds_of_rules

Jobs = tuple[Mapping[str, float], Plan]
"""Seconds of each job, and the jobs that it waits for."""
CORES = (2, 8, 64, 512)
TIMES = (1, 10, 100)
PAGES = ("draw", "render")
"""Stages whose jobs the report waits for directly, and through them for all others."""
GAINS = {("quick", 64): (12.0, None), ("full", 64): (55.0, None), ("full", 512): (100.0, 150.0)}
"""Required gain and target, by scale and cores."""


@dataclass(frozen=True)
class Schedule:
    """Seconds from the first start to the last end, and the longest chain of waiting jobs, in order."""

    seconds: float
    chain: tuple[str, ...]


def scheduled(seconds: Mapping[str, float], waits: Plan, cores: int) -> Schedule:
    """Schedule of jobs on a number of cores, given the seconds and the dependencies of each job.

    Raises
    ------
    ValueError
        The dependencies have a cycle.
    """
    readers: dict[str, list[str]] = defaultdict(list)
    left = {job: len(needs) for job, needs in waits.items()}
    for job, needs in waits.items():
        for need in needs:
            readers[need].append(job)
    way = longest_ways(seconds, waits, readers)
    ready = [(-way[job], job) for job, count in left.items() if count == 0]
    heapq.heapify(ready)
    running: list[tuple[float, str]] = []
    now = 0.0
    while ready or running:
        while ready and len(running) < cores:
            _, job = heapq.heappop(ready)
            heapq.heappush(running, (now + seconds[job], job))
        now, ended = heapq.heappop(running)
        for job in readers[ended]:
            left[job] -= 1
            if left[job] == 0:
                heapq.heappush(ready, (-way[job], job))
    chain = [max(waits, key=lambda job: way[job])]
    while readers[chain[-1]]:
        chain.append(max(readers[chain[-1]], key=lambda job: way[job]))
    return Schedule(now, tuple(chain))


def longest_ways(seconds: Mapping[str, float], waits: Plan, readers: Mapping[str, Iterable[str]]) -> dict[str, float]:
    """For each job, the seconds from its start to the end of the jobs that wait for it, with unlimited cores."""
    found: dict[str, float] = {}
    unread = {job: len(list(readers.get(job, ()))) for job in waits}
    ends = [job for job, count in unread.items() if count == 0]
    while ends:
        job = ends.pop()
        found[job] = seconds[job] + max((found[each] for each in readers.get(job, ())), default=0.0)
        for need in waits[job]:
            unread[need] -= 1
            if unread[need] == 0:
                ends.append(need)
    if len(found) < len(waits):
        raise ValueError(f"jobs wait for each other: {', '.join(sorted(set(waits) - set(found)))}")
    return found


def repeated(
    seconds: Mapping[str, float], waits: Plan, times: int
) -> tuple[dict[str, float], dict[str, tuple[str, ...]]]:
    """Jobs repeated `times` times, as for papers under other keys. The report waits for all, and is one longer job."""
    copies = [f"{k}:" for k in range(times)]
    longer = {copy + job: seconds[job] for copy in copies for job in waits if job != REPORT}
    needs = {copy + job: tuple(copy + each for each in waits[job]) for copy in copies for job in waits if job != REPORT}
    longer[REPORT] = times * seconds[REPORT]
    needs[REPORT] = tuple(copy + each for copy in copies for each in waits[REPORT])
    return longer, needs


def jobs_with_ends(folder: Path) -> Jobs:
    """Jobs of a finished run with their measured wall seconds, the report last."""
    project = project_of(folder)
    return {job.name: job.wall for job in jobs_of(project)}, waits_of(project)


def estimated(scale: str) -> Jobs:
    """Jobs of a scale of this project with their estimated seconds, the report last."""
    project = load_project(ROOT, {"scale": scale})
    seconds, waits = seconds_of_rules(project), waits_of(project)
    rules = {job: job.removesuffix(".tsv").replace("/", "_") for job in waits}
    return {job: seconds[rule if rule in seconds else stage_of(job)] for job, rule in rules.items()}, waits


def stage_of(job: str) -> str:
    """Stage of a job, which is its rule name if all papers share the rule."""
    return job.partition("/")[0]


def waits_of(project: Project) -> Plan:
    """Dependencies of all jobs; the report waits for all pages."""
    waits = dict(plan(project))
    return waits | {REPORT: tuple(job for job in waits if stage_of(job) in PAGES)}


def goals(scale: str, jobs: Jobs, source: str) -> list[Entry]:
    """Goal entries of the record for a scale; `source` says where the times come from: `estimated` or `measured`."""
    seconds, waits = jobs
    whole = sum(seconds.values())
    return [
        goal(
            f"gain_{scale}_{cores}",
            f"Scale {scale} on {cores} cores over one core, by a schedule of {source} times of its jobs",
            whole / scheduled(seconds, waits, cores).seconds,
            required,
            "more",
            unit="times",
            target=target,
        )
        for (own, cores), (required, target) in GAINS.items()
        if own == scale
    ]


def table(jobs: Jobs, every: Sequence[int], times: Sequence[int]) -> str:
    """Table with one row per number of papers, one column per number of cores, and the longest chain."""
    seconds, waits = jobs
    rows = [f"{'papers':>8} {'jobs':>7} {'CPU time':>10} " + "".join(f"{f'{cores} cores':>18}" for cores in every)]
    for count in times:
        own, needs = repeated(seconds, waits, count)
        whole = sum(own.values())
        found = [scheduled(own, needs, cores).seconds for cores in every]
        cells = "".join(f"{each:9.0f} s{whole / each:6.1f}x" for each in found)
        rows.append(f"{count:7}x {len(own):7} {whole:8.0f} s {cells}")
    chain = scheduled(seconds, waits, max(every)).chain
    told = ", ".join(f"{job.removesuffix('.tsv')} {seconds[job]:.0f} s" for job in chain)
    return "\n".join([*rows, f"longest chain: {told}"])


def main() -> None:
    """Print duration and gain for each number of cores and papers, and the longest chain of jobs."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.schedule", description=main.__doc__)
    parser.add_argument("results", type=Path, help="folder of a finished run, or the name of a scale")
    parser.add_argument("--cores", type=numbers, default=CORES, metavar="N,N")
    parser.add_argument("--times", type=numbers, default=TIMES, metavar="N,N", help="so many times the papers")
    parser.add_argument("--start", type=float, default=0.0, metavar="SECONDS", help="that each job takes to start")
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="a record, into which the gains of the scale are written"
    )
    asked = parser.parse_args()
    scale, only_named = asked.results.name, str(asked.results) in WALL
    try:
        seconds, waits = estimated(scale) if only_named else jobs_with_ends(asked.results)
    except Unfit as fault:
        parser.error(str(fault))
    jobs = {job: each + asked.start for job, each in seconds.items()}, waits
    print(table(jobs, asked.cores, asked.times))
    if asked.out:
        write_part(asked.out, "pipeline", goals(scale, jobs, "estimated" if only_named else "measured"), whole=False)


def numbers(text: str) -> tuple[int, ...]:
    """Parse `2,8` as numbers."""
    return tuple(int(part) for part in text.split(","))


if __name__ == "__main__":
    main()
