"""Replace a wrong value that nothing else refers to, so that the rest of its section can be checked."""

import re
from collections.abc import Mapping
from typing import Any

TEXTS = (
    *("title", "reference", "shows", "caption", "says", "statement", "where", "note"),
    *("threshold_reason", "could_fail", "reading", "domain", "neighbors", "inputs", "view"),
)
"""Keys whose text is only displayed."""
STAND_INS: Mapping[str, Any] = {
    **dict.fromkeys(TEXTS, "?"),
    **{"milliseconds": 1.0, "checkpoints_per_decade": None},
    **{"combine": "all", "severity": "detail", "source": "stated", "class": "judgement"},
    **{"threshold_from": "ours", "subject": "paper"},
    **{"horizon": 1000, "bounds": [0, 1]},
}
"""Keys that a section may need, with the replacement for a wrong or missing value."""
OPTIONAL = (
    *("note", "notes", "marks", "environments", "traced", "checkpoints_even", "replicates"),
    *("statistic", "scale", "tolerated", "proof", "breaks", "regime", "guides"),
)
"""Optional keys of a section."""
UNUSED = "does not use this key"
"""Text in the fault of a key that belongs to mappings of another kind."""
HOLDERS = ("experiments", "figures", "tables", "measurements", "claims", "audits")
"""Kinds of sections that can be mended."""


def mended(inside: dict[str, Any], name: str, says: str) -> bool:
    """Delete or replace a key with a fault in a mapping; return whether that was possible.

    Parameters
    ----------
    inside : the mapping, which is modified.
    name, says : the key and its fault. `bounds` is replaced only in tests; an experiment also has a key of this name.
    """
    surplus = says.startswith("unknown key")
    if surplus or UNUSED in says:
        meant = re.search("Did you mean `([^`]+)`", says) if surplus else None
        if name in inside and (meant is None or meant[1] in (*STAND_INS, *OPTIONAL, *inside)):
            del inside[name]
            return True
    elif name in OPTIONAL and name in inside:
        del inside[name]
        return True
    elif name in STAND_INS and (name != "bounds" or "curves" not in inside or "predicate" in inside):
        inside[name] = STAND_INS[name]
        return True
    return False
