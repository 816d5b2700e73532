"""Measure what a run costs a cluster: submissions by number of papers, and files that processes on nodes open.

Copies of the project contain the papers several times under other keys. The submissions of a full new run follow from
the jobs in each group and from `group-components` of `profiles/slurm`; `tests/workflow/test_profiles.py` compares them
with those that Snakemake plans. `strace` counts the files that a start of Snakemake on a node and a small job open, and
the paths that they look up. A shared disk answers each of these requests. SLURM is not needed.
"""

import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.growth import grown
from benchmarks.papers import COMMANDS, KNOWN, PAPERS, copies, cost
from benchmarks.record import Entry, goal
from dpbandits.config.curves import Curve
from dpbandits.config.grid import every_curve
from dpbandits.config.loading import Project, load_project
from dpbandits.config.plain_yaml import load_yaml
from dpbandits.planning.bundles import aggregations, audits, calibrations, chunks_of, pictures, simulations

NAME, FILES, NODE = "submissions", "files", "node"
TIMES = (1, 10, 30, 100)
PROFILE = "profiles/slurm/config.yaml"
ENDS = ("judge", "render")
"""Jobs of a paper that follow its tables, besides those that draw figures."""
MOST = {NODE: 4000, "job": 2000}
"""Largest number of files that a start of Snakemake and a small job may open."""
TITLES = {NODE: "Start of Snakemake on a node", "job": "Small job of simulate"}
NAMED = re.compile(rb'^(?:\d+ +)?(\w+)\(.*?"([^"]+)"')
"""A system call that names a path; one that names an open file has an empty path."""


Submissions = Mapping[str, Sequence[int]]
"""Jobs of each submission, by group."""


class NotMeasured(Exception):
    """A requirement of a measurement is missing; the message is one line."""


@dataclass(frozen=True)
class Files:
    """Number of files opened, and of paths looked up, whether they exist or not."""

    opened: int
    asked: int


def most_jobs(folder: Path) -> dict[str, int]:
    """Largest number of jobs per submission, by group, from a project's profile."""
    profile = load_yaml(folder / PROFILE, PROFILE)
    return {group: int(most) for group, most in (each.split("=") for each in profile["group-components"])}


def groups(project: Project) -> Submissions:
    """Number of jobs of each submission of a new run, by group; the final jobs of a paper are one submission."""
    papers = project.papers.values()
    jobs = {
        "calibrate": sum(len(calibrations(project, paper)) for paper in papers),
        "simulate": sum(len(simulations(project, paper)) for paper in papers),
        "audit": len(audits(project)),
    }
    most = most_jobs(project.root)
    full = {group: divmod(count, most[group]) for group, count in jobs.items()}
    found = {group: [most[group]] * number + [rest] * (rest > 0) for group, (number, rest) in full.items()}
    ends = (len(aggregations(project, paper)) + len(pictures(project, paper)) + len(ENDS) for paper in papers)
    return found | {"paper": list(ends)}


def known_copy(times: int, folder: Path) -> None:
    """Write a project with `times` copies of the papers, whose configuration counts as checked."""
    keys = copies(times, folder)
    (folder / ".snakemake").mkdir()
    cost([sys.executable, "-c", KNOWN.replace("{}", repr(keys))], folder)


def submissions(times: int) -> Submissions:
    """Submissions of a full run with `times` copies of the papers."""
    with tempfile.TemporaryDirectory() as place:
        copies(times, Path(place))
        return groups(load_project(Path(place), {"scale": "full"}))


def files_of(trace: Iterable[bytes]) -> Files:
    """Count files and paths in the output of `strace`."""
    opened = asked = 0
    for line in trace:
        if named := NAMED.match(line):
            asked += 1
            opened += named[1] in (b"open", b"openat") and b"= -1" not in line
    return Files(opened, asked)


def smallest_chunk(folder: Path) -> tuple[str, str]:
    """Paper and name of a chunk of the cheapest curve that needs no noise."""
    project = load_project(folder, {"scale": "smoke"})
    every = [(key, curve) for key, paper in project.papers.items() for curve in every_curve(project, paper)]

    def seconds(found: tuple[str, Curve]) -> float:
        return found[1].seconds_per_chunk

    key, curve = min(((k, c) for k, c in every if c.calibration == "printed" and not c.bound), key=seconds)
    return key, chunks_of([curve])[0].name


