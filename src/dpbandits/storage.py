"""Tables on disk: parquet with provenance, written whole or not at all, each with its checksum beside it."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from dpbandits.digests import canonical_json, file_digest

PROVENANCE = b"dpbandits"
"""Key of the provenance (canonical JSON) in the metadata of a parquet schema."""


class DamagedFile(RuntimeError):
    """A stored file is not what was written; its text names the file."""


def checksum_file(path: Path) -> Path:
    """Where the checksum of a file is kept."""
    return path.with_name(path.name + ".sha256")


def write_table(path: Path, columns: Mapping[str, Any], provenance: Mapping[str, Any]) -> None:
    """Write columns of equal length as parquet: zstd, floats byte-stream-split, the rest by dictionary.

    The same input gives the same bytes. File and checksum appear under temporary names and are then renamed.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    table = pa.table(dict(columns)).replace_schema_metadata({PROVENANCE: canonical_json(provenance).encode()})
    floats = [field.name for field in table.schema if pa.types.is_floating(field.type)]
    others = [field.name for field in table.schema if not pa.types.is_floating(field.type)]
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        pq.write_table(
            table,
            temporary,
            compression="zstd",
            use_dictionary=others,
            use_byte_stream_split=floats,
            store_schema=True,
        )
        write_text(checksum_file(path), f"{file_digest(temporary)}  {path.name}\n")
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a text file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_text(text, encoding="utf-8")
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def write_json(path: Path, value: object) -> None:
    """Write JSON that people read and that does not change with the order of keys."""
    write_text(path, json.dumps(value, sort_keys=True, indent=2, allow_nan=False, ensure_ascii=False) + "\n")


def read_json(path: Path) -> Any:
    """Read a JSON file.

    Raises
    ------
    DamagedFile
        It is missing or is not JSON.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DamagedFile(f"{path}: cannot be read ({error.strerror})") from None
    except ValueError:
        raise DamagedFile(f"{path}: is not JSON; delete it and run again") from None


def verify(path: Path) -> None:
    """Compare a file with its checksum.

    Raises
    ------
    DamagedFile
        One of the two is missing, or they differ.
    """
    try:
        kept = checksum_file(path).read_text(encoding="utf-8").split()[:1]
        found = file_digest(path)
    except OSError as error:
        raise DamagedFile(f"{error.filename}: cannot be read ({error.strerror})") from None
    if kept != [found]:
        raise DamagedFile(f"{path}: does not match its checksum; delete it and run again")


def read_table(path: Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Columns and provenance of a table, after comparing it with its checksum.

    Raises
    ------
    DamagedFile
        As `verify`.
    """
    verify(path)
    table = pq.read_table(path)
    provenance = json.loads((table.schema.metadata or {}).get(PROVENANCE, b"{}"))
    return {name: table[name].to_numpy() for name in table.column_names}, provenance
