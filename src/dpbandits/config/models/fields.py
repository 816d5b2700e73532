"""Types of fields shared by the models of the configuration: names, lists, grids, constants, bounds."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    StringConstraints,
    Tag,
)
from pydantic_core import PydanticCustomError

from dpbandits.config.letters import hidden

MARK = "\x00"
"""Prefix of the tags of union members, which pydantic adds to the place of an error; no key starts with it."""
MOST = 1e12  # largest number in a grid


class Model(BaseModel):
    """A mapping with exactly these keys. Values are never converted."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False, serialize_by_alias=True)


def _different(values: Any) -> Any:
    """Return the values if all differ, else raise; true and 1 differ."""
    seen = [(type(value) is bool, value) for value in values]
    if any(each in seen[:index] for index, each in enumerate(seen)):
        raise PydanticCustomError("not_unique", "entries that differ")
    return values


def tag_of(value: Any, key: str) -> str | None:
    """Tag of the union member named by the word at `key`; None without such a word."""
    found = value.get(key) if isinstance(value, Mapping) else None
    return MARK + found if isinstance(found, str) else None


def _given(value: Any) -> Any:
    """Return the value of an optional key, which must not be null."""
    if value is None:
        raise PydanticCustomError("null", "null")
    return value


Item = TypeVar("Item")
Maybe = Annotated[Item | None, BeforeValidator(_given)]
"""An optional key: None if missing. An explicit null in a file is a fault."""


def _seen(text: str) -> str:
    """Return a text if all its characters are visible, else raise."""
    if hidden(text):
        raise PydanticCustomError("hidden_letters", "text without control characters")
    return text


Text = Annotated[str, StringConstraints(min_length=1), AfterValidator(_seen)]
"""Text for people; pages, pictures, spreadsheets and terminals escape their special characters."""
Entry = Annotated[str, AfterValidator(_seen)]
"""An entry of a printed table, which may be empty."""
NAME_PATTERN = r"^[a-z][a-z0-9_]*$"
GRID_NAME_PATTERN = r"^(T|[a-z][a-z0-9_]*)$"
REFERENCE_PATTERN = r"^[a-z][a-z0-9_]*(:[a-z][a-z0-9_]*)?(@(printed|released|tuned|certified))?$"
CLAIM_PATTERN = r"^C[1-9][0-9]*$"
VERDICT_PATTERN = r"^C[1-9][0-9]*(/[a-z][a-z0-9_]*)?$"
PAPER_PATTERN = r"^[a-z]+[0-9]{4}$"
OWN_CODE_PATTERN = r"^([\w./-]+\.py|[A-Za-z_]\w*(\.[A-Za-z_]\w*)*)(:[A-Za-z_]\w*)?$"
LETTERS = "lower-case letters, digits and underscores that start with a letter"
PATTERNS = {
    NAME_PATTERN: LETTERS,
    GRID_NAME_PATTERN: f"T, or {LETTERS}",
    REFERENCE_PATTERN: "a curve, such as ucb1, ucb1:variant or ucb1@printed",
    CLAIM_PATTERN: "C and a number, such as C1",
    VERDICT_PATTERN: "a claim, such as C1 or C1/variant",
    OWN_CODE_PATTERN: "code, such as my_bandit.py:MyUCB, my_bandit.py or my_package.bandits:MyUCB",
    PAPER_PATTERN: "first author and year, such as azize2022",
}
"""Descriptions of the patterns for messages."""
Name = Annotated[str, StringConstraints(pattern=NAME_PATTERN, max_length=60)]
GridName = Annotated[str, StringConstraints(pattern=GRID_NAME_PATTERN, max_length=60)]
Calibration = Literal["printed", "released", "tuned", "certified"]
Reference = Annotated[str, StringConstraints(pattern=REFERENCE_PATTERN, max_length=120)]
ClaimName = Annotated[str, StringConstraints(pattern=CLAIM_PATTERN)]
VerdictName = Annotated[str, StringConstraints(pattern=VERDICT_PATTERN)]
Listed = Annotated[tuple[Item, ...], Field(strict=False, min_length=1)]
"""A list with at least one entry."""
Distinct = Annotated[tuple[Item, ...], Field(strict=False, min_length=1), AfterValidator(_different)]
"""A list with at least one entry and without duplicates."""
DistinctOrNone = Annotated[tuple[Item, ...], Field(strict=False), AfterValidator(_different)]
"""A list without duplicates; it may be empty."""
Sections = Annotated[dict[Name, Item], Field(min_length=1)]
"""A mapping from names, which become parts of file names, to sections; at least one."""
Bounds = Annotated[tuple[float | None, float | None], Field(strict=False)]
"""Lower and upper end; null for an open end."""
Ranges = Annotated[dict[GridName, Bounds], Field(min_length=1)]
"""Ranges of grid values, by name."""
Rounds = Annotated[int, Field(ge=8, le=1_000_000_000_000)]
Count = Annotated[int, Field(ge=1, le=1_000_000)]
Share = Annotated[float, Field(gt=0, lt=1)]
Positive = Annotated[float, Field(gt=0)]


def as_written(number: float) -> float:
    """The number as in the YAML: pydantic converts 10 to 10.0, which would change the names of curves."""
    return int(number) if number.is_integer() else number


Number = Annotated[float, AfterValidator(as_written)]
GridNumber = Annotated[float, Field(ge=0, le=MOST), AfterValidator(as_written)]


def _value(value: Any) -> str:
    kinds = {bool: "switch", str: "word", type(None): "null"}
    return MARK + kinds.get(type(value), "number")


Value = Annotated[
    Annotated[Number, Tag(MARK + "number")]
    | Annotated[bool, Tag(MARK + "switch")]
    | Annotated[Name, Tag(MARK + "word")]
    | Annotated[None, Tag(MARK + "null")],
    Discriminator(_value),
]
"""Value of a constant: a number, true, false, a word or null. The algorithm defines which are allowed."""
GridValue = Annotated[
    Annotated[GridNumber, Tag(MARK + "number")]
    | Annotated[bool, Tag(MARK + "switch")]
    | Annotated[Name, Tag(MARK + "word")]
    | Annotated[None, Tag(MARK + "null")],
    Discriminator(_value),
]


class Assumed(Model):
    """A constant that the paper does not give, with the reason for the chosen value."""

    value: Value
    source: Literal["assumed"]
    note: Text


def _constant(value: Any) -> str:
    return MARK + ("assumed" if isinstance(value, Mapping) else "value")


def _list(value: Any) -> str:
    return MARK + ("list" if isinstance(value, list | tuple) else "single")


Constant = Annotated[
    Annotated[Value, Tag(MARK + "value")] | Annotated[Assumed, Tag(MARK + "assumed")], Discriminator(_constant)
]
Constants = dict[Name, Constant]
Block = Annotated[
    dict[GridName, Annotated[Distinct[GridValue], Field(max_length=1000)]],
    Field(min_length=1),
]
Grid = Annotated[
    Annotated[Block, Tag(MARK + "single")] | Annotated[Listed[Block], Tag(MARK + "list")], Discriminator(_list)
]
"""A mapping of lists, whose combinations are the points; or a list of such mappings."""
Argument = Annotated[
    Annotated[Number, Tag(MARK + "single")] | Annotated[Listed[Number], Tag(MARK + "list")], Discriminator(_list)
]
Arguments = dict[Name, Argument]
