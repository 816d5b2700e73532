"""Files of any kind, and folders, written whole or not at all.

`storage` has its own way for tables and texts: every result hangs on its sources, and so on as little as can be.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file under a temporary name, then rename it; OSError names `path`, and nothing is left behind."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for left in path.parent.glob(f".{path.name}.*"):  # by a process that was killed
        left.unlink(missing_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_bytes(data)
        os.replace(temporary, path)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        temporary.unlink(missing_ok=True)


def copy_file(source: Path, target: Path) -> None:
    """Copy the content of a file."""
    write_bytes(target, source.read_bytes())


@contextmanager
def replacing_folder(out: Path) -> Iterator[Path]:
    """A folder beside `out`, which takes its place at the end; after a fault nothing is left of it."""
    out.parent.mkdir(parents=True, exist_ok=True)
    for left in out.parent.glob(f".{out.name}.*"):  # by a process that was killed
        shutil.rmtree(left)
    new, old = (out.with_name(f".{out.name}.{name}.{os.getpid()}") for name in ("new", "old"))
    new.mkdir()
    try:
        yield new
        if out.exists():
            os.replace(out, old)
        os.replace(new, out)
    finally:
        for left in (new, old):
            shutil.rmtree(left, ignore_errors=True)
