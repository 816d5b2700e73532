"""CITATION.cff is valid, and .zenodo.json and codemeta.json say the same as it and as pyproject.toml."""

import json
import re
import tomllib

import jsonschema
import pytest
import yaml

from tests import tools
from tests.shipped import COMMITTED, ROOT, shipped

SCHEMA = ROOT / "tests/unit/schemas/cff-1.2.0.json"
"""Schema of the Citation File Format by Druskat and others, unchanged, under CC BY 4.0."""
CITED = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))


@pytest.fixture
def tool():
    """tools/metadata.py as a module."""
    return tools.tool("metadata")


def read(name):
    return json.loads((ROOT / name).read_text(encoding="utf-8"))


def test_they_are_up_to_date(tool):
    """Else: python tools/metadata.py --write."""
    written = tool.written()
    assert {path.name for path in written} == {".zenodo.json", "codemeta.json"}
    assert {path.name for path, said in written.items() if path.read_text(encoding="utf-8") != said} == set()


def test_a_change_of_a_source_shows(tool, monkeypatch):
    kept = tool.read
    for name, before, after in (
        ("pyproject.toml", "A replication pipeline", "Another pipeline"),
        ("CITATION.cff", "arXiv:2202.05567", "arXiv:2202.00000"),
        ("CITATION.cff", "license: MIT", "license: Apache-2.0"),
        ("CHANGELOG.md", str(CITED["date-released"]), "2027-01-01"),
    ):
        assert before in kept(name)
        monkeypatch.setattr(
            tool,
            "read",
            lambda asked, name=name, pair=(before, after): kept(asked).replace(*pair) if asked == name else kept(asked),
        )
        assert all(path.read_text(encoding="utf-8") != said for path, said in tool.written().items()), after


def test_all_have_the_same_version():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (changes, *_) = re.findall(r"^## \[(\d.*)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)
    versions = {changes, CITED["version"], read(".zenodo.json")["version"], read("codemeta.json")["version"]}
    assert versions == {project["version"]}


def valid(record):
    """Whether a record is a valid citation file; days are text in it."""
    plain = json.loads(json.dumps(record, default=str))
    return jsonschema.Draft7Validator(read(SCHEMA.relative_to(ROOT))).is_valid(plain)


def test_the_citation_file_is_valid():
    assert valid(CITED)
    assert not valid({**CITED, "licence": "MIT"})  # codespell:ignore
    assert not valid({**CITED, "license": "none"})
    assert not valid({**CITED, "references": [{"type": "paper", "title": "A", "authors": [{"name": "B"}]}]})


def test_the_papers_are_cited_as_the_configuration_names_them():
    """By title, authors and number of arXiv; a paper without committed results need not be cited."""
    cited = {
        (
            each["title"],
            tuple(f"{author['given-names']} {author['family-names']}" for author in each["authors"]),
            each["identifiers"][0]["value"].removeprefix("arXiv:"),
        )
        for each in CITED["references"]
    }
    papers = [paper for key, paper in shipped("full").papers.items() if key in COMMITTED]
    configured = {
        (paper.title, tuple(paper.authors), re.findall(r"arXiv (\d{4}\.\d{5})", paper.reference)[0]) for paper in papers
    }
    assert cited == configured
    assert len(CITED["references"]) == len(papers)


def test_the_license_is_that_of_the_project():
    assert CITED["license"] == "MIT"
    assert (ROOT / "LICENSE").read_text(encoding="utf-8").startswith("MIT License")


@pytest.mark.parametrize("name", [".zenodo.json", "codemeta.json"])
def test_they_name_no_host_but_those_of_their_formats(name):
    """A repository that does not exist yet, for example."""
    hosts = set(re.findall(r"https?://([^/\"]+)", (ROOT / name).read_text(encoding="utf-8")))
    assert hosts <= {"w3id.org", "spdx.org", "orcid.org"}
