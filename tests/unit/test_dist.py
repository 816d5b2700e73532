"""`make dist`: a wheel that runs and a source archive that builds it again, the same bytes from the same files."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

from tests.shipped import ROOT

VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
LISTED = (
    *("src", "pyproject.toml", "README.md", "LICENSE", "Makefile", "requirements.lock", "Snakefile"),
    *("CITATION.cff", ".gitignore"),
)
DATED = re.search(r"^DATED := (\d+)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)[1]
pytestmark = pytest.mark.slow


def built(source, out, kind="all"):
    """Name -> path of the archives that the recipe of the Makefile makes of a folder."""
    options = [] if kind == "all" else ["-t", kind]
    command = [sys.executable, "-m", "hatchling", "build", "-d", out, *options]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run(command, cwd=source, env=environment | {"SOURCE_DATE_EPOCH": DATED}, check=True, capture_output=True)
    return {path.name: path for path in Path(out).iterdir()}


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """A copy of the files that a source archive lists, without results."""
    folder = tmp_path_factory.mktemp("sources") / "one"
    folder.mkdir()
    for name in LISTED:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        options = {"ignore": shutil.ignore_patterns("__pycache__")} if (ROOT / name).is_dir() else {}
        copy(ROOT / name, folder / name, **options)
    return folder


@pytest.fixture(scope="module")
def archives(sources):
    return built(sources, sources.parent / "dist")


def test_two_builds_have_the_same_bytes(sources, archives):
    """In another folder, with other times and permissions of the files."""
    other = sources.parent / "another name"
    shutil.copytree(sources, other)
    for path in other.rglob("*"):
        if path.is_file():
            os.utime(path, (1, 1))
            path.chmod(0o664)
    again = built(other, sources.parent / "again")
    assert {name: digest(path) for name, path in again.items()} == {
        name: digest(path) for name, path in archives.items()
    }


def test_the_archives_have_the_package_and_its_version(archives):
    names = {f"dpbandits-{VERSION}-py3-none-any.whl", f"dpbandits-{VERSION}.tar.gz"}
    assert set(archives) == names
    with zipfile.ZipFile(archives[f"dpbandits-{VERSION}-py3-none-any.whl"]) as wheel:
        tops = {name.split("/")[0] for name in wheel.namelist()}
        metadata = wheel.read(f"dpbandits-{VERSION}.dist-info/METADATA").decode()
    information = f"dpbandits-{VERSION}.dist-info"
    assert tops == {"dpbandits", "snakemake_logger_plugin_dpbandits", "dpbandits_command.py", information}
    assert f"\nVersion: {VERSION}\n" in metadata
    with tarfile.open(archives[f"dpbandits-{VERSION}.tar.gz"]) as source:
        listed = {name.partition("/")[2] for name in source.getnames()}
    assert {"Makefile", "Snakefile", "requirements.lock", "src/dpbandits/__init__.py"} <= listed
    assert not [name for name in listed if name.endswith((".pyc", ".nbi")) or name.startswith((".venv", "results"))]


def test_the_source_archive_builds_the_same_wheel(archives, tmp_path):
    with tarfile.open(archives[f"dpbandits-{VERSION}.tar.gz"]) as source:
        source.extractall(tmp_path, filter="data")
    (wheel,) = built(tmp_path / f"dpbandits-{VERSION}", tmp_path / "dist", "wheel").values()
    assert digest(wheel) == digest(archives[wheel.name])


def test_the_wheel_has_the_command_and_all_that_it_reads(archives, tmp_path):
    """Unpacked beside the dependencies of this environment, without the project."""
    with zipfile.ZipFile(archives[f"dpbandits-{VERSION}-py3-none-any.whl"]) as wheel:
        wheel.extractall(tmp_path / "site")  # noqa: S202 - our own
    environment = os.environ | {"PYTHONPATH": str(tmp_path / "site")}

    def said(*arguments):
        command = [sys.executable, "-m", "dpbandits", *arguments]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    every = [path.relative_to(ROOT / "src") for path in (ROOT / "src").rglob("*") if path.is_file()]
    read = [path for path in every if path.suffix not in (".pyc", ".nbi", ".nbc")]
    assert len(read) > 500
    assert [path for path in read if not (tmp_path / "site" / path).is_file()] == []
    assert said("--version") == f"dpbandits {VERSION}\n"
    assert "phased_elimination" in said("--project", ROOT, "list", "algorithms")
