"""Columns of a table on disk give the rows that the whole table has, and keep little of it in memory."""

import gc
import weakref

import numpy as np
import pytest

from dpbandits.base import parquet
from dpbandits.base.storage import DamagedFile
from dpbandits.claims import pools

ROWS = 23
COLUMNS = {
    "algorithm": np.array([f"arm {k // 9}" for k in range(ROWS)], dtype=object),
    "seed": np.arange(ROWS, dtype=np.int32)[::-1].copy(),
    "eps": np.where(np.arange(ROWS) < 11, np.nan, np.sqrt(np.arange(ROWS))),
}


@pytest.fixture
def table(tmp_path, monkeypatch):
    """A table in row groups of 5 rows."""
    monkeypatch.setattr(parquet, "ROWS", 5)
    parquet.write_table(tmp_path / "runs.parquet", COLUMNS, {"root_seed": 1})
    return tmp_path / "runs.parquet"


def test_rows_are_those_of_the_whole_table(table):
    stored = parquet.stored_columns(table, COLUMNS)
    assert list(stored) == list(COLUMNS)
    for name, whole in COLUMNS.items():
        column = stored[name]
        assert (len(column), column.size) == (ROWS, ROWS)
        for start in range(ROWS + 1):
            for stop in range(ROWS + 2):
                np.testing.assert_array_equal(column[start:stop], whole[start:stop])
        assert column[:].dtype == whole.dtype
        for k in range(ROWS):
            np.testing.assert_array_equal(column[k], whole[k])
        rng = np.random.default_rng(0)
        for size in (0, 1, 4, 60):
            rows = rng.integers(0, ROWS, size)
            np.testing.assert_array_equal(column[rows], whole[rows])


def test_rows_are_not_taken_in_steps(table):
    with pytest.raises(ValueError, match="without steps"):
        parquet.stored_columns(table, ["seed"])["seed"][::2]


@pytest.mark.parametrize("rows", [np.array([True] * ROWS), np.array([-1]), np.array([0, ROWS]), np.array([0.5])])
def test_what_numbers_no_rows_is_refused(table, rows):
    with pytest.raises(IndexError, match="whole numbers from 0 to 22"):
        parquet.stored_columns(table, ["seed"])["seed"][rows]


def test_a_table_is_given_back_with_its_last_column(table):
    column = parquet.stored_columns(table, ["seed"])["seed"]
    column[:]
    groups = weakref.ref(column._groups)
    gc.disable()
    try:
        del column
        assert groups() is None
    finally:
        gc.enable()


def test_columns_that_a_table_lacks_are_left_out(table):
    assert list(parquet.stored_columns(table, ["seed", "regret"])) == ["seed"]


def test_a_table_without_rows_has_empty_columns(tmp_path):
    path = tmp_path / "none.parquet"
    parquet.write_table(path, {name: values[:0] for name, values in COLUMNS.items()}, {})
    for column in parquet.stored_columns(path, COLUMNS).values():
        assert (column.size, column[:].size, column[np.zeros(0, dtype=int)].size) == (0, 0, 0)


def test_a_damaged_table_is_refused(table):
    data = bytearray(table.read_bytes())
    data[20] ^= 1
    table.write_bytes(data)
    with pytest.raises(DamagedFile, match=r"runs\.parquet"):
        parquet.stored_columns(table, COLUMNS)


def test_row_groups_that_were_read_last_stay_in_memory_and_no_others(table, monkeypatch):
    monkeypatch.setattr(parquet, "KEPT", 2)
    read = []
    values = parquet._values
    monkeypatch.setattr(parquet, "_values", lambda column: (read.append(1), values(column))[1])
    column = parquet.stored_columns(table, ["eps"])["eps"]
    for rows, reads in ((slice(0, 4), 1), (slice(2, 8), 2), (slice(0, 10), 2), (slice(20, 23), 3), (slice(0, 4), 4)):
        column[rows]
        assert len(read) == reads, rows


@pytest.mark.parametrize("part", [1, 2, 5, 100])
def test_blocks_are_the_same_whatever_is_compared_at_a_time(table, monkeypatch, part):
    monkeypatch.setattr(pools, "PART", part)
    stored = parquet.stored_columns(table, COLUMNS)
    wanted = [slice(0, 9), slice(9, 11), *(slice(k, k + 1) for k in range(11, ROWS))]
    for columns in (COLUMNS, stored):
        assert list(pools.blocks([columns["algorithm"], columns["eps"]], slice(0, ROWS))) == wanted
        assert list(pools.blocks([columns["algorithm"]], slice(4, 21))) == [slice(4, 9), slice(9, 18), slice(18, 21)]
