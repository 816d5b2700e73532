"""Links between the pages of the project lead to files and headings that exist."""

import re
from pathlib import Path

import pytest

from dpbandits.report.documents import place_of
from tests.shipped import ROOT

FOLDERS = ("*.md", "docs/**/*.md", "config/*.md", "profiles/**/*.md")
PAGES = sorted(path for form in FOLDERS for path in ROOT.glob(form) if not {"_build", "notes"} & set(path.parts))
LINK = re.compile(r"(?<!`)\[[^\]`]*(?:`[^`]*`)?[^\]`]*\]\(([^)\s]+)\)")
CODE = re.compile(r"^```.*?^```$|^    .*$|<!--.*?-->", re.M | re.S)
HEADING = re.compile(r"^#+ (.*?)\s*$", re.M)


def headings(path: Path) -> set[str]:
    """The places of a page that a link may name."""
    return {place_of(re.sub(r"[`*\\]", "", found)) for found in HEADING.findall(CODE.sub("", path.read_text("utf-8")))}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(path):
    for link in LINK.findall(CODE.sub("", path.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, place = link.partition("#")
        to = (path.parent / name).resolve() if name else path
        assert to.exists(), link
        assert not place or place in headings(to), link


def test_every_page_of_the_documentation_is_linked_or_in_a_list():
    """Sphinx refuses a page that is in no list; this says so where it is not installed."""
    every = {path for path in PAGES if path.is_relative_to(ROOT / "docs")} - {ROOT / "docs/index.md"}
    listed = set()
    for path in PAGES:
        for block in re.findall(r"^```\{toctree\}\n(.*?)^```$", path.read_text(encoding="utf-8"), re.M | re.S):
            names = [line for line in block.splitlines() if line and not line.startswith(":")]
            listed |= {(path.parent / f"{name}.md").resolve() for name in names}
    assert listed == every
