"""What installs the project: locks, environment.yml, declared dependencies, and the notebooks as they are kept."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

from tests.faults.table import injects

ROOT = Path(__file__).resolve().parents[2]
LOCKS = tuple(f"requirements{kind}.lock" for kind in ("", "-crate", "-dev", "-peers", "-slurm", "-uv"))
KEPT = [*LOCKS, "environment.yml", "Makefile", ".ci/run", "pyproject.toml"]


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def pins(lock: str) -> dict[str, str]:
    """Name -> version; fails when a name is pinned twice."""
    found = re.findall(r"^([a-z0-9._-]+)==([^ ;\\]+)", lock, re.M)
    assert len(found) == len(dict(found)), "one version of everything, for all Pythons"
    return dict(found)


@pytest.mark.parametrize("name", KEPT)
def test_no_address_is_kept(name):
    text = read(name)
    assert not re.search(r"https?://|index-url|find-links|file:", text)


@pytest.mark.parametrize("name", LOCKS)
def test_every_pin_has_hashes(name):
    blocks = re.split(r"\n(?=\S)", read(name).strip())
    assert blocks
    for block in blocks:
        assert re.match(r"[a-z0-9._-]+==", block), block[:60]
        assert "--hash=sha256:" in block, block[:60]


def test_the_locks_agree_and_hold_what_is_asked_for():
    kinds = ("", "-dev", "-slurm", "-crate", "-peers")
    main, dev, slurm, crate, peers = (pins(read(f"requirements{name}.lock")) for name in kinds)
    for one, other in ((dev, main), (slurm, main), (slurm, dev)):
        shared = one.keys() & other.keys()
        assert {name: one[name] for name in shared} == {name: other[name] for name in shared}
    for name, lock in zip(kinds, (main, dev, slurm, crate, peers), strict=True):
        source = f"requirements{name}.in"
        names = re.findall(r"^([a-z0-9-]+)", read(source), re.M)
        assert set(names) <= set(lock)


def test_declared_dependencies_are_the_requirements():
    declared = tomllib.loads(read("pyproject.toml"))["project"]["dependencies"]
    asked = set(re.findall(r"^([a-z0-9-]+)", read("requirements.in"), re.M))
    assert {re.match(r"[a-z0-9-]+", name)[0] for name in declared} == asked - {"hatchling"}


def test_environment_yml_carries_the_pins_of_the_lock():
    record = yaml.safe_load(read("environment.yml"))
    assert set(record["channels"]) <= {"conda-forge", "nodefaults"}
    python, pip, packages = record["dependencies"]
    assert pip == "pip"
    minor = re.fullmatch(r"python =3\.(\d+)", python)[1]
    low, high = re.fullmatch(
        r">=3\.(\d+),<3\.(\d+)", tomllib.loads(read("pyproject.toml"))["project"]["requires-python"]
    ).groups()
    assert int(low) <= int(minor) < int(high)
    carried = dict(pin.split("==") for pin in packages["pip"])
    locked = pins(read("requirements.lock"))
    assert carried.items() <= locked.items()
    elsewhere = {
        "appnope",
        "colorama",
        "pywin32",
        "pywinpty",
        "pyreadline3",
        "cffi",
        "pycparser",
    }  # not on Linux, or not in CPython
    newer = {"aiohttp", "aiosignal", "aiohappyeyeballs", "frozenlist", "multidict", "propcache", "yarl"}  # Python 3.12
    assert set(locked) - set(carried) <= elsewhere | newer


def test_environment_yml_is_what_the_script_prints():
    specification = importlib.util.spec_from_file_location("environment", ROOT / "tools/environment.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    lines = [f"      - {pin}" for pin in module.pins(read("requirements.lock"))]
    assert read("environment.yml") == module.HEAD + "\n".join(lines) + "\n"


@pytest.mark.parametrize("path", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda path: path.name)
def test_notebooks_are_kept_clean(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    tags = [tag for cell in cells for tag in cell["metadata"].get("tags", [])]
    assert tags.count("parameters") == 1
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert all(not cell["outputs"] and cell["execution_count"] is None for cell in cells if cell["cell_type"] == "code")
    for source in code:
        assert len(source.splitlines()) <= 14, "a cell that fits a screen"
        assert not re.search(r"scipy|statsmodels|/(home|root|tmp|work)/", source), "no statistics, no paths"


def old_python():
    """A Python of this machine that is too old, if there is one."""
    found = [shutil.which(f"python3.{minor}") for minor in range(6, 11)]
    found += sorted(map(str, Path.home().glob(".pyenv/versions/3.[6-9].*/bin/python")))
    return next((path for path in found if path and not subprocess.call([path, "-c", ""])), None)


@pytest.mark.parametrize("kind", ["old", "says so", "missing"])
@injects(
    "Python is too old or missing",
    tried="another interpreter",
    happens="one line; nothing is written",
    do="install Python 3.11 to 3.14",
)
def test_a_wrong_python_is_one_line_and_nothing_is_made(tmp_path, kind):
    """Would catch: a set-up that goes on and fails in the midst of packages."""
    python = str(tmp_path / "python")
    if kind == "old":
        python = old_python()
        if python is None:
            pytest.skip("this machine has no Python that is too old")
    elif kind == "says so":
        Path(python).write_text('#!/bin/sh\n[ "$1" = --version ] && echo Python 3.10.1 || exit 1\n')
        Path(python).chmod(0o755)
    folder = tmp_path / "clone"
    folder.mkdir()
    for name in ("Makefile", "requirements.lock", "requirements-uv.lock", "pyproject.toml"):
        shutil.copy(ROOT / name, folder / name)
    command = ["make", f"PYTHON={python}", "setup"]
    alone = {name: value for name, value in os.environ.items() if name not in ("MAKELEVEL", "MAKEFLAGS", "MFLAGS")}
    done = subprocess.run(command, cwd=folder, env=alone, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    first, *others = done.stderr.splitlines()
    assert first.startswith(f"{python} is ")
    assert first.endswith("; Python 3.11 to 3.14 is needed: make PYTHON=python3.11")
    assert all(line.startswith("make: ") for line in others)
    assert not (folder / ".venv").exists()


@pytest.mark.parametrize("fits", [False, True], ids=["too new a Python", "no packages"])
def test_the_benchmark_goes_on_where_the_peers_have_no_python(tmp_path, fits):
    """Where they have one, a failure to install them stops it; the next call tries again."""
    for name in ("Makefile", "requirements-uv.lock", "requirements-peers.lock"):
        shutil.copy(ROOT / name, tmp_path / name)
    folder = tmp_path / ".venv/bin"
    folder.mkdir(parents=True)
    for name, code in (("python", int(not fits)), ("uv", 1)):
        (folder / name).write_text(f"#!/bin/sh\nexit {code}\n")
        (folder / name).chmod(0o755)
    alone = {name: value for name, value in os.environ.items() if name not in ("MAKELEVEL", "MAKEFLAGS", "MFLAGS")}
    command = ["make", ".venv/peers/ready"]
    done = subprocess.run(command, cwd=tmp_path, env=alone, capture_output=True, text=True, check=False)
    if fits:
        assert done.returncode != 0
        assert done.stdout == ""
    else:
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.splitlines() == ["Without the public peers, which need Python 3.11 or 3.12"]
    assert not (tmp_path / ".venv/peers/ready").exists()


@pytest.fixture
def made(tmp_path):
    """Runs make in a project whose environment is ready, and gives what it calls and what it prints."""
    shutil.copy(ROOT / "Makefile", tmp_path / "Makefile")
    folder = tmp_path / ".venv/bin"
    folder.mkdir(parents=True)
    for name in ("requirements-uv.lock", "requirements.lock", "pyproject.toml", ".venv/bin/uv", ".venv/ready"):
        (tmp_path / name).touch()
    (tmp_path / ".venv/folder").write_text(str(tmp_path))
    for name, does in (
        ("snakemake", 'echo snakemake "$@"'),
        ("dpbandits", 'echo dpbandits "$@"'),
        ("python", "exit 0"),
    ):
        (folder / name).write_text(f"#!/bin/sh\n{does}\n")
        (folder / name).chmod(0o755)
    (tmp_path / "config").mkdir()
    alone = {name: value for name, value in os.environ.items() if name not in ("MAKELEVEL", "MAKEFLAGS", "MFLAGS")}

    def make(*arguments, scale="quick"):
        (tmp_path / "config/config.yaml").write_text(f"# What to run.\nscale: {scale}   # smoke, quick or full\n")
        command = ["make", "CORES=1", *arguments]
        done = subprocess.run(command, cwd=tmp_path, env=alone, capture_output=True, text=True, check=False)
        return done.returncode, (done.stdout + done.stderr).splitlines()

    return make


CALLED = "snakemake --cores 1 --logger dpbandits"
NEXT = "Next: dpbandits allocate --pilot results/pilot"


@pytest.mark.parametrize(
    ("arguments", "scale"),
    [
        (("pilot",), "quick"),
        (("pilot", "SCALE=pilot"), "quick"),
        (("SCALE=pilot",), "quick"),
        ((), "pilot"),
        ((), '"pilot"'),
        (("run",), "pilot"),
    ],
)
def test_make_plays_the_pilot_and_says_what_is_next(made, arguments, scale):
    """It shows no verdicts, which a pilot does not have."""
    assert made(*arguments, scale=scale) == (0, [f"{CALLED} --config scale=pilot", NEXT])


@pytest.mark.parametrize("keys", ["hu2021", "hu2021,chen2020"])
def test_make_names_the_papers_of_the_pilot_as_the_next_command_takes_them(made, keys):
    code, lines = made("SCALE=pilot", f"PAPER={keys}")
    words = keys.replace(",", " ")
    said = f"Next: dpbandits allocate {words} --pilot results/pilot"
    assert (code, lines) == (0, [f"{CALLED} --config scale=pilot papers={keys}", said])


def test_make_runs_other_scales_whatever_the_configuration_says(made):
    for argument in ("full", "SCALE=full"):
        assert made(argument, scale="pilot") == (0, [f"{CALLED} --config scale=full"])
    assert made() == (0, [CALLED])
    code, lines = made("quick", "SCALE=pilot")
    assert (code, lines[0]) == (2, "SCALE=pilot contradicts `make quick`. Leave one of them out.")
