"""Entry of the command `dpbandits`: starts it, or says where another package of that name hides it."""

import sys
from importlib.util import find_spec
from pathlib import Path


def main() -> None:
    """Start the command of the package `dpbandits` on the path.

    This module lies outside of that package, so that it starts where `PYTHONPATH` has another one of the same name.
    """
    found = find_spec("dpbandits")
    places = list(found.submodule_search_locations or [str(found.origin)]) if found else []
    if not any((Path(place) / "cli" / "main.py").is_file() for place in places):
        where = f"{places[0]} is another package" if places else "the package is missing"
        remedy = "Remove its folder from PYTHONPATH" if places else f"Reinstall it beside {__file__}"
        print(f"dpbandits: {where}. {remedy}.".encode("ascii", "backslashreplace").decode(), file=sys.stderr)
        sys.exit(2)
    from dpbandits.cli.main import main as command

    command(prog_name="dpbandits")
