"""What planning has found out, for its jobs and later runs: source digests, and which papers have no fault.

Both take seconds, which each job would spend again. What was found holds as long as the configuration, code of the
user's own and the user's data are the same bytes at the same places, whatever their times: whoever writes a file can
set them. The files of the package are recognized as Python recognizes compiled modules: by place, time of change and
size, so that a job need not read them all. NumPy, which draws the instances that are checked, must be the same.
"""

import hashlib
import os
import stat
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np

from dpbandits.base.digests import json_digest
from dpbandits.base.snakemake_files import PLANNED
from dpbandits.base.storage import DamagedFile, read_json, write_json
from dpbandits.environments.contextual.lending.loans import FILE
from dpbandits.planning import dependencies

LARGEST = 1 << 28
"""Bytes of a file whose content is looked at: far more than a file of a configuration or of loans."""


class Planning(NamedTuple):
    """What is known of a planning: the project, where it is kept, and the files that it rests on.

    `known`: keys of the papers that were checked with the same files, so that they have no fault; `digests`: those
    found then.
    """

    root: Path
    file: Path
    state: str
    known: frozenset[str]
    digests: dict[str, str]


def recall(root: Path) -> Planning:
    """What an earlier planning found with the files that are there now; `dependencies` takes its digests over."""
    root = root.resolve()
    file = root / PLANNED
    try:
        kept = read_json(file)
        own = kept.get("own", [])
    except (DamagedFile, AttributeError):
        kept, own = None, []
    state = _state(root, own)
    try:
        same = bool(kept["state"] == state)
        known = frozenset(kept["papers"] if same else ())
        digests = dict(kept["digests"]) if same else {}
    except (DamagedFile, TypeError, KeyError, ValueError):
        known, digests = frozenset(), {}
    dependencies.FOUND.update(digests)
    return Planning(root, file, state, known, digests)


def keep(planning: Planning, papers: Collection[str]) -> None:
    """Keep what was found, to be called when these papers have no fault.

    Where it cannot be written, later processes compute it again.
    """
    checked = sorted(planning.known.union(papers))
    if planning.known != frozenset(checked) or planning.digests != dependencies.FOUND:
        with suppress(OSError):
            own = list(map(str, dependencies.own_files()))
            state = _state(planning.root, own)
            write_json(planning.file, {"state": state, "own": own, "papers": checked, "digests": dependencies.FOUND})


def _state(root: Path, own: Sequence[str]) -> str:
    return json_digest([np.__version__, sorted(_files(root, own))])


def _files(root: Path, own: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Place of every file but hidden ones, as editors leave them beside theirs, and what it is recognized by.

    `own`: files of own code.
    """
    read = [str(root / FILE), *own, *_below(root / "config")]
    for places, mark in ((_below(dependencies.SOURCE_ROOT / "dpbandits"), _time_and_size), (read, _digest)):
        for place in places:
            with suppress(OSError):  # gone by now, a link to nothing, not to be read, or not there at all
                yield place, mark(place)


def _below(top: Path) -> Iterator[str]:
    for folder, _, names in os.walk(top, followlinks=True):
        if not folder.endswith("__pycache__"):
            yield from (os.path.join(folder, name) for name in names if not name.startswith("."))


def _time_and_size(place: str) -> str:
    found = os.stat(place)
    return f"{found.st_mtime_ns} {found.st_size}"


def _digest(place: str) -> str:
    """The SHA-256 of a file; a pipe, a device or too large a file, which nothing else reads either, says what it is."""
    found = os.stat(place)
    if not stat.S_ISREG(found.st_mode) or found.st_size > LARGEST:
        return f"{found.st_mode} {found.st_size}"
    with open(place, "rb", buffering=0) as stream:
        return hashlib.sha256(stream.read()).hexdigest()
