"""Read Snakemake's benchmark files: the time and memory of each job.

Snakemake samples the CPU time and memory of a job's processes at the start, every 0.5 s during the first 15 s, and
every 30 s afterwards. Usage after the last sample is missing; wall times are exact.
"""

import csv
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from dpbandits.base.storage import DamagedFile
from dpbandits.report.costs import Job

COMPILED = re.compile(r"^compiled or loaded \S+ in ([0-9.]+) s$", re.M)
"""How the stage simulate reports in a job's log that a kernel was compiled or loaded."""


def measured(folder: Path, names: Iterable[str]) -> Iterator[Job]:
    """Yield the measurements of each job; jobs without a file, because another scale ran them, are skipped.

    Parameters
    ----------
    names : file names in the folder, `<rule>/...tsv`.

    Raises
    ------
    DamagedFile
        A file is not a Snakemake benchmark file.
    """
    for name in names:
        path = folder / name
        if not path.is_file():
            continue
        try:
            with path.open(encoding="utf-8") as lines:
                rows = list(csv.DictReader(lines, delimiter="\t"))
            yield from (Job(name, float(row["s"]), number(row["cpu_time"]), megabytes(row["max_pss"])) for row in rows)
        except (KeyError, TypeError, ValueError, csv.Error):
            raise DamagedFile(f"{path}: is not a benchmark file. Delete it and run again.") from None


def number(text: str) -> float | None:
    """Parse a number; None if the job was too short to be measured."""
    return None if text in ("NA", "-") else float(text)


def megabytes(text: str) -> float | None:
    """Convert a field from mebibytes, Snakemake's unit, to megabytes; None if the job was too short to be measured."""
    found = number(text)
    return None if found is None else found * 2**20 / 1e6


def compiling(logs: Path, scale: str, job: str) -> float:
    """CPU seconds that a job spent compiling kernels, from its log; 0 without a log.

    Parameters
    ----------
    logs : folder with the logs of all stages and scales.
    """
    stage, _, inner = job.removesuffix(".tsv").partition("/")
    log = logs / stage / scale / f"{inner}.log"
    text = log.read_text(encoding="utf-8", errors="replace") if log.is_file() else ""
    return sum(map(float, COMPILED.findall(text)))
