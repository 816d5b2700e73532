"""Converts errors of the models to sentences: the place, the given value and what is allowed."""

import re
from collections.abc import Iterator
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, Tag, ValidationError
from pydantic_core import ErrorDetails

from dpbandits.config.models.fields import MARK, NAME_PATTERN, PATTERNS
from dpbandits.config.plain_yaml import shown
from dpbandits.config.wording import got, listed, missing, not_known, unknown_key

Path = tuple[str | int, ...]
KINDS = {"figures": "drawing", "tests": "predicate"}
LIMITS = {"ge": ">=", "le": "<=", "gt": ">", "lt": "<"}
TYPES = {
    "string_type": "text",
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "none_required": "null",
}
SEVERAL: dict[tuple[str | int, str], str] = {
    (MARK + "allocated", "literal_error"): "a whole number or `allocated`",
    (MARK + "single", "float_type"): "a number, or a list of numbers",
    (MARK + "single", "dict_type"): "a mapping of lists, or a list of such mappings",
    (MARK + "other", "float_type"): "text or a number",
    (MARK + "value", "float_type"): "a number, true, false, null or a word; or {value, source: assumed, note}",
    (MARK + "word", "string_pattern_mismatch"): f"a number, true, false, null or a word: {PATTERNS[NAME_PATTERN]}",
}
"""Allowed values of fields with several types, by the tag in the error's place and the kind of error."""
REASONS = {("pilot", "ge"): ", because fewer seeds give no verdict"}
"""Why a number has a limit, if not obvious, by the last word of its key and the kind of limit."""


def sentences(error: ValidationError, model: type[BaseModel]) -> Iterator[tuple[Path, str]]:
    """Key and sentence of every error of a model, in the order of the model's fields."""
    every = error.errors(include_url=False)
    around = {details["loc"][:length] for details in every for length in range(len(details["loc"]))}
    for details in every:
        inside = details["loc"] in around
        if not (details["type"] == "too_short" and inside):  # pydantic drops wrong entries and counts the rest
            yield _sentence(details, model)


def _sentence(details: ErrorDetails, model: type[BaseModel]) -> tuple[Path, str]:
    kind, context, value = details["type"], details.get("ctx", {}), details["input"]
    path, name = _unmarked(details["loc"]), ""
    if path[-1:] == ("[key]",):
        path, name = _unmarked(details["loc"][:-2]), "the name "
    if kind == "missing" and isinstance(path[-1], int):
        return path[:-1], got(value, f"must have {path[-1] + 1} entries")
    if kind == "missing":
        return path, missing(_words_of(model, details["loc"]))
    if kind == "one_of_two":
        return (*path, context["key"]), missing(context["keys"])
    if kind == "null":
        return path, f"{got(None)}; delete the key instead"
    if kind == "extra_forbidden":
        path = (*_unmarked(details["loc"][:-1]), details["loc"][-1])  # keeps the key unchanged
        return path, _extra(path, value, model, details["loc"][:-1])
    if kind.startswith("union_tag"):
        tags = [tag.removeprefix(MARK) for _, tag in _members(_at(model, details["loc"])[0])]
        return _no_member(path, value, str(context["discriminator"]).removesuffix("()"), tags)
    for limit, sign in LIMITS.items():
        if limit in context:
            why = REASONS.get((str(path[-1]), limit), "")
            return path, got(value, f"must be {sign} {plain(context[limit])}{why}")
    ends = details["loc"][-2:]
    allowed = next((SEVERAL[end, kind] for end in ends if (end, kind) in SEVERAL), None)
    return path, f"got {name}{shown(value)}; {f'must be {allowed}' if allowed else _allowed(kind, context)}"


def _unmarked(place: Path) -> Path:
    """The place of an error without pydantic's type tags."""
    return tuple(part for part in place if not (isinstance(part, str) and part.startswith(MARK)))


def _words(expected: str) -> str:
    """The allowed words of a literal type, from pydantic's text."""
    words = re.findall(r"'([^']*)'", expected) or [expected]
    return f"`{words[0]}`" if len(words) == 1 else f"one of: {', '.join(words)}"


def plain(number: float) -> str:
    """The text of a number, without a decimal point if it is whole."""
    return str(int(number)) if float(number).is_integer() else str(number)


