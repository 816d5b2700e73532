"""Text of other people's files: which letters it may have, and how all of it is shown on a terminal and as JSON."""

import json
import re
import unicodedata
from collections.abc import Mapping
from typing import Any

HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Categories of letters that act and are not seen: they move a cursor, turn the direction of writing, or end a line."""
ALLOWED = "\n"
"""The one of them that a text may have."""


def hidden(text: str) -> str:
    """The letters of a text that it may not have, each once."""
    if text.isprintable():
        return ""
    found = (letter for letter in text if unicodedata.category(letter) in HIDDEN and letter not in ALLOWED)
    return "".join(dict.fromkeys(found))


def visible(text: str) -> str:
    """A text as one line for a terminal: what cannot be printed is written as in Python, every space is a plain one."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else " " if letter.isspace() else _named(letter) for letter in text)


def _named(letter: str) -> str:
    return repr(letter)[1:-1]


def visible_in(value: Any) -> Any:
    """A value of a JSON file for a terminal: all of its texts as `visible` has them."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, Mapping):
        return {visible(key): visible_in(each) for key, each in value.items()}
    return [visible_in(each) for each in value] if isinstance(value, list | tuple) else value


def as_json(value: object) -> str:
    """JSON for people and programs: what cannot be printed is escaped, and other letters are as they are."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    return re.sub(r"[^\n -~]", lambda found: found[0] if found[0].isprintable() else json.dumps(found[0])[1:-1], text)
