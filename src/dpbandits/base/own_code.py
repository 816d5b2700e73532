"""Code of the user's own: `file.py:name`, `module:name`, or a name that an installed package gives to it.

To load it runs it.
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

PRIVATE = "own code "  # how the names of modules in files of the user's begin
MOST_NAMES = 20  # that a fault lists
NAMED = "module:name or file.py:name"
LIBRARIES = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
NOT_THE_USERS = ("<", str(Path(__file__).parents[1]), *LIBRARIES)  # how the files of other people's code begin


class Fault(ValueError):
    """A fault of the user's input: the argument that it is in, and one line that says what the input must be."""

    def __init__(self, argument: str, text: str) -> None:
        super().__init__(f"{argument}: {text}")
        self.argument, self.text = argument, text


@contextmanager
def importable(*folders: Path) -> Iterator[None]:
    """While this lasts, modules are imported from `folders` before any other place, as `python -m` does."""
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
    """The folder of the file in `file.py:name`, where it imports its neighbors from; else the current one."""
    where = parts(name)[0]
    return Path(where).resolve().parent if where.endswith(".py") else Path.cwd()


def home(name: str) -> tuple[Path, str, bool]:
    """Folder, module, and whether neighbors in the folder belong to it: where the sources of own code are.

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
    """The names that installed packages give to code of a group, in alphabetical order; of two the first counts."""
    found: dict[str, EntryPoint] = {}
    for point in sorted(entry_points(group=group), key=lambda point: (point.name, point.value)):
        found.setdefault(point.name, point)
    return found


def named(argument: str, name: str, whole: bool = False) -> Any:
    """What `module:name` or `file.py:name` names.

    Parameters
    ----------
    whole : whether `module` or `file.py` may stand alone; it names the module.

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
    """Own code: the object that it names, where it is a text.

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
    """The module in a file, imported once; its folder is searched for what it imports, as Python does for a script."""
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
    """While this lasts, what was defined in a file of the user's imports from the folder of that file."""
    place = found.__module__.removeprefix(PRIVATE)
    with importable(*([Path(place).parent] if place != found.__module__ else [])):
        yield


def _private(path: Path) -> str:
    """The name of the module in a file, which no import statement can take for another's."""
    return f"{PRIVATE}{path.resolve()}"


def forget(name: str) -> None:
    """Read the file in `file.py:name` again when something in it is next named."""
    sys.modules.pop(_private(Path(parts(name)[0])), None)


def _failed(argument: str, name: str, fault: BaseException) -> Fault:
    return Fault(argument, f"got {name!r}; its import failed with {raised(fault)}. Correct the module.")


def raised(fault: BaseException) -> str:
    """Name and message of an exception in one line, with the last line of the user's own code that it came through."""
    frames = traceback.extract_tb(fault.__traceback__)
    users = [frame for frame in frames if not frame.filename.startswith(NOT_THE_USERS)]
    place = f" ({Path(users[-1].filename).name}, line {users[-1].lineno})" if users else ""
    text = " ".join(str(fault).split())
    return f"{type(fault).__name__}{': ' if text else ''}{text}{place}"
