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
    """A function that makes a copy once for all processes of the tests; it is for reading, and to copy from."""
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
    """A copy in which the smoke scale has run from end to end; tests copy it before they change anything."""
    return shared("finished", lambda folder: copy(folder, source=False))


@pytest.fixture(scope="session")
def whole(shared) -> Copy:
    """A copy in which the smoke scale of every paper with committed results has run from end to end."""
    return shared("whole", lambda folder: copy(folder, source=False, papers=COMMITTED))


@pytest.fixture(params=["finished", pytest.param("whole", marks=pytest.mark.slow)])
def ended(request) -> Copy:
    """The run of one paper, in `make test-all` also that of all papers."""
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="session")
def apart(shared) -> Copy:
    """The same of a reduced copy in which every chunk, noise file and experiment is a job of its own."""

    def make(folder: Path) -> Copy:
        project = copy(folder, source=False)
        reduce(project)
        bundled(project, 0)
        return project

    return shared("apart", make)


@pytest.fixture
def again(finished, tmp_path) -> Copy:
    """The finished copy, with its own sources in use, to be changed at will."""
    return copy(tmp_path, source=True, of=finished)


@pytest.fixture
def pieces(apart, tmp_path) -> Copy:
    """The reduced copy, with its own sources in use, to be changed at will."""
    return copy(tmp_path, source=True, of=apart)
