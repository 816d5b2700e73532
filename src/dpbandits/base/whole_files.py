"""Files of any kind, and folders, written whole or not at all.

Apart from `storage`, on which every result depends: a change here makes fewer results stale.
"""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dpbandits.base.storage import partial, replacing

SNAKEMAKE = ".snakemake_timestamp"
"""File that Snakemake adds to every folder that a rule writes."""


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file whole or not at all."""
    with replacing(path) as temporary:
        temporary.write_bytes(data)


def copy_file(source: Path, target: Path) -> None:
    """Copy the content of a file."""
    write_bytes(target, source.read_bytes())


@contextmanager
def replacing_folder(out: Path, command: str) -> Iterator[Path]:
    """Yield a temporary folder, which replaces `out` at the end; after a failure `out` is unchanged.

    A hidden file in it, `.dpbandits-<command>`, lists what the command wrote: a later run replaces nothing else.

    Raises
    ------
    OSError
        `out` exists and is not a folder, or holds files that the command did not write.
    """
    record = f".dpbandits-{command}"
    target = replaceable_folder(out, record, command)
    target.parent.mkdir(parents=True, exist_ok=True)
    with partial(target, Path.mkdir) as beside:
        new, old = beside / "new", beside / "old"
        new.mkdir()
        yield new
        (new / record).write_text("".join(f"{name}\n" for name in sorted(files_below(new))), encoding="utf-8")
        if target.exists():
            os.replace(target, old)
        os.replace(new, target)


def replaceable_folder(out: Path, record: str, command: str) -> Path:
    """Return the folder that a command creates or replaces: `out`, or what it links to."""
    if out.exists() and not out.is_dir():
        raise OSError(errno.ENOTDIR, "exists and is not a folder. Choose another name.", str(out))
    here = out / record
    own = {record, SNAKEMAKE, *(here.read_text(encoding="utf-8").splitlines() if here.is_file() else [])}
    foreign = next((name for name in files_below(out) if name not in own), None)
    if foreign is not None:
        says = f"holds {foreign}, which `dpbandits {command}` did not write. Choose another name."
        raise OSError(errno.ENOTEMPTY, says, str(out))
    return Path(os.path.realpath(out))


def files_below(folder: Path) -> Iterator[str]:
    """Yield the name of every file in a folder, relative to it; symbolic links count as files."""
    for path in folder.rglob("*"):
        if path.is_symlink() or not path.is_dir():
            yield path.relative_to(folder).as_posix()
