"""Damaged inputs of a stage: named, and set aside so that the next run makes them again."""

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from dpbandits.base.storage import DamagedFile, checksum_file, verify

ADVICE = "; delete it and run again"
"""How `storage` ends what it says of a damaged file."""


def unreadable(fault: DamagedFile) -> bool:
    """Whether a file could not be read, which says nothing about what is in it; one that is missing is damaged."""
    cause = fault.__context__
    return isinstance(cause, OSError) and not isinstance(cause, FileNotFoundError)


def set_aside(fault: str, *paths: Path) -> str:
    """Rename files to `<name>.damaged`, so that the next run makes them again; the whole fault."""
    there = [path for path in paths if path.exists()]
    for path in there:
        with suppress(FileNotFoundError):  # another stage, which reads it at the same time, was faster
            path.rename(path.with_name(path.name + ".damaged"))
        checksum_file(path).unlink(missing_ok=True)
    aside = "; set aside as .damaged" if there else ""
    return fault.removesuffix(ADVICE) + f"{aside}; run again"


def demand_whole(paths: Iterable[Path]) -> None:
    """Compare tables with their checksums.

    Raises
    ------
    DamagedFile
        Some are damaged, all of which are named and set aside; or one could not be read.
    """
    faults: list[str] = []
    for path in paths:
        try:
            verify(path)
        except DamagedFile as fault:
            if unreadable(fault):
                raise
            faults.append(set_aside(str(fault), path))
    if faults:
        raise DamagedFile("; ".join(faults))
