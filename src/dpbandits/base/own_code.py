"""Loads the user's own code: `file.py:name`, `module:name`, or the name of an installed package's entry point.

Loading runs the code.
"""

import importlib
import sys
import sysconfig
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

PRIVATE = "own code "  # prefix of the names of modules loaded from the user's files
MOST_NAMES = 20  # listed in an error message
NAMED = "module:name or file.py:name"
LIBRARIES = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
NOT_THE_USERS = ("<", str(Path(__file__).parents[1]), *LIBRARIES)  # path prefixes of code that is not the user's


class Fault(ValueError):
    """An error in the user's input: the argument, and one line that says what is allowed."""

    def __init__(self, argument: str, text: str) -> None:
        super().__init__(f"{argument}: {text}")
        self.argument, self.text = argument, text


@contextmanager
def importable(*folders: Path) -> Iterator[None]:
    """Put `folders` first on the import path within the context, as `python -m` does."""
    before = list(sys.path)
    sys.path[:0] = map(str, folders)
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path[:] = before


def parts(name: str) -> tuple[str, str, str]:
    """File or module, colon and name of `file.py:name` or `module:name`; the last two may be empty."""
    where, colon, attribute = name.rpartition(":")
    return (where, colon, attribute) if attribute.isidentifier() and colon else (name.rstrip(":"), "", "")


def folder_of(name: str) -> Path:
    """The folder of the file in `file.py:name`, from which it imports its neighbors; otherwise the current folder."""
    where = parts(name)[0]
    return Path(where).resolve().parent if where.endswith(".py") else Path.cwd()


def home(name: str) -> tuple[Path, str, bool]:
    """Location of the sources of own code: folder, module, and whether modules of the same folder belong to them.

    Raises
    ------
    Fault
        The file or module does not exist.
    """
    where = parts(name)[0]
    if where.endswith(".py"):
        return Path(where).resolve().parent, Path(where).stem, True
    with suppress(ImportError, ValueError):
        if (found := find_spec(where.partition(".")[0])) and found.origin:
            file = Path(found.origin)
            return file.parents[1] if file.name == "__init__.py" else file.parent, where, False
    raise Fault("algorithm", f"got {name!r}; found no module {where!r}. Correct the name or install the package.")


def installed(group: str) -> dict[str, EntryPoint]:
    """The entry points of a group by name, sorted; if two packages use a name, the first one counts."""
    found: dict[str, EntryPoint] = {}
    for point in sorted(entry_points(group=group), key=lambda point: (point.name, point.value)):
        found.setdefault(point.name, point)
    return found


def named(argument: str, name: str, whole: bool = False) -> Any:
    """The object named by `module:name` or `file.py:name`.

    Parameters
    ----------
    whole : whether `module` or `file.py` without a name is allowed; it names the module.

    Raises
    ------
    Fault
        It cannot be imported, or the module does not define the name.
    """
    where, _, attribute = parts(name) if whole else name.rpartition(":")
    if not where or not (attribute.isidentifier() or (whole and not attribute)):
        raise Fault(argument, f"got {name!r}; must be {NAMED}")
    module = _from_file(argument, name, Path(where)) if where.endswith(".py") else _module(argument, name, where)
    if not attribute:
        return module
    if not hasattr(module, attribute):
        known = [key for key, value in vars(module).items() if key[0] != "_" and not isinstance(value, ModuleType)]
        has = ", ".join([*known[:MOST_NAMES], *["..."] * (len(known) > MOST_NAMES)])
        source = getattr(module, "__file__", None) or where
        use = f"Use one of: {has}" if has else "Define it there."
        raise Fault(argument, f"got {name!r}; {source} does not define {attribute!r}. {use}")
    return getattr(module, attribute)


def loaded(argument: str, own: Any) -> Any:
    """The object of own code: the object itself, or the object that a string names.

    Raises
    ------
    Fault
        It cannot be imported.
    """
    if not isinstance(own, str):
        return own
    with importable(folder_of(own), Path.cwd()):
        return named(argument, own, whole=True)


def is_dotted(where: str) -> bool:
    return all(part.isidentifier() for part in where.split("."))


def _module(argument: str, name: str, where: str) -> ModuleType:
    if not is_dotted(where):
        raise Fault(argument, f"got {name!r}; must be {NAMED}")
    try:
        return importlib.import_module(where)
    except ModuleNotFoundError as fault:
        if fault.name is None or not f"{where}.".startswith(f"{fault.name}."):
            raise _failed(argument, name, fault) from fault
        places = "in the current folder or the installed packages"
        said = f"found no module {fault.name!r} {places}. Correct the name or add the module."
        raise Fault(argument, f"got {name!r}; {said}") from None
    except (Exception, SystemExit) as fault:
        raise _failed(argument, name, fault) from fault


def _from_file(argument: str, name: str, path: Path) -> ModuleType:
    """The module in a file, imported once; its folder is on the import path, as for a script."""
    if not path.is_file():
        raise Fault(argument, f"got {name!r}; the file {str(path)!r} does not exist. Correct the path or add the file.")
    private = _private(path)
    if private in sys.modules:
        return sys.modules[private]
    spec = spec_from_file_location(private, path)
    if spec is None or spec.loader is None:
        raise Fault(argument, f"got {name!r}; {str(path)!r} is not a Python module. Use {NAMED}.")
    module = sys.modules[private] = module_from_spec(spec)
    try:
        with importable(path.resolve().parent):
            spec.loader.exec_module(module)
    except (Exception, SystemExit) as fault:
        del sys.modules[private]
        raise _failed(argument, name, fault) from fault
    return module


@contextmanager
def with_neighbors(found: type) -> Iterator[None]:
    """Within the context, put the folder of the user's file that defines `found` on the import path."""
    place = found.__module__.removeprefix(PRIVATE)
    with importable(*([Path(place).parent] if place != found.__module__ else [])):
        yield


def _private(path: Path) -> str:
    """The name of the module in a file; no import statement can name it by accident."""
    return f"{PRIVATE}{path.resolve()}"


def forget(name: str) -> None:
    """Make the next use of `file.py:name` read the file again."""
    sys.modules.pop(_private(Path(parts(name)[0])), None)


def _failed(argument: str, name: str, fault: BaseException) -> Fault:
    return Fault(argument, f"got {name!r}; its import failed with {raised(fault)}. Correct the module.")


def raised(fault: BaseException) -> str:
    """Name and message of an exception in one line, with the last line of the user's own code in its traceback."""
    frames = traceback.extract_tb(fault.__traceback__)
    users = [frame for frame in frames if not frame.filename.startswith(NOT_THE_USERS)]
    place = f" ({Path(users[-1].filename).name}, line {users[-1].lineno})" if users else ""
    text = " ".join(str(fault).split())
    return f"{type(fault).__name__}{': ' if text else ''}{text}{place}"
