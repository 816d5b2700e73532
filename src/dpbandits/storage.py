"""Tables on disk: parquet with provenance, written whole or not at all, each with its checksum beside it."""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
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
    table = pa.table({name: _array(values) for name, values in columns.items()})
    table = table.replace_schema_metadata({PROVENANCE: canonical_json(provenance).encode()})
    floats = [field.name for field in table.schema if pa.types.is_floating(field.type)]
    others = [field.name for field in table.schema if not pa.types.is_floating(field.type)]
    with _replacing(path) as temporary:
        pq.write_table(
            table,
            temporary,
            compression="zstd",
            use_dictionary=others,
            use_byte_stream_split=floats,
            store_schema=True,
        )
        write_text(checksum_file(path), f"{file_digest(temporary)}  {path.name}\n")


@contextmanager
def _replacing(path: Path) -> Iterator[Path]:
    """A temporary name, renamed to `path` at the end; after a fault nothing is left there, and OSError names `path`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for left in path.parent.glob(f".{path.name}.*"):  # by a process that was killed
        left.unlink(missing_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        yield temporary
        os.replace(temporary, path)
    except OSError as error:
        raise OSError(error.errno, os.strerror(error.errno) if error.errno else str(error), str(path)) from error
    finally:
        temporary.unlink(missing_ok=True)


def _array(values: Any) -> pa.Array:
    """An Arrow array. `pa.array` imports pandas, half of a short job's CPU time, so that numbers go without it."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "iuf" and values.ndim == 1:
        buffer = pa.py_buffer(np.ascontiguousarray(values))
        return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [None, buffer])
    return pa.array(values)


def write_text(path: Path, text: str) -> None:
    """Write a text file whole or not at all."""
    with _replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


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
        found = file_digest(path).encode()
        kept = checksum_file(path).read_bytes().split()[:1]
    except OSError as error:
        raise DamagedFile(f"{error.filename}: cannot be read ({error.strerror})") from None
    if kept != [found]:
        raise DamagedFile(f"{path}: does not match its checksum; delete it and run again")


def holds(path: Path, provenance: Mapping[str, Any]) -> bool:
    """Whether a table is there, undamaged, and was written with this provenance."""
    try:
        verify(path)
    except DamagedFile:
        return False
    return _provenance(pq.read_schema(path)) == json.loads(canonical_json(provenance))


def _provenance(schema: pa.Schema) -> Any:
    return json.loads((schema.metadata or {}).get(PROVENANCE, b"{}"))


def read_table(path: Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Columns and provenance of a table, after comparing it with its checksum.

    Raises
    ------
    DamagedFile
        As `verify`.
    """
    verify(path)
    table = pq.ParquetFile(path).read()  # of one file, without the import of pyarrow's datasets
    return {name: table[name].to_numpy() for name in table.column_names}, _provenance(table.schema)


def columns_digest(columns: Mapping[str, np.ndarray]) -> str:
    """SHA-256 (hex) of names, types and values of numeric columns: what a table holds, whatever made and stored it."""
    digest = hashlib.sha256()
    for name, values in columns.items():
        digest.update(f"{name}:{values.dtype.str}:{len(values)};".encode())
        digest.update(np.ascontiguousarray(values).tobytes())
    return digest.hexdigest()
