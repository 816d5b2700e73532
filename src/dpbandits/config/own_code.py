"""Registers and checks the user's own code that a paper's YAML names."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from dpbandits.base.own_code import Fault as CodeFault
from dpbandits.base.own_code import forget, parts
from dpbandits.base.registry import ALGORITHMS, ENVIRONMENTS, Kind
from dpbandits.config.models.files import PaperFile
from dpbandits.config.plain_yaml import ConfigError
from dpbandits.config.values import Fault

KINDS: Mapping[str, Kind] = {"algorithms": ALGORITHMS, "environments": ENVIRONMENTS}
"""Kinds of own code, by key of the YAML."""


def declare(root: Path, paper: PaperFile, checked: bool = False) -> list[Fault]:
    """Register a paper's own code under its names and return its faults; code with a fault is not registered.

    Parameters
    ----------
    root : the folder of the project, which contains the files.
    checked : whether the code is known to have no fault; then nothing is imported.
    """
    found: list[Fault] = []
    for key, kind in KINDS.items():
        for name, code in (getattr(paper, key) or {}).items():
            if name in kind.places():
                said = f"is the name of one of the {key} of this package"
                found.append(((key, name), f"got the name {name!r}, which {said}. Rename it."))
                continue
            place = place_of(root, code)
            forget(place)  # the file may have changed
            kind.declare(name, place)
            try:
                if not checked:
                    kind.module(name)
            except CodeFault as fault:
                kind.withdraw(name)
                found.append(((key, name), fault.text.replace(place, code)))
    return found


def place_of(root: Path, code: str) -> str:
    """Own code of a paper, with the whole path of its file."""
    return str(root.resolve() / code) if parts(code)[0].endswith(".py") else code


def declare_again(root: Path, own: Mapping[str, Mapping[str, str]]) -> None:
    """Register a paper's own code again, with the present content of its files.

    Since it was checked, another paper or a call of the Python API may have taken its names.

    Parameters
    ----------
    own : code by name, for each key of `KINDS`.

    Raises
    ------
    ConfigError
        The code has a fault now.
    """
    for key, every in own.items():
        for name, code in every.items():
            place = place_of(root, code)
            forget(place)
            KINDS[key].declare(name, place)
            try:
                KINDS[key].module(name)
            except CodeFault as fault:
                raise ConfigError(f"{key}.{name}: {fault.text.replace(place, code)}") from None


def clashes(own: Mapping[str, Mapping[str, Mapping[str, str]]]) -> Iterator[tuple[str, Fault]]:
    """Names that two papers give to different own code, each with the key of the second paper.

    Parameters
    ----------
    own : by paper, code by name for each key of `KINDS`.
    """
    first: dict[tuple[str, str], tuple[str, str]] = {}
    for paper, kinds in own.items():
        for key, every in kinds.items():
            for name, code in every.items():
                other, known = first.setdefault((key, name), (paper, code))
                if known != code:
                    says = f"got {code!r}; `{other}` has {known!r} under this name. Rename one of them."
                    yield paper, ((key, name), says)
