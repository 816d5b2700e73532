"""Files that others wrote are looked at before they are read: a pipe would never end, a large one fill the memory."""

import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from dpbandits.base.storage import DamagedFile, read_json
from dpbandits.config.plain_yaml import ConfigError, load_yaml

MEGABYTE = 1 << 20
OF_YAML, OF_JSON, OF_TABLES = MEGABYTE, 256 * MEGABYTE, 4096 * MEGABYTE
"""Bytes that a file may have: of the project's own, the largest have 0.2, 2 and 20 MB."""


def fault_of(path: Path, largest: int) -> str:
    """Why a file is not read, and what to do; nothing where it can be, is not there, or is a folder, as readers say."""
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
    """ConfigError if a YAML file is none that is read; `name` is how the fault calls it."""
    if fault := fault_of(path, OF_YAML):
        raise ConfigError(f"{name}: {fault}")


def demand(paths: Iterable[Path], largest: int) -> None:
    """DamagedFile if one of these files is none that is read."""
    for path in paths:
        if fault := fault_of(path, largest):
            raise DamagedFile(f"{path}: {fault}")


def read_yaml_file(path: Path, name: str, checked: bool = False) -> Any:
    """As `load_yaml`, of a regular file that is not too large.

    Raises
    ------
    ConfigError
        As `load_yaml`; or the file is none that is read.
    """
    demand_yaml(path, name)
    return load_yaml(path, name, checked)


def read_json_file(path: Path) -> Any:
    """As `read_json`, of a regular file that is not too large.

    Raises
    ------
    DamagedFile
        As `read_json`; or the file is none that is read.
    """
    demand([path], OF_JSON)
    return read_json(path)
