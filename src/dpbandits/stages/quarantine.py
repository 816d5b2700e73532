"""Inputs of a stage that are damaged, or are not those asked for: named, and set aside so that the next run repairs it.

A table says which curves it has, of which kind it is, and by which root seed and sources its runs were made; a record
has a digest of itself. So a file in the place of another one is found too.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from dpbandits.base.digests import canonical_json
from dpbandits.base.parquet import provenance_of
from dpbandits.base.storage import DamagedFile, checksum_file, read_record, verify
from dpbandits.config.curves import Curve
from dpbandits.config.regular_files import OF_JSON, OF_TABLES, demand

ADVICE = "; delete it and run again"
"""How `storage` ends what it says of a damaged file."""
RUNS, SUMMARY = "runs", "summary"
"""The kinds of tables of an experiment."""
IN_WORDS = {
    "table": "another kind of table",
    "root_seed": "another root seed",
    "curves": "other curves, seeds or sources",
}


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
    """Compare tables with their checksums; raises as `_demand_each`."""
    _demand_each(paths, OF_TABLES, verify)


def _demand_each(paths: Iterable[Path], largest: int, check: Callable[[Path], None]) -> None:
    """Look at files of at most so many bytes; `check` raises DamagedFile for one that is damaged or another one.

    Raises
    ------
    DamagedFile
        Some are, all of which are named and set aside; or one could not be read.
    """
    every = list(paths)
    demand(every, largest)
    faults: list[str] = []
    for path in every:
        try:
            check(path)
        except DamagedFile as fault:
            if unreadable(fault):
                raise
            faults.append(set_aside(str(fault), path))
    if faults:
        raise DamagedFile("; ".join(faults))


def heading(kind: str, curves: Sequence[Curve], root_seed: int, sources: Mapping[str, str]) -> dict[str, Any]:
    """What a table of an experiment says of itself.

    Parameters
    ----------
    sources : by folder the source digest of the runs of a curve; of bounds, which have no runs, there is none.
    """
    of_curves = [
        {"curve": curve.identity(), "folder": curve.folder, "seeds": curve.seeds}
        | ({"source": sources[curve.folder]} if curve.folder in sources else {})
        for curve in curves
    ]
    return {"table": kind, "root_seed": root_seed, "curves": of_curves}


def demand_tables(expected: Mapping[Path, Mapping[str, Any]]) -> None:
    """Compare the headings of tables with those asked for, without their columns; raises as `_demand_each`."""

    def check(path: Path) -> None:
        found, known = provenance_of(path), json.loads(canonical_json(expected[path]))
        parts = found if isinstance(found, dict) else {}
        kept = {**parts, "curves": [without_chunks(each) for each in parts.get("curves", [])]}
        if other := [words for name, words in IN_WORDS.items() if kept.get(name) != known[name]]:
            raise DamagedFile(f"{path}: holds {', '.join(other)}")

    _demand_each(expected, OF_TABLES, check)


def without_chunks(origin: Mapping[str, Any]) -> dict[str, Any]:
    """Where the runs of a curve come from, but for the digests of its chunks."""
    return {name: value for name, value in origin.items() if name != "chunks"}


def demand_records(expected: Mapping[Path, Mapping[str, Any]]) -> None:
    """Compare records with their digests, and some of their values with those asked for; raises as `_demand_each`."""

    def check(path: Path) -> None:
        found, asked = read_record(path), expected[path]
        if other := [f"{name} {found.get(name)}" for name, value in asked.items() if found.get(name) != value]:
            wanted = ", ".join(f"{name} {value}" for name, value in asked.items())
            raise DamagedFile(f"{path}: is of {', '.join(other)} and must be of {wanted}")

    _demand_each(expected, OF_JSON, check)


@contextmanager
def setting_aside(paths: Iterable[Path]) -> Iterator[None]:
    """Set aside those of these files which a fault of the block is about."""
    try:
        yield
    except DamagedFile as fault:
        own = [path for path in paths if str(fault).startswith(f"{path}: ")]
        if unreadable(fault) or not own:
            raise
        raise DamagedFile(set_aside(str(fault), *own)) from None
