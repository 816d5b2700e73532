"""Files that people name for results: new ones, or those that the same kind of command wrote before."""

import errno
import re
from collections.abc import Callable
from pathlib import Path

from dpbandits.base.storage import checksum_file, replaceable
from dpbandits.config.regular_files import OF_JSON, fault_of

CHECKSUM = re.compile(rb"[0-9a-f]{64}  ")
MEANS = b"algorithm,variant,calibration,"
"""How a table of means begins."""


def demand_runs(path: Path) -> None:
    """Refuse to replace a file, or the checksum beside it, that is not of the runs of a curve; raises as `_demand`."""
    _demand(path, _is_table)
    _demand(checksum_file(path), lambda file: bool(CHECKSUM.match(_content(file))))


def demand_means(path: Path) -> None:
    """Refuse to replace a file that is no table of means; raises as `_demand`."""
    _demand(path, lambda file: _content(file).startswith(MEANS))


def demand_picture(path: Path) -> None:
    """Refuse to replace a file that is no picture of this package; raises as `_demand`."""
    from dpbandits.figures.files import MAKER

    _demand(path, lambda file: MAKER.encode() in _content(file))


def _demand(path: Path, is_own: Callable[[Path], bool]) -> None:
    """Refuse a file that exists and is another one; nothing is lost with an empty file.

    Raises
    ------
    OSError
        It is such a file, or is no regular file.
    """
    target = replaceable(path)
    if target.exists() and target.stat().st_size and not is_own(target):
        says = "exists, and this command did not write it. Choose another name, or delete it."
        raise OSError(errno.EEXIST, says, str(path))


def _is_table(path: Path) -> bool:
    from dpbandits.base.parquet import own

    return own(path)


def _content(path: Path) -> bytes:
    """What is in a file; nothing of one that is far larger than what these commands write."""
    return b"" if fault_of(path, OF_JSON) else path.read_bytes()
