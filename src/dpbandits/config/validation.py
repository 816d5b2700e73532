"""Check values against the models, and locate each fault in its file."""

import json
import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from dpbandits.config.plain_yaml import ConfigError, composed, line_of
from dpbandits.config.sentences import sentences
from dpbandits.config.values import Fault, Key
from dpbandits.config.wording import got, key_of

File = TypeVar("File", bound=BaseModel)


def _finite(value: object) -> bool:
    """Whether a value is certainly plain and all of its numbers are finite; faster than a search for their places."""
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return False
    return True


def _numbers(value: object, path: Key) -> Iterator[tuple[Key, str]]:
    """Faults of numbers that are not finite."""
    if isinstance(value, float) and not math.isfinite(value):
        yield path, got(value, "must be a finite number")
    if isinstance(value, Mapping | list):
        for key, inner in value.items() if isinstance(value, Mapping) else enumerate(value):
            yield from _numbers(inner, (*path, key))


def validate(
    value: object, model: type[File], name: str, file: Path | None = None, given: Collection[str] = ()
) -> File:
    """Check a value against a model and return the model.

    Parameters
    ----------
    name : the file's name in faults.
    file : the file that the value comes from, for the line numbers of faults.
    given : keys that come from elsewhere and have no line in the file.

    Raises
    ------
    ConfigError
        Lists every fault, in the order of the file.
    """
    checked, found = validated(value, model)
    if checked is None or found:
        raise ConfigError(*located(name, file, found, given))
    return checked


def validated(value: object, model: type[File]) -> tuple[File | None, list[Fault]]:
    """A value as a model, or None if it is invalid, and every fault with its path."""
    found: list[Fault] = [] if _finite(value) else list(_numbers(value, ()))
    try:
        return model.model_validate(value), found
    except ValidationError as error:
        places = {path for path, _ in found}
        return None, [*found, *(each for each in sentences(error, model) if each[0] not in places)]


def located(name: str, file: Path | None, found: Iterable[tuple[Key, str]], given: Collection[str] = ()) -> list[str]:
    """Text of faults with file, line and key, in the order of the file."""
    every = list(found)
    # Once for all faults: a file may have thousands of them.
    top = composed(file) if file is not None and every else None
    lines = [
        (0 if file is None or (path[:1] and path[0] in given) else line_of(top, path), key_of(path), says)
        for path, says in every
    ]
    place = {line: f"{name}:{line}" if line else name for line, _, _ in lines}
    return [f"{place[line]}: {key}: {says}" for line, key, says in sorted(lines, key=lambda each: each[0])]
