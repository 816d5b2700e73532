"""Tables on disk: parquet with provenance, each with its checksum beside it.

Apart from `storage`, since Arrow is much of the memory of a job that reads no table.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from dpbandits.digests import canonical_json, file_digest
from dpbandits.storage import DamagedFile, checksum_file, replacing, verify, write_text

pa.set_memory_pool(pa.system_memory_pool())  # Arrow's own pool keeps what was freed, a tenth of a job's memory
PROVENANCE = b"dpbandits"
"""Key of the provenance (canonical JSON) in the metadata of a parquet schema."""


def write_table(path: Path, columns: Mapping[str, Any], provenance: Mapping[str, Any]) -> None:
    """Write columns of equal length as parquet: zstd, floats byte-stream-split, the rest by dictionary.

    The same input gives the same bytes. File and checksum appear under temporary names and are then renamed.
    """
    table = pa.table({name: _array(values) for name, values in columns.items()})
    table = table.replace_schema_metadata({PROVENANCE: canonical_json(provenance).encode()})
    floats = [field.name for field in table.schema if pa.types.is_floating(field.type)]
    others = [field.name for field in table.schema if not pa.types.is_floating(field.type)]
    with replacing(path) as temporary:
        pq.write_table(
            table,
            temporary,
            compression="zstd",
            use_dictionary=others,
            use_byte_stream_split=floats,
            store_schema=True,
        )
        write_text(checksum_file(path), f"{file_digest(temporary)}  {path.name}\n")


def _array(values: Any) -> pa.Array:
    """An Arrow array. `pa.array` imports pandas, half of a short job's CPU time, so that numbers go without it."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "iuf" and values.ndim == 1:
        buffer = pa.py_buffer(np.ascontiguousarray(values))
        return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [None, buffer])
    return pa.array(values)


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
    return {name: _values(table[name]) for name in table.column_names}, _provenance(table.schema)


def _values(column: pa.ChunkedArray) -> np.ndarray:
    """A column's values. `to_numpy` imports pandas, so that numbers and texts without gaps go without it."""
    whole = column.combine_chunks()
    if whole.null_count or pa.types.is_boolean(whole.type):
        return column.to_numpy()
    if pa.types.is_string(whole.type):
        encoded = whole.dictionary_encode()
        return np.array(encoded.dictionary.to_pylist(), dtype=object)[np.from_dlpack(encoded.indices)]
    return np.from_dlpack(whole)


def columns_digest(columns: Mapping[str, np.ndarray]) -> str:
    """SHA-256 (hex) of names, types and values of numeric columns: what a table holds, whatever made and stored it."""
    digest = hashlib.sha256()
    for name, values in columns.items():
        digest.update(f"{name}:{values.dtype.str}:{len(values)};".encode())
        digest.update(np.ascontiguousarray(values).tobytes())
    return digest.hexdigest()
