"""Checks untrusted files before reading: a pipe would block forever, a large file would fill the memory."""

import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from dpbandits.base.storage import DamagedFile, read_json
from dpbandits.config.plain_yaml import ConfigError, load_yaml

MEGABYTE = 1 << 20
OF_YAML, OF_JSON, OF_TABLES = MEGABYTE, 256 * MEGABYTE, 4096 * MEGABYTE
"""Largest allowed file sizes in bytes; the project's own largest files have 0.2, 2 and 20 MB."""


def fault_of(path: Path, largest: int) -> str:
    """Why a file is rejected, and the remedy; empty if it is valid, or missing or a folder, which readers report."""
    try:
        found = os.stat(path)
    except OSError:
        return ""
    if stat.S_ISDIR(found.st_mode):
        return ""
    if not stat.S_ISREG(found.st_mode):
        return "is not a regular file. Put a regular file in its place."
    if found.st_size > largest:
        return f"has {found.st_size / MEGABYTE:.0f} MB; must have at most {largest // MEGABYTE}. Make it smaller."
    return ""


def demand_yaml(path: Path, name: str) -> None:
    """Raise ConfigError if a YAML file is rejected; `name` is its name in the fault."""
    if fault := fault_of(path, OF_YAML):
        raise ConfigError(f"{name}: {fault}")


def demand(paths: Iterable[Path], largest: int) -> None:
    """Raise DamagedFile if one of these files is rejected."""
    for path in paths:
        if fault := fault_of(path, largest):
            raise DamagedFile(f"{path}: {fault}")


def read_yaml_file(path: Path, name: str, checked: bool = False) -> Any:
    """The value of a YAML file, which must be regular and not too large.

    Raises
    ------
    ConfigError
        As `load_yaml`, or the file is rejected.
    """
    demand_yaml(path, name)
    return load_yaml(path, name, checked)


def read_json_file(path: Path) -> Any:
    """The value of a JSON file, which must be regular and not too large.

    Raises
    ------
    DamagedFile
        As `read_json`, or the file is rejected.
    """
    demand([path], OF_JSON)
    return read_json(path)
