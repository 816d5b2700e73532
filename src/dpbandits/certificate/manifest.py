"""Read and write digests by path, in the format of sha256sum."""

import re
from collections.abc import Mapping
from pathlib import PurePosixPath

from dpbandits.base.storage import DamagedFile
from dpbandits.config.wording import got

LINE = re.compile(r"([0-9a-f]{64})  ([^\\]+)")


def text(digests: Mapping[str, str]) -> str:
    """One line per file, sorted by path."""
    return "".join(f"{digest}  {path}\n" for path, digest in sorted(digests.items()))


def parse(content: str, name: str) -> dict[str, str]:
    """Digests by path, parsed from text.

    Raises
    ------
    DamagedFile
        A line is malformed, a path occurs twice or leads outside the folder, or there are no lines.
    """
    found: dict[str, str] = {}
    for number, line in enumerate(content.splitlines(), 1):
        match = LINE.fullmatch(line)
        if not match or not line.isprintable():
            raise DamagedFile(f"{name}:{number}: {got(line, 'must be a digest, two spaces and a path')}")
        digest, path = match.groups()
        if not inside(path):
            raise DamagedFile(f"{name}:{number}: {got(path, 'must be a path below the folder')}")
        if path in found:
            raise DamagedFile(f"{name}:{number}: {got(path, 'must occur once, not twice')}")
        found[path] = digest
    if not found:
        raise DamagedFile(f"{name}: lists no file; must list at least one")
    return found


def inside(path: str) -> bool:
    """Whether a path is relative, plain, and stays below its folder."""
    return path == str(PurePosixPath(path)) and not path.startswith(("/", "~")) and ".." not in path.split("/")
