"""Stage draw: draw figures of a paper from its tables and records."""

from collections.abc import Sequence
from pathlib import Path

from dpbandits.config.loading import Paper
from dpbandits.figures.drawings import save
from dpbandits.figures.results import read_results
from dpbandits.stages.quarantine import demand_whole


def draw(paper: Paper, names: Sequence[str], tables: Path, claims: Path, audits: Path, figures: Path) -> None:
    """Write the named figures of a paper, at all of their calibrations, as SVG.

    Raises
    ------
    DamagedFile
        Tables are damaged. They are quarantined, so that the next run recomputes them.
    """
    demand_whole(tables / f"{name}.summary.parquet" for name in paper.shown_by(names))
    results = read_results(paper, tables, claims, audits, figures)
    for name in names:
        save(results, name)
