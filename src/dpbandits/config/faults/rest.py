"""Removes the parts of a paper's file that have a fault, so that the other parts can be checked.

A part that others need is replaced instead: a constant by a number, the size of a scale or a test by another one.
Faults of replaced parts, and faults that may follow from a removed part, are not reported.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Annotated, Any

from pydantic import ConfigDict, Field

from dpbandits.algorithms.registry import TABLE
from dpbandits.config import own_code
from dpbandits.config.faults.sizes import size_faults
from dpbandits.config.faults.stand_ins import HOLDERS, mended
from dpbandits.config.loading import SCALES, Paper, paper_of
from dpbandits.config.models.experiments import ALLOCATED, Experiment
from dpbandits.config.models.fields import Name
from dpbandits.config.models.files import PaperFile
from dpbandits.config.plain_yaml import shown
from dpbandits.config.validation import validated
from dpbandits.config.values import Fault, Key
from dpbandits.config.wording import path_of

SECTIONS = ("experiments", "figures", "measurements", "tables", "audits", "claims")
REFERS = {
    "experiment": "experiments",
    "measurement": "measurements",
    "audit": "audits",
    "claims": "claims",
    "verdicts": "claims",
}
"""Keys that name a section, and the kind of section."""
NEEDED = ("constants", "calibrations", "gates", "measurements", "theorems", "audits", "claims")
"""Optional parts of a file that others refer to."""
CONSTANTS = (
    *("constants.*", "audits.*.constants.*", "experiments.*.curves.*.parameters.*"),
    *("experiments.*.bounds.*.weights.*", "calibrations.*.*"),
)
"""Paths of constants, with `*` for names and indexes."""
PARTS = (
    *CONSTANTS,
    *(f"{kind}.*" for kind in (*SECTIONS, "calibrations")),
    *("experiments.*.size.*", "measurements.*.tests.*", "claims.*.tests.*"),
    *("claims.*.variants.*", "claims.*.variants.*.tests.*"),
)
"""Paths of parts that can be left out individually."""
UNLIKELY = 0.7310585
"""Replaces a constant with a fault: a number that no file is expected to contain."""


class _Rest(PaperFile):
    """A paper's file in which every part is optional."""

    model_config = ConfigDict(defer_build=True)

    title: str = ""
    authors: Annotated[tuple[str, ...], Field(strict=False)] = ()
    reference: str = ""
    experiments: dict[Name, Experiment] = Field(default_factory=dict)


def path_and_sentence(fault: str) -> Fault:
    """Path and sentence of a fault given as `key: sentence`."""
    key, _, says = fault.partition(": ")
    return path_of(key), says


