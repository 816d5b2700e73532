"""The documentation builds without a warning, as `make docs` builds it, and needs no network to be read."""

import re
import subprocess
import sys

import pytest

from tests.shipped import ROOT

pytest.importorskip("sphinx")
MODULES = {"myst_parser", "numpydoc", "pydata_sphinx_theme", "sphinx", "sphinx_click"}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the built pages."""
    folder = tmp_path_factory.mktemp("docs")
    (line,) = re.findall(
        r"^\t@\$\(RUN\) \$\(BIN\)/python (-m sphinx .*)$", (ROOT / "Makefile").read_text("utf-8"), re.M
    )
    *options, source, target = line.split()
    assert (source, target) == ("docs", "docs/_build/html")
    built = subprocess.run([sys.executable, *options, source, folder], cwd=ROOT, capture_output=True, text=True)
    assert (built.returncode, built.stderr) == (0, "")
    return folder


@pytest.mark.slow
def test_every_page_is_there(site):
    pages = {path.relative_to(ROOT / "docs").with_suffix("") for path in (ROOT / "docs").rglob("*.md")}
    pages = {page for page in pages if not {"_build", "notes"} & set(page.parts)}
    assert {page for page in pages if not (site / page).with_suffix(".html").is_file()} == set()


@pytest.mark.slow
def test_pages_load_nothing_from_elsewhere(site):
    loaded = re.compile(r"<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)=\"(?:https?:)?//[^\"]*\"")
    assert {
        path.name: found for path in site.rglob("*.html") if (found := loaded.findall(path.read_text("utf-8")))
    } == {}


@pytest.mark.slow
def test_the_reference_has_every_command_and_public_name(site):
    from dpbandits.api import PLACES
    from dpbandits.cli.main import main

    cli = (site / "reference/cli.html").read_text("utf-8")
    assert {name for name in main.commands if f'id="dpbandits-{name}"' not in cli} == set()
    api = (site / "reference/api.html").read_text("utf-8")
    assert {name for name in PLACES if f'id="dpbandits.{name}"' not in api} == set()


def test_the_lock_has_what_the_documentation_imports():
    locked = set(re.findall(r"^([a-z0-9-]+)==", (ROOT / "requirements-dev.lock").read_text("utf-8"), re.M))
    assert {name.replace("_", "-") for name in MODULES} <= locked
