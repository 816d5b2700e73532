"""The project's configuration with the settings it ships with, whatever the user wrote to config/config.yaml.

Load this configuration in every test that compares with committed results or that needs all papers.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from dpbandits.config.loading import Project, load_project

ROOT = Path(__file__).resolve().parents[1]
PAPERS = tuple(sorted(path.stem for path in (ROOT / "config/papers").glob("*.yaml")))
COMMITTED = tuple(key for key in PAPERS if (ROOT / f"figures/{key}/data/claims.json").is_file())
"""Papers with committed results of the full scale. A new paper has none yet, and no golden record."""
SETTINGS: Mapping[str, Any] = {
    "scale": "quick",
    "papers": list(PAPERS),
    "root_seed": 20261127,  # of the committed results
    "pilot_seed": 20261125,
    "seconds_per_job": 40,
}


@cache
def shipped(scale: str = "quick") -> Project:
    """Configuration of all papers at a scale, read once per process."""
    return load_project(ROOT, {**SETTINGS, "scale": scale})


def played_by(papers: Iterable[str]) -> set[str]:
    """Algorithms of the experiments of some papers."""
    sections = [section for key in papers for section in shipped().papers[key].experiments.values()]
    return {entry.algorithm for section in sections for entry in section.curves}
