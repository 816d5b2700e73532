"""Budgets of the parts of a replication, in CPU seconds with kernels compiled."""

from dpbandits.config.loading import Project
from dpbandits.config.models.experiments import scale_of

AUDIT = "audit"
PAGES = "notebooks and report"
SHARED = {
    AUDIT: {"smoke": 10.0, "quick": 40.0, "full": 600.0},
    PAGES: {"smoke": 30.0, "quick": 60.0, "full": 60.0},
}
"""Budgets of the parts shared by all papers, by scale; each paper's own budget is in its YAML."""


def budgets(project: Project) -> dict[str, float]:
    """Budget of each part at the project's scale; papers whose YAML states no budget are left out."""
    papers = project.papers.items()
    own = {key: paper.cpu_budget.at(project.scale) for key, paper in papers if paper.cpu_budget is not None}
    return own | {part: by_scale[scale_of(project.scale)] for part, by_scale in SHARED.items()}


def part_of(job: str) -> str:
    """Part that a job belongs to, given the name of its benchmark file."""
    stage, *inner = job.removesuffix(".tsv").split("/")
    if stage in ("audit", "collect"):
        return AUDIT
    return PAGES if stage in ("draw", "render", "report") else inner[0]
