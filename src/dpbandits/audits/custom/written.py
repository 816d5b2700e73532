"""Reads inputs from the command line: names of the user's own code, or literal values.

Literal values are Python literals or JSON; nothing is evaluated.
"""

import ast
import json
import warnings
from contextlib import suppress
from typing import Any

import numpy as np

from dpbandits.base.own_code import NAMED, Fault, is_dotted, named

WRITTEN = "a Python literal or JSON such as '[0.0]'"
EITHER = f"{WRITTEN}, or {NAMED}"
Pair = tuple[Any, Any]


def neighbors(argument: str, values: tuple[str, ...]) -> Pair:
    """The two inputs: one name of a pair, or two values, each a literal or a name.

    Raises
    ------
    Fault
        The values are not two inputs, or cannot be read.
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
    """Whether a text is a name, such as `my_module:PAIR`, rather than a value."""
    where, _, attribute = value.rpartition(":")
    return attribute.isidentifier() and (where.endswith(".py") or is_dotted(where))


def _value(argument: str, text: str) -> Any:
    if is_name(text):
        return named(argument, text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # from the compiler, about odd literals
        for read in (ast.literal_eval, _read_json):
            with suppress(ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
                return read(text.strip())
    raise Fault(argument, f"got {_shown(text)}; must be {EITHER}")


def _read_json(text: str) -> Any:
    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is not JSON")

    return json.loads(text, parse_constant=refuse)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
