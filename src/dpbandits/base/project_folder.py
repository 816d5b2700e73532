"""Finds the project folder: the one given to the command, or the nearest parent folder with a configuration."""

import os
from pathlib import Path

CONFIGURATION = "config/config.yaml"
TOLD = "DPBANDITS_PROJECT"
"""Environment variable by which a command passes the project folder to its subprocesses."""


def nearest(start: Path | None = None) -> Path | None:
    """The nearest folder with a configuration: `start` (default: the working folder) or a parent; None without."""
    here = (start or Path.cwd()).resolve()
    return next((folder for folder in (here, *here.parents) if (folder / CONFIGURATION).is_file()), None)


def project_folder() -> Path:
    """The folder that a command passed on, else the nearest project folder, else the working folder."""
    return Path(os.environ[TOLD]) if TOLD in os.environ else nearest() or Path.cwd()
