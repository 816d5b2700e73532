"""Cache what planning computes for jobs and later runs: source digests, and which papers passed all checks.

Both take seconds, which every job would otherwise spend again. The cache is valid while the configuration, the user's
own code and the user's data have the same bytes at the same paths. Their modification times do not count, because
anybody who writes a file can set them. A job compares the files of its own papers, not those of the others. Files of
the package are recognized as Python recognizes compiled modules, by path, modification time and size, so that a job
does not read them all. The NumPy version must match as well, because NumPy draws the instances that are checked.
"""

import hashlib
import os
import stat
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np

from dpbandits.base.digests import json_digest
from dpbandits.base.snakemake_files import PLANNED
from dpbandits.base.storage import DamagedFile, read_json, write_json
from dpbandits.environments.contextual.lending.loans import FILE
from dpbandits.planning import dependencies

OF_A_PAPER = ("papers", "allocations", "pilots")
"""Folders of the configuration whose files are named after papers."""
LARGEST = 1 << 28
"""Largest file, in bytes, whose content is read: far more than a configuration or a loan data file needs."""


class Planning(NamedTuple):
    """Cached knowledge about a plan: the project, where the cache is stored, and the files that it depends on.

    `files`: fingerprints of these files; `own`: those among them that are the user's own code; `state`: digest of the
    fingerprints; `known`: keys of the papers that passed all checks with the same files; `digests`: the source digests
    found then.
    """

    root: Path
    file: Path
    files: Mapping[str, str]
    own: Sequence[str]
    state: str
    known: frozenset[str]
    digests: dict[str, str]


def recall(root: Path, papers: Collection[str] | None = None) -> Planning:
    """Load what an earlier planning found with the current files; `dependencies` reuses its digests.

    Parameters
    ----------
    papers : keys of the papers that are used, whose files alone are compared; None for all.
    """
    root = root.resolve()
    file = root / PLANNED
    try:
        kept = read_json(file)
        own = kept.get("own", [])
    except (DamagedFile, AttributeError):
        kept, own = None, []
    found = dict(_files(root, own, papers))
    try:
        before = {place: mark for place, mark in kept["files"].items() if _concerns(place, root, papers)}
        same = bool(kept["numpy"] == np.__version__ and before == found)
        known = frozenset(kept["papers"] if same else ())
        digests = dict(kept["digests"]) if same else {}
    except (DamagedFile, AttributeError, TypeError, KeyError, ValueError):
        same, known, digests = False, frozenset(), {}
    if not same:  # own code of an earlier plan does not matter
        found, own = {place: mark for place, mark in found.items() if place not in own}, []
    dependencies.FOUND.update(digests)
    known = known if papers is None else known.intersection(papers)
    return Planning(root, file, found, own, _state(found), known, digests)


def keep(planning: Planning, papers: Collection[str]) -> None:
    """Save what was found, with the fingerprints that the files had when they were read: a run may take hours.

    Call it only after these papers have passed all checks. If the cache cannot be written, later processes compute it
    again.
    """
    checked = sorted(planning.known.union(papers))
    if planning.known == frozenset(checked) and planning.digests == dependencies.FOUND:
        return
    read = {**dependencies.own_files(), **planning.files}
    own = sorted({*planning.own, *dependencies.own_files()})
    kept = {"numpy": np.__version__, "files": read, "own": own}
    with suppress(OSError):
        write_json(planning.file, {**kept, "papers": checked, "digests": dependencies.FOUND})


def _state(files: Mapping[str, str]) -> str:
    return json_digest([np.__version__, files])


def _concerns(place: str, root: Path, papers: Collection[str] | None) -> bool:
    """Whether a file matters for these papers: it belongs to one of them or to none; None is all papers."""
    folder, name = os.path.split(place)
    of_a_paper = folder in (f"{root}/config/{kind}" for kind in OF_A_PAPER)
    return papers is None or not of_a_paper or name.partition(".")[0] in papers


def _files(root: Path, own: Sequence[str], papers: Collection[str] | None = None) -> Iterator[tuple[str, str]]:
    """Fingerprint of every file that matters by path, without hidden files, which editors write.

    `own`: files of the user's own code.
    """
    read = [str(root / FILE), *own, *_below(root / "config")]
    read = [place for place in read if _concerns(place, root, papers)]
    for places, mark in ((_below(dependencies.SOURCE_ROOT / "dpbandits"), _time_and_size), (read, _digest)):
        for place in places:
            with suppress(OSError):  # deleted in the meantime, a dangling link, unreadable or missing
                yield place, mark(place)


def _below(top: Path) -> Iterator[str]:
    for folder, _, names in os.walk(top, followlinks=True):
        if not folder.endswith("__pycache__"):
            yield from (os.path.join(folder, name) for name in names if not name.startswith("."))


def _time_and_size(place: str) -> str:
    found = os.stat(place)
    return f"{found.st_mtime_ns} {found.st_size}"


def _digest(place: str) -> str:
    """SHA-256 of a file. Pipes, devices and oversized files, which nothing else reads, give their mode and size."""
    found = os.stat(place)
    if not stat.S_ISREG(found.st_mode) or found.st_size > LARGEST:
        return f"{found.st_mode} {found.st_size}"
    with open(place, "rb", buffering=0) as stream:
        return hashlib.sha256(stream.read()).hexdigest()
