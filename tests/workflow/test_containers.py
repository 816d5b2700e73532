"""Containers, fresh machines and conda: the image is built and runs, and so does a minimal Debian."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import patience
from tests.shipped import ROOT

from .project import copy

PAPER = "hu2021"
"""The paper with the shortest run."""
HOURS = 4 * 3600
"""Seconds that a fresh machine may take while other tests run beside."""
ROOT_USER = os.geteuid() == 0
pytestmark = pytest.mark.slow


def missing(*programs: str) -> str:
    """Which of these programs are not installed; `root` is the permission to mount."""
    found = [name for name in programs if name != "root" and not shutil.which(name)]
    return ", ".join(found + ["root"] * ("root" in programs and not ROOT_USER))


@pytest.mark.skipif(bool(missing("root", "mmdebstrap", "git")), reason="needs root, mmdebstrap and git")
@pytest.mark.timeout(HOURS)
@pytest.mark.parametrize("suite", ["bookworm", "trixie"])
def test_a_fresh_machine_runs_the_commands_of_the_readme_and_recomputes(suite):
    """Debian 12 and 13 with README's prerequisites; `make` and `make test` as the README has them, some 35 minutes.

    The certificate is then unpacked and used without the clone.
    """
    unpacked = "rm -rf ~/certificate && cp -r results/quick/certificate ~/certificate && cd ~/certificate"
    commands = [
        "make",
        "make test",
        f"{unpacked} && make setup && .venv/bin/dpbandits verify . --judge",
        f"cd ~/certificate && .venv/bin/dpbandits verify . --recompute {PAPER}/C1",
    ]
    done = patience.run([ROOT / "tools/fresh_machine.sh", suite, *commands], longest=HOURS)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{PAPER}/C1 (printed): REPRODUCED" in done.stdout
    assert done.stdout.count(f"=== {suite}: ") == 2 * len(commands)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [((), "Run commands on a fresh minimal Debian"), (("trixie",), "needs root")],
)
def test_the_script_of_a_fresh_machine_says_what_it_needs(arguments, says):
    unprivileged = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if ROOT_USER else []
    command = [*unprivileged, "bash", ROOT / "tools/fresh_machine.sh", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert says in done.stderr


@pytest.fixture(scope="module")
def image(tmp_path_factory):
    """The image of the Dockerfile on a Debian made here, and the environment of buildah, which needs no daemon."""
    if lacks := missing("root", "buildah", "mmdebstrap", "git"):
        pytest.skip(f"not installed: {lacks}")
    folder = tmp_path_factory.mktemp("image")
    setting = os.environ | {
        "BUILDAH_ISOLATION": "chroot",
        "STORAGE_DRIVER": "vfs",
        "CONTAINERS_STORAGE_CONF": str(folder / "storage.conf"),
    }
    storage = f'[storage]\ndriver = "vfs"\ngraphroot = "{folder}/images"\nrunroot = "{folder}/run"\n'
    (folder / "storage.conf").write_text(storage, encoding="utf-8")
    (folder / "uv.toml").write_text("system-certs = true\n", encoding="utf-8")
    (folder / "Containerfile").write_text("FROM scratch\nADD base.tar /\n", encoding="utf-8")

    def call(*command):
        done = patience.run(command, cwd=folder, env=setting)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    call("mmdebstrap", "--quiet", "--variant=minbase", "--include=ca-certificates", "trixie", "base.tar")
    call("buildah", "bud", "--tag", "base", "--file", "Containerfile", ".")
    call("git", "clone", "--quiet", ROOT, folder / "clone")
    certificates = "/etc/ssl/certs/ca-certificates.crt"  # those of this machine, which may be behind a proxy
    volumes = [f"{certificates}:{certificates}:ro", f"{folder}/uv.toml:/etc/uv/uv.toml:ro"]
    options = [part for volume in volumes for part in ("--volume", volume)]
    call("buildah", "bud", "--build-arg", "BASE=localhost/base", *options, "--tag", "dpbandits", folder / "clone")
    yield lambda *command: call("buildah", *command)
    call("buildah", "rm", "--all")
    call("buildah", "rmi", "--all", "--force")


def test_the_image_runs_as_an_unprivileged_user_and_serves_the_report(image):
    container = image("from", "dpbandits").strip()

    def inside(script):
        return image("run", container, "--", "sh", "-c", script)

    assert inside("id -un; pwd").split() == ["researcher", "/opt/dpbandits"]
    assert "dpbandits " in inside("dpbandits --version")
    inside(f"make smoke PAPER={PAPER}")
    ask = 'import urllib.request as u; print(u.urlopen("http://127.0.0.1:8000/index.html").read().decode())'
    serve = "python -m http.server --bind 127.0.0.1 --directory results/smoke/report 8000"
    page = inside(f"{serve} 2>/dev/null & served=$!; sleep 5; python -c '{ask}'; kill $served")
    assert "<h1" in page
    assert PAPER in page


APPTAINER = """#!/bin/bash
# Stands in for Apptainer: notes its arguments, and runs the command here.
if [ "$1" = --version ]; then echo "apptainer version 1.3.4"; exit; fi
echo "$*" >> "$(dirname "$0")/called"
exec bash -c "${!#}"
"""


def test_jobs_run_in_the_image_with_apptainer(tmp_path):
    """Apptainer itself is not in Debian: a program in its place shows what Snakemake calls."""
    project = copy(tmp_path / "project", source=True, papers=(PAPER,))
    (project.root / "dpbandits.sif").touch()
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin/apptainer"
    program.write_text(APPTAINER, encoding="utf-8")
    program.chmod(0o755)
    environment = os.environ | {"PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"}
    command = [Path(sys.executable).with_name("snakemake"), "--cores", "2", "--sdm", "apptainer"]
    options = ["--config", "scale=smoke", f"papers={PAPER}", "--until", f"calibrate_{PAPER}_0"]
    done = patience.run([*command, *options], cwd=project.root, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    called = program.with_name("called").read_text(encoding="utf-8").splitlines()
    assert all(line.startswith("exec ") and " dpbandits.sif bash -c " in line for line in called)
    assert any("python -m dpbandits calibrate" in " ".join(line.split()) for line in called)
