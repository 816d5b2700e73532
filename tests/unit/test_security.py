"""SECURITY.md is linked, names files that exist, and its statements on code and locks are those of the project."""

import hashlib
import json
import re
import shlex
import subprocess
import sys

import pytest

from dpbandits.base.streams import PCG64
from tests.shipped import ROOT

from .small import BARE, KEY, write_project
from .test_certificate import certify, write_results
from .test_cli import call

TEXT = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
SECTIONS = ("Report a vulnerability", "Not for real data", "What runs code, and what does not", "Written files")
MARKED = """\
title: {mark}
authors: [!!python/object/apply:os.system ["touch {mark}"]]
"""


def test_it_is_short_and_has_its_sections():
    assert len(TEXT.splitlines()) <= 60
    assert set(SECTIONS) < set(re.findall(r"^## (.*)$", TEXT, re.M))
    assert PCG64.__name__ in TEXT


def test_it_is_linked():
    assert "](SECURITY.md)" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert "{include} ../../SECURITY.md" in (ROOT / "docs/background/security.md").read_text(encoding="utf-8")


def test_it_links_nothing():
    """It is shown at two places, from which a relative link cannot lead to the same file."""
    assert "](" not in TEXT


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`((?:tests|notebooks|workflow|profiles)/[\w./]*)`", TEXT))))
def test_files_that_it_names_exist(name):
    assert (ROOT / name).exists()


def test_the_command_names_a_lock_and_the_installer_that_the_environment_has():
    (line,) = re.findall(r"^\$ (.*)$", TEXT, re.M)
    installer, *words = shlex.split(line)
    assert installer == ".venv/bin/uv"
    assert "uv" in (ROOT / "requirements-uv.in").read_text(encoding="utf-8").split()
    assert (ROOT / words[words.index("-r") + 1]).is_file()
    assert {"--strict", "--require-hashes", "--disable-pip"} < set(words)


def refused(root):
    """What `dpbandits claims` says of a project whose configuration is wrong."""
    command = [sys.executable, "-m", "dpbandits", "--project", root, "claims"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    return done.stderr


def test_a_yaml_runs_no_code(tmp_path):
    mark = tmp_path / "was_run"
    write_project(tmp_path, MARKED.format(mark=mark))
    assert f"{KEY}.yaml" in refused(tmp_path)
    assert not mark.exists()


def test_own_code_that_a_yaml_names_is_run_by_a_command_that_only_shows_results(tmp_path):
    """The warning is needed: even a file without the name in question is run."""
    mark = tmp_path / "was_run"
    (tmp_path / "my_bandit.py").write_text(f"open({str(mark)!r}, 'w').close()\n")
    write_project(tmp_path, BARE | {"algorithms": {"my_ucb": "my_bandit.py:MyUCB"}})
    assert "MyUCB" in refused(tmp_path)
    assert mark.exists()


def forged(root, code):
    """A certificate with checksums that fit, whose YAML names a file that somebody added to it."""
    certificate = certify(root, write_results(root) / "certificate")
    (certificate / "added.py").write_text(code)
    file = certificate / f"config/papers/{KEY}.yaml"
    file.write_text(f"{file.read_text()}\nalgorithms: {{my_ucb: added.py:MyUCB}}\n")
    metadata = certificate / "ro-crate-metadata.json"
    crate = json.loads(metadata.read_text())
    for entity in crate["@graph"]:
        if "sha256" in entity:
            data = (certificate / entity["@id"]).read_bytes()
            entity |= {"sha256": hashlib.sha256(data).hexdigest(), "contentSize": str(len(data))}
    metadata.write_text(json.dumps(crate))
    return certificate


@pytest.mark.parametrize(
    ("options", "code"),
    [((), 1), (("--json",), 1), (("--judge",), 2), (("--recompute", f"{KEY}/C1"), 2), (("--judge", "--own-code"), 2)],
    ids=str,
)
def test_verify_runs_code_of_a_certificate_only_if_it_is_told_to(tmp_path, options, code):
    mark = tmp_path / "was_run"
    certificate = forged(tmp_path / "project", f"open({str(mark)!r}, 'w').close()\n")
    results = certificate.parent
    found = call(tmp_path / "project", "verify", str(results), "--certificate", str(certificate), *options)
    assert found.exit_code == code, found.output
    assert mark.exists() == ("--own-code" in options)
    if code == 2 and not mark.exists():
        file = certificate / f"config/papers/{KEY}.yaml"
        says = "algorithms: names own code, which would be run. Read it first, then add --own-code."
        assert found.stderr == f"dpbandits: {file}: {says}\n"
    assert "`--own-code`" in TEXT
