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
            if said := _fault_of(root, kind, name, code, checked):
                kind.withdraw(name)
                found.append(((key, name), said))
    return found


def _fault_of(root: Path, kind: Kind, name: str, code: str, checked: bool = False) -> str:
    """Register code under a name, with the present content of its file; the text of its fault, or nothing."""
    place = str(root.resolve() / code) if parts(code)[0].endswith(".py") else code
    forget(place)
    kind.declare(name, place)
    try:
        if not checked:
            kind.module(name)
    except CodeFault as fault:
        return fault.text.replace(place, code)
    return ""


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
            if said := _fault_of(root, KINDS[key], name, code):
                raise ConfigError(f"{key}.{name}: {said}")


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
