"""`dpbandits run --out FILE` writes this file and its checksum, and changes nothing else."""

import os
from pathlib import Path

import pytest

from dpbandits.base.parquet import read_table
from dpbandits.stages import single

from .small import PLAIN, write_project
from .test_cli import STUDY, call, refusal

RUN = ("run", STUDY, "--algorithm", PLAIN, "--set", "T=16", "--seeds", "2", "--out")
REFUSED = "exists and is not a regular file. Choose another name."


@pytest.fixture
def root(tmp_path) -> Path:
    return write_project(tmp_path / "project")


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    """A working folder with files of the user's."""
    folder = tmp_path / "here"
    folder.mkdir()
    for name in (".env.production", ".bashrc", ".a.b", "notes.txt"):
        (folder / name).write_text("kept")
    monkeypatch.chdir(folder)
    return folder


def listing(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.mark.parametrize("name", ["env", "*", "[!x]*", "?"])
def test_no_other_file_changes(root, here, name):
    before = listing(here)
    result = call(root, *RUN, name)
    assert result.exit_code == 0, result.output
    assert listing(here) == before | {name, f"{name}.sha256"}
    assert all((here / each).read_text() == "kept" for each in before)
    assert set(read_table(here / name)[0]["seed"]) == {0, 1}


def test_a_file_of_an_earlier_run_is_replaced(root, here):
    for seeds in ("2", "3"):
        assert call(root, *RUN[:-2], seeds, "--out", "a.parquet").exit_code == 0
    assert set(read_table(here / "a.parquet")[0]["seed"]) == {0, 1, 2}


@pytest.mark.parametrize("in_place_of", ["a.parquet", "a.parquet.sha256"])
def test_other_targets_are_refused_before_anything_is_computed(root, here, monkeypatch, in_place_of):
    monkeypatch.setattr(single, "played", pytest.fail)
    os.mkfifo(here / in_place_of)
    assert refusal(root, *RUN, "a.parquet") == f"{in_place_of}: {REFUSED}"
    assert (here / in_place_of).is_fifo()


def test_devices_are_refused(root):
    """Root could replace them."""
    assert refusal(root, *RUN, "/dev/null") == f"/dev/null: {REFUSED}"
    assert Path("/dev/null").is_char_device()
