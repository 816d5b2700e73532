"""Measure how the cost of planning grows with the number of papers.

Copies of the project contain the papers several times under other keys. Each measurement covers two commands:
Snakemake's plan of all jobs of a new run, with a configuration that is already checked, and the start of Snakemake on a
cluster node that runs one job. It records CPU seconds on the reference machine, and the peak memory of the process.

Measure in an environment without Snakemake's plugin for SLURM, such as that of `make bench`. The plugin imports pandas
in every process, which adds 0.4 s and 90 MB.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from string import ascii_lowercase

import yaml

from benchmarks import ROOT
from benchmarks.growth import grown, of_memory
from benchmarks.record import Entry, goal
from benchmarks.timing import with_slowness

TIMES = (1, 10, 30, 100)
MADE_OF = ("Snakefile", "workflow", "profiles", "config", "docs", "src")
SINGLE = ("environment.yml", "CITATION.cff", "LICENSE", "requirements.lock", "pyproject.toml")
OF_A_PAPER = ("config/papers", "config/allocations", "config/pilots", "src")
"""Folders whose files or folders are named after papers."""
SECONDS = {10: 15.0, 30: 45.0, 100: 180.0}
"""Largest allowed CPU seconds of a plan of the scale quick, by number of copies of the papers."""
MEGABYTES = {10: 300.0, 100: 2000.0}
"""Largest allowed memory of such a plan."""
PAPERS = 5
SETTING = "from nothing, the configuration checked"
KNOWN = "from pathlib import Path; from dpbandits.planning.planning_cache import keep, recall; keep(recall(Path()), {})"
JOB = "simulate_hanna2022_0"
PLAN = ("--dry-run", "--cores", "1", "--logger", "dpbandits")
COMMANDS = {
    "plan_quick": ("Plan of the scale quick", (*PLAN, "--config", "scale=quick")),
    "plan_full": ("Plan of the scale full", (*PLAN, "--config", "scale=full")),
    "node": (
        "Start of a job on a node",
        (*PLAN, "--mode", "remote", "--target-jobs", f"{JOB}:", "--allowed-rules", JOB, "--config", "scale=full"),
    ),
}
MOST = {"plan_full": 30}
"""Most copies of the papers that a command is measured with: a plan of 41,000 jobs would take as long as all others."""
TURNS, SHORT = 3, 10
"""Measurements of a command, of which the fastest counts, with up to so many copies; with more, nodes alone repeat."""
STARTER = """import os, sys
silent = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=silent)
_, status, used = os.wait4(child, 0)
print(used.ru_utime + used.ru_stime, used.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status) % 256)"""
"""Process that starts a command and reports its cost."""


@dataclass(frozen=True)
class Cost:
    """CPU seconds and peak memory of a process."""

    seconds: float
    megabytes: float


def copies(times: int, folder: Path) -> list[str]:
    """Write a project that contains every paper `times` times, and return all keys."""
    for name in MADE_OF:
        source = ROOT / name
        copy = shutil.copytree if source.is_dir() else shutil.copy
        copy(source, folder / name, **({"ignore": shutil.ignore_patterns("__pycache__")} if source.is_dir() else {}))
    for name in SINGLE:
        shutil.copy(ROOT / name, folder / name)
    keys = sorted(path.stem for path in (ROOT / "config/papers").glob("*.yaml"))
    found = {key: [key, *renamed(key, times - 1)] for key in keys}
    for path in [path for place in OF_A_PAPER for path in sorted((folder / place).rglob("*")) if path.stem in keys]:
        for new in found[path.stem][1:]:
            target = path.with_name(new + path.suffix)
            if path.is_dir():
                shutil.copytree(path, target)
            else:
                target.write_text(path.read_text(encoding="utf-8").replace(path.stem, new), encoding="utf-8")
    every = [key for group in found.values() for key in group]
    settings = folder / "config/config.yaml"
    record = yaml.safe_load(settings.read_text(encoding="utf-8")) | {"papers": every}
    settings.write_text(yaml.safe_dump(record), encoding="utf-8")
    return every


def renamed(key: str, count: int) -> list[str]:
    """`count` new keys, with letters inserted before the year."""
    letters = product(ascii_lowercase, repeat=2)
    return [f"{key[:-4]}{''.join(next(letters))}{key[-4:]}" for _ in range(count)]


def cost(command: Sequence[str], folder: Path) -> Cost:
    """Cost of a command in a project, with the package of that project.

    A small process starts the command, because Linux counts the memory of the starting process as memory of the new
    one.
    """
    environment = {**os.environ, "PYTHONPATH": str(folder / "src"), "OPENBLAS_NUM_THREADS": "1"}
    process = subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-I", "-S", "-c", STARTER, *command],
        cwd=folder,
        env=environment,
        capture_output=True,
        check=False,
    )
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)}: {process.stderr.decode(errors='replace')[-500:]}")
    seconds, kilobytes = process.stdout.split()
    return Cost(float(seconds), int(kilobytes) / 1000)


def timed(command: Sequence[str], folder: Path) -> Cost:
    """Like `cost`, in seconds of the reference machine."""
    found, slow = with_slowness(partial(cost, command, folder))
    return Cost(found.seconds / slow, found.megabytes)


def measured(times: Sequence[int] = TIMES) -> dict[str, list[Cost]]:
    """Cost of each command, by name, for each number of copies in `times`."""
    found: dict[str, list[Cost]] = {name: [] for name in COMMANDS}
    for count in times:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            keys = copies(count, folder)
            (folder / ".snakemake").mkdir()
            cost([sys.executable, "-c", KNOWN.replace("{}", repr(keys))], folder)
            commands = {name: [sys.executable, "-m", "snakemake", *options] for name, (_, options) in COMMANDS.items()}
            cost(commands["plan_quick"], folder)  # finds the digests of sources, which later commands read
            for name, command in commands.items():
                if count <= MOST.get(name, count):
                    repeated = name == "node" or count <= SHORT
                    turns = [timed(command, folder) for _ in range(TURNS if repeated else 1)]
                    found[name].append(min(turns, key=lambda each: each.seconds))
    return found


def lines(found: Mapping[str, Sequence[Cost]], times: Sequence[int]) -> list[Entry]:
    """The entries of the record's growth: CPU time and memory over those with the papers as they are."""
    entries = []
    for name, costs in found.items():
        about, places = (name, COMMANDS[name][0]), [PAPERS * count for count in times[: len(costs)]]
        entries += [
            grown(*about, "papers", SETTING, places, [each.seconds for each in costs]),
            grown(*about, of_memory("papers"), SETTING, places, [each.megabytes for each in costs]),
        ]
    return entries


