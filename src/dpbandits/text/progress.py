"""Describe the progress of a run: one line on a terminal, or one line per job in a log."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

SOON = 0.02
"""Part of the work after which the remaining time follows the observed speed; before, it follows the estimates."""
STAGES = (
    *("calibrate", "simulate", "audit", "aggregate", "collect", "judge", "pilot", "draw", "render", "report"),
    "certificate",
)
"""Stages in the order of a run."""
MOST = 0.95
"""Largest share of its estimate that a running job counts for."""


@dataclass(frozen=True)
class Job:
    """A running job: `simulate/hu2021/3`, its estimated seconds, and its start time."""

    title: str
    estimate: float
    began: float

    @property
    def stage(self) -> str:
        """Stage, such as `simulate`."""
        return self.title.partition("/")[0]


class Progress:
    """Progress of a run relative to its estimated work, in seconds on one core.

    Parameters
    ----------
    jobs : number of jobs of the run.
    seconds : total estimated seconds of the jobs.
    cores : number of cores that jobs run on.
    now : time of a monotonic clock in seconds, like all times here.
    """

    def __init__(self, jobs: int, seconds: float, cores: int, now: float) -> None:
        self.jobs, self.seconds, self.cores, self.began = jobs, seconds, cores, now
        self.ended, self.failed, self.worked = 0, 0, 0.0
        self.running: dict[object, Job] = {}

    def start(self, identity: object, title: str, seconds: float, now: float) -> None:
        """Record that a job has started."""
        self.running[identity] = Job(title, seconds, now)

    def end(self, identity: object, now: float, failed: bool = False) -> str:
        """Record that a job has ended, and return its log line; empty for a job that did not start."""
        job = self.running.pop(identity, None)
        if job is None:
            return ""
        self.worked += job.estimate
        if failed:
            self.failed += 1
            return f"failed: {job.title}"
        self.ended += 1
        width = len(str(self.jobs))
        counts = f"{self.ended:>{width}} of {self.jobs} jobs, {self.percent(now):>5}"
        return f"{counts}  {job.title} ({duration(now - job.began)})"

    def part(self, now: float) -> float:
        """Fraction of the work that is done; running jobs count by their elapsed time."""
        running = sum(min(now - job.began, MOST * job.estimate) for job in self.running.values())
        return min(1.0, (self.worked + running) / self.seconds) if self.seconds else 1.0

    def percent(self, now: float) -> str:
        """Fraction as text: `41 %`."""
        return f"{100 * self.part(now):.0f} %"

    def left(self, now: float) -> float:
        """Estimated seconds until the run ends."""
        part = self.part(now)
        if part < SOON:
            return (1.0 - part) * self.seconds / self.cores
        return (now - self.began) * (1.0 - part) / part

    def line(self, now: float, width: int) -> str:
        """Progress line of at most `width` characters: `simulate  34 of 231 jobs  41 %  about 12 min left  ..`."""
        stages = Counter(job.stage for job in self.running.values())
        stage = stages.most_common(1)[0][0] if stages else "waiting"
        failed = f", {self.failed} failed" if self.failed else ""
        counts = f"{self.ended} of {self.jobs} jobs{failed}"
        start = f"{stage}  {counts}  {self.percent(now)}  about {duration(self.left(now))} left"
        return fitting(start, [job.title.removeprefix(f"{stage}/") for job in self.running.values()], width)


def fitting(start: str, names: Sequence[str], width: int) -> str:
    """Line with as many names as fit, and the number of the others."""
    for shown in range(len(names), 0, -1):
        more = f" and {len(names) - shown} more" if shown < len(names) else ""
        line = f"{start}  {', '.join(names[:shown])}{more}"
        if len(line) <= width:
            return line
    return start[:width]


def duration(seconds: float) -> str:
    """Duration as text: `42 s`, `4 min 50 s`, `12 min`, `1 h 25 min`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 600:
        return f"{whole // 60} min {whole % 60} s" if whole % 60 else f"{whole // 60} min"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def planned(rules: Mapping[str, int], seconds: Mapping[str, float]) -> list[str]:
    """Table of what a run would do: jobs and CPU time of each stage, then in total.

    Parameters
    ----------
    rules : number of jobs of each rule.
    seconds : estimated seconds per job of each rule; rules without an estimate are left out.
    """
    stages: dict[str, dict[str, int]] = {stage: {} for stage in STAGES}
    for rule, count in rules.items():
        if rule in seconds:
            stages[rule.partition("_")[0]][rule] = count
    found = {stage: estimated(own, seconds) for stage, own in [*stages.items(), ("all", rules)] if own}
    rows = [("", "jobs", "CPU time")]
    rows += [(stage, f"{jobs:,}", duration(work)) for stage, (jobs, work) in found.items()]
    widths = [max(len(row[k]) for row in rows) for k in range(3)]
    return [f"{a:{widths[0]}}  {b:>{widths[1]}}  {c:>{widths[2]}}" for a, b, c in rows]


def estimated(rules: Mapping[str, int], seconds: Mapping[str, float]) -> tuple[int, float]:
    """Number of jobs with an estimate, and their total seconds, given the number of jobs of each rule."""
    counted = {rule: count for rule, count in rules.items() if rule in seconds}
    return sum(counted.values()), sum(count * seconds[rule] for rule, count in counted.items())
