"""Check output files that users name: they must be new, or written earlier by the same kind of command.

With `--force` any regular file may be replaced.
"""

import errno
import re
from collections.abc import Callable
from pathlib import Path

import click

from dpbandits.base.storage import checksum_file, replaceable
from dpbandits.config.regular_files import OF_JSON, fault_of

CHECKSUM = re.compile(rb"[0-9a-f]{64}  ")
FORCE = click.option("--force", is_flag=True, help="Replace files that other programs wrote.")
MEANS = b"algorithm,variant,calibration,"
"""First bytes of a table of means."""


def demand_runs(path: Path, force: bool = False) -> None:
    """Refuse to replace a file, or the checksum beside it, that is not from runs of a curve. Raises like `_demand`."""
    _demand(path, _is_table, force)
    _demand(checksum_file(path), lambda file: bool(CHECKSUM.match(_content(file))), force)


def demand_means(path: Path, force: bool = False) -> None:
    """Refuse to replace a file that is not a table of means. Raises like `_demand`."""
    _demand(path, lambda file: _content(file).startswith(MEANS), force)


def demand_picture(path: Path, force: bool = False) -> None:
    """Refuse to replace a file that is not a figure drawn by this package. Raises like `_demand`."""
    from dpbandits.figures.files import MAKER

    _demand(path, lambda file: MAKER.encode() in _content(file), force)


def _demand(path: Path, is_own: Callable[[Path], bool], force: bool) -> None:
    """Refuse to replace an existing file of another kind. An empty file may be replaced.

    Raises
    ------
    OSError
        The file is of another kind, or not a regular file.
    """
    target = replaceable(path)
    if not force and target.exists() and target.stat().st_size and not is_own(target):
        says = "exists, and this command did not write it. Choose another name, or add --force."
        raise OSError(errno.EEXIST, says, str(path))


def _is_table(path: Path) -> bool:
    from dpbandits.base.parquet import own

    return own(path)


def _content(path: Path) -> bytes:
    """Content of a file; empty if the file is far larger than anything these commands write."""
    return b"" if fault_of(path, OF_JSON) else path.read_bytes()
