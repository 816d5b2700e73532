"""Files that a certificate covers: results to compare, results to copy, and sources."""

from collections.abc import Iterator
from pathlib import PurePosixPath

from dpbandits.config import allocations
from dpbandits.config.loading import Project
from dpbandits.text.speed import RATIOS

METADATA = "ro-crate-metadata.json"
"""File of a certificate that lists all others with their digests."""
COMPARED = ("tables", "claims", "audit", "figures", "notebooks", "report")
"""Result folders, in the order in which they are made."""
VARYING = ("report/run.html",)
"""Results that contain run times, and therefore differ in every run."""
BETWEEN = ("audit/cells/",)
"""Folders of pieces that are combined into a result."""
FIXED = ("Snakefile", "profiles/default/config.yaml", "config/config.yaml", "config/README.md", "CITATION.cff")
LEGAL = ("LICENSE", "requirements.lock")
TOGETHER = ("claims", "speed", "growth")
"""Figures that cover all papers; the first one shows all verdicts."""


def sources(project: Project) -> list[str]:
    """Project files that a certificate copies.

    They are the workflow, configuration, pilots, notebooks, license, pins, and what its pages show besides results.
    """
    rules = (path.relative_to(project.root).as_posix() for path in (project.root / "workflow").rglob("*"))
    workflow = sorted(name for name in rules if name == "workflow/Snakefile" or name.endswith((".smk", ".rst")))
    seeds = [name for key in project.papers for name in (allocations.file_of(key), allocations.pilot_of(key))]
    papers = [paper.file for paper in project.papers.values()]
    papers += [name for name in seeds if (project.root / name).is_file()]
    every = (f"notebooks/{key}.ipynb" for key in project.papers)
    notebooks = [name for name in every if (project.root / name).is_file()]
    return [*FIXED, *LEGAL, *workflow, *papers, *notebooks, *ratios(project)]


def ratios(project: Project) -> list[str]:
    """Record of `make bench`, shown by the pages and figures on speed, if it exists."""
    return [RATIOS] if (project.root / RATIOS).is_file() else []


def results(project: Project) -> Iterator[str]:
    """Results with the same bytes in every run, as `tables/...`; figures are `figures/...` at any scale.

    Report pages are not included; the report itself lists them.
    """
    for key, paper in project.papers.items():
        for experiment in paper.experiments:
            yield f"tables/{key}/{experiment}.parquet"
            yield f"tables/{key}/{experiment}.summary.parquet"
            yield f"figures/{key}/data/{experiment}.parquet"
            yield f"figures/{key}/data/{experiment}.summary.parquet"
        yield from (f"figures/{key}/{name}.csv" for name in paper.figures)
        yield from (f"figures/{key}/{name}.svg" for name in paper.pictures)
        yield from (f"claims/{key}.json", f"audit/{key}.json")
        yield from (f"figures/{key}/data/claims.json", f"figures/{key}/data/audit.json")
        yield from (f"notebooks/{key}.ipynb", f"notebooks/{key}.html")
    yield "audit/all.csv"
    yield from (f"figures/{name}.svg" for name in together(project))


def together(project: Project) -> tuple[str, ...]:
    """Figures made by a run that cover all papers."""
    return TOGETHER if project.overview else TOGETHER[1:]


def compared(name: str) -> bool:
    """Whether a result, such as `tables/...`, is compared between runs: not a checksum, a piece, or a varying file."""
    hidden = any(part.startswith(".") for part in PurePosixPath(name).parts)
    return not (hidden or name in VARYING or name.endswith(".sha256") or name.startswith(BETWEEN))


def copied(name: str) -> bool:
    """Whether a certificate contains a copy of a result: records, figures, and the tables behind the verdicts."""
    folder, *_, file = PurePosixPath(name).parts
    if folder in ("claims", "audit"):
        return True
    return folder == "figures" and file.endswith((".svg", ".csv", ".parquet"))


def copy_of(name: str) -> str:
    """Location of a result's certified values; for a table, only the columns that verdicts and figures need."""
    if name.startswith("tables/"):
        _, key, file = PurePosixPath(name).parts
        return f"figures/{key}/data/{file}"
    if name.startswith("figures/") and name.endswith(("/data/claims.json", "/data/audit.json")):
        _, key, _, file = PurePosixPath(name).parts
        return f"{file.removesuffix('.json')}/{key}.json"
    return name


def place(name: str, scale: str) -> str:
    """Path of a result `tables/...` in the project: figures of `full` are at the top, all else is below results."""
    return name if scale == "full" and name.startswith("figures/") else f"results/{scale}/{name}"


def name_of(path: str, scale: str) -> str | None:
    """Inverse of `place`; None for a path that is not a result of the scale."""
    name = path.removeprefix(f"results/{scale}/")
    return name if name.split("/")[0] in COMPARED and place(name, scale) == path else None
