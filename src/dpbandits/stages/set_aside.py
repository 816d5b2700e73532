"""Damaged inputs of a stage: named, and set aside so that the next run makes them again."""

from collections.abc import Iterable
from pathlib import Path

from dpbandits.storage import DamagedFile, checksum_file, verify


def set_aside(fault: str, *paths: Path) -> str:
    """Rename files to `<name>.damaged`, so that the next run makes them again; the whole fault."""
    there = [path for path in paths if path.exists()]
    for path in there:
        path.rename(path.with_name(path.name + ".damaged"))
        checksum_file(path).unlink(missing_ok=True)
    aside = "; set aside as .damaged" if there else ""
    return fault.removesuffix("; delete it and run again") + f"{aside}; run again"


def demand_whole(paths: Iterable[Path]) -> None:
    """Compare tables with their checksums.

    Raises
    ------
    DamagedFile
        Some are damaged, all of which are named and set aside.
    """
    faults: list[str] = []
    for path in paths:
        try:
            verify(path)
        except DamagedFile as fault:
            faults.append(set_aside(str(fault), path))
    if faults:
        raise DamagedFile("; ".join(faults))
