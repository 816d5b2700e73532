"""Results have the permissions of the user's umask, are never executable, and name no folder of their builder."""

import ast
import json
import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dpbandits.base.parquet import write_table
from dpbandits.base.storage import (
    copy_file,
    replacing_folder,
    write_bytes,
    write_json,
    write_record,
    write_text,
)
from tests.shipped import ROOT

from .modes import masked, unusual

MASKS = (0o000, 0o002, 0o022, 0o027, 0o077)
COMMITTED = sorted(
    path
    for folder in ("figures", "notebooks", "config", "benchmarks", "docs/images")
    for path in (ROOT / folder).rglob("*")
    if path.is_file() and "__pycache__" not in path.parts
)
PLACES = "|".join(
    [*map(re.escape, {str(ROOT), str(Path.home())} - {"/"}), "/(?:home|root|tmp|Users|builds|workspace|private)"]
)
FOLDER = re.compile(rf"(?<![\w.$}}{{~/:-])(?:{PLACES})/[\w.-]+")
"""A folder of the machine on which a file was made. An address such as `example.org/home/a` has text before it."""
SETTING = {"chmod", "fchmod", "lchmod", "umask", "copy", "copy2", "copymode", "copystat", "copytree", "move", "mkstemp"}
"""What sets or copies permissions; `mkstemp` and NamedTemporaryFile make files for their owner alone."""


def write_all(folder: Path) -> None:
    """Write a file in every way that the package has."""
    write_text(folder / "below/a.txt", "text")
    write_bytes(folder / "a.png", b"bytes")
    write_json(folder / "a.json", {"a": 1})
    write_record(folder / "record.json", {"a": 1})
    write_table(folder / "deep/down/table.parquet", {"a": np.arange(3)}, {"id": "a"})
    copy_file(folder / "a.png", folder / "copied/a.png")
    with replacing_folder(folder / "report", "report") as new:
        write_text(new / "static/site.css", "text")


@pytest.mark.parametrize("mask", MASKS, ids=oct)
def test_files_and_folders_have_the_permissions_of_the_umask(tmp_path, mask):
    with masked(mask):
        write_all(tmp_path / "results")
        assert len(list((tmp_path / "results").rglob("*"))) > 12
        assert unusual(tmp_path / "results") == {}


def test_the_check_notices_other_permissions(tmp_path):
    with masked(0o022):
        write_all(tmp_path / "results")
        (tmp_path / "results/a.png").chmod(0o755)
        (tmp_path / "results/below").chmod(0o700)
        assert unusual(tmp_path / "results") == {"results/a.png": "0o755", "results/below": "0o700"}


def test_permissions_of_what_is_replaced_or_copied_are_not_kept(tmp_path):
    """A result is not executable because an older file or its source is."""
    with masked(0o022):
        write_all(tmp_path / "results")
        for path in (tmp_path / "results").rglob("*"):
            path.chmod(0o777)
        write_all(tmp_path / "results")
        every = unusual(tmp_path / "results")
    assert set(every.values()) == {"0o777"}
    assert all((tmp_path / name).is_dir() for name in every)


def test_the_package_sets_and_copies_no_permissions():
    found = []
    for path in sorted((ROOT / "src").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                name, of = node.func.attr, ast.unparse(node.func.value)
                if (name in SETTING and of in ("os", "shutil", "tempfile")) or name in ("chmod", "NamedTemporaryFile"):
                    found.append(f"{path.relative_to(ROOT)}:{node.lineno}: {of}.{name}")
    assert found == []


def test_committed_results_are_not_executable():
    assert len(COMMITTED) > 400
    assert [path.relative_to(ROOT).as_posix() for path in COMMITTED if path.stat().st_mode & 0o111] == []


def text_of(path: Path) -> str:
    """All text of a file: of a table its metadata and its columns of names."""
    if path.suffix != ".parquet":
        return path.read_bytes().decode(errors="replace")
    table = pq.read_table(path)
    names = [column for column in table.columns if not pa.types.is_primitive(column.type)]
    metadata = {key.decode(): value.decode(errors="replace") for key, value in (table.schema.metadata or {}).items()}
    return json.dumps([metadata, [column.unique().to_pylist() for column in names]], default=str)


def test_committed_results_name_no_folder_of_their_builder():
    """Certificates and the report are tested beside their other tests."""
    found = {path.relative_to(ROOT).as_posix(): FOLDER.findall(text_of(path)) for path in COMMITTED}
    assert {name: folders for name, folders in found.items() if folders} == {}


@pytest.mark.parametrize("text", ["/home/ann/a.py", 'in "/root/b"', "(/tmp/c)", "=/Users/d/e", f"{ROOT}/f"])
def test_a_folder_of_a_builder_is_noticed(tmp_path, text):
    write_text(tmp_path / "a.json", json.dumps({"a": text}, ensure_ascii=False))
    write_table(tmp_path / "a.parquet", {"a": np.array([text], dtype=object)}, {"id": "a"})
    write_table(tmp_path / "b.parquet", {"a": np.arange(2)}, {"id": text})
    for path in tmp_path.iterdir():
        if path.suffix != ".sha256":
            assert FOLDER.search(text_of(path)), path.name
    assert not FOLDER.search("https://example.org/home/a, results/tmp/a and ~/root/a")
