"""Snakemake's benchmark files: how long jobs took, and what they used.

Of a job's processes Snakemake reads CPU time and memory at the start, every half second for its first 15 seconds, and
every 30 seconds from then on. What a job does after the last reading is not in them; its wall seconds are exact.
"""

import csv
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from dpbandits.base.storage import DamagedFile
from dpbandits.report.costs import Job

COMPILED = re.compile(r"^compiled or loaded \S+ in ([0-9.]+) s$", re.M)
"""What the stage simulate says of a kernel in the log of a job."""


def measured(folder: Path, names: Iterable[str]) -> Iterator[Job]:
    """What is known of every job; one without a file, as another scale ran it, is left out.

    Parameters
    ----------
    names : of files in the folder, `<rule>/...tsv`.

    Raises
    ------
    DamagedFile
        A file is not what Snakemake writes.
    """
    for name in names:
        path = folder / name
        if not path.is_file():
            continue
        with path.open(encoding="utf-8") as lines:
            rows = list(csv.DictReader(lines, delimiter="\t"))
        try:
            yield from (Job(name, float(row["s"]), number(row["cpu_time"]), megabytes(row["max_pss"])) for row in rows)
        except (KeyError, TypeError, ValueError):
            raise DamagedFile(f"{path}: is not a benchmark file. Delete it and run again.") from None


def number(text: str) -> float | None:
    """Nothing where the job was too short to be measured."""
    return None if text in ("NA", "-") else float(text)


def megabytes(text: str) -> float | None:
    """Convert a field in mebibytes, as Snakemake writes it; None where the job was too short to be measured."""
    found = number(text)
    return None if found is None else found * 2**20 / 1e6


def compiling(logs: Path, scale: str, job: str) -> float:
    """CPU seconds that a job spent on compiling kernels, from its log; none where it has no log.

    Parameters
    ----------
    logs : folder of the logs of all stages and scales.
    """
    stage, _, inner = job.removesuffix(".tsv").partition("/")
    log = logs / stage / scale / f"{inner}.log"
    text = log.read_text(encoding="utf-8", errors="replace") if log.is_file() else ""
    return sum(map(float, COMPILED.findall(text)))
