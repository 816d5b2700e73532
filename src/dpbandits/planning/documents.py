"""Find the project files that report pages show: documents on method, configuration and algorithm source code."""

from pathlib import Path

from dpbandits.base.registry import ALGORITHMS, SOURCE_ROOT
from dpbandits.config.loading import Paper, Project

VERDICTS = ("docs/background/verdicts.md", "docs/background/verdict_errors.md", "docs/background/verdict_history.md")
GUIDES = (*VERDICTS, "docs/howto/audit_mechanism.md")
PROOFS = "docs/proofs/*.md"


def documents(project: Project) -> dict[str, Path]:
    """Where each file is, by its name in the project: `docs/background/verdicts.md`; those that the project has."""
    found = {name: project.root / name for name in GUIDES}
    found |= {path.relative_to(project.root).as_posix(): path for path in sorted(project.root.glob(PROOFS))}
    for key, paper in project.papers.items():
        found |= {name: project.root / name for name in (statements_of(key), paper.file)}
        found |= {name: SOURCE_ROOT.parent / name for name in algorithms_of(paper).values()}
    return {name: path for name, path in found.items() if path.is_file()}


def statements_of(key: str) -> str:
    """Path of the document that lists what a paper says, with the claims that test each statement."""
    return f"docs/statements/{key}.md"


def algorithms_of(paper: Paper) -> dict[str, str]:
    """Source file of each built-in algorithm that a paper plays, by algorithm: `src/dpbandits/algorithms/...`."""
    played = {entry.algorithm for section in paper.experiments.values() for entry in section.entries}
    places = ALGORITHMS.places()
    return {name: f"src/{places[name].replace('.', '/')}.py" for name in sorted(played & set(places))}
