"""`make test` finds every listed fault: each one is made in a copy of the package, and its tests must fail."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from tests.golden.test_golden_digests import FILE as DIGESTS
from tests.golden.test_golden_digests import platform_of
from tests.shipped import ROOT

from .listed import FAULTS

FAILED = 1
"""Exit code of pytest if tests failed; other codes mean that it could not run them."""


def test_every_fault_changes_a_text_that_is_there_once():
    texts = {fault.file: (ROOT / "src/dpbandits" / fault.file).read_text(encoding="utf-8") for fault in FAULTS}
    assert [fault.what for fault in FAULTS if texts[fault.file].count(fault.old) != 1] == []


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.what)
def test_a_fault_is_found(fault, tmp_path):
    if fault.by_bits and platform_of() != json.loads(DIGESTS.read_text(encoding="utf-8"))["platform"]:
        pytest.skip("golden digests find this fault, on the platform that they are of alone")
    source = tmp_path / "src/dpbandits"
    shutil.copytree(ROOT / "src/dpbandits", source, ignore=shutil.ignore_patterns("__pycache__"))
    text = (source / fault.file).read_text(encoding="utf-8")
    (source / fault.file).write_text(text.replace(fault.old, fault.new), encoding="utf-8")
    told = {**os.environ, "PYTHONPATH": str(tmp_path / "src"), "NUMBA_CACHE_DIR": str(tmp_path / "kernels")}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", "not slow"]
    done = subprocess.run([*command, *fault.tests], cwd=ROOT, env=told, capture_output=True, text=True, check=False)
    assert done.returncode == FAILED, f"{fault.what}: not found by {' '.join(fault.tests)}\n{done.stdout[-2000:]}"
