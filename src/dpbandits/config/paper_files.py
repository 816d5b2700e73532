"""Which papers a project has: the files of `config/papers`, all of them or those that somebody names."""

import re
from collections.abc import Sequence
from pathlib import Path

from dpbandits.config.plain_yaml import ConfigError, shown
from dpbandits.config.wording import not_known

FOLDER = "config/papers"
KEY = "[a-z]+[0-9]{4}"
"""What the key of a paper looks like: it becomes the name of files and folders."""


def paper_files(root: Path) -> list[Path]:
    """All files of the folder that somebody may take for a paper, sorted by name; hidden files are left out."""
    return sorted(path for path in (root / FOLDER).glob("*.y*ml") if not path.name.startswith("."))


def known_keys(root: Path) -> list[str]:
    """Keys of the papers whose files have an allowed name, in alphabetical order."""
    return [path.stem for path in paper_files(root) if _fits(path)]


def every_key(root: Path) -> list[str]:
    """Keys of all papers, in alphabetical order.

    Raises
    ------
    ConfigError
        A file name is not allowed, or the folder has no papers.
    """
    for path in paper_files(root):
        if not _fits(path):
            allowed = "first author and year, such as hanna2022.yaml"
            raise ConfigError(f"{FOLDER}: got the file name {shown(path.name)}; must be {allowed}. Rename the file.")
    if found := known_keys(root):
        return found
    raise ConfigError(f"{FOLDER}: contains no paper. Add a file KEY.yaml; config/README.md explains its keys.")


def chosen_keys(root: Path, asked: str | Sequence[str]) -> list[str]:
    """Keys of the papers that somebody asks for on the command line, in the order given.

    Parameters
    ----------
    asked : keys as a list, or as text with commas between them.

    Raises
    ------
    ConfigError
        No paper has such a key, or one is named twice.
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
