"""Files and folders that are written whole or not at all, and damaged inputs of a stage."""

from pathlib import Path

import numpy as np
import pytest

from dpbandits.parquet import write_table
from dpbandits.stages.set_aside import demand_whole
from dpbandits.storage import DamagedFile, checksum_file
from dpbandits.whole_files import copy_file, replacing_folder, write_bytes


def listing(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_takes_the_place_of_another_and_leaves_no_other(tmp_path):
    """What a killed process left under a temporary name goes as well."""
    path = tmp_path / "below/a.png"
    write_bytes(path, b"one")
    path.with_name(".a.png.17").write_bytes(b"half")
    write_bytes(path, b"two")
    assert path.read_bytes() == b"two"
    copy_file(path, tmp_path / "below/b.png")
    assert (tmp_path / "below/b.png").read_bytes() == b"two"
    assert listing(tmp_path / "below") == ["a.png", "b.png"]


def test_a_file_that_cannot_be_written_is_named(tmp_path):
    path = tmp_path / "a.png"
    path.mkdir()
    with pytest.raises(OSError, match="Is a directory") as fault:
        write_bytes(path, b"one")
    assert fault.value.filename == str(path)
    assert listing(tmp_path) == ["a.png"]


def test_a_folder_is_replaced_whole_or_not_at_all(tmp_path):
    out = tmp_path / "out"
    with replacing_folder(out) as folder:
        (folder / "old").touch()
    (tmp_path / ".out.new.17").mkdir()
    with pytest.raises(FileNotFoundError), replacing_folder(out) as folder:
        copy_file(tmp_path / "nothing", folder / "new")
    assert listing(out) == ["old"]
    with replacing_folder(out) as folder:
        (folder / "new").touch()
    assert listing(out) == ["new"]
    assert listing(tmp_path) == ["out"]


@pytest.fixture
def tables(tmp_path) -> list[Path]:
    paths = [tmp_path / f"{name}.parquet" for name in "abc"]
    for path in paths:
        write_table(path, {"x": np.arange(3.0)}, {})
    return paths


def test_damaged_tables_are_all_named_and_set_aside(tables):
    first, second, third = tables
    demand_whole(tables)
    first.write_bytes(b"")
    checksum_file(third).unlink()
    with pytest.raises(DamagedFile) as fault:
        demand_whole(tables)
    assert str(fault.value) == (
        f"{first}: does not match its checksum; set aside as .damaged; run again; "
        f"{checksum_file(third)}: cannot be read (No such file or directory); set aside as .damaged; run again"
    )
    aside = [f"{path.name}.damaged" for path in (first, third)]
    assert listing(first.parent) == sorted([*aside, second.name, checksum_file(second).name])


def test_a_table_that_cannot_be_read_is_left(tables):
    """As on a shared disk that does not answer; a folder in its place is as unreadable, whoever the user is."""
    tables[1].rename(tables[1].with_suffix(".kept"))
    tables[1].mkdir()
    before = listing(tables[1].parent)
    with pytest.raises(DamagedFile, match="Is a directory"):
        demand_whole(tables)
    assert listing(tables[1].parent) == before
