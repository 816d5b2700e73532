"""Own code that a paper's YAML names: it gets its name in this process, and its faults are found."""

from collections.abc import Mapping
from pathlib import Path

from dpbandits.base.own_code import Fault as CodeFault
from dpbandits.base.own_code import parts
from dpbandits.base.registry import ALGORITHMS, ENVIRONMENTS, Kind
from dpbandits.config.models.files import PaperFile
from dpbandits.config.values import Fault

KINDS: Mapping[str, Kind] = {"algorithms": ALGORITHMS, "environments": ENVIRONMENTS}
"""By the key of the YAML."""


def declare(root: Path, paper: PaperFile, checked: bool = False) -> list[Fault]:
    """Let the names of a paper stand for its own code, and find the faults of this code; without those it has no name.

    Parameters
    ----------
    root : the folder of the project, below which files are.
    checked : whether it is known to have no fault; then nothing is imported.
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
