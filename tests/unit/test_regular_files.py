"""Files that others wrote are read where they are regular and not too large: what is not costs neither time nor memory.

Large files are sparse here: they have no more on the disk than their name.
"""

import os
from pathlib import Path

import numpy as np
import pytest

from dpbandits.base.parquet import write_table
from dpbandits.base.storage import DamagedFile
from dpbandits.config import parsed, plain_yaml
from dpbandits.config.paper_files import paper_files
from dpbandits.config.regular_files import OF_JSON, OF_TABLES, OF_YAML, fault_of, read_json_file
from dpbandits.stages import verify
from dpbandits.stages.quarantine import demand_records, demand_tables, demand_whole

from .small import FILE, KEY, ROOT, write_project
from .test_cli import call, refusal

HUGE = 20 << 30
REGULAR = "is not a regular file. Put a regular file in its place."


def pipe(path: Path) -> str:
    os.mkfifo(path)
    return REGULAR


def endless(path: Path) -> str:
    path.symlink_to("/dev/zero")
    return REGULAR


def huge(path: Path) -> str:
    with open(path, "wb") as stream:
        stream.truncate(HUGE)
    return "has 20480 MB; must have at most "


UNREAD = (pipe, endless, huge)


@pytest.fixture
def unread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is parsed, nor is the digest of anything taken."""
    monkeypatch.setattr(plain_yaml.Path, "read_text", lambda path, **_: pytest.fail(f"{path} was read"))
    monkeypatch.setattr(parsed, "digest_of", lambda path: pytest.fail(f"{path} was read"))


@pytest.mark.parametrize("made", UNREAD)
@pytest.mark.parametrize("name", [FILE, f"config/allocations/{KEY}.yaml", "config/config.yaml"])
def test_a_file_of_the_configuration_is_refused_in_one_line(tmp_path: Path, made, name: str):
    """Whichever command reads it. A pipe in place of the allocation or of config.yaml counts as none."""
    root = write_project(tmp_path)
    (root / name).parent.mkdir(exist_ok=True)
    (root / name).unlink(missing_ok=True)
    says = made(root / name)
    if name == FILE or made is huge:
        assert refusal(root, "list", "papers").startswith(f"{name}: {says}")
    elif name == "config/config.yaml":
        assert "does not contain config/config.yaml" in refusal(root, "list", "papers")
    else:
        assert call(root, "list", "papers").exit_code == 0


def test_nothing_of_such_a_file_is_read(tmp_path: Path, unread: None):
    huge(tmp_path / "a.yaml")
    with pytest.raises(plain_yaml.ConfigError, match=r"a\.yaml: has 20480 MB"):
        parsed.read_yaml(tmp_path, "a.yaml")


@pytest.mark.parametrize("made", UNREAD)
def test_records_and_tables_are_refused_in_one_line(tmp_path: Path, made):
    path = tmp_path / "a"
    says = made(path)
    for read in (
        lambda: read_json_file(path),
        lambda: demand_records({path: {}}),
        lambda: demand_tables({path: {}}),
        lambda: demand_whole(iter([path])),
    ):
        with pytest.raises(DamagedFile) as fault:
            read()
        assert str(fault.value).startswith(f"{path}: {says}")
    assert os.path.lexists(path), "it is not set aside"


def test_limits_are_far_above_the_files_of_this_project():
    for path in (*paper_files(ROOT), *ROOT.glob("config/*/*.yaml"), ROOT / "CITATION.cff"):
        assert path.stat().st_size < OF_YAML / 5
    for path in (*ROOT.glob("figures/*/data/*.json"), *ROOT.glob("config/pilots/*.json")):
        assert path.stat().st_size < OF_JSON / 50
    for path in ROOT.glob("figures/*/data/*.parquet"):
        assert path.stat().st_size < OF_TABLES / 100
        assert verify.pq.read_metadata(path).num_rows < verify.MOST_ROWS / 10
    assert not fault_of(ROOT / "nothing", 0)


def test_sizes_are_compared_before_contents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "copy").write_bytes(b"1234")
    huge(tmp_path / "found")
    monkeypatch.setattr(verify, "file_digest", lambda path: pytest.fail(f"{path} was read"))
    assert verify.another(tmp_path / "found", tmp_path / "copy", "0")


def test_rows_are_compared_before_values(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    old, new = tmp_path / "old.parquet", tmp_path / "new.parquet"
    write_table(old, {"a": np.arange(3)}, {})
    write_table(new, {"a": np.arange(4)}, {})
    monkeypatch.setattr(verify, "columns", lambda path: pytest.fail(f"{path} was read"))
    assert verify.changed("tables/a/b.parquet", old, new) == (["3 -> 4 rows"], None)
    monkeypatch.setattr(verify, "MOST_ROWS", 2)
    assert verify.changed("tables/a/b.parquet", old, old)[0] == ["its bytes; 3 rows are too many to compare"]
