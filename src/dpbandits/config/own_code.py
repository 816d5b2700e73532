"""Registers and checks the user's own code that a paper's YAML names."""

from collections.abc import Mapping
from pathlib import Path

from dpbandits.base.own_code import Fault as CodeFault
from dpbandits.base.own_code import parts
from dpbandits.base.registry import ALGORITHMS, ENVIRONMENTS, Kind
from dpbandits.config.models.files import PaperFile
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
            place = str(root.resolve() / code) if parts(code)[0].endswith(".py") else code
            kind.declare(name, place)
            try:
                if not checked:
                    kind.module(name)
            except CodeFault as fault:
                kind.withdraw(name)
                found.append(((key, name), fault.text.replace(place, code)))
    return found
