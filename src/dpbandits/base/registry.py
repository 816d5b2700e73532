"""Finds algorithms and environments. Each is a module with an entry, in the package of its family.

The name of an algorithm or environment is the name of its module. Modules are found by their text, without importing
them, so a job that runs one algorithm imports only that one.

A name may also stand for the user's own code, declared by a paper's YAML, by a call of the Python API, or by an entry
point of an installed package. Own code cannot take a name of this package.
"""

import functools
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any, TypeVar, cast

from dpbandits.base.digests import SOURCE_ROOT as SOURCE_ROOT
from dpbandits.base.own_code import installed

Entry = TypeVar("Entry")
Own = str | Any
"""The user's own code: `file.py:name`, `module:name`, a whole module, or the object itself."""
DECLARED: dict[str, dict[str, Own]] = {}
"""Own code declared in this process, by attribute of the kind and by name."""


@dataclass(frozen=True)
class Kind:
    """A kind of entries: modules in `folders` of the package that assign their entry to `attribute`.

    Attributes
    ----------
    group : the group of entry points by which other packages offer code.
    adapter : the module whose `module_of(name, own)` turns own code into a module with an entry.
    """

    folders: tuple[str, ...]
    attribute: str
    group: str = ""
    adapter: str = ""

    def places(self) -> Mapping[str, str]:
        """Dotted names of the package's modules, by last part; sorted by family, then by name."""
        return _places(self.folders, self.attribute)

    def place(self, name: str) -> str:
        """Dotted name of the package's module for an algorithm or environment.

        Raises
        ------
        KeyError
            The package has no module of this name.
        """
        return self.places()[name]

    def own(self) -> dict[str, Own]:
        """Own code by name: first declared, then installed."""
        found = dict(DECLARED.get(self.attribute, {}))
        for name, point in (_installed(self.group) if self.group else {}).items():
            found.setdefault(name, point)
        return {name: each for name, each in found.items() if name not in self.places()}

    def own_code(self, name: str) -> Own | None:
        """The own code that a name stands for; None if the name belongs to the package or is unknown."""
        if name in self.places():
            return None
        declared = DECLARED.get(self.attribute, {})
        return declared[name] if name in declared else self.own().get(name)

    def knows(self, name: object) -> bool:
        """Whether the name is known."""
        return isinstance(name, str) and (name in self.places() or self.own_code(name) is not None)

    def declare(self, name: str, own: Own) -> None:
        """Register own code under a name in this process; it replaces own code of the same name."""
        DECLARED.setdefault(self.attribute, {})[name] = own

    def withdraw(self, name: str) -> None:
        """Unregister own code."""
        DECLARED.get(self.attribute, {}).pop(name, None)

    def module(self, name: str) -> ModuleType:
        """The module of an algorithm or environment, imported; raises KeyError as `place`."""
        own = None if name in self.places() else self.own_code(name)
        if own is None:
            place = self.place(name)
            return sys.modules[place] if place in sys.modules else import_module(place)
        return cast(ModuleType, import_module(self.adapter).module_of(name, own))


ALGORITHMS = Kind(("algorithms/*",), "ALGORITHM", "dpbandits.algorithms", "dpbandits.algorithms.own")
BOUNDS = Kind(("theory",), "BOUND")
ENVIRONMENTS = Kind(("environments/*",), "FAMILY", "dpbandits.environments", "dpbandits.environments.own")


class Entries(Mapping[str, Entry]):
    """The entries of a kind by name; a module is imported when its entry is first used."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind

    def __getitem__(self, name: str) -> Entry:
        entry: Entry = getattr(self.kind.module(name), self.kind.attribute)
        return entry

    def __contains__(self, name: object) -> bool:
        return self.kind.knows(name)

    def __iter__(self) -> Iterator[str]:
        yield from self.kind.places()
        yield from self.kind.own()

    def __len__(self) -> int:
        return len(self.kind.places()) + len(self.kind.own())


@functools.cache
def _installed(group: str) -> Mapping[str, str]:
    return {name: point.value for name, point in installed(group).items()}


@functools.cache
def _places(folders: tuple[str, ...], attribute: str) -> Mapping[str, str]:
    found: dict[str, str] = {}
    entry = re.compile(rf"^{attribute}\b", re.MULTILINE)
    package = SOURCE_ROOT / __name__.partition(".")[0]
    for path in [path for folder in folders for path in sorted(package.glob(f"{folder}/*.py"))]:
        if entry.search(path.read_text(encoding="utf-8")):
            dotted = ".".join(path.relative_to(SOURCE_ROOT).with_suffix("").parts)
            if path.stem in found:
                raise ValueError(f"{path.stem} is in two families: {found[path.stem]} and {dotted}. Rename one module")
            found[path.stem] = dotted
    return found
