"""Reads plain YAML; any other YAML feature is rejected with one line before it can do harm."""

import re
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import yaml

DEEPEST = 20  # nested collections in a file
LETTERS = 60  # characters of a value in a fault


class ConfigError(ValueError):
    """Faults in the user's input, one line each; the text joins all of them."""

    def __init__(self, *faults: str) -> None:
        super().__init__("\n".join(faults))
        self.faults = faults


def shown(value: object) -> str:
    """A value for a fault, in YAML notation, truncated if it is long."""
    text = _written(value)
    return text if len(text) <= LETTERS else text[: LETTERS - 3] + "..."


def _written(value: object) -> str:
    """The text of a value; only the first of many entries are written, because the text is truncated."""
    if isinstance(value, bool) or value is None:
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_written, value[:LETTERS]))}]"
    if isinstance(value, dict):
        entries = islice(value.items(), LETTERS)
        return ", ".join(f"{_written(key)}: {_written(each)}" for key, each in entries).join("{}")
    whole = isinstance(value, float) and value.is_integer() and abs(value) < 1e15
    return repr(int(value) if whole else value)  # type: ignore[call-overload]


class _Loader(yaml.CSafeLoader):
    """Safe YAML with the plain scalars of YAML 1.2: 1e6 is a number; `yes`, 010, 1_000, 1:30 and dates are text."""


_Loader.yaml_implicit_resolvers = {}
_WHOLE = "(0|[1-9][0-9]{0,30})"  # longer integers are read as floats
for _tag, _pattern, _first in (
    ("null", "~|null|Null|NULL|", ("~", "n", "N", "")),
    ("bool", "true|True|TRUE|false|False|FALSE", "tTfF"),
    ("int", f"[-+]?{_WHOLE}", "-+0123456789"),
    ("float", r"[-+]?(\.[0-9]+|(0|[1-9][0-9]*)(\.[0-9]*)?)([eE][-+]?[0-9]+)?", "-+.0123456789"),
    ("float", r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)", "-+."),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(rf"(?:{_pattern})\Z"), list(_first))


def _fault(problem: str, mark: Any) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(problem=problem, problem_mark=mark)


def _mapping(loader: _Loader, node: yaml.MappingNode) -> dict[Any, Any]:
    seen: dict[Any, Any] = {}
    for key_node, value_node in node.value:
        key = loader.construct_object(key_node, deep=True)
        if not isinstance(key, str):
            raise _fault(f"the key {shown(key)} is not text. Put it in quotes.", key_node.start_mark)
        if key in seen:
            raise _fault(f"the key {shown(key)} occurs twice. Delete one of the two.", key_node.start_mark)
        seen[key] = loader.construct_object(value_node, deep=True)
    return seen


def _float(loader: _Loader, node: yaml.ScalarNode) -> float:
    """Read 1e6 as the integer 1000000, as JSON Schema does, so that both give the same curves and files."""
    value = loader.construct_yaml_float(node)
    return int(value) if value.is_integer() and abs(value) < 2**64 else value


_Loader.add_constructor("tag:yaml.org,2002:map", _mapping)
_Loader.add_constructor("tag:yaml.org,2002:float", _float)


def _plain(text: str) -> None:
    """Reject deep nesting, which overflows the parser's stack, aliases and tags."""
    depth = 0
    for event in yaml.parse(text, _Loader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        fault, tag = "", getattr(event, "tag", None)
        if isinstance(event, yaml.AliasEvent):
            fault = f"the alias *{event.anchor} is not allowed. Write its value out."
        elif tag:
            fault = f"the tag {shown(tag)} is not allowed. Write a plain value."
        elif depth > DEEPEST:
            fault = f"nested too deeply; at most {DEEPEST} collections are allowed"
        if fault:
            raise _fault(fault, event.start_mark)


def scalar(text: str) -> Any:
    """The value of a plain scalar; the text itself if it is not one."""
    try:
        _plain(text)
        value = yaml.load(text, _Loader)  # noqa: S506 - the loader is a safe one
    except yaml.YAMLError:
        return text
    return text if isinstance(value, dict | list) or not text else value


def load_yaml(path: Path, name: str, checked: bool = False) -> Any:
    """The value of a YAML file.

    Parameters
    ----------
    name : the file's name in faults.
    checked : whether the file is known to be plain.

    Raises
    ------
    ConfigError
        The file is missing, is not plain YAML, or repeats a key.
    """
    try:
        text = path.read_text(encoding="utf-8")
        if not checked:
            _plain(text)
        return yaml.load(text, _Loader)  # noqa: S506 - the loader is a safe one
    except OSError as error:
        raise ConfigError(f"{name}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{name}: is not UTF-8 text") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f":{mark.line + 1}" if mark else ""
        problem = " ".join(str(getattr(error, "problem", None) or error).split())
        raise ConfigError(f"{name}{where}: {problem}") from None


def composed(path: Path) -> yaml.Node | None:
    """The nodes of a plain YAML file, for `line_of`; None for an empty file."""
    found: yaml.Node | None = yaml.compose(path.read_text(encoding="utf-8"), _Loader)
    return found


def line_of(node: yaml.Node | None, key: Sequence[str | int]) -> int:
    """The line of a key below a node; for a missing key, the line of the mapping that should contain it."""
    line = 1 if node is None else node.start_mark.line + 1
    for part in key:
        if isinstance(node, yaml.MappingNode):
            found = next(((key, value) for key, value in node.value if key.value == part), None)
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            found = (node.value[part], node.value[part])
        else:
            found = None
        if found is None:
            return line
        line, node = found[0].start_mark.line + 1, found[1]
    return line
