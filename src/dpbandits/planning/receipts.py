"""Receipts of jobs that simulate: which files of runs a job has made or found, each with its checksum.

The workflow declares receipts in place of files of runs, so that planning takes as long for many seeds as for few, and
so that what a killed or failed job has made stays. A receipt is named by what it lists, and it says the same for the
same runs, so that Snakemake sees by its checksum whether they changed.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import groupby
from pathlib import Path

from dpbandits.base.digests import json_digest
from dpbandits.base.storage import DamagedFile, checksum_file, read_json, write_json
from dpbandits.planning.bundles import Chunk


def receipts_of(chunks: Iterable[Chunk]) -> dict[str, list[Chunk]]:
    """The receipts of a job that simulates these chunks, by name `figure2-0123456789ab.json`: one an experiment."""
    found = {}
    for experiment, group in groupby(chunks, lambda chunk: chunk.curve.experiment):
        own = list(group)
        found[f"{experiment}-{json_digest([chunk.name for chunk in own])[:12]}.json"] = own
    return found


def write_receipts(chunks: Sequence[Chunk], curves: Path, folder: Path) -> None:
    """Write the receipts of a job whose chunks are all there.

    Parameters
    ----------
    curves : the folder of the curves of the paper.
    folder : that of its receipts.
    """
    for name, own in receipts_of(chunks).items():
        checksums = (checksum_file(curves / chunk.file).read_text(encoding="utf-8").split()[0] for chunk in own)
        write_json(folder / name, dict(zip((chunk.file for chunk in own), checksums, strict=True)))


def withdraw(receipt: Path, chunks: Iterable[Chunk], curves: Path) -> None:
    """Delete a receipt that is not true: it does not list these chunks, or one is missing or was written after it.

    Another scale may have made it again. Where the receipt cannot be deleted, as in somebody else's folder, it stays.
    """
    files = [chunk.file for chunk in chunks]
    with suppress(OSError):
        written = receipt.stat().st_mtime_ns
        if listed(receipt) != set(files) or any(newer(curves / file, written) for file in files):
            receipt.unlink()


def listed(receipt: Path) -> set[str]:
    """The files that a receipt lists; none where it is damaged."""
    try:
        return set(read_json(receipt))
    except (DamagedFile, TypeError):
        return set()


def newer(path: Path, written: int) -> bool:
    """Whether a file of runs was written after a time in nanoseconds, or is missing, or its checksum is."""
    try:
        return path.stat().st_mtime_ns > written or not checksum_file(path).exists()
    except OSError:
        return True
