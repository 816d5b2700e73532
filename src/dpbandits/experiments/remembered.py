"""What planning has found out, kept from one run to the next: source digests, and that the configuration has no fault.

Both take seconds, in which nothing else is done. What was found holds as long as the package, the configuration and
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
    """What is known of a planning: where it is kept, the files that it rests on, and the digests of an earlier one."""

    file: Path
    state: str
    digests: dict[str, str]

    @property
    def known(self) -> bool:
        """Whether the same files were planned with before, so that they have no fault."""
        return bool(self.digests)


def recall(root: Path) -> Planning:
    """What an earlier planning found with the files that are there now; `dependencies` takes its digests over."""
    file, state = root / ".snakemake/planned.json", json_digest(sorted(_files(root)))
    try:
        kept = read_json(file)
        digests = dict(kept["digests"]) if kept["state"] == state else {}
    except (DamagedFile, TypeError, KeyError, ValueError):
        digests = {}
    dependencies.FOUND.update(digests)
    return Planning(file, state, digests)


def keep(planning: Planning) -> None:
    """Keep what was found, for the next run; where there is no place for it, that finds it anew."""
    if planning.digests != dependencies.FOUND:
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
