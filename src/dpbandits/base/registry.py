"""Finds algorithms and environments: each is a module, in a package of its family, that has an entry.

The name of an algorithm or environment is the name of its module. The modules are found by their text, without an
import: a job that plays one algorithm imports that one alone.

A name may also stand for code of the user's own: one that a paper's YAML or a call of the Python API declares, or that
an installed package gives to it (an entry point). A name of this package stands for nothing else.
"""

import functools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any, TypeVar, cast

from dpbandits.base.digests import SOURCE_ROOT as SOURCE_ROOT
from dpbandits.base.own_code import installed

Entry = TypeVar("Entry")
Own = str | Any
"""Code of the user's own: `file.py:name`, `module:name`, a module alone, or the object itself."""
DECLARED: dict[str, dict[str, Own]] = {}
"""Own code by name, for the attribute of each kind: what this process was told of."""


@dataclass(frozen=True)
class Kind:
    """What is looked for: modules in `folders` of the package that assign `attribute`, their entry.

    Attributes
    ----------
    group : of entry points that give names to code of other packages.
    adapter : the module whose `module_of(name, own)` makes a module with an entry of own code.
    """

    folders: tuple[str, ...]
    attribute: str
    group: str = ""
    adapter: str = ""

    def places(self) -> Mapping[str, str]:
        """Dotted name of each module of the package, by its last part; sorted by family, then by name."""
        return _places(self.folders, self.attribute)

    def place(self, name: str) -> str:
        """Dotted name of the module of an algorithm or environment of the package.

        Raises
        ------
        KeyError
            There is none of this name.
        """
        return self.places()[name]

    def own(self) -> dict[str, Own]:
        """Own code by name: declared, then installed."""
        found = dict(DECLARED.get(self.attribute, {}))
        for name, point in (_installed(self.group) if self.group else {}).items():
            found.setdefault(name, point)
        return {name: each for name, each in found.items() if name not in self.places()}

    def own_code(self, name: str) -> Own | None:
        """The own code that a name stands for; None if it is a name of the package, or of nothing."""
        if name in self.places():
            return None
        declared = DECLARED.get(self.attribute, {})
        return declared[name] if name in declared else self.own().get(name)

    def knows(self, name: object) -> bool:
        """Whether the name stands for something."""
        return isinstance(name, str) and (name in self.places() or self.own_code(name) is not None)

    def declare(self, name: str, own: Own) -> None:
        """Let a name stand for own code in this process, in place of other own code."""
        DECLARED.setdefault(self.attribute, {})[name] = own

    def withdraw(self, name: str) -> None:
        """Take the name of own code back."""
        DECLARED.get(self.attribute, {}).pop(name, None)

    def module(self, name: str) -> ModuleType:
        """The module of an algorithm or environment, imported; raises KeyError as `place`."""
        own = self.own_code(name)
        if own is None:
            return import_module(self.place(name))
        return cast(ModuleType, import_module(self.adapter).module_of(name, own))


ALGORITHMS = Kind(("algorithms/*",), "ALGORITHM", "dpbandits.algorithms", "dpbandits.algorithms.own")
BOUNDS = Kind(("theory",), "BOUND")
ENVIRONMENTS = Kind(("environments/*",), "FAMILY", "dpbandits.environments", "dpbandits.environments.own")


class Entries(Mapping[str, Entry]):
    """The entries of a kind by name; a module is imported when its entry is first asked for."""

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
