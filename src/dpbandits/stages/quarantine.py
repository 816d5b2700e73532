"""Quarantine a stage's inputs that are damaged or wrong: name and rename them, so that the next run repairs them.

A table states its kind, its curves, and the root seed and sources of its runs. A record holds its own digest. Files
that were swapped are therefore detected too.
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
"""How messages of `storage` about a damaged file end."""
RUNS, SUMMARY = "runs", "summary"
"""The kinds of tables of an experiment."""
IN_WORDS = {
    "table": "a different kind of table",
    "root_seed": "a different root seed",
    "curves": "different curves, seeds or sources",
}


def unreadable(fault: DamagedFile) -> bool:
    """Whether a file could not be read, which says nothing about its content. A missing file counts as damaged."""
    cause = fault.__context__
    return isinstance(cause, OSError) and not isinstance(cause, FileNotFoundError)


def set_aside(fault: str, *paths: Path) -> str:
    """Rename files to `<name>.damaged`, so that the next run recomputes them; return the complete message."""
    there = [path for path in paths if path.exists()]
    for path in there:
        with suppress(FileNotFoundError):  # another stage that read the file at the same time has renamed it
            path.rename(path.with_name(path.name + ".damaged"))
        checksum_file(path).unlink(missing_ok=True)
    earlier = any(path.with_name(path.name + ".damaged").exists() for path in paths)
    aside = "; quarantined as .damaged" if there else "; was quarantined as .damaged before" if earlier else ""
    return fault.removesuffix(ADVICE) + f"{aside}; run again"


def demand_whole(paths: Iterable[Path]) -> None:
    """Compare tables with their checksums; raises like `_demand_each`."""
    _demand_each(paths, OF_TABLES, verify)


def _demand_each(paths: Iterable[Path], largest: int, check: Callable[[Path], object]) -> None:
    """Check files of at most `largest` bytes; `check` raises DamagedFile for a damaged or wrong file.

    Raises
    ------
    DamagedFile
        Some files are damaged or wrong; all of them are named and quarantined. Or a file could not be read.
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
    """The provenance that a table of an experiment states.

    Parameters
    ----------
    sources : curve folder -> source digest of its runs; no entry for bounds, which have no runs.
    """
    of_curves = [
        {"curve": curve.identity(), "folder": curve.folder, "seeds": curve.seeds}
        | ({"source": sources[curve.folder]} if curve.folder in sources else {})
        for curve in curves
    ]
    return {"table": kind, "root_seed": root_seed, "curves": of_curves}


def demand_tables(expected: Mapping[Path, Mapping[str, Any]]) -> None:
    """Compare the headings of tables, without their columns, with the expected ones; raises like `_demand_each`.

    If a heading is wrong, the checksums of the other tables are compared as well, so that one run names all faults.
    """

    def check(path: Path) -> None:
        found, known = provenance_of(path), json.loads(canonical_json(expected[path]))
        parts = found if isinstance(found, dict) else {}
        kept = {**parts, "curves": [without_chunks(each) for each in parts.get("curves", [])]}
        if other := [words for name, words in IN_WORDS.items() if kept.get(name) != known[name]]:
            verify(path)  # a damaged heading says nothing
            raise DamagedFile(f"{path}: holds {', '.join(other)}")

    try:
        _demand_each(expected, OF_TABLES, check)
    except DamagedFile as fault:
        if unreadable(fault):
            raise
        try:
            demand_whole(path for path in expected if path.exists())
        except DamagedFile as others:
            raise DamagedFile(f"{fault}; {others}") from None
        raise


def without_chunks(origin: Mapping[str, Any]) -> dict[str, Any]:
    """The provenance of a curve's runs without the digests of its chunks."""
    return {name: value for name, value in origin.items() if name != "chunks"}


def demand_records(expected: Mapping[Path, Mapping[str, Any]]) -> None:
    """Check the digests of records, and some of their values against the expected ones; raises like `_demand_each`."""

    def check(path: Path) -> None:
        found, asked = read_record(path), expected[path]
        if other := [f"{name} {found.get(name)}" for name, value in asked.items() if found.get(name) != value]:
            wanted = ", ".join(f"{name} {value}" for name, value in asked.items())
            raise DamagedFile(f"{path}: belongs to {', '.join(other)}; must belong to {wanted}")

    _demand_each(expected, OF_JSON, check)


@contextmanager
def setting_aside(paths: Iterable[Path]) -> Iterator[None]:
    """Quarantine those of these files that a DamagedFile raised in the block names."""
    try:
        yield
    except DamagedFile as fault:
        own = [path for path in paths if str(fault).startswith(f"{path}: ")]
        if unreadable(fault) or not own:
            raise
        raise DamagedFile(set_aside(str(fault), *own)) from None
