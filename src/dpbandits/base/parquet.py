"""Tables on disk: parquet files with provenance and a checksum.

Separate from `storage`, because loading Arrow would dominate the memory of a job that reads no table.
"""

import hashlib
import json
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache, partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from dpbandits.base.digests import canonical_json, file_digest
from dpbandits.base.storage import DamagedFile, checksum_file, replacing, verify, write_text

pa.set_memory_pool(pa.system_memory_pool())  # Arrow's own pool keeps freed memory, a tenth of a job's
PROVENANCE = b"dpbandits"
"""Key of the provenance (canonical JSON) in the metadata of a parquet schema."""
ROWS = 2**17
"""Rows of a row group, which is encoded at a time."""
KEPT = 64
"""Columns of row groups, 1 MiB each, that an open table keeps in memory."""


def write_table(path: Path, columns: Mapping[str, Any], provenance: Mapping[str, Any]) -> None:
    """Write columns of equal length as parquet: zstd, floats split by byte, integers as differences, texts as codes.

    The same input gives the same bytes. File and checksum are written under temporary names and then renamed.

    Raises
    ------
    pyarrow.ArrowInvalid
        Columns have unequal lengths or more than one dimension.
    """
    write_stacked(path, [columns], provenance)


def write_stacked(path: Path, parts: Iterable[Mapping[str, Any]], provenance: Mapping[str, Any]) -> None:
    """Write tables with the same columns, stacked by rows; the bytes are those that `write_table` would write.

    The parts, at least one, are taken one after the other, and at most one row group is in memory. Raises as
    `write_table`.
    """
    _write(path, (pa.table({name: _array(values) for name, values in part.items()}) for part in parts), provenance)


def write_columns(path: Path, source: Path, columns: Collection[str]) -> None:
    """Copy some columns of a table, and its provenance, to a new table, in the types that it has.

    Raises
    ------
    DamagedFile
        As `verify`, for the source.
    """
    table, provenance = _read(source, columns)
    _write(path, [table], provenance)


def _write(path: Path, tables: Iterable[pa.Table], provenance: Mapping[str, Any]) -> None:
    groups = _row_groups(tables)
    first = next(groups)
    types = [field.type.value_type if pa.types.is_dictionary(field.type) else field.type for field in first.schema]
    schema = pa.schema(list(zip(first.schema.names, types, strict=True)))
    encodings = {field.name: _encoding(field.type) for field in schema}
    with replacing(path) as temporary:
        with pq.ParquetWriter(
            temporary,
            schema,
            compression="zstd",
            use_dictionary=[name for name, encoding in encodings.items() if encoding is None],
            column_encoding={name: encoding for name, encoding in encodings.items() if encoding},
            store_schema=False,
        ) as writer:
            for group in chain([first], groups):
                writer.write_table(group.cast(schema).combine_chunks())
            writer.add_key_value_metadata({PROVENANCE: canonical_json(provenance).encode()})
        write_text(checksum_file(path), f"{file_digest(temporary)}  {path.name}\n")


def _encoding(of: pa.DataType) -> str | None:
    """How a column's values are stored; None is by their places in a dictionary."""
    if pa.types.is_floating(of):
        return "BYTE_STREAM_SPLIT"
    return "DELTA_BINARY_PACKED" if pa.types.is_integer(of) else None


