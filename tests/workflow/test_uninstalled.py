"""The workflow in an environment with the dependencies but without the package, as made from environment.yml."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import patience
from tests.shipped import ROOT

from .project import copy

UV = Path(sys.executable).with_name("uv")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not UV.exists(), reason="no uv beside this Python (`make setup` installs it)"),
]


PAPER = "hu2021"
"""The paper with the shortest run."""


def test_a_run_ends_without_the_package(tmp_path):
    """Only the packages in requirements.lock are installed. The folder `src` of the workflow suffices for all stages.

    The notebook's kernel and the report are separate processes, which must also find `src`.
    """
    project = copy(tmp_path / "project", source=True, papers=(PAPER,))
    python = tmp_path / "venv/bin/python"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    install = [
        UV,
        "pip",
        "install",
        "--quiet",
        "--python",
        python,
        "--require-hashes",
        "-r",
        ROOT / "requirements.lock",
    ]
    assert patience.run(install).returncode == 0
    inherited = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    environment = inherited | {"PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}"}
    missing = patience.run([python, "-c", "import dpbandits"], cwd=tmp_path, env=environment)
    assert "No module named 'dpbandits'" in missing.stderr
    command = [python.with_name("snakemake"), "--cores", "2", "--config", "scale=smoke", f"papers={PAPER}"]
    done = patience.run(command, cwd=project.root, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    made = (f"claims/{PAPER}.json", f"notebooks/{PAPER}.html", "report/index.html", "certificate/environment.json")
    assert [name for name in made if not (project.root / "results/smoke" / name).is_file()] == []
