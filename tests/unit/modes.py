"""Permissions of files and folders, compared with those that the system gives to new ones."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def masked(mask: int) -> Iterator[None]:
    """Set the umask of this process within the context."""
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def current_mask() -> int:
    """The umask of this process."""
    before = os.umask(0o077)
    os.umask(before)
    return before


def unusual(folder: Path) -> dict[str, str]:
    """What in a folder, itself included, has other permissions than a new file or folder, with its mode in octal."""
    mask = current_mask()
    found = {}
    for path in (folder, *folder.rglob("*")):
        mode = stat.S_IMODE(path.stat().st_mode)
        if mode != (0o777 if path.is_dir() else 0o666) & ~mask:
            found[path.relative_to(folder.parent).as_posix()] = oct(mode)
    return found
