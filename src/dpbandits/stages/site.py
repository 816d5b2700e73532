"""Build the pages of the committed results, for a fresh clone or a static web host."""

import tempfile
from pathlib import Path

from dpbandits.config.loading import Project
from dpbandits.config.plain_yaml import ConfigError
from dpbandits.planning.benchmarks import plan
from dpbandits.planning.budgets import budgets
from dpbandits.planning.documents import documents
from dpbandits.stages.collect import write_table
from dpbandits.stages.report import report
from dpbandits.text.speed import RATIOS


def site(project: Project, out: Path) -> None:
    """Write the pages of all papers that have committed results at the scale `full`.

    Raises
    ------
    ConfigError
        No paper has committed results.
    """
    figures = {key: project.root / f"figures/{key}" for key in project.papers}
    papers = [paper for key, paper in project.papers.items() if (figures[key] / "data/claims.json").is_file()]
    if not papers:
        raise ConfigError("figures: has no committed results of these papers. Run `make full` first.")
    ratios = project.root / RATIOS
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "audit.csv"
        write_table([figures[paper.key] / "data/audit.json" for paper in papers], table)
        report(
            papers,
            "full",
            project.root_seed,
            {paper.key: figures[paper.key] / "data/claims.json" for paper in papers},
            {paper.key: figures[paper.key] / "data/audit.json" for paper in papers},
            table,
            {paper.key: figures[paper.key] / "data" for paper in papers},
            figures,
            {},
            plan(project),
            Path(folder) / "benchmarks",
            budgets(project),
            project.root / "logs",
            ratios if ratios.is_file() else None,
            out,
            Path(folder) / "pictures",
            committed=True,
            documents=documents(project),
        )