def touched(times: Sequence[int]) -> dict[str, list[Files]]:
    """Files opened by a start of Snakemake on a node, for each number of copies in `times`, and by a small job.

    Compiled kernels and a plan exist already, as in a real run.
    """
    program = shutil.which("strace")
    if not program:
        raise NotMeasured("files: `strace` is not installed. On Debian: apt install strace")
    found: dict[str, list[Files]] = {NODE: []}
    for count in times:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            known_copy(count, folder)
            plan, start = ([sys.executable, "-m", "snakemake", *COMMANDS[name][1]] for name in ("plan_quick", "node"))
            cost(plan, folder)  # stores source digests, as before the first submission
            found[NODE].append(traced(program, start, folder))
            if count == times[0]:
                found["job"] = [traced(program, small_job(folder), folder)]
    return found


def small_job(folder: Path) -> list[str]:
    """Command of a small simulation job whose kernels and source digests exist already."""
    cost([sys.executable, "-m", "snakemake", *COMMANDS["plan_full"][1]], folder)  # stores these digests
    key, chunk = smallest_chunk(folder)
    folders = ("--noise", "noise", "--receipts", "runs", "--out")
    job = [sys.executable, "-m", "dpbandits", "--scale", "smoke", "simulate", key, chunk, *folders]
    cost([*job, "first"], folder)  # compiles kernels
    return [*job, "second"]


def traced(program: str, command: Sequence[str], folder: Path) -> Files:
    """Files and paths that a command uses, according to `strace`."""
    trace = folder / "files.trace"
    cost([program, "-f", "-e", "trace=%file", "-o", str(trace), *command], folder)
    with trace.open("rb") as lines:
        return files_of(lines)


def measured(times: Sequence[int] = TIMES) -> tuple[list[Submissions], dict[str, list[Files]]]:
    """Submissions for each number of copies in `times`, and files by process; without `strace`, a printed reason."""
    found = [submissions(count) for count in times]
    try:
        return found, touched(times)
    except NotMeasured as reason:
        print(reason, flush=True)
        return found, {}


def total(found: Submissions) -> int:
    """Number of submissions."""
    return sum(map(len, found.values()))


def lines(found: Sequence[Submissions], files: Mapping[str, Sequence[Files]], times: Sequence[int]) -> list[Entry]:
    """Growth entries of the record: submissions, and files that a node opens, by number of papers."""
    places, setting = [PAPERS * count for count in times], "scale full from nothing, profiles/slurm"
    counts = [float(total(each)) for each in found]
    entries = [grown(NAME, "Submissions to a cluster", "papers", setting, places, counts)]
    if NODE in files:
        opened = [float(each.opened) for each in files[NODE]]
        entries.append(grown(FILES, "Files that a node opens to start a job", "papers", setting, places, opened))
    return entries


def goals(found: Sequence[Submissions], files: Mapping[str, Sequence[Files]], times: Sequence[int]) -> list[Entry]:
    """Goal entries of the record, for what was measured."""
    title = f"Submissions with {times[-1]} times the papers, over so many times those with one of each"
    entries = [goal(NAME, title, total(found[-1]) / (times[-1] * total(found[0])), 1.0)]
    for name, each in files.items():
        title = f"{TITLES[name]}: files opened, over {MOST[name]:,}"
        entries.append(goal(f"files_{name}", title, each[-1].opened / MOST[name], 1.0))
    return entries


def text(found: Sequence[Submissions], files: Mapping[str, Sequence[Files]], times: Sequence[int]) -> Iterator[str]:
    """Table for a terminal: one row per number of papers, then one row per process and number of papers."""
    yield f"{'papers':>8}{'jobs':>8}{'submissions':>13}  jobs in a submission, by group"
    for count, each in zip(times, found, strict=True):
        sizes = ", ".join(f"{name} {sizes_of(own)}" for name, own in sorted(each.items()))
        yield f"{count:7}x{sum(map(sum, each.values())):8}{total(each):13}  {sizes}"
    for name, own in files.items():
        for count, each in zip(times, own, strict=False):
            yield f"{TITLES[name]}, {count}x: {each.opened:,} files opened, {each.asked:,} paths asked for"


def sizes_of(jobs: Sequence[int]) -> str:
    """Sizes of submissions in words: `15 x 6 + 1 x 2` is 15 submissions of 6 jobs and one of 2."""
    return " + ".join(f"{number} x {size}" for size, number in sorted(Counter(jobs).items(), reverse=True))
