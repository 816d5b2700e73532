"""CPU seconds, kernels compiled, that the parts of a replication may take: fixed before they were measured."""

AUDIT = "audit"
PAGES = "notebooks and report"
BUDGETS = {
    "hanna2022": {"smoke": 10.0, "quick": 60.0, "full": 600.0},
    "chowdhury2022": {"smoke": 15.0, "quick": 80.0, "full": 1200.0},
    "hu2021": {"smoke": 15.0, "quick": 80.0, "full": 900.0},
    "chen2020": {"smoke": 15.0, "quick": 120.0, "full": 2400.0},
    "han2021": {"smoke": 15.0, "quick": 120.0, "full": 2700.0},
    AUDIT: {"smoke": 10.0, "quick": 40.0, "full": 600.0},
    PAGES: {"smoke": 30.0, "quick": 60.0, "full": 60.0},
}
"""By part and scale. That of a paper is for calibrating, simulating, aggregating and judging."""


def part_of(job: str) -> str:
    """The part of a job, given the name of its benchmark file."""
    stage, *inner = job.removesuffix(".tsv").split("/")
    if stage == "audit":
        return AUDIT
    return PAGES if stage in ("render", "report") else inner[0]