def _row_groups(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """The tables stacked by rows and cut every `ROWS` rows; one empty table if they have no rows."""
    left, cut = None, False
    for table in tables:
        left = table if left is None else pa.concat_tables([left, table])
        while len(left) >= ROWS:
            yield left.slice(0, ROWS)
            left, cut = left.slice(ROWS), True
    if left is not None and (len(left) or not cut):
        yield left


def _array(values: Any) -> pa.Array:
    """An Arrow array, without pandas for numbers and strings: importing it is half of a short job's CPU time."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "iuf" and values.ndim == 1:
        buffer = pa.py_buffer(np.ascontiguousarray(values))
        return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [None, buffer])
    named = isinstance(values, np.ndarray) and values.dtype.kind in "OU" and values.ndim == 1
    if named and values.size and values.strides == (0,) and isinstance(values[0], str):  # one string, repeated
        return pa.DictionaryArray.from_arrays(_array(np.zeros(len(values), np.int32)), _texts(values[:1]).dictionary)
    if named and all(isinstance(value, str) for value in values):
        return _texts(values.tolist())
    return pa.array(values)


def _texts(values: Iterable[str]) -> pa.DictionaryArray:
    """A dictionary-encoded Arrow array of strings."""
    codes = {text: code for code, text in enumerate(dict.fromkeys(values))}
    encoded = [text.encode() for text in codes]
    ends = _array(np.cumsum([0, *map(len, encoded)], dtype=np.int32)).buffers()[1]
    dictionary = pa.StringArray.from_buffers(len(codes), ends, pa.py_buffer(b"".join(encoded)))
    return pa.DictionaryArray.from_arrays(_array(np.array([codes[text] for text in values], np.int32)), dictionary)


def provenance_of(path: Path) -> Any:
    """The provenance of a table, without reading or checking its columns.

    Raises
    ------
    DamagedFile
        The file cannot be read or is not a table.
    """
    try:
        return _provenance(pq.read_schema(path))
    except OSError as error:
        raise DamagedFile(f"{path}: cannot be read ({error.strerror or error})") from None
    except (pa.ArrowException, ValueError):
        raise DamagedFile(f"{path}: is not a table; delete it and run again") from None


def holds(path: Path, provenance: Mapping[str, Any]) -> bool:
    """Whether a table exists, is undamaged, and was written with this provenance."""
    try:
        verify(path)
    except DamagedFile:
        return False
    return _provenance(pq.read_schema(path)) == json.loads(canonical_json(provenance))


def _provenance(schema: pa.Schema) -> Any:
    return json.loads((schema.metadata or {}).get(PROVENANCE, b"{}"))


def own(path: Path) -> bool:
    """Whether a file is a table that this module wrote."""
    try:
        return PROVENANCE in (pq.read_schema(path).metadata or {})
    except (pa.ArrowInvalid, OSError):
        return False


def column_names(path: Path) -> list[str]:
    """Names of a table's columns, in the order of the table."""
    names: list[str] = pq.read_schema(path).names
    return names


def read_table(path: Path, columns: Collection[str] | None = None) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Columns and provenance of a table, after verifying its checksum; single precision becomes double.

    Parameters
    ----------
    columns : names of the columns to read, in the order of the table; names that it lacks are ignored. All if None.

    Raises
    ------
    DamagedFile
        As `verify`.
    """
    table, provenance = _read(path, columns)
    names, left = table.column_names, table.columns[::-1]
    del table  # so that each Arrow column is freed once it is an array
    return {name: _values(left.pop()) for name in names}, provenance


class StoredColumn:
    """A column of a table on disk that reads rows on demand: index it with a number, a slice or an array."""

    def __init__(self, groups: "_Groups", name: str) -> None:
        self._groups, self._name, self.size = groups, name, groups.ends[-1]

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, rows: Any) -> Any:
        if isinstance(rows, slice):
            start, stop, step = rows.indices(self.size)
            stop = max(start, stop)
            if step != 1:
                raise ValueError("rows that are stored are read without steps")
            found = [values[max(start - first, 0) : stop - first] for first, values in self._of(start, stop)]
            return found[0] if len(found) == 1 else np.concatenate(found)
        if isinstance(rows, np.ndarray):
            if not rows.size:
                return self[0:0]
            if rows.dtype.kind not in "iu" or rows.min() < 0 or rows.max() >= self.size:
                raise IndexError(f"rows are whole numbers from 0 to {self.size - 1}")
            places = np.searchsorted(self._groups.ends, rows, side="right")
            out = np.empty(rows.shape, dtype=self[0:0].dtype)
            for k in np.unique(places).tolist():
                own = places == k
                out[own] = self._groups.values(self._name, k)[rows[own] - self._groups.start(k)]
            return out
        return self[rows : rows + 1][0]

    def _of(self, start: int, stop: int) -> Iterator[tuple[int, np.ndarray]]:
        """The row groups that hold these rows, at least one, each with the number of its first row."""
        for k in self._groups.between(start, stop):
            yield self._groups.start(k), self._groups.values(self._name, k)


class _Groups:
    """The row groups of a file; the most recently read columns stay in memory."""

    def __init__(self, file: pq.ParquetFile) -> None:
        sizes = [file.metadata.row_group(k).num_rows for k in range(file.metadata.num_row_groups)]
        self.ends = np.cumsum(sizes).tolist() if sizes else [0]
        self.values = lru_cache(KEPT)(partial(_group, file))  # holds no reference to self, so both are freed

    def start(self, group: int) -> int:
        return self.ends[group - 1] if group else 0

    def between(self, start: int, stop: int) -> range:
        """The groups that hold these rows, at least one."""
        first = min(bisect_right(self.ends, start), len(self.ends) - 1)
        return range(first, max(first, bisect_left(self.ends, stop)) + 1)


def _group(file: pq.ParquetFile, name: str, group: int) -> np.ndarray:
    """A column of a row group."""
    return _values(file.read_row_group(group, columns=[name]).column(0))


def stored_columns(path: Path, columns: Collection[str]) -> dict[str, StoredColumn]:
    """Columns of a table by name, without those that it lacks, after verifying its checksum.

    Raises
    ------
    DamagedFile
        As `verify`.
    """
    file, names = _opened(path, columns)
    groups = _Groups(file)
    return {name: StoredColumn(groups, name) for name in names}


def _read(path: Path, columns: Collection[str] | None) -> tuple[pa.Table, dict[str, Any]]:
    file, names = _opened(path, columns)
    return file.read(columns=names), _provenance(file.schema_arrow)


def _opened(path: Path, columns: Collection[str] | None) -> tuple[pq.ParquetFile, list[str]]:
    """A table's file, and those of the given columns that it has, in its order."""
    verify(path)
    schema = pq.read_schema(path)
    names = [name for name in schema.names if columns is None or name in columns]
    texts = [name for name in names if pa.types.is_string(schema.field(name).type)]
    return pq.ParquetFile(path, read_dictionary=texts), names  # avoids importing pyarrow's datasets


def _values(column: pa.ChunkedArray) -> np.ndarray:
    """A column's values, without `to_numpy`, which imports pandas, for numbers and strings without missing values."""
    texts = pa.types.is_dictionary(column.type)
    if column.null_count or pa.types.is_boolean(column.type):
        return _doubled((column.cast(pa.string()) if texts else column).to_numpy())
    whole = column.unify_dictionaries().combine_chunks()
    if texts:
        return np.array(whole.dictionary.to_pylist(), dtype=object)[np.from_dlpack(whole.indices)]
    return _doubled(np.from_dlpack(whole))


def _doubled(values: np.ndarray) -> np.ndarray:
    """Values of single precision in double precision, for calculations."""
    return values.astype(float) if values.dtype == np.float32 else values


def columns_digest(columns: Mapping[str, np.ndarray]) -> str:
    """SHA-256 (hex) of names, types and values of numeric columns; independent of provenance and file format."""
    digest = hashlib.sha256()
    for name, values in columns.items():
        digest.update(f"{name}:{values.dtype.str}:{len(values)};".encode())
        digest.update(np.ascontiguousarray(values).data)
    return digest.hexdigest()
