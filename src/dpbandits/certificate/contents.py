"""Files that a certificate covers: results to compare, results to copy, and sources."""

from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from dpbandits.base.digests import SOURCE_ROOT
from dpbandits.base.own_code import parts
from dpbandits.base.registry import DECLARED
from dpbandits.base.storage import CHECKSUMS
from dpbandits.config import allocations
from dpbandits.config.loading import Paper, Project
from dpbandits.planning.documents import documents
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
PACKAGES = ("dpbandits/**/*", "snakemake_logger_plugin_dpbandits/**/*", "dpbandits_command.py")
"""Patterns of the files of the package, below its folder `src`."""
OF_THE_PROJECT = (
    *(
        "pyproject.toml",
        "Makefile",
        "Dockerfile",
        "environment.yml",
        "requirements*.in",
        "requirements*.lock",
        "tools/whole.py",
    ),
    *(
        "tests/__init__.py",
        "tests/conftest.py",
        "tests/shipped.py",
        "tests/faults/__init__.py",
        "tests/faults/table.py",
    ),
    *(f"tests/unit/{name}.py" for name in ("__init__", "modes", "small", "test_certificate")),
)
"""Patterns of the other files that only a project of this repository has."""
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


def program(project: Project) -> dict[str, Path]:
    """Files with which the folder of a certificate can repeat the run, by their name in it.

    They are the package, the papers' own code, what the pages show, and, where the project has them, the recipe of the
    environment and the tests of verification.
    """
    found = {name: path for pattern in OF_THE_PROJECT for name, path in below(project.root, pattern)}
    for part in PACKAGES:
        found |= {f"src/{name}": path for name, path in below(SOURCE_ROOT, part)}
    return found | own_files(project) | documents(project)


def own_files(project: Project) -> dict[str, Path]:
    """Files of the papers' own code, by their name in the project. Modules that they import are not known."""
    declared = [code for own in DECLARED.values() for code in own.values() if isinstance(code, str)]
    root, files = project.root.resolve(), {Path(parts(code)[0]) for code in declared}
    return {path.relative_to(root).as_posix(): path for path in sorted(files) if path.is_relative_to(root)}


def below(root: Path, pattern: str) -> Iterator[tuple[str, Path]]:
    """Files that match a pattern, by their name below a folder; no compiled ones."""
    for path in sorted(root.glob(pattern)):
        if path.is_file() and path.suffix not in (".pyc", ".nbi", ".nbc"):
            yield path.relative_to(root).as_posix(), path


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
        yield from (f"figures/{key}/{name}.svg" for name in paper.pictures)
        yield from (f"claims/{key}.json", f"audit/{key}.json")
        yield from (f"figures/{name}" for name in beside_figures([paper]))
        yield from (f"notebooks/{key}.ipynb", f"notebooks/{key}.html")
    yield "audit/all.csv"
    yield from (f"figures/{name}.svg" for name in together(project))


def beside_figures(papers: Iterable[Paper]) -> list[str]:
    """Tables and records beside the figures, as `<paper>/data/<name>`."""
    found: list[str] = []
    for paper in papers:
        tables = [f"{name}{kind}.parquet" for name in paper.experiments for kind in ("", ".summary")]
        found += [f"{paper.key}/data/{name}" for name in (*tables, "claims.json", "audit.json")]
    return found


def together(project: Project) -> tuple[str, ...]:
    """Figures made by a run that cover all papers."""
    return TOGETHER if project.overview else TOGETHER[1:]


def compared(name: str) -> bool:
    """Whether a result, such as `tables/...`, is compared between runs: not a checksum, a piece, or a varying file."""
    hidden = any(part.startswith(".") for part in PurePosixPath(name).parts)
    checksums = name.endswith((".sha256", f"/{CHECKSUMS}"))
    return not (hidden or checksums or name in VARYING or name.startswith(BETWEEN))


def copied(name: str) -> bool:
    """Whether a certificate contains a copy of a result: records, figures, and the tables behind the verdicts."""
    folder, *_, file = PurePosixPath(name).parts
    if folder in ("claims", "audit"):
        return True
    return folder == "figures" and file.endswith((".svg", ".parquet"))


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
