"""Finds algorithms and environments: each is a module, in a package of its family, that has an entry.

The name of an algorithm or environment is the name of its module. The modules are found by their text, without an
import: a job that plays one algorithm imports that one alone.
"""

import functools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import TypeVar

from dpbandits.base.digests import SOURCE_ROOT as SOURCE_ROOT

Entry = TypeVar("Entry")


@dataclass(frozen=True)
class Kind:
    """What is looked for: modules in `folders` of the package that assign `attribute`, their entry."""

    folders: tuple[str, ...]
    attribute: str

    def places(self) -> Mapping[str, str]:
        """Dotted name of each module, by its last part; sorted by family, then by name."""
        return _places(self.folders, self.attribute)

    def place(self, name: str) -> str:
        """Dotted name of the module of an algorithm or environment.

        Raises
        ------
        KeyError
            There is none of this name.
        """
        return self.places()[name]

    def module(self, name: str) -> ModuleType:
        """The module of an algorithm or environment, imported; raises KeyError as `place`."""
        return import_module(self.place(name))


ALGORITHMS = Kind(("algorithms/*",), "ALGORITHM")
BOUNDS = Kind(("theory",), "BOUND")
ENVIRONMENTS = Kind(("environments/*",), "FAMILY")


class Entries(Mapping[str, Entry]):
    """The entries of a kind by name; a module is imported when its entry is first asked for."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind

    def __getitem__(self, name: str) -> Entry:
        entry: Entry = getattr(self.kind.module(name), self.kind.attribute)
        return entry

    def __contains__(self, name: object) -> bool:
        return name in self.kind.places()

    def __iter__(self) -> Iterator[str]:
        return iter(self.kind.places())

    def __len__(self) -> int:
        return len(self.kind.places())


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
