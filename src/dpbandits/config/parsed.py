"""A cache of parsed YAML files as JSON, which is ten times faster to read."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import yaml

from dpbandits.base.digests import file_digest, json_digest
from dpbandits.base.snakemake_files import FOLDER
from dpbandits.base.storage import write_text
from dpbandits.config import plain_yaml
from dpbandits.config.plain_yaml import load_yaml
from dpbandits.config.regular_files import demand_yaml

PARSED = f"{FOLDER}/parsed"
"""Folder of the cache, in projects with a run; it holds the latest version of each file."""


def digest_of(path: Path) -> str:
    """Digest of the text of a file and of the code that reads it."""
    return json_digest([yaml.__version__, file_digest(Path(plain_yaml.__file__)), file_digest(path)])


def read_yaml(root: Path, name: str, checked: bool = False) -> Any:
    """The value of the YAML file `name` below `root`, from the cache if its text is unchanged.

    Parameters
    ----------
    checked : as for `load_yaml`.

    Raises
    ------
    ConfigError
        As `read_yaml_file`.
    """
    path = root / name
    demand_yaml(path, name)
    kept = root / PARSED / f"{name.replace('/', '-')}.json"
    try:
        digest = digest_of(path)
        record = json.loads(kept.read_text(encoding="utf-8"))
        if record["digest"] == digest:
            return record["value"]
    except (OSError, ValueError, TypeError, KeyError):
        pass
    value = load_yaml(path, name, checked)
    with suppress(OSError):
        # The file may have changed between the two reads.
        if (root / FOLDER).is_dir() and digest_of(path) == digest:
            write_text(kept, json.dumps({"digest": digest, "value": value}))
    return value
