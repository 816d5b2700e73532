"""The workflow in an environment that has the dependencies and not the package, as one made from environment.yml."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import patience
from tests.shipped import ROOT

from .project import VERDICTS, copy

UV = Path(sys.executable).with_name("uv")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not UV.exists(), reason="no uv beside this Python (`make setup` installs it)"),
]


def test_verdicts_come_without_the_package(tmp_path):
    """Only what requirements.lock names is installed; the folder `src` beside the workflow is enough."""
    project = copy(tmp_path / "project", source=True)
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
    missing = subprocess.run([python, "-c", "import dpbandits"], capture_output=True, text=True, check=False)
    assert "No module named 'dpbandits'" in missing.stderr
    inherited = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    environment = inherited | {"PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}"}
    command = [python.with_name("snakemake"), VERDICTS, "--cores", "2", "--config", "scale=smoke"]
    done = patience.run(command, cwd=project.root, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (project.root / VERDICTS).is_file()
