"""Values of YAML files that were read before, kept as JSON, which is read ten times as fast."""

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
"""Where they are kept, in a folder in which something was run; of each file the last one."""


def digest_of(path: Path) -> str:
    """A digest of the text of a file and of the code that reads it."""
    return json_digest([yaml.__version__, file_digest(Path(plain_yaml.__file__)), file_digest(path)])


def read_yaml(root: Path, name: str, checked: bool = False) -> Any:
    """The value of a YAML file `name` below `root`, from what is kept of a file with the same text.

    Parameters
    ----------
    checked : as in `load_yaml`.

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
        # Another text may have been written between the two readings.
        if (root / FOLDER).is_dir() and digest_of(path) == digest:
            write_text(kept, json.dumps({"digest": digest, "value": value}))
    return value
