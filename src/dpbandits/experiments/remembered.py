"""What planning has found out, for its jobs and later runs: source digests, and that the configuration has no fault.

Both take seconds, which each job would spend again. What was found holds as long as the package, the configuration and
the user's data are the same files, recognised as Python recognises compiled modules: by place, time of change and size.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from dpbandits.contexts.loans import FILE
from dpbandits.digests import json_digest
from dpbandits.experiments import dependencies
from dpbandits.storage import DamagedFile, read_json, write_json


class Planning(NamedTuple):
    """What is known of a planning: where it is kept, and the files that it rests on.

    `known`: whether the same files were planned with before, so that they have no fault; `digests`: those found then.
    """

    file: Path
    state: str
    known: bool
    digests: dict[str, str]


def recall(root: Path) -> Planning:
    """What an earlier planning found with the files that are there now; `dependencies` takes its digests over."""
    file, state = root / ".snakemake/planned.json", json_digest(sorted(_files(root)))
    try:
        kept = read_json(file)
        known = bool(kept["state"] == state)
        digests = dict(kept["digests"]) if known else {}
    except (DamagedFile, TypeError, KeyError, ValueError):
        known, digests = False, {}
    dependencies.FOUND.update(digests)
    return Planning(file, state, known, digests)


def keep(planning: Planning) -> None:
    """Keep what was found, once the configuration was; where there is no place for it, it is found anew."""
    if not planning.known or planning.digests != dependencies.FOUND:
        with suppress(OSError):
            write_json(planning.file, {"state": planning.state, "digests": dependencies.FOUND})


def _files(root: Path) -> Iterator[tuple[str, int, int]]:
    """Place, time of change (ns) and size of every file."""
    for top in (dependencies.SOURCE_ROOT / "dpbandits", root / "config", (root / FILE).parent):
        for folder, _, names in os.walk(top):
            if not folder.endswith("__pycache__"):
                for name in names:
                    found = os.stat(os.path.join(folder, name))
                    yield os.path.join(folder, name), found.st_mtime_ns, found.st_size
