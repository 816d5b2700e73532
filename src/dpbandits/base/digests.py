"""Digests of values, files, and source code with all its imports.

A source digest answers "can the results of these modules have changed?". It is computed from the syntax trees of
the modules and of everything that they import. Comments, layout and docstrings do not change it; other edits do. It
does not depend on the location of the checkout, on file times, or on the version of Python. It does not cover
`importlib.import_module(...)`, names loaded by `from package import *`, or data files: the caller names these.

A module's digest excludes its entry as an algorithm, bound or environment (`ENTRIES`) and the code that only the
entry uses, because labels, looks and examples change no result. `entries_digest` covers the entries. The fields
`COUNTED` are an exception: audits draw with the noise of an entry, so the module's digest includes it.
"""

import ast
import functools
import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from importlib.util import resolve_name
from pathlib import Path

SOURCE_ROOT = Path(__file__).resolve().parents[2]
"""Folder of the package."""
ENTRIES = ("ALGORITHM", "BOUND", "FAMILY")
"""Names of the variables that hold a module's entry in a registry."""
WITHOUT_KEYS = frozenset({str, float, int, bool, type(None)})
"""Types of JSON values that have no keys."""
COUNTED = ("noise",)
"""Fields of an entry, passed by keyword, that results depend on."""


def canonical_json(value: object) -> str:
    """Canonical JSON text, equal for equal values: sorted keys, no spaces, ASCII, floats by repr.

    1 and 1.0 stay distinct ("1", "1.0"), and so do 0.0 and -0.0. A tuple is written as a list. NaN and infinity raise
    ValueError. Other types raise TypeError, and so do keys that are not strings, as JSON would merge 1 and "1".
    """
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    _check_keys(value)
    return text


def json_digest(value: object) -> str:
    """SHA-256 (hex) of the canonical JSON."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()


def short(digest: str) -> str:
    """The first eight hex characters of a digest, for use in names."""
    return digest[:8]


def file_digest(path: str | os.PathLike[str]) -> str:
    """SHA-256 (hex) of the bytes of a file, read in blocks."""
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def closure(modules: Iterable[str], source_root: Path) -> tuple[str, ...]:
    """Sorted dotted names of the modules and of everything that they import from the one package below `source_root`.

    Imports inside functions count; imports under `if TYPE_CHECKING` do not. A package stands for its `__init__`, or
    for nothing if that has no code. ValueError: a module does not exist, or one of `modules` is a package without code.
    """
    return tuple(sorted(_reach(modules, source_root)))


def source_digest(modules: Iterable[str], source_root: Path, extra: Iterable[Path] = ()) -> str:
    """SHA-256 (hex) of the normalized sources of the closure and of the bytes of `extra` files below `source_root`."""
    root = source_root.resolve()
    data = {path.resolve().relative_to(root).as_posix(): file_digest(path) for path in extra}
    return json_digest({"modules": _reach(modules, root), "extra": data})


def own_sources(place: Path, module: str, neighbors: bool) -> dict[str, str]:
    """Source digests of the user's own code, by module.

    Parameters
    ----------
    place : the folder of the module, or of its package.
    neighbors : whether to include imported modules of the same folder: true for a file; false for a package, whose
        modules are included anyway.
    """
    package = SOURCE_ROOT / __name__.partition(".")[0]
    found = _reach([module], place, neighbors)
    files = {name: _file_of(name, str(place.resolve())) for name in found}
    imports = {
        each for name, path in files.items() for each in _imports(name, path) if each.split(".")[0] == package.name
    }
    return {**found, **_reach(imports, SOURCE_ROOT)}


def own_files(place: Path, module: str, neighbors: bool) -> list[Path]:
    """The files that `own_sources` reads, except those of dpbandits."""
    return [Path(_file_of(name, str(place.resolve()))) for name in _reach([module], place, neighbors)]


def _imports(name: str, path: str) -> Iterator[str]:
    """The modules that a module imports, by dotted name."""
    stat = os.stat(path)
    for base, leaf in _parsed(name, path, stat.st_mtime_ns, stat.st_size)[0]:
        yield base if not leaf or not _file_of(f"{base}.{leaf}", str(SOURCE_ROOT)) else f"{base}.{leaf}"


def _file_of(name: str, root: str) -> str:
    """The file of a module below a folder; empty if there is none."""
    stem = os.path.join(root, *name.split("."))
    return next(filter(os.path.isfile, (os.path.join(stem, "__init__.py"), f"{stem}.py")), "")


def entries_digest(modules: Iterable[str], source_root: Path) -> str:
    """SHA-256 (hex) of the entries of some modules and of the sources that only these entries use."""
    found, helpers = {}, set()
    for name in modules:
        entries, used = _entry_and_helpers(_tree(source_root / (name.replace(".", "/") + ".py")))
        found[name] = [_dump(entry) for entry in entries]
        helpers |= used
    return json_digest({"entries": found, "helpers": _reach(helpers, source_root)})


def entry_helpers(module: str, source_root: Path) -> tuple[str, ...]:
    """Sorted dotted names of the modules that only a module's entry needs, with everything that they import."""
    _, helpers = _entry_and_helpers(_tree(source_root / (module.replace(".", "/") + ".py")))
    return tuple(sorted(_reach(helpers, source_root)))


def normalized(source: str) -> str:
    """The syntax tree as text, without docstrings, comments and layout; equal under Python 3.11 to 3.13."""
    return _dump(ast.parse(source))


