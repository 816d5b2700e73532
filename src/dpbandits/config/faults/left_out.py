"""Check names and values in sections that were left out because their structure is invalid.

Such a section cannot be checked as a whole. Its independent parts are checked: the entries of its list of curves with
their constants, its sizes, and the experiment, measurement or claims that it names. The names of curves in figures and
tests of a left-out experiment are checked as well.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from pydantic import ValidationError

from dpbandits.config.entries import TABLE
from dpbandits.config.faults.comparisons import reference
from dpbandits.config.faults.experiments import constant_faults, entry_faults
from dpbandits.config.faults.sizes import seed_faults
from dpbandits.config.grid import own_key
from dpbandits.config.loading import Paper
from dpbandits.config.models.claims import Statistical
from dpbandits.config.models.comparisons import Measurement
from dpbandits.config.models.experiments import BoundEntry, CurveEntry, Entry, Sizes
from dpbandits.config.models.figures import OfExperiment
from dpbandits.config.wording import unknown

ENTRIES: Mapping[str, type[CurveEntry | BoundEntry]] = {"curves": CurveEntry, "bounds": BoundEntry}
REFERENCES = {"experiment": "experiments", "measurement": "measurements", "audit": "audits", "claims": "claims"}
"""Keys whose values name sections, and the kind of section."""


def left_out_faults(paper: Paper, record: Any, left_out: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    """Faults of the left-out sections of a file.

    Parameters
    ----------
    paper : the rest of the file.
    record : the file as written.
    left_out : names of the left-out sections, by kind.
    """
    for kind, names in left_out.items():
        sections = record.get(kind)
        for name in names:
            section = sections.get(name) if isinstance(sections, Mapping) else None
            if isinstance(section, Mapping):
                yield from _reference_faults(paper, f"{kind}.{name}", section)
                if kind == "experiments":
                    yield from _entries_faults(f"{kind}.{name}", section)
                    yield from _size_faults(f"{kind}.{name}", section)
                    yield from _curve_faults(paper, name, section)


def _reference_faults(paper: Paper, key: str, section: Mapping[str, Any]) -> Iterator[str]:
    """Faults of unknown section names."""
    for word, kind in REFERENCES.items():
        given = section.get(word)
        names = [given] if isinstance(given, str) else given if isinstance(given, list) else []
        if all(isinstance(name, str) for name in names):
            yield from unknown(f"{key}.{word}", names, paper.known(kind))


def _size_faults(key: str, section: Mapping[str, Any]) -> Iterator[str]:
    """Faults of numbers of seeds, if all sizes have a valid structure."""
    try:
        sizes = Sizes.model_validate(section.get("size"))
    except ValidationError:
        return
    yield from seed_faults(key, sizes, sizes.allocated)


def _curve_faults(paper: Paper, experiment: str, section: Mapping[str, Any]) -> Iterator[str]:
    """Faults of unknown curves in figures and tests, if all curves of the experiment have valid names."""
    entries = [entry for _, entry in _valid_entries(section)]
    every = sum(len(section[word]) for word in ENTRIES if isinstance(section.get(word), list))
    if not entries or len(entries) < every or any(entry.algorithm not in TABLE for entry in entries):
        return
    known = [reference(entry) for entry in entries]
    for name, figure in paper.figures.items():
        if isinstance(figure, OfExperiment) and figure.experiment == experiment:
            yield from unknown(f"figures.{name}.curves", figure.curves, known)
    sections: list[tuple[str, Statistical | Measurement]] = [
        (f"measurements.{name}", each) for name, each in paper.measurements.items()
    ]
    for name, claim in paper.claims.items():
        for variant, merged in claim.cases():
            if isinstance(merged, Statistical):
                sections.append((f"claims.{name}" + (f".variants.{variant}" if variant else ""), merged))
    for key, each in sections:
        for index, test in enumerate(each.tests if each.experiment == experiment else ()):
            for role, curve in test.roles:
                yield from unknown(f"{key}.tests[{index}].{role}", [curve.partition("@")[0]], known)


def _entries_faults(key: str, section: Mapping[str, Any]) -> Iterator[str]:
    """Faults of an experiment's entries: unknown algorithms and calibrations, invalid constants."""
    for place, entry in _valid_entries(section):
        yield from entry_faults(f"{key}.{place}", entry)
        if entry.algorithm in TABLE:
            constants = entry.parameters or {}
            yield from constant_faults(f"{key}.{place}.{own_key(entry)}", constants, TABLE[entry.algorithm].parameters)


def _valid_entries(section: Mapping[str, Any]) -> Iterator[tuple[str, Entry]]:
    """The entries with a valid structure, with their keys; faults of the others are already reported."""
    for word, model in ENTRIES.items():
        entries = section.get(word)
        for index, record in enumerate(entries if isinstance(entries, list) else ()):
            with suppress(ValidationError):
                yield f"{word}[{index}]", model.model_validate(record)
