"""A kernel that takes another one as an argument is compiled once for all processes."""

import errno
import os
import shutil
import subprocess
import sys
from types import SimpleNamespace

import pytest

from dpbandits.algorithms.linucb import forward
from dpbandits.algorithms.shared.tree_noise import advance
from dpbandits.base import digests, jit
from dpbandits.cli.project import keep_kernels
from dpbandits.privacy.mechanisms import add_gaussian, add_laplace
from tests.shipped import ROOT

DRAWS = """
import numpy as np
from dpbandits.algorithms.linucb import forward
from dpbandits.algorithms.shared.tree_noise import PREFIX_SUMS, PREFIX_SUMS_OVER_ROUNDS
from dpbandits.audits.mechanisms.laplace_tree import LaplaceTree, sums, sums_over_rounds
for noise in (PREFIX_SUMS, PREFIX_SUMS_OVER_ROUNDS):
    LaplaceTree(1.0, 1, 8, noise).draw(np.random.default_rng(0), 0, 5)
print(*(sum(found.values()) for each in (sums, sums_over_rounds)
        for found in (each.stats.cache_hits, each.stats.cache_misses)))
"""


def test_the_second_process_finds_what_the_first_one_compiled(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(ROOT / "src")}
    said = [
        subprocess.run(
            [sys.executable, "-c", DRAWS], env=environment, check=True, capture_output=True, text=True
        ).stdout.split()
        for _ in range(2)
    ]
    assert said == [["0", "1", "0", "1"], ["1", "0", "1", "0"]]


def test_other_sources_names_or_options_have_another_identity(monkeypatch):
    options = {"forceinline": False, "_nrt": True}
    same = [jit._identity(function, options) for function in (add_laplace, add_laplace, add_gaussian)]
    assert same[0] == same[1] != same[2]
    assert jit._identity(add_laplace, {**options, "_nrt": False}) != same[0]
    monkeypatch.setattr(jit, "cache_folder", lambda module: "other-12345678")
    assert jit._identity(add_laplace, options) != same[0]


def test_the_digest_of_a_kernel_covers_what_it_calls():
    """So that a change in a helper gives another identity."""
    assert "dpbandits.privacy.mechanisms" in digests.closure(["dpbandits.algorithms.shared.tree_noise"], ROOT / "src")
    assert jit.cache_folder(advance.__module__).endswith(
        digests.short(digests.source_digest([advance.__module__], ROOT / "src"))
    )


def test_a_function_that_is_also_a_fused_step_is_kept_under_two_names():
    """Else the machine code of one would be loaded for the other."""
    plain, fused = forward.subtract, forward.fused_subtract
    assert fused.py_func.__code__ is plain.py_func.__code__
    assert plain._cache._impl.filename_base != fused._cache._impl.filename_base
    assert plain.targetoptions.get("fastmath") is None
    assert fused.targetoptions["fastmath"] == {"contract"}


def test_what_is_defined_in_a_function_has_no_fixed_identity():
    """Functions of one name may differ in what they enclose."""

    def made(number):
        def f(x):
            return x + number

        f.__module__ = "dpbandits.base.streams"
        return jit.kernel(f)

    assert made(1)._uuid != made(2)._uuid


def test_a_cache_that_cannot_be_written_is_named_with_what_to_do(tmp_path, monkeypatch):
    """Before any work, and where a kernel is saved."""
    (tmp_path / "file").touch()
    for place, code in ((tmp_path / "file" / "cache", errno.ENOTDIR), (tmp_path / "cache", None)):
        monkeypatch.setenv("NUMBA_CACHE_DIR", str(place))
        if code is None:
            jit.demand_cache()
            assert list(place.iterdir()) == []
            continue
        with pytest.raises(OSError, match="make room, or set NUMBA_CACHE_DIR to another folder") as fault:
            jit.demand_cache()
        assert (fault.value.errno, fault.value.filename) == (code, str(place))

    def full(key, data):
        raise OSError(errno.ENOSPC, "No space left on device")

    cache = SimpleNamespace(_cache_file=SimpleNamespace(save=full), _cache_path=str(tmp_path))
    jit._save_one_at_a_time(cache)
    with pytest.raises(OSError, match=r"No space left on device. Compiled kernels are kept there") as fault:
        cache._cache_file.save("key", "data")
    assert fault.value.filename == str(tmp_path)


def test_a_disk_without_locks_is_named_with_the_remedy(tmp_path, monkeypatch):
    def unlocked(lock, how):
        raise OSError(errno.ENOSYS, "Function not implemented")

    monkeypatch.setattr(jit.fcntl, "flock", unlocked)
    with (
        pytest.raises(OSError, match=r"Function not implemented. Compiled kernels are kept there") as fault,
        jit.locked(tmp_path / "saving.lock"),
    ):
        pass
    assert fault.value.filename == str(tmp_path)


SAVES = """
import fcntl, sys
from pathlib import Path
import numpy as np
from dpbandits.base import jit
from dpbandits.privacy.mechanisms import add_laplace
held, lock = [], fcntl.flock
fcntl.flock = lambda file, how: (held.append(Path(file.name)), lock(file, how))
add_laplace(np.random.default_rng(0), 0.0, 1.0)
assert jit.cache_folder("dpbandits.privacy.mechanisms") in {str(each.parents[1]) for each in held}, held
print({each.name for each in held})
"""


def test_machine_code_is_saved_by_one_process_at_a_time(tmp_path):
    """numba itself reads the index of a folder and writes it later, so that two processes could choose one name."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run([sys.executable, "-c", SAVES], env=environment, check=True, capture_output=True, text=True)
    assert done.stdout == "{'saving.lock'}\n"


def test_commands_use_the_cache_of_a_project_only_if_they_run_its_package(tmp_path, monkeypatch):
    """A cache may run anything, and a certificate is a project too."""
    (tmp_path / "config").mkdir()
    (tmp_path / "config/config.yaml").touch()
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    for make, wanted in (
        (lambda: None, None),
        (lambda: shutil.copytree(ROOT / "src/dpbandits/base", tmp_path / "src/dpbandits"), None),
        (lambda: shutil.rmtree(tmp_path / "src") or (tmp_path / "src").symlink_to(ROOT / "src"), tmp_path),
    ):
        make()
        keep_kernels(tmp_path)
        assert os.environ.get("NUMBA_CACHE_DIR") == (wanted and str(wanted / ".cache/numba"))
    monkeypatch.setenv("NUMBA_CACHE_DIR", "mine")
    keep_kernels(tmp_path)
    assert os.environ["NUMBA_CACHE_DIR"] == "mine"
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    (tmp_path / ".cache").mkdir()
    monkeypatch.setattr(os, "access", lambda place, _: place != tmp_path / ".cache")
    keep_kernels(tmp_path)
    assert "NUMBA_CACHE_DIR" not in os.environ, "not writable"
