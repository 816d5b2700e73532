"""Lists the papers of a project: all files in `config/papers`, or those that the user names."""

import re
from collections.abc import Sequence
from pathlib import Path

from dpbandits.config.plain_yaml import ConfigError, shown
from dpbandits.config.wording import not_known

FOLDER = "config/papers"
KEY = "[a-z]+[0-9]{4}"
"""Pattern of a paper's key, which becomes the name of files and folders."""


def paper_files(root: Path) -> list[Path]:
    """All files in the folder that could be papers, sorted by name, without hidden files."""
    return sorted(path for path in (root / FOLDER).glob("*.y*ml") if not path.name.startswith("."))


def known_keys(root: Path) -> list[str]:
    """Keys of the papers with a valid file name, in alphabetical order."""
    return [path.stem for path in paper_files(root) if _fits(path)]


def every_key(root: Path) -> list[str]:
    """Keys of all papers, in alphabetical order.

    Raises
    ------
    ConfigError
        A file name is invalid, or the folder has no papers.
    """
    for path in paper_files(root):
        if not _fits(path):
            allowed = "first author and year, such as hanna2022.yaml"
            raise ConfigError(f"{FOLDER}: got the file name {shown(path.name)}; must be {allowed}. Rename the file.")
    if found := known_keys(root):
        return found
    raise ConfigError(f"{FOLDER}: contains no paper. Add a file KEY.yaml; config/README.md explains its keys.")


def chosen_keys(root: Path, asked: str | Sequence[str]) -> list[str]:
    """Keys of the papers given on the command line, in that order.

    Parameters
    ----------
    asked : keys as a list or as comma-separated text.

    Raises
    ------
    ConfigError
        A key is unknown or listed twice.
    """
    names = [name.strip() for name in asked.split(",")] if isinstance(asked, str) else list(asked)
    every = known_keys(root)
    for name in names:
        if name not in every:
            raise ConfigError(f"papers: {not_known('paper', name, every)}")
    if len(set(names)) < len(names):
        raise ConfigError(f"papers: got {', '.join(names)}; a paper is listed twice. List each paper once.")
    return names


def _fits(path: Path) -> bool:
    return path.suffix == ".yaml" and bool(re.fullmatch(KEY, path.stem))
