import pytest

from dpbandits.experiments.config import load_project

from .project import ROOT, Copy, bundled, copy, reduce


@pytest.fixture(scope="session")
def finished(tmp_path_factory) -> Copy:
    """A copy in which the smoke scale has run from end to end; tests copy it before they change anything."""
    project = copy(tmp_path_factory.mktemp("finished"), source=False)
    project.snakemake()
    return project


@pytest.fixture(scope="session")
def whole(tmp_path_factory) -> Copy:
    """A copy in which the smoke scale of every paper has run from end to end."""
    project = copy(tmp_path_factory.mktemp("whole"), source=False, papers=list(load_project(ROOT).papers))
    project.snakemake()
    return project


@pytest.fixture(scope="session")
def apart(tmp_path_factory) -> Copy:
    """The same of a reduced copy in which every chunk, noise file and experiment is a job of its own."""
    project = copy(tmp_path_factory.mktemp("apart"), source=False)
    reduce(project)
    bundled(project, 0)
    project.snakemake()
    return project


@pytest.fixture
def again(finished, tmp_path) -> Copy:
    """The finished copy, with its own sources in use, to be changed at will."""
    return copy(tmp_path, source=True, of=finished)


@pytest.fixture
def pieces(apart, tmp_path) -> Copy:
    """The reduced copy, with its own sources in use, to be changed at will."""
    return copy(tmp_path, source=True, of=apart)
