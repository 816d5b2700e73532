"""Cost of a run: by stage, by part against its budget, and along the longest chain of jobs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter

from dpbandits.planning.benchmarks import Plan
from dpbandits.planning.budgets import AUDIT, PAGES, part_of

OFTEN = 15.0
"""Initial seconds of a job during which Snakemake samples its resource use every half second."""
SOON, LATE = 1.0, 31.0
"""CPU seconds that sampling can miss at the end of a job: if it ended within `OFTEN` seconds, and if later.

They are the pause between two readings, plus half a second or more for the readings themselves.
"""


@dataclass(frozen=True)
class Job:
    """A job, by the name of its benchmark file.

    Attributes
    ----------
    wall : wall seconds.
    sampled : CPU seconds at the last reading; None if there was none.
    megabytes : peak sampled memory of all its processes, in MB; a page shared by n processes counts 1/n in each.
    """

    name: str
    wall: float
    sampled: float | None
    megabytes: float | None

    @property
    def title(self) -> str:
        """Job title, such as `simulate/hanna2022/3`."""
        return self.name.removesuffix(".tsv")

    @property
    def stage(self) -> str:
        """Stage, such as `simulate`."""
        return self.title.partition("/")[0]

    @property
    def least(self) -> float:
        """Lower bound on the CPU seconds used."""
        return self.sampled or 0.0

    @property
    def most(self) -> float:
        """Upper bound on the CPU seconds used: one thread, as in jobs of the scales, since the last reading."""
        if self.sampled is None:
            return self.wall
        return max(self.sampled, min(self.wall, self.sampled + (SOON if self.wall < OFTEN else LATE)))


@dataclass(frozen=True)
class Stage:
    """Jobs of a stage: CPU seconds, the job with the longest wall time, and the one with the largest memory."""

    jobs: int
    least: float
    most: float
    longest: Job
    largest: Job | None


@dataclass(frozen=True)
class Part:
    """A part of the replication, in CPU seconds without kernel compilation.

    `missing` of its `jobs` were not measured; `budget` is None if the part has none.
    """

    name: str
    least: float
    most: float
    jobs: int
    missing: int
    budget: float | None

    @property
    def verdict(self) -> str:
        """`met`, `over`, `open` (readings too coarse or missing), or empty without a budget."""
        if self.budget is None:
            return ""
        if self.least > self.budget:
            return "over"
        return "met" if self.most <= self.budget and not self.missing else "open"


@dataclass(frozen=True)
class Costs:
    """Measured cost of a run; `chain` is the longest chain of jobs, `wall` the sum of wall time over all jobs."""

    stages: Mapping[str, Stage]
    parts: Sequence[Part]
    chain: Sequence[Job]
    wall: float
    missing: int
    compilation: float

    @property
    def chained(self) -> float:
        """Wall seconds of the longest chain."""
        return sum(job.wall for job in self.chain)


def costs(plan: Plan, jobs: Iterable[Job], compiling: Mapping[str, float], budgets: Mapping[str, float]) -> Costs:
    """Sum up the costs of jobs.

    Parameters
    ----------
    plan : all jobs, including those that were not measured.
    compiling : CPU seconds of kernel compilation by job.
    budgets : CPU seconds by part.
    """
    found = {job.name: job for job in jobs}
    walls = {name: job.wall for name, job in found.items()}
    parts = sorted(dict.fromkeys(map(part_of, plan)), key=lambda name: (name == PAGES, name == AUDIT))
    stages: dict[str, list[Job]] = {}
    for job in found.values():
        stages.setdefault(job.stage, []).append(job)
    return Costs(
        {name: stage_of(each) for name, each in stages.items()},
        [part(name, plan, found, compiling, budgets.get(name)) for name in parts],
        [found[name] for name in longest_chain(plan, walls) if name in found],
        sum(walls.values()),
        len(set(plan) - set(found)),
        sum(compiling.values()),
    )


def stage_of(jobs: Sequence[Job]) -> Stage:
    """Cost of the jobs of a stage."""
    return Stage(
        len(jobs),
        sum(job.least for job in jobs),
        sum(job.most for job in jobs),
        max(jobs, key=lambda job: job.wall),
        max((job for job in jobs if job.megabytes), key=lambda job: job.megabytes or 0.0, default=None),
    )


def part(name: str, plan: Plan, found: Mapping[str, Job], compiling: Mapping[str, float], budget: float | None) -> Part:
    """Cost of a part, by name."""
    own = [job for job in plan if part_of(job) == name]
    compiled = sum(compiling.get(job, 0.0) for job in own)
    return Part(
        name,
        max(sum(found[job].least for job in own if job in found) - compiled, 0.0),
        max(sum(found[job].most for job in own if job in found) - compiled, 0.0),
        len(own),
        sum(job not in found for job in own),
        budget,
    )


def longest_chain(plan: Plan, seconds: Mapping[str, float]) -> list[str]:
    """Chain of jobs, each waiting for the previous one, with the longest total time. Unmeasured jobs count as 0 s."""
    totals: dict[str, float] = {}
    before: dict[str, str | None] = {}
    for name in TopologicalSorter(plan).static_order():
        before[name] = max(plan[name], key=totals.__getitem__, default=None)
        totals[name] = seconds.get(name, 0.0) + totals.get(before[name] or "", 0.0)
    chain: list[str] = []
    last = max(totals, key=totals.__getitem__, default=None)
    while last is not None:
        chain.append(last)
        last = before[last]
    return chain[::-1]
