"""Untrusted text: which characters it may contain, and how it is displayed on a terminal and as JSON."""

import json
import re
import unicodedata
from collections.abc import Mapping
from typing import Any

HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Unicode categories of invisible characters, which move the cursor, change the text direction, or end a line."""
ALLOWED = "\n"
"""The only one of these characters that a text may contain."""


def hidden(text: str) -> str:
    """The distinct forbidden characters of a text."""
    if text.isprintable():
        return ""
    found = (letter for letter in text if unicodedata.category(letter) in HIDDEN and letter not in ALLOWED)
    return "".join(dict.fromkeys(found))


def visible(text: str) -> str:
    """A text as one line for a terminal: unprintable characters are escaped as in Python, all spaces are plain."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else " " if letter.isspace() else _named(letter) for letter in text)


def _named(letter: str) -> str:
    return repr(letter)[1:-1]


def visible_in(value: Any) -> Any:
    """A value of a JSON file for a terminal, with `visible` applied to all its strings."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, Mapping):
        return {visible(key): visible_in(each) for key, each in value.items()}
    return [visible_in(each) for each in value] if isinstance(value, list | tuple) else value


def as_json(value: object) -> str:
    """JSON for people and programs: unprintable characters are escaped, all others are kept."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    return re.sub(r"[^\n -~]", lambda found: found[0] if found[0].isprintable() else json.dumps(found[0])[1:-1], text)
