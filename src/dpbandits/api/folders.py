"""Project folder that API functions work with."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from dpbandits.base.project_folder import CONFIGURATION, TOLD, nearest
from dpbandits.config.plain_yaml import ConfigError

Folder = str | os.PathLike[str]


def needed_root(project: Folder | None) -> Path:
    """Like `project_root`, but raises ConfigError if there is no project."""
    root = project_root(project)
    if root is None:
        remedy = "Use project=DIR to name the folder of the project."
        raise ConfigError(f"{CONFIGURATION}: not found in this folder or above it. {remedy}")
    return root


def project_root(project: Folder | None) -> Path | None:
    """Project folder: the given one, or the nearest folder with a configuration; None if there is none.

    Raises
    ------
    ConfigError
        The given folder, or that of the environment variable DPBANDITS_PROJECT, has no configuration.
    """
    place, given = ("project", project) if project is not None else (TOLD, os.environ.get(TOLD))
    if given is None:
        return nearest()
    if not os.path.isfile(Path(given) / CONFIGURATION):
        raise ConfigError(f"{place}: {given} does not contain {CONFIGURATION}. Name the folder of a project.")
    return Path(given).resolve()


@contextmanager
def told(root: Path | None) -> Iterator[None]:
    """Context in which environments that read a data file resolve it below the project folder."""
    with set_for_a_while({TOLD: str(root)} if root else {}):
        yield


@contextmanager
def set_for_a_while(variables: Mapping[str, str]) -> Iterator[None]:
    """Context in which environment variables have these values; new processes inherit them."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
