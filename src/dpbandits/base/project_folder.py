"""Where the project is: where a command was told, or the nearest folder upwards that has a configuration."""

import os
from pathlib import Path

CONFIGURATION = "config/config.yaml"
TOLD = "DPBANDITS_PROJECT"
"""Name of the environment variable in which a command leaves the folder for what it calls."""


def nearest(start: Path | None = None) -> Path | None:
    """The nearest folder that has a configuration, from a given one or the working one upwards, if there is one."""
    here = (start or Path.cwd()).resolve()
    return next((folder for folder in (here, *here.parents) if (folder / CONFIGURATION).is_file()), None)


def project_folder() -> Path:
    """The folder that a command left, else the nearest; the working folder where there is none."""
    return Path(os.environ[TOLD]) if TOLD in os.environ else nearest() or Path.cwd()
