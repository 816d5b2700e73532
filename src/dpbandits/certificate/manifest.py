"""Digests by path as text, in the form of sha256sum."""

import re
from collections.abc import Mapping
from pathlib import PurePosixPath

from dpbandits.base.storage import DamagedFile

LINE = re.compile(r"([0-9a-f]{64})  ([^\\]+)")


def text(digests: Mapping[str, str]) -> str:
    """A line for every file, sorted by path."""
    return "".join(f"{digest}  {path}\n" for path, digest in sorted(digests.items()))


def parse(content: str, name: str) -> dict[str, str]:
    """Digest by path.

    Raises
    ------
    DamagedFile
        Some line is not of this form, a path stands twice or leads elsewhere, or there is none.
    """
    found: dict[str, str] = {}
    for number, line in enumerate(content.splitlines(), 1):
        match = LINE.fullmatch(line)
        if not match or not line.isprintable():
            raise DamagedFile(f"{name}: line {number}: is not a digest, two blanks and a path")
        digest, path = match.groups()
        if not inside(path):
            raise DamagedFile(f"{name}: line {number}: got {path[:60]!r}; must be a path below the folder")
        if path in found:
            raise DamagedFile(f"{name}: line {number}: {path[:60]!r} stands twice")
        found[path] = digest
    if not found:
        raise DamagedFile(f"{name}: names no file")
    return found


def inside(path: str) -> bool:
    """Whether a path is relative, plain, and stays below its folder."""
    return path == str(PurePosixPath(path)) and not path.startswith(("/", "~")) and ".." not in path.split("/")