def goals(found: Mapping[str, Sequence[Cost]], times: Sequence[int]) -> list[Entry]:
    """Goal entries of the record, for the numbers of papers that were measured."""
    entries = []
    plans = dict(zip(times, found["plan_quick"], strict=True))
    for count, seconds in SECONDS.items():
        if count in plans:
            title = f"Plan of the scale quick with {count} times the papers, CPU time over {seconds:g} s"
            entries.append(goal(f"plan_{count}", title, plans[count].seconds / seconds, 1.0))
    for count, most in MEGABYTES.items():
        if count in plans:
            title = f"Memory of that plan with {count} times the papers, over {most:,g} MB"
            entries.append(goal(f"plan_memory_{count}", title, plans[count].megabytes / most, 1.0))
    first, *_, last = found["node"]
    title = f"Start of a job on a node with {times[-1]} times the papers, CPU time over that with one of each"
    return [*entries, goal("node", title, last.seconds / first.seconds, 1.2)]


def text(found: Mapping[str, Sequence[Cost]], times: Sequence[int]) -> str:
    """Table for a terminal: one row per command, one column per number of papers."""
    heads = "".join(f"{f'{count}x':>18}" for count in times)
    rows = [f"{'':26}{heads}"]
    for name, costs in found.items():
        cells = "".join(f"{each.seconds:8.1f} s{each.megabytes:5.0f} MB" for each in costs)
        rows.append(f"{COMMANDS[name][0]:26}{cells}")
    return "\n".join(rows)
