"""Stage report: records, figures and benchmark files in, one self-contained page out."""

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from dpbandits.experiments.config import Paper
from dpbandits.report.page import Costs, Section, page
from dpbandits.storage import read_json, write_text


def report(
    papers: Sequence[Paper],
    scale: str,
    claims: Mapping[str, Path],
    audits: Mapping[str, Path],
    figures: Mapping[str, Path],
    benchmarks: Iterable[Path],
    compiled: Iterable[Path],
    out: Path,
) -> None:
    """Write the report.

    Parameters
    ----------
    claims, audits, figures : by paper: its records of both kinds, and the folder of its figures.
    benchmarks : Snakemake's benchmark files of this scale; those of jobs that another scale ran are missing.
    compiled : what the stage simulate noted about compiling kernels.
    """
    sections = [
        Section(
            paper=paper,
            records=read_json(claims[paper.key])["records"],
            measurements=read_json(claims[paper.key])["measurements"],
            audits=read_json(audits[paper.key])["records"],
            figures={
                (name, calibration): figures[paper.key] / f"{name}-{calibration}.svg"
                for name, section in paper.figures.items()
                for calibration in section["calibrations"]
            },
            notebook=f"../notebooks/{paper.key}.html",
        )
        for paper in papers
    ]
    write_text(out, page(sections, scale, costs(benchmarks, compiled)))


def costs(benchmarks: Iterable[Path], compiled: Iterable[Path]) -> Costs:
    """Sum the benchmark files by stage."""
    stages: dict[str, tuple[int, float]] = {}
    for path in benchmarks:
        if not path.is_file():
            continue
        stage = path.parts[path.parts.index("benchmarks") + 1]
        with path.open(encoding="utf-8") as lines:
            times = [row["cpu_time"] for row in csv.DictReader(lines, delimiter="\t")]
        jobs, total = stages.get(stage, (0, 0.0))
        stages[stage] = (jobs + 1, total + sum(float(seconds) for seconds in times if seconds != "NA"))
    return Costs(stages, sum(json.loads(path.read_text(encoding="utf-8"))["seconds"] for path in compiled))
