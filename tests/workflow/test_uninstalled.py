"""The workflow in an environment with the dependencies but without the package, as made from environment.yml.

One test makes the environment itself, in the other Snakemake makes it with `--sdm conda`, through a program in conda's
place: conda's channels cannot be reached from here.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import patience
from tests.shipped import ROOT

from .project import copy

UV = Path(sys.executable).with_name("uv")
pytestmark = pytest.mark.slow
needs_uv = pytest.mark.skipif(not UV.exists(), reason="no uv beside this Python (`make setup` installs it)")
PAPER = "hu2021"
"""The paper with the shortest run."""
MADE = (f"claims/{PAPER}.json", f"notebooks/{PAPER}.html", "report/index.html", "certificate/environment.json")


@pytest.fixture(scope="module")
def pinned(tmp_path_factory):
    """A virtual environment with the packages of requirements.lock, which environment.yml names, and no others."""
    folder = tmp_path_factory.mktemp("environment") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    install = [UV, "pip", "install", "--quiet", "--python", folder / "bin/python", "--require-hashes"]
    assert patience.run([*install, "-r", ROOT / "requirements.lock"]).returncode == 0
    return folder


def without_package(path: Path) -> dict[str, str]:
    """Environment variables with this folder first on the path, and no package."""
    inherited = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    return inherited | {"PATH": f"{path}{os.pathsep}{os.environ['PATH']}"}


@needs_uv
def test_a_run_ends_without_the_package(pinned, tmp_path):
    """Only the packages in requirements.lock are installed. The folder `src` of the workflow suffices for all stages.

    The notebook's kernel and the report are separate processes, which must also find `src`.
    """
    project, environment = copy(tmp_path / "project", source=True, papers=(PAPER,)), without_package(pinned / "bin")
    missing = patience.run([pinned / "bin/python", "-c", "import dpbandits"], cwd=tmp_path, env=environment)
    assert "No module named 'dpbandits'" in missing.stderr
    command = [pinned / "bin/snakemake", "--cores", "2", "--config", "scale=smoke", f"papers={PAPER}"]
    done = patience.run(command, cwd=project.root, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    assert [name for name in MADE if not (project.root / "results/smoke" / name).is_file()] == []


CONDA = """#!{python}
# Stands in for conda: answers what Snakemake asks, and makes the environment from the pins that pip installed.
import os, sys, pathlib, yaml
here, asked = pathlib.Path(__file__).resolve().parent, sys.argv[1:]
with open(here / "called", "a") as log:
    print(*asked, file=log)
if asked[0] == "info":
    print('{{"conda_prefix": "%s", "conda_version": "24.11.0", "platform": "linux-64"}}' % here.parent)
elif asked[0] == "config":
    print('{{"get": {{"channel_priority": "strict"}}}}')
elif asked[0] == "--version":
    print("conda 24.11.0")
elif asked[:2] == ["env", "create"]:
    given = dict(zip(asked, asked[1:]))
    record = yaml.safe_load(pathlib.Path(given["--file"]).read_text())
    assert record == yaml.safe_load(pathlib.Path("{environment}").read_text())
    os.symlink("{pinned}", given["--prefix"])
"""


@needs_uv
def test_snakemake_makes_the_environment_with_conda(pinned, tmp_path):
    """Jobs run in the environment that the rules name, by the package in `src`."""
    project = copy(tmp_path / "project", source=True, papers=(PAPER,))
    folder = tmp_path / "conda/bin"
    folder.mkdir(parents=True)
    text = CONDA.format(python=sys.executable, environment=ROOT / "environment.yml", pinned=pinned)
    (folder / "conda").write_text(text, encoding="utf-8")
    (folder / "conda").chmod(0o755)
    (folder / "activate").write_text('PATH="$1/bin:$PATH"; touch "$1/activated"\n', encoding="utf-8")
    command = [pinned / "bin/snakemake", "--cores", "2", "--sdm", "conda", "--config", "scale=smoke", f"papers={PAPER}"]
    until = ["--until", f"calibrate_{PAPER}_0"]
    done = patience.run([*command, *until], cwd=project.root, env=without_package(folder))
    assert done.returncode == 0, done.stdout + done.stderr
    assert (pinned / "activated").is_file()
    assert "env create" in (folder / "called").read_text(encoding="utf-8")


CHANNEL = (("python", "3.10.14", []), ("python", "3.11.9", []), ("python", "3.12.1", []), ("pip", "24.0", ["python"]))
"""Packages of a made-up channel: name, version, and what each depends on."""
SOLVE = """
import asyncio, os, sys, rattler, yaml
channel, names = sys.argv[1], yaml.safe_load(open(sys.argv[2]))["dependencies"]
specs = [rattler.MatchSpec(each) for each in names if isinstance(each, str)]
folders = [(name, f"{channel}/{name}/repodata.json") for name in ("linux-64", "noarch")]
known = [rattler.SparseRepoData(rattler.Channel(f"file://{channel}"), *each) for each in folders]
solved = asyncio.run(rattler.solve_with_sparse_repodata(specs, known))
print(*sorted(f"{each.name.normalized} {each.version}" for each in solved), sep="\\n", flush=True)
os._exit(0)  # ending otherwise fails inside of the library
"""


def test_a_conda_solver_accepts_the_environment(tmp_path):
    """What is not installed by pip is solved from a channel that has Python and pip alone."""
    pytest.importorskip("rattler", reason="py-rattler is not installed (`make setup-dev` does)")
    for folder, packages in (("linux-64", CHANNEL), ("noarch", ())):
        found = {
            f"{name}-{version}-0.conda": {
                **{"name": name, "version": version, "build": "0", "build_number": 0, "depends": depends},
                **{"subdir": folder, "md5": "0" * 32, "sha256": "0" * 64, "size": 1},
            }
            for name, version, depends in packages
        }
        (tmp_path / folder).mkdir()
        record = {"info": {"subdir": folder}, "packages": {}, "packages.conda": found, "repodata_version": 1}
        (tmp_path / folder / "repodata.json").write_text(json.dumps(record), encoding="utf-8")
    command = [sys.executable, "-c", SOLVE, tmp_path, ROOT / "environment.yml"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == ["pip 24.0", "python 3.11.9"], done.stderr
