"""Files of any kind written whole or not at all."""

import os
from pathlib import Path


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file under a temporary name, then rename it; OSError names `path`, and nothing is left behind."""
    path.parent.mkdir(parents=True, exist_ok=True)
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
