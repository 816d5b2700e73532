import pytest

from .project import Copy, copy


@pytest.fixture(scope="session")
def finished(tmp_path_factory) -> Copy:
    """A copy in which the smoke scale has run from end to end; tests copy it before they change anything."""
    project = copy(tmp_path_factory.mktemp("finished"), source=False)
    project.snakemake()
    return project


@pytest.fixture
def again(finished, tmp_path) -> Copy:
    """The finished copy, with its own sources in use, to be changed at will."""
    return copy(tmp_path, source=True, results=finished.root)
