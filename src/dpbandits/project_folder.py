"""Where the project is: the nearest folder from the working one upwards that has a configuration."""

from pathlib import Path

CONFIGURATION = "config/config.yaml"


def project_folder() -> Path | None:
    """That folder, if there is one."""
    here = Path.cwd()
    return next((folder for folder in (here, *here.parents) if (folder / CONFIGURATION).is_file()), None)