def _allowed(kind: str, context: dict[str, Any]) -> str:
    """What a value must be, by kind of error."""
    if kind in TYPES:
        return f"must be {TYPES[kind]}"
    count = context.get("min_length", context.get("max_length"))
    words = {
        "literal_error": lambda: f"must be {_words(context['expected'])}",
        "string_pattern_mismatch": lambda: f"must be {PATTERNS[context['pattern']]}",
        "hidden_letters": lambda: "must have no control characters. Delete them; line breaks are allowed.",
        "string_too_short": lambda: "must be text that is not empty",
        "string_too_long": lambda: f"must have at most {count} characters",
        "too_short": lambda: "must have at least one entry" if count == 1 else f"must have at least {count} entries",
        "too_long": lambda: f"must have at most {count} entries",
        "missing_entries": lambda: "must have two entries",
        "not_unique": lambda: "all entries must differ",
        "finite_number": lambda: "must be a finite number",
    }
    return words[kind]()


def _extra(path: Path, value: object, model: type[BaseModel], place: tuple[Any, ...]) -> str:
    """The sentence for an unknown key; it says if mappings of another kind have this key."""
    own, others = _models(model, place)
    if any(path[-1] in keys_of(each) for each in others):
        kind = next((KINDS[part] for part in path[:-1] if isinstance(part, str) and part in KINDS), "kind")
        return f"{got(value)}; this {kind} does not use this key. Delete it."
    return unknown_key(path[-1], sorted(keys_of(own)))


def keys_of(model: Any) -> dict[str, Any]:
    """The fields of a model by key in the YAML; empty for other types."""
    return {field.alias or name: field for name, field in getattr(model, "model_fields", {}).items()}


def _no_member(path: Path, value: Any, key: str, words: list[str]) -> tuple[Path, str]:
    """The fault if the value at `key`, which selects the member of a union, is missing or unknown."""
    if not isinstance(value, dict):
        return path, got(value, "must be a mapping")
    if key not in value:
        return (*path, key), missing(f"one of: {listed('', words)}")
    if not isinstance(value[key], str):
        return (*path, key), got(value[key], "must be text")
    return (*path, key), not_known(key, value[key], words)


def _words_of(model: type[BaseModel], place: tuple[Any, ...]) -> str:
    """The allowed words of a missing key; empty if it has no list of words."""
    annotation = _bare(keys_of(_models(model, place[:-1])[0])[place[-1]].annotation)
    words = get_args(annotation) if get_origin(annotation) is Literal else ()
    return f"one of: {', '.join(map(str, words))}" if len(words) > 1 else ""


def _models(model: type[BaseModel], place: tuple[Any, ...]) -> tuple[type[BaseModel], list[type[BaseModel]]]:
    """The model at the place of an error, and the members of its union."""
    found, members = _at(model, place)
    return _bare(found), [_bare(each) for each in members]


def _at(model: type[BaseModel], place: tuple[Any, ...]) -> tuple[Any, list[Any]]:
    """The annotation at the place of an error, and the members of the innermost union."""
    found: Any = model
    members: list[Any] = []
    for part in place:
        tagged = isinstance(part, str) and part.startswith(MARK)
        members = [member for member, _ in _members(found)] if tagged else []
        found = next(member for member, tag in _members(found) if tag == part) if tagged else _inside(found, part)
    return found, members


def _members(annotation: Any) -> list[tuple[Any, str]]:
    """Members of a tagged union, with their tags."""
    inner = annotation
    while get_origin(inner) is Annotated or None in _optional(inner):
        inner = next(each for each in _optional(inner) or get_args(inner) if each is not None)
    return [
        (get_args(each)[0], tag.tag) for each in get_args(inner) for tag in get_args(each)[1:] if isinstance(tag, Tag)
    ]


def _optional(annotation: Any) -> tuple[Any, ...]:
    """The parts of an optional annotation, with None for null; empty if it is not optional."""
    if get_origin(annotation) not in (Union, UnionType):
        return ()
    parts = tuple(None if each is type(None) else each for each in get_args(annotation))
    return parts if None in parts and len(parts) == 2 else ()


def _bare(annotation: Any) -> Any:
    """An annotation without constraints and without null."""
    while get_origin(annotation) is Annotated or _optional(annotation):
        parts = _optional(annotation) or get_args(annotation)[:1]
        annotation = next(each for each in parts if each is not None)
    return annotation


def _inside(annotation: Any, part: Any) -> Any:
    """The annotation of a field of a model, of the values of a mapping, or of the entries of a list."""
    bare = _bare(annotation)
    if isinstance(bare, type) and issubclass(bare, BaseModel):
        return keys_of(bare)[part].annotation
    kind, arguments = get_origin(bare), get_args(bare)
    return arguments[1] if kind is dict else arguments[0]
