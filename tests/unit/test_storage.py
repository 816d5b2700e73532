"""Files on disk: whole or not at all, equal bytes for equal input, and every damage noticed and named."""

import errno
import hashlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dpbandits.base import parquet
from dpbandits.base.digests import file_digest
from dpbandits.base.parquet import holds, read_table, write_columns, write_table
from dpbandits.base.storage import (
    CHECKSUMS,
    DamagedFile,
    checksum_file,
    digest_of_record,
    join_checksums,
    read_json,
    read_record,
    verify,
    write_checksum,
    write_json,
    write_record,
    write_text,
)

COLUMNS: dict[str, Any] = {
    "point": np.arange(4, dtype=np.int16),
    "t": np.array([1, 10, 100, 1000], dtype=np.int64),
    "regret": np.array([0.1, np.nan, -0.0, 1e300]),
    "name": np.array(["a", "b", "a", "é"], dtype=object),
}
PROVENANCE = {"curve": {"horizon": 1000}, "id": "abc", "versions": {"numpy": "2"}}


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "deep/down/table.parquet"
    write_table(path, COLUMNS, PROVENANCE)
    return path


def listing(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_what_is_written_is_read(table: Path):
    columns, provenance = read_table(table)
    assert provenance == PROVENANCE
    assert list(columns) == list(COLUMNS)
    for name, values in COLUMNS.items():
        assert columns[name].dtype == values.dtype
        assert columns[name].tobytes() == values.tobytes() or columns[name].tolist() == values.tolist()
    assert listing(table.parent) == ["table.parquet", "table.parquet.sha256"]


def test_a_table_with_names_is_read_and_written_without_pandas(table: Path):
    code = f"""import sys
from pathlib import Path
from dpbandits.base.parquet import read_table, write_table
columns, provenance = read_table(Path({str(table)!r}))
write_table(Path({str(table)!r}), columns, provenance)
print("pandas" in sys.modules, columns["name"].tolist(), columns["t"].tolist())"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == f"False {COLUMNS['name'].tolist()} {COLUMNS['t'].tolist()}\n"


def test_gaps_are_read(tmp_path: Path):
    write_table(tmp_path / "a.parquet", {"name": ["a", None, "b"], "yes": [True, False, True]}, {})
    found = read_table(tmp_path / "a.parquet")[0]
    assert (found["name"].tolist(), found["yes"].tolist()) == (["a", None, "b"], [True, False, True])


def test_the_table_is_plain_parquet_with_the_checksum_that_sha256sum_reads(table: Path):
    frame = pd.read_parquet(table)
    assert frame["name"].tolist() == COLUMNS["name"].tolist()
    assert frame["regret"].isna().sum() == 1
    done = subprocess.run(["sha256sum", "--check", "--status", "table.parquet.sha256"], cwd=table.parent, check=False)
    assert done.returncode == 0


@pytest.mark.parametrize("values", [np.arange(6.0)[::2], np.arange(9.0).reshape(3, 3)[:, 1], [1.0, 2.0, 3.0]])
def test_strided_columns_and_lists_keep_their_values(tmp_path: Path, values):
    write_table(tmp_path / "a.parquet", {"x": values}, {})
    assert read_table(tmp_path / "a.parquet")[0]["x"].tolist() == list(values)


def test_no_rows_are_a_table(tmp_path: Path):
    write_table(tmp_path / "a.parquet", {"x": np.empty(0), "n": np.empty(0, np.int32)}, {})
    assert [len(values) for values in read_table(tmp_path / "a.parquet")[0].values()] == [0, 0]


def test_tables_are_stacked_as_one_table_would_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(parquet, "ROWS", 5)  # so that row groups end within parts and parts within row groups
    whole = {name: np.concatenate([values] * 3) for name, values in COLUMNS.items()}
    other = {**COLUMNS, "name": np.array(["z"] * 4, dtype=object)}
    write_table(tmp_path / "a.parquet", {**whole, "name": np.concatenate([whole["name"][:8], other["name"]])}, {})
    parquet.write_stacked(tmp_path / "b.parquet", [COLUMNS, COLUMNS, other], {})
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()
    assert pq.ParquetFile(tmp_path / "a.parquet").num_row_groups == 3
    columns, _ = read_table(tmp_path / "b.parquet")
    assert columns["name"].tolist() == ["a", "b", "a", "é"] * 2 + ["z"] * 4
    assert columns["t"].tolist() == COLUMNS["t"].tolist() * 3


def test_columns_that_are_asked_for_are_read(table: Path):
    columns, provenance = read_table(table, {"regret", "point", "nowhere"})
    assert list(columns) == ["point", "regret"]
    assert provenance == PROVENANCE
    assert columns["point"].tolist() == COLUMNS["point"].tolist()


def test_columns_are_copied_as_if_they_were_read_and_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(parquet, "ROWS", 5)
    parquet.write_stacked(
        tmp_path / "a.parquet", [COLUMNS, {**COLUMNS, "name": np.array([*"zyxa"], object)}], PROVENANCE
    )
    assert parquet.column_names(tmp_path / "a.parquet") == list(COLUMNS)
    parquet.write_columns(tmp_path / "b.parquet", tmp_path / "a.parquet", {"t", "name", "point", "nowhere"})
    write_table(tmp_path / "c.parquet", *read_table(tmp_path / "a.parquet", {"point", "t", "name"}))
    assert (tmp_path / "b.parquet").read_bytes() == (tmp_path / "c.parquet").read_bytes()
    assert listing(tmp_path) == [f"{each}.parquet{end}" for each in "abc" for end in ("", ".sha256")]
    assert parquet.column_names(tmp_path / "b.parquet") == ["point", "t", "name"]
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    with pytest.raises(DamagedFile, match=r"a\.parquet"):
        parquet.write_columns(tmp_path / "d.parquet", tmp_path / "a.parquet", {"t"})


def test_an_empty_column_keeps_its_kind(tmp_path: Path):
    write_table(tmp_path / "a.parquet", {"flag": np.zeros(0, bool), "name": np.zeros(0, object)}, {})
    assert [str(field.type) for field in pq.read_schema(tmp_path / "a.parquet")] == ["bool", "string"]


@pytest.mark.parametrize(
    "columns",
    [
        {"x": np.zeros(2), "y": np.zeros(3)},
        {"x": np.zeros((2, 2))},
        {"x": np.zeros((0, 2))},
        {"x": np.full((2, 2), "a", object)},
    ],
)
def test_columns_that_do_not_fit_leave_nothing(tmp_path: Path, columns):
    with pytest.raises(pa.ArrowInvalid):
        write_table(tmp_path / "a.parquet", columns, {})
    assert listing(tmp_path) == []


def test_the_same_input_gives_the_same_bytes(table: Path, tmp_path: Path):
    again = tmp_path / "elsewhere.parquet"
    write_table(again, dict(COLUMNS), dict(reversed(PROVENANCE.items())))
    assert again.read_bytes() == table.read_bytes()
    write_table(table, COLUMNS, PROVENANCE)
    assert again.read_bytes() == table.read_bytes()
    verify(table)


def test_compression_and_encodings_are_those_of_the_contract(table: Path):
    group = pq.ParquetFile(table).metadata.row_group(0)
    columns = [group.column(k) for k in range(group.num_columns)]
    assert {column.compression for column in columns} == {"ZSTD"}
    encodings = {column.path_in_schema: column.encodings for column in columns}
    assert "BYTE_STREAM_SPLIT" in encodings["regret"]
    assert "RLE_DICTIONARY" not in encodings["regret"]
    assert "RLE_DICTIONARY" in encodings["name"]
    assert all("DELTA_BINARY_PACKED" in encodings[name] for name in ("point", "t"))


def flip(data: bytes) -> bytes:
    return data[:100] + bytes([data[100] ^ 1]) + data[101:]


@pytest.mark.parametrize("damage", [flip, lambda data: data[:-1], lambda data: b"", lambda data: data + b"x"])
def test_a_damaged_table_is_named(table: Path, damage):
    table.write_bytes(damage(table.read_bytes()))
    with pytest.raises(DamagedFile) as fault:
        read_table(table)
    assert str(fault.value) == f"{table}: does not match its checksum; delete it and run again"


@pytest.mark.parametrize("text", [b"", b"\xff\xfe garbage", b"0" * 64, b"\n\n"])
def test_a_damaged_checksum_is_noticed(table: Path, text: bytes):
    checksum_file(table).write_bytes(text)
    with pytest.raises(DamagedFile, match="does not match its checksum"):
        read_table(table)


def test_a_missing_file_or_checksum_is_named(table: Path):
    checksum_file(table).unlink()
    with pytest.raises(DamagedFile) as fault:
        read_table(table)
    assert str(fault.value) == f"{table}.sha256: cannot be read (No such file or directory)"
    table.unlink()
    with pytest.raises(DamagedFile) as fault:
        read_table(table)
    assert str(fault.value) == f"{table}: cannot be read (No such file or directory)"


def test_a_table_holds_what_it_was_written_with(table: Path):
    """Also with lists for tuples and another order of keys: what counts is the JSON."""
    assert holds(table, PROVENANCE)
    assert holds(table, dict(reversed(PROVENANCE.items())))
    write_table(table, COLUMNS, {**PROVENANCE, "seeds": (0, 3), "eps": 0.00031622776601683794})
    assert holds(table, {**PROVENANCE, "seeds": [0, 3], "eps": 0.00031622776601683794})


@pytest.mark.parametrize(
    "other",
    [
        {},
        {**PROVENANCE, "id": "abd"},
        {**PROVENANCE, "more": None},
        {**PROVENANCE, "curve": {"horizon": 1001}},
        {"curve": {"horizon": 1000}, "id": "abc"},
    ],
)
def test_a_table_does_not_hold_what_was_made_otherwise(table: Path, other: dict[str, Any]):
    assert not holds(table, other)


def test_a_table_that_is_damaged_or_gone_holds_nothing(table: Path):
    before = table.read_bytes()
    table.write_bytes(flip(before))
    assert not holds(table, PROVENANCE)
    table.write_bytes(before)
    assert holds(table, PROVENANCE)
    checksum_file(table).unlink()
    assert not holds(table, PROVENANCE)
    table.unlink()
    assert not holds(table, PROVENANCE)


def test_a_table_without_provenance_holds_none(tmp_path: Path):
    path = tmp_path / "plain.parquet"
    pq.write_table(pa.table({"x": [1.0]}), path)
    write_text(checksum_file(path), f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n")
    assert not holds(path, PROVENANCE)
    assert holds(path, {})
    assert read_table(path)[1] == {}


@pytest.mark.parametrize("text", [b'{"records": [', b"", b"\xff"])
def test_damaged_json_is_named(tmp_path: Path, text: bytes):
    path = tmp_path / "claims.json"
    path.write_bytes(text)
    with pytest.raises(DamagedFile) as fault:
        read_json(path)
    assert str(fault.value) == f"{path}: is not JSON; delete it and run again"
    with pytest.raises(DamagedFile, match=r"gone\.json: cannot be read \(No such file or directory\)"):
        read_json(tmp_path / "gone.json")


def test_json_does_not_depend_on_the_order_of_keys_and_holds_no_nan(tmp_path: Path):
    write_json(tmp_path / "a.json", {"b": 1, "a": [0.1, None, "é"]})
    write_json(tmp_path / "b.json", {"a": [0.1, None, "é"], "b": 1})
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    assert read_json(tmp_path / "a.json") == {"a": [0.1, None, "é"], "b": 1}
    with pytest.raises(ValueError, match="Out of range float"):
        write_json(tmp_path / "a.json", {"a": float("nan")})
    assert read_json(tmp_path / "a.json") == {"a": [0.1, None, "é"], "b": 1}


def full(writer: pq.ParquetWriter, table: pa.Table) -> None:
    """Find the disk full, a part being written."""
    raise OSError(errno.ENOSPC, "Error writing bytes to file")


def test_a_full_disk_leaves_what_was_there(table: Path, monkeypatch: pytest.MonkeyPatch):
    before, names = table.read_bytes(), listing(table.parent)
    monkeypatch.setattr(pq.ParquetWriter, "write_table", full)
    with pytest.raises(OSError, match="No space left on device") as fault:
        write_table(table, {"x": np.zeros(3)}, {})
    assert (fault.value.errno, fault.value.filename) == (errno.ENOSPC, str(table))
    assert listing(table.parent) == names
    assert table.read_bytes() == before
    verify(table)


def test_an_interrupt_leaves_no_temporary_file(table: Path, monkeypatch: pytest.MonkeyPatch):
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(parquet, "file_digest", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_table(table, {"x": np.zeros(3)}, {})
    assert listing(table.parent) == ["table.parquet", "table.parquet.sha256"]


def test_a_table_that_cannot_be_put_in_place_is_named(tmp_path: Path):
    (tmp_path / "a.parquet").mkdir()
    with pytest.raises(IsADirectoryError) as fault:
        write_table(tmp_path / "a.parquet", {"x": np.zeros(3)}, {})
    assert fault.value.filename == str(tmp_path / "a.parquet")
    assert [name for name in listing(tmp_path) if name.startswith(".")] == []


@pytest.fixture
def tiny(tmp_path: Path):
    """A file system of 64 kB."""
    if os.getuid() != 0:
        pytest.skip("only root can mount a small file system")
    folder = tmp_path / "tiny"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], check=False, capture_output=True
    )
    if mounted.returncode:
        pytest.skip(f"no small file system can be mounted here: {mounted.stderr.decode().strip()}")
    yield folder
    subprocess.run(["umount", folder], check=True)


def test_a_disk_that_is_really_full_is_named_and_left_clean(tiny: Path):
    noise = np.random.default_rng(1).random(100_000)
    with pytest.raises(OSError, match="No space left on device") as fault:
        write_table(tiny / "a.parquet", {"x": noise}, {})
    assert fault.value.filename == str(tiny / "a.parquet")
    with pytest.raises(OSError, match="No space left on device"):
        write_text(tiny / "b.json", "x" * 200_000)
    assert listing(tiny) == []
    write_table(tiny / "a.parquet", {"x": noise[:100]}, {})
    verify(tiny / "a.parquet")


def test_one_manifest_has_the_checksums_of_all_data_beside_figures(tmp_path):
    """It is used where a file has no checksum file of its own, which is newer."""
    names = ["one/data/b.parquet", "one/data/a.parquet", "two/data/a.parquet"]
    for name in names:
        write_table(tmp_path / name, {"x": np.arange(3)}, {"id": name})
    write_text(tmp_path / "one/data/notes.txt", "mine")
    write_checksum(tmp_path / "one/data/notes.txt")
    write_text(checksum_file(tmp_path / "one/data/thesis.pdf"), "of somebody else")
    digests = {name: digest_of_record(tmp_path / name) for name in names}
    join_checksums(tmp_path, names[2:])
    join_checksums(tmp_path, [*names[:2], "one/data/notes.txt"])
    assert listing(tmp_path) == ["one", CHECKSUMS, "two"]
    assert listing(tmp_path / "one/data") == ["a.parquet", "b.parquet", "notes.txt", "thesis.pdf.sha256"]
    subprocess.run(["sha256sum", "--check", "--strict", "--quiet", CHECKSUMS], cwd=tmp_path, check=True)
    listed = (tmp_path / CHECKSUMS).read_text(encoding="utf-8").splitlines()
    assert [line[66:] for line in listed] == [
        "one/data/a.parquet",
        "one/data/b.parquet",
        "one/data/notes.txt",
        names[2],
    ]
    assert {name: digest_of_record(tmp_path / name) for name in names} == digests
    verify(tmp_path / names[0])
    assert digest_of_record(tmp_path / "one/data/c.parquet") is None
    assert digest_of_record(tmp_path / "c.parquet") is None
    (tmp_path / CHECKSUMS).unlink()
    with pytest.raises(DamagedFile, match=r"b\.parquet\.sha256: cannot be read"):
        verify(tmp_path / names[0])


def test_a_manifest_never_hides_damage_or_newer_data(tmp_path):
    """A run may be killed between new data and the manifest; a file that is damaged keeps the digest that it had."""
    names = ["one/data/a.parquet", "two/data/a.parquet", "two/data/b.parquet"]
    for name in names:
        write_table(tmp_path / name, {"x": np.arange(3)}, {"id": name})
    join_checksums(tmp_path, names)
    write_table(tmp_path / names[0], {"x": np.arange(4)}, {})
    verify(tmp_path / names[0])  # its own checksum file comes first
    (tmp_path / names[1]).write_bytes(b"x")
    before = (tmp_path / CHECKSUMS).read_bytes()
    with pytest.raises(DamagedFile, match=r"two/data/a\.parquet: does not match its checksum"):
        join_checksums(tmp_path, names)
    assert (tmp_path / CHECKSUMS).read_bytes() == before
    assert checksum_file(tmp_path / names[0]).exists()
    join_checksums(tmp_path, names[2:])  # of others, which keep what they have
    assert (tmp_path / CHECKSUMS).read_bytes() == before
    verify(tmp_path / names[0])
    (tmp_path / names[1]).unlink()
    join_checksums(tmp_path, names[:1])
    assert [line[66:] for line in (tmp_path / CHECKSUMS).read_text().splitlines()] == [names[0], names[2]]
    assert digest_of_record(tmp_path / names[0]) == file_digest(tmp_path / names[0])


def test_single_precision_is_read_as_double(tmp_path):
    values = np.array([0.1, np.nan, 16777216.0], dtype=np.float32)
    write_table(tmp_path / "a.parquet", {"x": values, "y": np.arange(3.0)}, {})
    columns, _ = read_table(tmp_path / "a.parquet")
    assert columns["x"].dtype == columns["y"].dtype == np.float64
    np.testing.assert_array_equal(columns["x"], values)
    assert str(pq.read_schema(tmp_path / "a.parquet").field("x").type) == "float"
    write_columns(tmp_path / "b.parquet", tmp_path / "a.parquet", ["x"])
    assert str(pq.read_schema(tmp_path / "b.parquet").field("x").type) == "float"


def test_a_record_has_a_line_for_each_entry(tmp_path):
    write_record(tmp_path / "a.json", {"b": [{"y": 1, "x": [1, 2]}, {"x": "ä"}], "a": {"z": 1}, "empty": []})
    lines = (tmp_path / "a.json").read_text(encoding="utf-8").splitlines()
    assert lines[:6] == ["{", '"a": {"z":1},', '"b": [', '{"x":[1,2],"y":1},', '{"x":"ä"}', "],"]
    assert read_record(tmp_path / "a.json") == {"b": [{"y": 1, "x": [1, 2]}, {"x": "ä"}], "a": {"z": 1}, "empty": []}
