"""Commands write the files that they are told, and replace none that they did not write before."""

import os
from pathlib import Path

import pytest

from dpbandits.base.parquet import read_table
from dpbandits.cli import run
from dpbandits.stages import single

from .small import PLAIN, ROOT, write_project
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


PLAYED = RUN[:-1]
FOREIGN = "exists, and this command did not write it. Choose another name, or add --force."
OPTIONS = {"--out": "a.parquet", "--table": "a.csv", "--plot": "a.svg"}


@pytest.mark.parametrize("option", OPTIONS)
def test_a_file_of_somebody_else_is_refused_before_anything_is_computed(root, here, monkeypatch, option):
    """Would fail where an existing file is replaced because it is a regular one."""
    monkeypatch.setattr(run, "played", pytest.fail)
    (here / OPTIONS[option]).write_text("kept")
    assert refusal(root, *PLAYED, option, OPTIONS[option]) == f"{OPTIONS[option]}: {FOREIGN}"
    (here / "link").symlink_to(OPTIONS[option])
    assert refusal(root, *PLAYED, option, "link") == f"link: {FOREIGN}"
    assert (here / OPTIONS[option]).read_text() == "kept"


def test_a_checksum_of_somebody_else_is_refused(root, here):
    (here / "a.parquet.sha256").write_text("kept")
    assert refusal(root, *RUN, "a.parquet") == f"a.parquet.sha256: {FOREIGN}"


@pytest.mark.parametrize("option", OPTIONS)
def test_force_replaces_a_file_of_somebody_else_and_no_other_one(root, here, option):
    name = OPTIONS[option]
    for each in (name, f"{name}.sha256"):
        (here / each).write_text("kept")
    result = call(root, *PLAYED, option, name, "--force")
    assert result.exit_code == 0, result.output
    assert b"kept" not in (here / name).read_bytes()
    assert ((here / f"{name}.sha256").read_text() == "kept") == (option != "--out")
    assert (here / "notes.txt").read_text() == "kept"


def test_force_replaces_no_device(root):
    assert refusal(root, *RUN, "/dev/null", "--force") == f"/dev/null: {REFUSED}"


@pytest.mark.parametrize("ending", ["svg", "png", "pdf"])
def test_own_files_and_empty_ones_are_replaced(root, here, ending):
    """Would fail where a command does not know its own files again."""
    picture, table = here / f"a.{ending}", here / "a.csv"
    picture.touch()
    for seeds in ("2", "3"):
        result = call(root, *PLAYED[:-1], seeds, "--table", "a.csv", "--plot", picture.name)
        assert result.exit_code == 0, result.output
    assert table.read_text().splitlines()[1].split(",")[4] == "3"
    assert picture.stat().st_size > 1000


@pytest.mark.parametrize("arguments", [("--out", "own.svg"), ("--format", "svg")])
def test_a_figure_replaces_its_own_file_alone(here, arguments):
    name = {"--out": "own.svg"}.get(arguments[0], "one_gap-printed.svg")
    for _ in range(2):
        assert call(ROOT, "figure", "hu2021/2", *arguments).exit_code == 0
    (here / name).write_text("kept")
    assert refusal(ROOT, "figure", "hu2021/2", *arguments) == f"{name}: {FOREIGN}"
    assert (here / name).read_text() == "kept"
    assert call(ROOT, "figure", "hu2021/2", *arguments, "--force").exit_code == 0
    assert (here / name).read_text().rstrip().endswith("</svg>")
