"""Wording of configuration faults: keys, lists of allowed names, lines of files."""

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from dpbandits.config.letters import visible
from dpbandits.config.plain_yaml import shown

KINDS = {
    "algorithm": "algorithm",
    "algorithms": "algorithm",
    "bound": "bound",
    "family": "environment",
    "experiment": "experiment",
    "measurement": "measurement",
    "audit": "audit",
    "proof": "theorem",
    "claims": "claim",
    "verdicts": "claim",
    **dict.fromkeys(("curves", "against", "baseline"), "curve"),
    **dict.fromkeys(("column", "against_column", "over", "traced"), "output"),
    **dict.fromkeys(("at", "grid", "smoke", "quick", "full", "panels", "along", "reference"), "grid value"),
    **dict.fromkeys(("constants", "printed", "released", "tuned", "certified", "parameters", "varying"), "constant"),
    "weights": "weight",
    "arguments": "argument",
    "environment": "argument",
    **dict.fromkeys(("release", "function", "drawing"), "function"),
}
"""The kind of name at a key, by the last word of the key."""
LISTABLE = ("algorithm", "bound", "constant")
"""Kinds of names that `dpbandits list` shows for every configuration."""
LONG, SHORT = 0.7, 0.65  # least similarity of names, long or up to three letters: `epz` means `eps`
LONGEST_NAME = 60  # characters of a name that are compared with others
MOST_NAMES = 20  # listed in a fault, if there are many
MOST_LETTERS = 250  # of the names listed in a fault
MOST_FAULTS = 20  # that are printed
LONGEST = 380  # characters of a printed fault


def key_of(path: Iterable[Any]) -> str:
    """A path as text, such as `a.b[0].c`; parts that are not plain words are quoted."""
    text = ""
    for part in path:
        word = part if isinstance(part, str) and re.fullmatch(r"[\w-]{1,60}", part) else shown(part)
        text += f"[{part}]" if isinstance(part, int) else f".{word}" if text else word
    return text or "(top)"


def path_of(key: str) -> tuple[str | int, ...]:
    """The path of a key as `key_of` writes it."""
    parts = re.findall(r"\[([0-9]+)\]|([^.\[\]]+)", key)
    return tuple(int(index) if index else name for index, name in parts)


def got(value: object, must: object = "") -> str:
    """Text `got VALUE; MUST` of a fault."""
    return f"got {shown(value)}; {must}" if must else f"got {shown(value)}"


def missing(what: str = "") -> str:
    """Text of a fault for a missing required key, with the remedy."""
    return f"required key is missing. Add {what or 'it'}."


def unknown(key: str, names: Iterable[Any], allowed: Any) -> Iterator[str]:
    """A fault for every name that is not allowed; the key determines the kind of name."""
    for name in names:
        if name not in allowed:
            yield f"{key}: {not_known(_kind(key), name, allowed)}"


def unknown_keys(key: str, names: Iterable[str], allowed: Any) -> Iterator[str]:
    """A fault for every key of a mapping that is not allowed, at the line of its entry."""
    for name in names:
        if name not in allowed:
            yield f"{key}.{name}: {not_known(_kind(key), name, allowed)}"


def _kind(key: str) -> str:
    return KINDS.get(re.sub(r"\[[0-9]+\]", "", key).rpartition(".")[2], "")


def with_remedy(says: str, remedy: str) -> str:
    """The fault with its remedy replaced by another one."""
    wrong = re.split(r"\. (?=[A-Z])", says, maxsplit=1)[0]
    return f"{wrong.removesuffix('.')}. {remedy}"


def not_known(kind: str, name: object, allowed: Iterable[Any], besides: Iterable[str] = ()) -> str:
    """Text of a fault for an unknown name: the likely intended name, and where all names are listed.

    Parameters
    ----------
    kind : the kind of name, such as `algorithm`; if empty, the fault is about a value.
    besides : names that are also allowed but not listed.
    """
    every = list(map(str, allowed))
    if not (kind and name and isinstance(name, str)):
        said = got(name, f"must be {_one_of(name, every)}" if every else "nothing is allowed here")
        meant = _meant(name, every) if isinstance(name, str) else ""
        return f"{said}.{meant}" if meant else said
    said = f"unknown {kind} `{shown(name)[1:-1]}`"
    if not every:
        return f"{said}; there are none to choose from"
    if kind in LISTABLE and _many(every):
        return f"{said}.{_meant(name, every)} See: dpbandits list {kind}s"
    return f"{said}.{_meant(name, [*every, *besides])} Use {_one_of(name, every)}"


def unknown_key(name: object, allowed: Iterable[Any]) -> str:
    """Text of a fault for an unknown key: the likely intended key, and the allowed keys."""
    every = sorted(map(str, allowed))
    return f"unknown key.{_meant(name, every)} Use one of: {listed(name, every)}"


def _one_of(name: object, every: Sequence[str]) -> str:
    return f"`{every[0]}`" if len(every) == 1 else f"one of: {listed(name, every)}"


def _meant(name: object, every: Sequence[str]) -> str:
    """Text that asks whether the closest name is meant; empty if no name is close."""
    given = str(name)[:LONGEST_NAME]
    words = {"_".join(sorted(each.split("_"))): each for each in every}  # `ucb_dp` is close to `dp_ucb`
    near = difflib.get_close_matches("_".join(sorted(given.split("_"))), words, 1, 0.8)
    alike = SHORT if len(given) <= len("eps") else LONG
    found = [words[each] for each in near] or difflib.get_close_matches(given, every, 1, alike)
    found = found or [each for each in every if len(each) > 2 and given.startswith(each)]  # `epsilon` means `eps`
    return f" Did you mean `{found[0]}`?" if found else ""


def listed(name: object, allowed: Iterable[Any]) -> str:
    """Text of the allowed names; of many, those most similar to the given one and the number of others."""
    every = list(map(str, allowed))
    if not _many(every):
        return ", ".join(every)
    near = difflib.get_close_matches(shown(name), every, MOST_NAMES, 0.0)
    while len(", ".join(near)) > MOST_LETTERS:
        near.pop()
    return f"{', '.join(near)}, and {len(every) - len(near)} more"


def _many(names: Sequence[str]) -> bool:
    """Whether there are too many names to list in a fault."""
    return len(names) > MOST_NAMES or len(", ".join(names)) > MOST_LETTERS


def printed(faults: Sequence[str]) -> Iterator[str]:
    """The printed faults, one line each, and the number of further faults."""
    yield from map(one_line, faults[:MOST_FAULTS])
    if len(faults) > MOST_FAULTS:
        yield f"and {len(faults) - MOST_FAULTS} more faults; fix these first"


def one_line(line: str) -> str:
    """A fault with unprintable characters escaped, truncated if it is long."""
    line = visible(line)
    return line if len(line) <= LONGEST else line[: LONGEST - 3] + "..."
