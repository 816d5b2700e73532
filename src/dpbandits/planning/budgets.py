"""CPU seconds, kernels compiled, that the parts of a replication may take."""

from dpbandits.config.loading import Project
from dpbandits.config.models.experiments import scale_of

AUDIT = "audit"
PAGES = "notebooks and report"
SHARED = {
    AUDIT: {"smoke": 10.0, "quick": 40.0, "full": 600.0},
    PAGES: {"smoke": 30.0, "quick": 60.0, "full": 60.0},
}
"""Budgets of the parts that all papers share, by scale; that of a paper is in its YAML."""


def budgets(project: Project) -> dict[str, float]:
    """Budget of every part at the project's scale; a paper whose YAML gives none is left out."""
    papers = project.papers.items()
    own = {key: paper.cpu_budget.at(project.scale) for key, paper in papers if paper.cpu_budget is not None}
    return own | {part: by_scale[scale_of(project.scale)] for part, by_scale in SHARED.items()}


def part_of(job: str) -> str:
    """The part of a job, given the name of its benchmark file."""
    stage, *inner = job.removesuffix(".tsv").split("/")
    if stage in ("audit", "collect"):
        return AUDIT
    return PAGES if stage in ("draw", "render", "report") else inner[0]