class Rest:
    """The record of a paper's file without the parts with a fault, and the paths of these parts."""

    def __init__(self, root: Path, record: Any) -> None:
        self.root, self.written, self.record = root, record, deepcopy(record)
        self.left_out: set[Key] = set()
        self.names: dict[str, tuple[str, ...]] = {}
        self.misnamed: set[str] = set()
        self.mended: set[Key] = set()

    def read(self, key: str) -> tuple[Paper | None, list[Fault]]:
        """The paper, and the faults that prevent further checks; None if its structure is invalid."""
        if not isinstance(self.record, Mapping) or not self.left_out:
            file, found = validated(self.record, PaperFile)
        else:
            file, found = validated(self.record, _Rest)
        if file is None or found:
            return None, found
        if wrong := own_code.declare(self.root, file):
            return None, wrong
        paper, found = paper_of(key, file, left_out=self.names)
        found = [*found, *map(path_and_sentence, size_faults(paper))]
        return paper, self.own(found)

    def own(self, faults: Iterable[Fault]) -> list[Fault]:
        """The faults that do not follow from a left-out part."""
        return [fault for fault in faults if not self._follows(*fault)]

    def leave_out(self, faults: Sequence[Fault]) -> bool:
        """Delete or replace the smallest part around each fault, or a larger one if that did not help.

        Returns
        -------
        Whether there was a part to leave out.
        """
        before, earlier = (len(self.left_out), len(self.mended)), set(self.left_out)
        for path, says in faults:
            if any(path[: len(part)] == part for part in self.left_out - earlier):  # removed with another fault
                continue
            if not isinstance(self.record, dict) or not path:
                self.record = {}
                self.left_out.add(())
                continue
            if self._mend(path, says):
                continue
            misnamed = list(self._misnamed(path, says))
            self.misnamed.update(str(path[0]) for _ in misnamed)
            for part in [*misnamed, *_parts(path)]:
                if part not in self.left_out and self._without(part, {path for path, _ in faults}):
                    self.left_out.add(part)
                    break
            if len(path) == 1 and says.startswith("unknown key"):  # it may be a misspelled key
                self.left_out |= {(name,) for name in NEEDED if name not in self.record}
            if says.startswith("unknown constant") or path == ("constants",) or ("constants",) in self.left_out:
                meant = re.search("Did you mean `([^`]+)`", says)
                self._give_constants(meant[1] if meant else None)
        return (len(self.left_out), len(self.mended)) > before

    def _mend(self, path: Key, says: str) -> bool:
        """Mend the key of a fault, or a key around it, if nothing else refers to it."""
        for length in range(len(path), 2, -1):
            part, inside = path[:length], _at(self.record, path[: length - 1])
            known = path[0] in HOLDERS and part not in self.mended and isinstance(inside, dict)
            if known and mended(inside, str(part[-1]), says):
                self.mended.add(part)
                return True
        return False

    def _misnamed(self, path: Key, says: str) -> Iterator[Key]:
        """The misnamed section of a fault that is reported at the mapping of all sections."""
        sections = self.record.get(path[0])
        if len(path) == 1 and isinstance(sections, Mapping):
            yield from ((*path, name) for name in sections if says.startswith(f"got the name {shown(name)};"))

    def _without(self, part: Key, faults: set[Key]) -> bool:
        """Leave out a part, if it exists and can be left out."""
        *above, last = part
        inside = _at(self.record, above)
        if isinstance(inside, dict) and last in SCALES and _pattern(part) == "experiments.*.size.*":
            replaced = _replace(inside, last, tuple(above), faults)
            if replaced and isinstance(inside[last], dict):  # scales allow different values of seeds
                inside[last].pop("pilot", None)
                if inside[last].get("seeds") == ALLOCATED:
                    inside[last]["seeds"] = 2 * inside[last].get("chunk", 1)
            return replaced
        if isinstance(inside, dict) and last in inside:
            if _pattern(part) in CONSTANTS:
                inside[last] = UNLIKELY
                return True
            if part[0] in SECTIONS and part[0] not in self.misnamed:
                self._name(part, inside[last])
            del inside[last]
            if not inside and len(part) > 1:
                return self._without(tuple(above), faults)
            return True
        if isinstance(inside, list) and isinstance(last, int) and last < len(inside):
            return _replace(inside, last, tuple(above), faults)
        return len(part) == 1

    def _name(self, part: Key, section: Any) -> None:
        """Record the names of left-out sections."""
        kind, *names = part
        if len(names) == 1:
            sections = {names[0]: section}
        elif not names and isinstance(section, Mapping):
            sections = dict(section)
        else:
            sections = {}
        found = list(map(str, sections))
        if kind == "claims":
            found += [f"{name}/{variant}" for name, each in sections.items() for variant in _variants(each)]
            found += [f"{names[0]}/{names[2]}"] if len(names) == 3 else []
        self.names[str(kind)] = (*self.names.get(str(kind), ()), *found)

    def _give_constants(self, meant: str | None) -> None:
        """Add the constant that an unknown one stands for; if that is unclear, every constant that the file lacks."""
        constants = self.record.setdefault("constants", {})
        if isinstance(constants, dict):
            for name in (name for entry in TABLE.values() for name in entry.parameters):
                if name not in constants and meant in (None, name):
                    constants[name] = UNLIKELY
                    self.left_out.add(("constants", name))

    def _covers(self, path: Key) -> bool:
        return any(path[: len(part)] == part for part in self.left_out)

    def _follows(self, path: Key, says: str) -> bool:
        """Whether a fault is in a left-out part, or may follow from one."""
        if not path:
            return False
        kind = REFERS.get(str(path[-1]))
        if self._covers(path) or kind in self.misnamed or (kind,) in self.left_out:
            return True
        if "must have powers of T" in says and any(part[-1] in ("horizon", "bounds") for part in self.mended):
            return True
        if path[0] in ("claims", "measurements"):
            own = path[:2]
            shared = (*own, *path[4:]) if path[2:3] == ("variants",) else path  # tests that a variant inherits
            tests = any(part[:2] == own and "tests" in part for part in self.left_out)
            silent = path[-1] == "calibrations" and tests
            ungated = path[-1] == "gated" and ("gates",) in self.left_out
            return silent or ungated or self._covers(shared)
        if path[0] == "gates":
            return any(part[0] == "experiments" and "size" not in part for part in self.left_out if part)
        if path[0] == "tables" and path[-1] == "curves":
            return any(part[:1] == ("measurements",) for part in self.left_out)
        unread = path[0] in ("constants", "calibrations") and "no algorithm of this paper" in says
        return unread and any(part[:1] in (("experiments",), ("audits",)) for part in self.left_out)


def _parts(path: Key) -> Iterator[Key]:
    """Removable parts of a file that contain a path, the smallest first."""
    for length in range(len(path), 0, -1):
        part = path[:length]
        if length == 1 or _pattern(part) in PARTS:
            yield part


def _pattern(part: Key) -> str:
    """A path with `*` for names and indexes, which follow every key of a model."""
    names = (1, 2) if part[0] == "calibrations" else (1, 3, 5)
    return ".".join("*" if index in names else str(each) for index, each in enumerate(part))


def _replace(inside: Any, last: Any, above: Key, faults: set[Key]) -> bool:
    """Replace a part by a sibling without a fault."""
    every = inside if isinstance(inside, dict) else range(len(inside))
    for other in every:
        if other != last and not any(path[: len(above) + 1] == (*above, other) for path in faults):
            inside[last] = deepcopy(inside[other])
            return True
    return False


def _at(record: Any, path: Iterable[Any]) -> Any:
    for part in path:
        inside = (isinstance(record, dict) and part in record) or (
            isinstance(record, list) and isinstance(part, int) and part < len(record)
        )
        if not inside:
            return None
        record = record[part]
    return record


def _variants(claim: Any) -> Iterable[str]:
    found = claim.get("variants") if isinstance(claim, Mapping) else None
    return found if isinstance(found, Mapping) else ()
