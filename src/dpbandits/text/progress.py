"""The progress of a run in words: one line on a terminal, a line a job in a log."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

SOON = 0.02
"""Part of the work after which the time left follows the pace of the run; before, the estimates."""
STAGES = (
    *("calibrate", "simulate", "audit", "aggregate", "collect", "judge", "pilot", "draw", "render", "report"),
    "certificate",
)
"""The stages in the order of a run."""
MOST = 0.95
"""Part of its estimate that a job counts for until it has ended."""


@dataclass(frozen=True)
class Job:
    """A job that runs: `simulate/hu2021/3`, its estimated seconds, and when it began."""

    title: str
    estimate: float
    began: float

    @property
    def stage(self) -> str:
        """`simulate`."""
        return self.title.partition("/")[0]


class Progress:
    """What a run has done of its estimated work, which is given in seconds on one core.

    Parameters
    ----------
    jobs : how many jobs the run has.
    seconds : their estimated seconds together.
    cores : that jobs run on.
    now : seconds of a clock that does not jump, as all times here.
    """

    def __init__(self, jobs: int, seconds: float, cores: int, now: float) -> None:
        self.jobs, self.seconds, self.cores, self.began = jobs, seconds, cores, now
        self.ended, self.failed, self.worked = 0, 0, 0.0
        self.running: dict[object, Job] = {}

    def start(self, identity: object, title: str, seconds: float, now: float) -> None:
        """A job starts."""
        self.running[identity] = Job(title, seconds, now)

    def end(self, identity: object, now: float, failed: bool = False) -> str:
        """A job has ended: the line of a log that says so; empty for one that did not start."""
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
        """The part of the work that is done, running jobs by their time."""
        running = sum(min(now - job.began, MOST * job.estimate) for job in self.running.values())
        return min(1.0, (self.worked + running) / self.seconds) if self.seconds else 1.0

    def percent(self, now: float) -> str:
        """`41 %`."""
        return f"{100 * self.part(now):.0f} %"

    def left(self, now: float) -> float:
        """Estimated seconds until the run ends."""
        part = self.part(now)
        if part < SOON:
            return (1.0 - part) * self.seconds / self.cores
        return (now - self.began) * (1.0 - part) / part

    def line(self, now: float, width: int) -> str:
        """`simulate  34 of 231 jobs  41 %  about 12 min left  hu2021/3, han2021/0`, in at most `width` letters."""
        stages = Counter(job.stage for job in self.running.values())
        stage = stages.most_common(1)[0][0] if stages else "waiting"
        failed = f", {self.failed} failed" if self.failed else ""
        counts = f"{self.ended} of {self.jobs} jobs{failed}"
        start = f"{stage}  {counts}  {self.percent(now)}  about {duration(self.left(now))} left"
        return fitting(start, [job.title.removeprefix(f"{stage}/") for job in self.running.values()], width)


def fitting(start: str, names: Sequence[str], width: int) -> str:
    """A line with as many names as fit, and how many more there are."""
    for shown in range(len(names), 0, -1):
        more = f" and {len(names) - shown} more" if shown < len(names) else ""
        line = f"{start}  {', '.join(names[:shown])}{more}"
        if len(line) <= width:
            return line
    return start[:width]


def duration(seconds: float) -> str:
    """`42 s`, `4 min 50 s`, `12 min`, `1 h 25 min`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 600:
        return f"{whole // 60} min {whole % 60} s" if whole % 60 else f"{whole // 60} min"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def planned(rules: Mapping[str, int], seconds: Mapping[str, float]) -> list[str]:
    """What a run would do, in the lines of a table: jobs and CPU time of each stage, then of all.

    Parameters
    ----------
    rules : how many jobs each rule has.
    seconds : estimated seconds of a job of each rule; rules without them are left out.
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
    """How many jobs a run has that take time, and their seconds, given how many jobs each rule has."""
    counted = {rule: count for rule, count in rules.items() if rule in seconds}
    return sum(counted.values()), sum(count * seconds[rule] for rule, count in counted.items())
