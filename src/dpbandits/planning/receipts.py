"""Receipts of simulation jobs: the run files that a job made or found, each with its checksum.

The workflow declares receipts instead of run files. Planning time therefore does not depend on the number of seeds, and
a failed or killed job keeps what it has finished. A receipt's name is derived from the files it lists and its content
from their checksums, so Snakemake detects changed runs by the receipt's checksum.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import groupby
from pathlib import Path

from dpbandits.base.digests import json_digest
from dpbandits.base.storage import DamagedFile, checksum_file, read_json, write_json
from dpbandits.planning.bundles import Chunk


def receipts_of(chunks: Iterable[Chunk]) -> dict[str, list[Chunk]]:
    """Chunks by the name of their receipt, such as `figure2-0123456789ab.json`; there is one receipt per experiment."""
    found = {}
    for experiment, group in groupby(chunks, lambda chunk: chunk.curve.experiment):
        own = list(group)
        found[f"{experiment}-{json_digest([chunk.name for chunk in own])[:12]}.json"] = own
    return found


def write_receipts(chunks: Sequence[Chunk], curves: Path, folder: Path) -> None:
    """Write the receipts of a job whose chunks are complete.

    Parameters
    ----------
    curves : the folder of the curves of the paper.
    folder : the folder of its receipts.
    """
    for name, own in receipts_of(chunks).items():
        checksums = (checksum_file(curves / chunk.file).read_text(encoding="utf-8").split()[0] for chunk in own)
        write_json(folder / name, dict(zip((chunk.file for chunk in own), checksums, strict=True)))


def withdraw(receipt: Path, chunks: Iterable[Chunk], curves: Path) -> None:
    """Delete a receipt that is out of date: it lists other chunks, or a listed chunk is missing or newer.

    A run at another scale may have recomputed a chunk. A receipt that cannot be deleted, as in another user's folder,
    is kept.
    """
    with suppress(OSError):
        written = receipt.stat().st_mtime_ns
        files = [chunk.file for chunk in chunks]
        if listed(receipt) != set(files) or any(newer(curves / file, written) for file in files):
            receipt.unlink()


def listed(receipt: Path) -> set[str]:
    """Files that a receipt lists; empty if the receipt is damaged."""
    try:
        return set(read_json(receipt))
    except (DamagedFile, TypeError):
        return set()


def newer(path: Path, written: int) -> bool:
    """Whether a run file is newer than `written` (nanoseconds), or it or its checksum file is missing."""
    try:
        return path.stat().st_mtime_ns > written or not checksum_file(path).exists()
    except OSError:
        return True
