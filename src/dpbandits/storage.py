"""Files on disk, written whole or not at all, and their checksums beside them."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dpbandits.digests import file_digest


class DamagedFile(RuntimeError):
    """A stored file is not what was written; its text names the file."""


def checksum_file(path: Path) -> Path:
    """Where the checksum of a file is kept."""
    return path.with_name(path.name + ".sha256")


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary name, renamed to `path` at the end; after a fault nothing is left there, and OSError names `path`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for left in path.parent.glob(f".{path.name}.*"):  # by a process that was killed
        left.unlink(missing_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        yield temporary
        os.replace(temporary, path)
    except OSError as error:
        raise OSError(error.errno, os.strerror(error.errno) if error.errno else str(error), str(path)) from error
    finally:
        temporary.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a text file whole or not at all."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_json(path: Path, value: object) -> None:
    """Write JSON that people read and that does not change with the order of keys."""
    write_text(path, json.dumps(value, sort_keys=True, indent=2, allow_nan=False, ensure_ascii=False) + "\n")


def read_json(path: Path) -> Any:
    """Read a JSON file.

    Raises
    ------
    DamagedFile
        It is missing or is not JSON.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DamagedFile(f"{path}: cannot be read ({error.strerror})") from None
    except ValueError:
        raise DamagedFile(f"{path}: is not JSON; delete it and run again") from None


def verify(path: Path) -> None:
    """Compare a file with its checksum.

    Raises
    ------
    DamagedFile
        One of the two is missing, or they differ.
    """
    try:
        found = file_digest(path).encode()
        kept = checksum_file(path).read_bytes().split()[:1]
    except OSError as error:
        raise DamagedFile(f"{error.filename}: cannot be read ({error.strerror})") from None
    if kept != [found]:
        raise DamagedFile(f"{path}: does not match its checksum; delete it and run again")
