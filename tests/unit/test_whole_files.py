"""Files and folders are written whole or not at all; nothing that another program wrote is replaced or deleted."""

import errno
import fcntl
import os
from pathlib import Path

import numpy as np
import pytest

from dpbandits.base.parquet import write_table
from dpbandits.base.storage import (
    PARTIAL,
    DamagedFile,
    abandoned,
    checksum_file,
    copy_file,
    partial,
    replacing_folder,
    write_bytes,
    write_text,
)
from dpbandits.stages.quarantine import demand_whole
from dpbandits.stages.render import remove_others


def listing(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def replace_folder(out: Path, *names: str) -> None:
    """Replace a folder by one with these empty files, as a command `report` would."""
    with replacing_folder(out, "report") as folder:
        for name in names:
            write_bytes(folder / name, b"")


# Files


def test_a_file_replaces_another_and_leaves_no_other(tmp_path):
    path = tmp_path / "below/a.png"
    write_bytes(path, b"one")
    path.with_name(f".a.png.17.{PARTIAL}").write_bytes(b"half")
    write_bytes(path, b"two")
    assert path.read_bytes() == b"two"
    copy_file(path, tmp_path / "below/b.png")
    assert (tmp_path / "below/b.png").read_bytes() == b"two"
    assert listing(tmp_path / "below") == ["a.png", "b.png"]


@pytest.mark.parametrize("name", ["env", "*", "[a-z]*", ".", "?nv"])
def test_files_of_others_beside_the_target_are_left(tmp_path, name):
    others = [".env.production", ".env.17", f".env.17.{PARTIAL}.txt", f".env.x.{PARTIAL}", f".other.17.{PARTIAL}"]
    for other in others:
        (tmp_path / other).write_text("kept")
    (tmp_path / f".{name}.folder").mkdir()
    if name == ".":
        with pytest.raises(IsADirectoryError):
            write_text(tmp_path / name, "new")
    else:
        write_text(tmp_path / name, "new")
        assert (tmp_path / name).read_text() == "new"
    assert all((tmp_path / other).read_text() == "kept" for other in others)
    assert set(listing(tmp_path)) == {*others, f".{name}.folder", name} - {"."}


def test_the_temporary_file_of_a_running_process_is_left(tmp_path):
    """One that no process locks is deleted."""
    running, killed = (tmp_path / f".a.txt.{number}.{PARTIAL}" for number in (17, 18))
    for path in (running, killed):
        path.touch()
    with running.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        write_text(tmp_path / "a.txt", "new")
    assert listing(tmp_path) == [running.name, "a.txt"]


@pytest.mark.parametrize("create", [Path.touch, Path.mkdir])
@pytest.mark.parametrize("network", [False, True])
def test_what_a_process_is_writing_is_not_abandoned(tmp_path, monkeypatch, create, network):
    """NFS gives an exclusive lock to nobody who opened a file for reading."""
    lock = fcntl.flock

    def flock(descriptor, how):
        if network and fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        lock(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", flock)
    with partial(tmp_path / "a", create) as temporary:
        assert abandoned(tmp_path / "a") == []
        assert temporary.exists()
    assert listing(tmp_path) == []
    create(temporary)  # a killed process leaves it
    assert abandoned(tmp_path / "a") == [temporary]


def test_the_temporary_file_of_another_user_is_left(tmp_path, monkeypatch):
    other, opened = tmp_path / f".a.txt.17.{PARTIAL}", os.open
    other.touch()

    def denied(path, *arguments, **named):
        if path == other:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return opened(path, *arguments, **named)

    monkeypatch.setattr(os, "open", denied)
    write_text(tmp_path / "a.txt", "new")
    assert listing(tmp_path) == [other.name, "a.txt"]


def test_a_link_is_followed(tmp_path):
    (tmp_path / "far").mkdir()
    (tmp_path / "far/a.txt").write_text("old")
    (tmp_path / "a.txt").symlink_to("far/a.txt")
    write_text(tmp_path / "a.txt", "new")
    assert (tmp_path / "a.txt").is_symlink()
    assert (tmp_path / "far/a.txt").read_text() == "new"
    assert listing(tmp_path / "far") == ["a.txt"]


def test_what_is_no_regular_file_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("pipe")
    before = listing(tmp_path)
    for name, kind in (("pipe", FileExistsError), ("link", FileExistsError), ("folder", IsADirectoryError)):
        with pytest.raises(kind, match=r"exists and is not a regular file. Choose another name.") as fault:
            write_bytes(tmp_path / name, b"one")
        assert fault.value.filename == str(tmp_path / name)
    assert listing(tmp_path) == before
    assert (tmp_path / "pipe").is_fifo()
    with pytest.raises(FileExistsError):
        write_text(Path("/dev/null"), "")
    assert Path("/dev/null").is_char_device()


# Folders


def test_a_folder_is_replaced_whole_or_not_at_all(tmp_path):
    out = tmp_path / "out"
    replace_folder(out, "old", "below/old")
    (tmp_path / f".out.17.{PARTIAL}/new").mkdir(parents=True)
    with pytest.raises(FileNotFoundError), replacing_folder(out, "report") as folder:
        copy_file(tmp_path / "nothing", folder / "new")
    assert listing(out) == [".dpbandits-report", "below", "old"]
    replace_folder(out, "new")
    assert listing(out) == [".dpbandits-report", "new"]
    assert listing(tmp_path) == ["out"]


def test_folders_of_others_beside_the_target_are_left(tmp_path):
    (tmp_path / ".vim.d").mkdir()
    (tmp_path / ".vim.d/plugin").touch()
    replace_folder(tmp_path / "vim", "new")
    assert listing(tmp_path) == [".vim.d", "vim"]
    assert listing(tmp_path / ".vim.d") == ["plugin"]


def test_a_folder_of_somebody_else_is_refused(tmp_path):
    (tmp_path / "mine/deep").mkdir(parents=True)
    (tmp_path / "mine/deep/notes.txt").touch()
    with pytest.raises(OSError, match=r"holds deep/notes.txt, which `dpbandits report` did not write") as fault:
        replace_folder(tmp_path / "mine", "new")
    assert fault.value.filename == str(tmp_path / "mine")
    assert listing(tmp_path / "mine/deep") == ["notes.txt"]
    assert listing(tmp_path) == ["mine"]


def test_a_folder_that_another_command_wrote_is_refused(tmp_path):
    with replacing_folder(tmp_path / "out", "certificate") as folder:
        (folder / "a").touch()
    with pytest.raises(OSError, match="did not write"):
        replace_folder(tmp_path / "out", "new")
    assert listing(tmp_path / "out") == [".dpbandits-certificate", "a"]


@pytest.mark.parametrize("add", [Path.touch, lambda path: path.symlink_to("/")])
def test_what_somebody_added_to_a_folder_is_not_deleted(tmp_path, add):
    replace_folder(tmp_path / "out", "old")
    add(tmp_path / "out/added")
    with pytest.raises(OSError, match="holds added, which"):
        replace_folder(tmp_path / "out", "new")
    assert listing(tmp_path / "out") == [".dpbandits-report", "added", "old"]


def test_an_empty_folder_and_what_snakemake_left_are_replaced(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out/.snakemake_timestamp").touch()
    replace_folder(tmp_path / "out", "new")
    assert listing(tmp_path / "out") == [".dpbandits-report", "new"]


def test_a_link_to_a_folder_is_followed(tmp_path):
    (tmp_path / "far").mkdir()
    (tmp_path / "out").symlink_to("far")
    replace_folder(tmp_path / "out", "new")
    assert listing(tmp_path / "far") == [".dpbandits-report", "new"]
    assert (tmp_path / "out").is_symlink()


def test_a_file_in_place_of_a_folder_is_refused(tmp_path):
    (tmp_path / "out").touch()
    with pytest.raises(NotADirectoryError, match=r"exists and is not a folder. Choose another name."):
        replace_folder(tmp_path / "out", "new")
    assert listing(tmp_path) == ["out"]


# Tables


@pytest.fixture
def tables(tmp_path) -> list[Path]:
    paths = [tmp_path / f"{name}.parquet" for name in "abc"]
    for path in paths:
        write_table(path, {"x": np.arange(3.0)}, {})
    return paths


def test_old_tables_beside_the_figures_are_deleted_and_nothing_else(tables, tmp_path):
    (tmp_path / "mine.parquet").write_bytes(b"not a table of ours")
    (tmp_path / "a.summary.parquet").write_bytes(tables[0].read_bytes())
    (tmp_path / "b.summary.parquet").write_bytes(tables[0].read_bytes())
    remove_others(tmp_path, ["a", "c"])
    kept = ["a.parquet", "a.parquet.sha256", "a.summary.parquet", "c.parquet", "c.parquet.sha256", "mine.parquet"]
    assert listing(tmp_path) == kept


def test_damaged_tables_are_all_named_and_set_aside(tables):
    first, second, third = tables
    demand_whole(tables)
    first.write_bytes(b"")
    checksum_file(third).unlink()
    with pytest.raises(DamagedFile) as fault:
        demand_whole(tables)
    assert str(fault.value) == (
        f"{first}: does not match its checksum; quarantined as .damaged; run again; "
        f"{checksum_file(third)}: cannot be read (No such file or directory); quarantined as .damaged; run again"
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
