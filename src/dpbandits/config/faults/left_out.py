"""Names and values in sections that were left out because of their shape.

Such a section cannot be checked as a whole. What stands on its own in it is checked nevertheless: an entry of its list
of curves, the experiment, measurement or claims that it names, and the constants of an entry.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from dpbandits.config.entries import TABLE
from dpbandits.config.faults.experiments import constant_faults, entry_faults
from dpbandits.config.grid import own_key
from dpbandits.config.loading import Paper
from dpbandits.config.models.experiments import BoundEntry, CurveEntry, Entry
from dpbandits.config.wording import unknown

ENTRIES: Mapping[str, type[CurveEntry | BoundEntry]] = {"curves": CurveEntry, "bounds": BoundEntry}
REFERENCES = {"experiment": "experiments", "measurement": "measurements", "audit": "audits", "claims": "claims"}
"""Keys whose values are names of sections, and the kind of the section."""


def left_out_faults(paper: Paper, record: Any, left_out: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    """Faults of the sections of a file that were left out.

    Parameters
    ----------
    paper : what is left of the file.
    record : the file as it is written.
    left_out : names of sections, by kind.
    """
    for kind, names in left_out.items():
        sections = record.get(kind)
        for name in names:
            section = sections.get(name) if isinstance(sections, Mapping) else None
            if isinstance(section, Mapping):
                yield from _reference_faults(paper, f"{kind}.{name}", section)
                if kind == "experiments":
                    yield from _entries_faults(f"{kind}.{name}", section)


def _reference_faults(paper: Paper, key: str, section: Mapping[str, Any]) -> Iterator[str]:
    """Names of sections that do not exist."""
    for word, kind in REFERENCES.items():
        given = section.get(word)
        names = [given] if isinstance(given, str) else given if isinstance(given, list) else []
        if all(isinstance(name, str) for name in names):
            yield from unknown(f"{key}.{word}", names, paper.known(kind))


def _entries_faults(key: str, section: Mapping[str, Any]) -> Iterator[str]:
    """Entries of an experiment: unknown algorithms and calibrations, constants with values that are not allowed."""
    for word, model in ENTRIES.items():
        entries = section.get(word)
        for index, record in enumerate(entries if isinstance(entries, list) else ()):
            try:
                entry: Entry = model.model_validate(record)
            except ValidationError:  # its faults were reported with the shape of the experiment
                continue
            here = f"{key}.{word}[{index}]"
            yield from entry_faults(here, entry)
            if entry.algorithm in TABLE:
                constants = entry.parameters or {}
                yield from constant_faults(f"{here}.{own_key(entry)}", constants, TABLE[entry.algorithm].parameters)
