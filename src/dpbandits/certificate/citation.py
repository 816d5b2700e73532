"""Read CITATION.cff, the only source of the software's name, authors, license and date."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dpbandits.config.letters import hidden
from dpbandits.config.plain_yaml import ConfigError
from dpbandits.config.wording import got

NAME = "CITATION.cff"
ORCID = re.compile(r"(?:https?://orcid\.org/)?(\d{4}-\d{4}-\d{4}-\d{3}[\dX])")


@dataclass(frozen=True)
class Author:
    """A person, or a group if only a name is given; `orcid` is empty if not given."""

    name: str
    person: bool
    orcid: str


@dataclass(frozen=True)
class Citation:
    """Citation data for a certificate. `released` is a day, YYYY-MM-DD; `repository` is empty if not given."""

    title: str
    authors: tuple[Author, ...]
    version: str
    license: str
    released: str
    repository: str


def citation(record: Any) -> Citation:
    """Build the citation from the values of the file.

    Raises
    ------
    ConfigError
        A value is missing, or the date is not YYYY-MM-DD.
    """
    if not isinstance(record, Mapping):
        raise ConfigError(f"{NAME}: {got(record, 'must be a mapping')}")
    for key in ("title", "version", "license", "date-released"):
        if not isinstance(record.get(key), str) or not record[key]:
            raise ConfigError(f"{NAME}: {key}: missing or not a string. Add one.")
    if not re.fullmatch(r"\d{4}-[01]\d-[0-3]\d", record["date-released"]):
        raise ConfigError(f"{NAME}: date-released: {got(record['date-released'], 'must be YYYY-MM-DD')}")
    for key, value in record.items():
        if isinstance(value, str) and hidden(value):
            raise ConfigError(f"{NAME}: {key}: {got(value, 'must have no control characters')}. Delete them.")
    authors = record.get("authors")
    if not isinstance(authors, list) or not authors:
        raise ConfigError(f"{NAME}: authors: missing or not a list. Add at least one author.")
    return Citation(
        title=record["title"],
        authors=tuple(author(each, f"authors[{number}]") for number, each in enumerate(authors)),
        version=record["version"],
        license=record["license"],
        released=record["date-released"],
        repository=str(record.get("repository-code", "")),
    )


def author(record: Any, key: str) -> Author:
    """Author from an entry of `authors`: a group has a `name`, a person `given-names` and `family-names`."""
    if not isinstance(record, Mapping):
        raise ConfigError(f"{NAME}: {key}: {got(record, 'must be a mapping')}")
    names = [str(record[part]) for part in ("given-names", "name-particle", "family-names") if record.get(part)]
    name = str(record.get("name") or " ".join(names))
    if not name:
        raise ConfigError(f"{NAME}: {key}: name is missing. Add `name`, or `given-names` and `family-names`.")
    if hidden(name):
        raise ConfigError(f"{NAME}: {key}: {got(name, 'must have no control characters')}. Delete them.")
    orcid = ORCID.fullmatch(str(record.get("orcid", "")))
    return Author(name, person="name" not in record, orcid=orcid[1] if orcid else "")
