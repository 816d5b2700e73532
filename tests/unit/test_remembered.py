"""What planning keeps from one run to the next holds for the same files, and for no others."""

import os
from collections.abc import Collection
from pathlib import Path

import pytest
from click.testing import CliRunner

from dpbandits.cli.main import main
from dpbandits.config.loading import Project
from dpbandits.config.plain_yaml import ConfigError
from dpbandits.planning import dependencies
from dpbandits.planning.planning_cache import keep, recall

from .small import KEY, write_project

JUDGE = ("dpbandits.stages.judge",)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project, in a process that has found no digest yet."""
    monkeypatch.setattr(dependencies, "FOUND", {})
    (tmp_path / "config").mkdir()
    (tmp_path / "config/config.yaml").write_text("scale: quick\n")
    return tmp_path


def planned(root: Path) -> str:
    """Plan once, and forget it; the digest that was found."""
    planning = recall(root)
    found = dependencies.digest(JUDGE)
    keep(planning, [KEY])
    dependencies.FOUND.clear()
    return found


def test_nothing_is_known_before_the_first_planning(root: Path):
    assert not recall(root).known
    assert dependencies.FOUND == {}


def test_digests_are_taken_over_and_are_those_that_are_found_anew(root: Path):
    found = planned(root)
    assert recall(root).known == {KEY}
    assert {" ".join(JUDGE): found} == dependencies.FOUND
    dependencies.FOUND.clear()
    assert dependencies.digest(JUDGE) == found


def test_later_runs_add_to_what_is_known(root: Path):
    planned(root)
    planning = recall(root)
    dependencies.everything()
    keep(planning, [KEY])
    dependencies.FOUND.clear()
    assert set(recall(root).digests) == {" ".join(JUDGE), "everything"}


def test_papers_that_are_checked_later_are_added(root: Path):
    planned(root)
    keep(recall(root), ["two2021"])
    assert recall(root).known == {KEY, "two2021"}


def test_where_nothing_can_be_written_nothing_is_kept(root: Path):
    (root / ".snakemake").write_text("no folder\n")
    assert planned(root) == dependencies.digest(JUDGE)
    assert not recall(root).known


def changed(root: Path) -> None:
    (root / "config/config.yaml").write_text("scale: full\n")


def changed_in_secret(root: Path) -> None:
    """As long as before, and with the time of before."""
    file = root / "config/config.yaml"
    before = file.stat()
    file.write_text("scale: smoke\n")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert file.stat().st_size == before.st_size


def piped(root: Path) -> None:
    """Reading it would never end."""
    os.mkfifo(root / "config/pipe.yaml")


def large(root: Path) -> None:
    """Reading it would take a minute."""
    with open(root / "config/large.yaml", "wb") as stream:
        stream.truncate(20 << 30)


def added(root: Path) -> None:
    (root / "config/papers").mkdir()
    (root / "config/papers/new.yaml").write_text("title: new\n")


def removed(root: Path) -> None:
    (root / "config/config.yaml").unlink()


def given_data(root: Path) -> None:
    (root / "data").mkdir()
    (root / "data/auto_lending.csv").write_text("\n")


def damaged(root: Path) -> None:
    (root / ".snakemake/planned.json").write_text('{"state"')


def of_another_kind(root: Path) -> None:
    (root / ".snakemake/planned.json").write_text("[1, 2]")


@pytest.mark.parametrize(
    "change", [changed, changed_in_secret, piped, large, added, removed, given_data, damaged, of_another_kind]
)
def test_after_a_change_all_is_found_anew(root: Path, change):
    planned(root)
    change(root)
    assert not recall(root).known
    assert dependencies.FOUND == {}


@pytest.mark.parametrize("change", [changed, changed_in_secret, added, removed, given_data])
def test_what_was_found_before_a_change_is_not_kept(root: Path, change):
    """A run of hours keeps what it found at its start."""
    planning = recall(root)
    dependencies.digest(JUDGE)
    change(root)
    keep(planning, [KEY])
    dependencies.FOUND.clear()
    assert not recall(root).known
    assert dependencies.FOUND == {}


@pytest.mark.parametrize("folder", ["papers", "allocations", "pilots"])
def test_a_job_compares_the_files_of_its_own_papers(root: Path, folder: str):
    """Its start does not depend on the number of papers."""
    (root / "config" / folder).mkdir()
    files = {key: root / f"config/{folder}/{key}.yaml" for key in (KEY, "two2021")}
    for file in files.values():
        file.write_text("title: one\n")
    keep(recall(root), [KEY, "two2021"])
    assert recall(root, [KEY]).known == {KEY}
    files["two2021"].write_text("title: two\n")
    (root / f"config/{folder}/three2022.yaml").write_text("title: three\n")
    assert recall(root, [KEY]).known == {KEY}
    assert not recall(root, [KEY, "two2021"]).known
    assert not recall(root).known
    files[KEY].write_text("title: two\n")
    assert not recall(root, [KEY]).known


def linked(root: Path) -> None:
    """What an editor leaves beside a file that is being changed, and a link to nothing."""
    (root / "config/.#config.yaml").symlink_to("user@host.1:1")
    (root / "config/gone.yaml").symlink_to("nowhere.yaml")


def swapped(root: Path) -> None:
    (root / "config/.config.yaml.swp").write_text("b0VIM")


def touched(root: Path) -> None:
    os.utime(root / "config/config.yaml", ns=(1, 1))


@pytest.mark.parametrize("change", [linked, swapped, touched])
def test_what_leaves_the_same_bytes_changes_nothing(root: Path, change):
    planned(root)
    change(root)
    assert recall(root).known == {KEY}


def test_files_in_a_linked_folder_are_noticed(root: Path):
    (root / "elsewhere").mkdir()
    (root / "elsewhere/new.yaml").write_text("title: new\n")
    (root / "config/papers").symlink_to(root / "elsewhere")
    planned(root)
    assert recall(root).known == {KEY}
    (root / "elsewhere/new.yaml").write_text("title: newer\n")
    assert not recall(root).known


def test_the_place_is_the_same_however_it_is_named(root: Path, monkeypatch: pytest.MonkeyPatch):
    planned(root)
    monkeypatch.chdir(root / "config")
    assert recall(Path("..")).known == {KEY}
    (root / "link").symlink_to(root)
    assert recall(root / "link").known == {KEY}


def test_another_numpy_is_noticed(root: Path, monkeypatch: pytest.MonkeyPatch):
    planned(root)
    monkeypatch.setattr("numpy.__version__", "0.0.1")
    assert not recall(root).known


def test_a_changed_module_is_noticed(root: Path, monkeypatch: pytest.MonkeyPatch):
    package = root / "src/dpbandits"
    package.mkdir(parents=True)
    (package / "one.py").write_text("A = 1\n")
    monkeypatch.setattr(dependencies, "SOURCE_ROOT", root / "src")
    planning = recall(root)
    before = dependencies.digest(["dpbandits.one"])
    keep(planning, [KEY])
    dependencies.FOUND.clear()
    assert recall(root).known == {KEY}
    dependencies.FOUND.clear()
    (package / "one.py").write_text("A = 22\n")
    assert not recall(root).known
    assert dependencies.digest(["dpbandits.one"]) != before


def test_commands_check_nothing_that_was_planned_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def checked(project: Project, _: object, known: Collection[str]) -> None:
        if set(project.papers) - set(known):
            raise ConfigError("checked")

    def no_fault(*_: object) -> list[str]:
        return []

    def said() -> str:
        return CliRunner().invoke(main, ["--project", str(tmp_path), "list", "papers"]).output

    monkeypatch.setattr(dependencies, "FOUND", {})
    monkeypatch.setattr("dpbandits.config.faults.check.check", checked)
    monkeypatch.setattr("dpbandits.config.faults.check.every_fault", no_fault)
    write_project(tmp_path)
    assert said() == "dpbandits: checked\n"
    keep(recall(tmp_path), [KEY])
    assert KEY in said()
    (tmp_path / "config/added.yaml").touch()
    assert said() == "dpbandits: checked\n"
