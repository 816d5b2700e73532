"""Snakemake's benchmark files: how long jobs took."""

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path


def measured(folder: Path, names: Iterable[str]) -> Iterator[tuple[str, float, float]]:
    """Name, wall and CPU seconds of every job; those of jobs that another scale ran have no file and are left out.

    Parameters
    ----------
    names : of files in the folder, `<rule>/...tsv`.
    """
    for name in names:
        path = folder / name
        if not path.is_file():
            continue
        with path.open(encoding="utf-8") as lines:
            rows = [(seconds(row["s"]), seconds(row["cpu_time"])) for row in csv.DictReader(lines, delimiter="\t")]
        yield name, sum(wall for wall, _ in rows), sum(cpu for _, cpu in rows)


def seconds(text: str) -> float:
    """Zero where the job was too short to be measured."""
    return 0.0 if text in ("NA", "-") else float(text)