def _check_keys(value: object) -> None:
    left = [value]
    for each in left:
        if isinstance(each, dict):
            if not all(issubclass(kind, str) for kind in {*map(type, each)}):
                raise TypeError(f"keys must be strings: {list(each)}")
            left += [inner for inner in each.values() if type(inner) not in WITHOUT_KEYS]
        elif isinstance(each, list | tuple):
            left += [inner for inner in each if type(inner) not in WITHOUT_KEYS]


_FIELDS: dict[type, list[str]] = {}


def _dump(node: object) -> str:
    # Absent and empty fields are left out because versions of Python differ in them; `kind` is the u of u"".
    if isinstance(node, list):
        return f"[{','.join(map(_dump, node))}]"
    if not isinstance(node, ast.AST):
        return ascii(node)
    fields = []
    if type(node) not in _FIELDS:
        _FIELDS[type(node)] = sorted(node._fields)
    for name in _FIELDS[type(node)]:
        value = getattr(node, name, None)
        if isinstance(value, list):
            value = [each for each in value if not _is_void(each, node)]
            value = value or ([ast.Pass()] if name == "body" else None)
        if value is not None and name != "kind":
            fields.append(f"{name}={_dump(value)}")
    return f"{type(node).__name__}({','.join(fields)})"


def _is_void(node: object, parent: ast.AST) -> bool:
    if isinstance(parent, ast.JoinedStr):  # Python 3.12 puts empty strings into f-strings
        return isinstance(node, ast.Constant) and node.value == ""
    value = node.value if isinstance(node, ast.Expr) else None  # docstrings, including those of attributes
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


@functools.cache
def _parsed(module: str, path: str, mtime_ns: int, size: int) -> tuple[list[tuple[str, str]], str]:
    """Imports (absolute module, name in it or ""), and source digest ("" for a package without code)."""
    package = module if path.endswith("__init__.py") else module.rpartition(".")[0]
    tree = _tree(Path(path))
    _entry_and_helpers(tree)
    imports: list[tuple[str, str]] = []
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Import):
            imports += [(alias.name, "") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = resolve_name("." * node.level + (node.module or ""), package)
            imports += [(base, alias.name) for alias in node.names]
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in vars(node.test).values():  # bare, or typing.
            pending += node.orelse
        else:
            pending += [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.expr)]
    text = _dump(tree)
    return imports, "" if package == module and text == normalized("") else json_digest(text)


def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8-sig"), str(path))


def _is_entry(node: ast.stmt) -> bool:
    return isinstance(node, ast.Assign) and isinstance(first := node.targets[0], ast.Name) and first.id in ENTRIES


def _entry_and_helpers(tree: ast.Module) -> tuple[list[ast.stmt], set[str]]:
    """Remove a module's entry, and the imports that only the entry uses, from its tree; return both.

    The values of the fields `COUNTED` stay in the tree.
    """
    entries = [node for node in tree.body if _is_entry(node)]
    if not entries:
        return [], set()
    tree.body = [kept for node in tree.body for kept in (_counted(node) if node in entries else [node])]
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    only = {node.id for entry in entries for node in ast.walk(entry) if isinstance(node, ast.Name)} - used
    helpers: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and not node.level and node.module:
            kept = [alias for alias in node.names if (alias.asname or alias.name) not in only]
            helpers |= {node.module} if len(kept) < len(node.names) else set()
            node.names = kept
    tree.body = [node for node in tree.body if not isinstance(node, ast.ImportFrom) or node.names]
    return entries, helpers


def _counted(entry: ast.stmt) -> list[ast.stmt]:
    """The values of an entry's `COUNTED` fields."""
    keywords = entry.value.keywords if isinstance(entry, ast.Assign) and isinstance(entry.value, ast.Call) else []
    return [ast.Expr(each.value) for each in keywords if each.arg in COUNTED]


def _reach(modules: Iterable[str], root: Path, neighbors: bool = False) -> dict[str, str]:
    """Source digests of the closure, by dotted name; with `neighbors`, including other modules of the folder `root`."""
    root, requested = root.resolve(), set(modules)
    pending = [(name, "the caller", False) for name in requested]
    digests: dict[str, str] = {}
    seen: set[tuple[str, bool]] = set()
    while pending:
        name, importer, may_be_value = pending.pop()
        if name in digests or (name, may_be_value) in seen:
            continue
        seen.add((name, may_be_value))
        parent, stem = name.rpartition(".")[0], os.path.join(root, *name.split("."))
        path = _file_of(name, str(root))
        if not path and not os.path.isdir(stem):
            if may_be_value and digests[parent]:  # may be a name that the parent's code defines
                continue
            raise ValueError(f"no module {name!r} below {root}, needed by {importer}")
        stat = os.stat(path or stem)
        imports, digests[name] = _parsed(name, path, stat.st_mtime_ns, stat.st_size) if path else ([], "")
        if name in requested and not digests[name]:
            raise ValueError(f"package {name!r} has no code of its own: name its modules")
        for base, leaf in [*imports, (parent, "")]:
            top = base.split(".")[0]
            if top == name.split(".")[0] or (neighbors and _file_of(top, str(root))):
                pending += [(f"{base}.{leaf}", name, True)] if leaf else []
                pending.append((base, name, False))  # popped first, so that the line above finds the parent's digest
    return {name: digest for name, digest in digests.items() if digest}
