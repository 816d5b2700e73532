"""What a user names on the command line: `module:name`, `file.py:name`, or a value written out.

Written values are Python literals or JSON and nothing is evaluated. A named module is imported, which runs it.
"""

import ast
import importlib
import json
import sys
import sysconfig
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

MOST_NAMES = 20  # that a fault lists
NAMED = "module:name or file.py:name"
WRITTEN = "a Python literal or JSON such as '[0.0]'"
EITHER = f"{WRITTEN}, or {NAMED}"
LIBRARIES = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
NOT_THE_USERS = ("<", str(Path(__file__).parents[2]), *LIBRARIES)  # how the files of other people's code begin
Pair = tuple[Any, Any]


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


def folder_of(name: str) -> Path:
    """The folder of the file in `file.py:name`, where it imports its neighbors from; else the current one."""
    where = name.rpartition(":")[0]
    return Path(where).resolve().parent if where.endswith(".py") else Path.cwd()


def named(argument: str, name: str) -> Any:
    """What `module:name` or `file.py:name` names.

    Raises
    ------
    Fault
        It cannot be imported, or the module does not define the name.
    """
    where, _, attribute = name.rpartition(":")
    if not where or not attribute.isidentifier():
        raise Fault(argument, f"got {name!r}; must be {NAMED}")
    module = _from_file(argument, name, Path(where)) if where.endswith(".py") else _module(argument, name, where)
    if not hasattr(module, attribute):
        known = [key for key, value in vars(module).items() if key[0] != "_" and not isinstance(value, ModuleType)]
        has = ", ".join([*known[:MOST_NAMES], *["..."] * (len(known) > MOST_NAMES)])
        source = getattr(module, "__file__", None) or where
        use = f"Use one of: {has}" if has else "Define it there."
        raise Fault(argument, f"got {name!r}; {source} does not define {attribute!r}. {use}")
    return getattr(module, attribute)


def neighbors(argument: str, values: tuple[str, ...]) -> Pair:
    """The two inputs: one name of a pair, or two values, each a literal or a name.

    Raises
    ------
    Fault
        There are not two, or they cannot be read.
    """
    if len(values) == 2:
        first, second = (_value(argument, value) for value in values)
        return first, second
    if len(values) != 1 or not is_name(values[0]):
        said = f"{_shown(values[0])} alone" if len(values) == 1 else f"{len(values)} values"
        raise Fault(argument, f"got {said}; must be {NAMED} of a pair, or two inputs, each {EITHER}")
    pair = named(argument, values[0])
    listed = isinstance(pair, list | tuple | np.ndarray)
    if not listed or len(pair) != 2:
        has = f"has {len(pair)} elements" if listed else f"has type {type(pair).__name__}"
        raise Fault(argument, f"got {values[0]!r}, which {has}; must be a pair of inputs, (first, second)")
    return pair[0], pair[1]


def is_name(value: str) -> bool:
    """Whether a text is written as a name, `my_module:PAIR`, and not as a value."""
    where, _, attribute = value.rpartition(":")
    return attribute.isidentifier() and (where.endswith(".py") or _is_dotted(where))


def _is_dotted(where: str) -> bool:
    return all(part.isidentifier() for part in where.split("."))


def _value(argument: str, text: str) -> Any:
    if is_name(text):
        return named(argument, text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the compiler, about odd literals
        for read in (ast.literal_eval, _read_json):
            with suppress(ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
                return read(text.strip())
    raise Fault(argument, f"got {_shown(text)}; must be {EITHER}")


def _read_json(text: str) -> Any:
    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is not JSON")

    return json.loads(text, parse_constant=refuse)


def _module(argument: str, name: str, where: str) -> ModuleType:
    if not _is_dotted(where):
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


def _private(path: Path) -> str:
    """The name of the module in a file, which no import statement can take for another's."""
    return f"own mechanism {path.resolve()}"


def forget(name: str) -> None:
    """Read the file in `file.py:name` again when something in it is next named."""
    sys.modules.pop(_private(Path(name.rpartition(":")[0])), None)


def _failed(argument: str, name: str, fault: BaseException) -> Fault:
    return Fault(argument, f"got {name!r}; its import failed with {raised(fault)}. Correct the module.")


def raised(fault: BaseException) -> str:
    """Name and message of an exception in one line, with the last line of the user's own code that it came through."""
    frames = traceback.extract_tb(fault.__traceback__)
    users = [frame for frame in frames if not frame.filename.startswith(NOT_THE_USERS)]
    place = f" ({Path(users[-1].filename).name}, line {users[-1].lineno})" if users else ""
    text = " ".join(str(fault).split())
    return f"{type(fault).__name__}{': ' if text else ''}{text}{place}"


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
