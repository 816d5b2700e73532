import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.shipped import COMMITTED

from .project import Copy, bundled, copy, reduce


@pytest.fixture(scope="session")
def shared(tmp_path_factory) -> Callable[[str, Callable[[Path], Copy]], Copy]:
    """A function that makes a copy once for all test processes; the copy is only read, or copied from."""
    base = tmp_path_factory.getbasetemp()
    base = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base

    def once(name: str, make: Callable[[Path], Copy]) -> Copy:
        folder, done = base / name, base / f"{name}.done"
        with open(base / f"{name}.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if done.exists():
                return Copy(folder, source=False)
            shutil.rmtree(folder, ignore_errors=True)  # left by a process in which it failed
            project = make(folder)
            project.snakemake()
            done.touch()
            return project

    return once


@pytest.fixture(scope="session")
def finished(shared) -> Copy:
    """A copy with a complete run of the smoke scale; tests copy it before they change anything."""
    return shared("finished", lambda folder: copy(folder, source=False))


@pytest.fixture(scope="session")
def whole(shared) -> Copy:
    """A copy with a complete run of the smoke scale for every paper with committed results."""
    return shared("whole", lambda folder: copy(folder, source=False, papers=COMMITTED))


@pytest.fixture(params=["finished", pytest.param("whole", marks=pytest.mark.slow)])
def ended(request) -> Copy:
    """A finished run of one paper; in `make test-all`, also one of all papers."""
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="session")
def apart(shared) -> Copy:
    """A finished reduced copy in which every chunk, noise file and experiment is its own job."""

    def make(folder: Path) -> Copy:
        project = copy(folder, source=False)
        reduce(project)
        bundled(project, 0)
        return project

    return shared("apart", make)


@pytest.fixture
def again(finished, tmp_path) -> Copy:
    """A copy of the finished project with its own sources, free to change."""
    return copy(tmp_path, source=True, of=finished)


@pytest.fixture
def pieces(apart, tmp_path) -> Copy:
    """A copy of the finished reduced project with its own sources, free to change."""
    return copy(tmp_path, source=True, of=apart)
