"""Write .zenodo.json and codemeta.json: `python tools/metadata.py --write`.

The version, description and requirements are those of pyproject.toml, the day of release that of CHANGELOG.md, and
everything else that of CITATION.cff.
"""

import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[1]
Record = dict[str, Any]
RESOURCE = {"article": "publication-article", "conference-paper": "publication-conferencepaper"}
"""Zenodo's name for a type of reference."""


def read(name: str) -> str:
    """A file of the project."""
    return (ROOT / name).read_text(encoding="utf-8")


def released(version: str) -> str:
    """The day on which CHANGELOG.md releases a version."""
    return re.findall(rf"^## \[{re.escape(version)}\] - (.*)$", read("CHANGELOG.md"), re.M)[0]


def arxiv(reference: Record) -> str:
    """`arXiv:2207.03445`, from the identifiers of a reference."""
    return next(each["value"] for each in reference["identifiers"] if each["value"].startswith("arXiv:"))


def family_first(author: Record) -> str:
    """`Hanna, Osama A.`, or the name of a group."""
    return author.get("name") or f"{author['family-names']}, {author['given-names']}"


def linked(author: Record) -> Record:
    """An author as JSON-LD; a group is an organization."""
    if "name" in author:
        return {"@type": "Organization", "name": author["name"]}
    found = {"@type": "Person", "givenName": author["given-names"], "familyName": author["family-names"]}
    return {"@id": author["orcid"], **found} if "orcid" in author else found


def zenodo(project: Record, cited: Record) -> Record:
    """Metadata of an upload to Zenodo."""
    return {
        "upload_type": "software",
        "title": cited["title"],
        "description": project["description"],
        "version": project["version"],
        "publication_date": released(project["version"]),
        "creators": [
            {"name": family_first(each), **({"orcid": each["orcid"].rpartition("/")[2]} if "orcid" in each else {})}
            for each in cited["authors"]
        ],
        "access_right": "open",
        "license": cited["license"],
        "keywords": cited["keywords"],
        "related_identifiers": [
            {
                "identifier": arxiv(each),
                "scheme": "arxiv",
                "relation": "references",
                "resource_type": RESOURCE[each["type"]],
            }
            for each in cited["references"]
        ],
        "references": [
            f"{'; '.join(map(family_first, each['authors']))} ({each['year']}). {each['title']}. {arxiv(each)}"
            for each in cited["references"]
        ],
    }


def codemeta(project: Record, cited: Record) -> Record:
    """Metadata in the terms of CodeMeta 3.0."""
    return {
        "@context": "https://w3id.org/codemeta/3.0",
        "@type": "SoftwareSourceCode",
        "identifier": project["name"],
        "name": cited["title"],
        "description": project["description"],
        "version": project["version"],
        "datePublished": released(project["version"]),
        "author": [linked(each) for each in cited["authors"]],
        "license": f"https://spdx.org/licenses/{cited['license']}",
        "keywords": cited["keywords"],
        "programmingLanguage": "Python",
        "runtimePlatform": f"Python {project['requires-python']}",
        "softwareRequirements": project["dependencies"],
        "citation": [
            {
                "@type": "ScholarlyArticle",
                "identifier": arxiv(each),
                "name": each["title"],
                "author": [linked(author) for author in each["authors"]],
                "datePublished": str(each["year"]),
            }
            for each in cited["references"]
        ],
    }


def written() -> dict[Path, str]:
    """The two files with their text."""
    project = tomllib.loads(read("pyproject.toml"))["project"]
    cited = yaml.safe_load(read("CITATION.cff"))
    records = {".zenodo.json": zenodo(project, cited), "codemeta.json": codemeta(project, cited)}
    return {ROOT / name: json.dumps(each, indent=2, ensure_ascii=False) + "\n" for name, each in records.items()}


if __name__ == "__main__":
    for path, said in written().items():
        if "--write" in sys.argv[1:]:
            path.write_text(said, encoding="utf-8")
        else:
            print(said, end="")
