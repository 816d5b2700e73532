"""The benchmark record: canonical JSON in which each command writes its own part."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

PARTS = ("kernels", "growth", "pipeline")
DIGITS = 4

Entry = Mapping[str, Any]


def goal(name: str, title: str, value: float, required: float, better: str = "less", **more: Any) -> Entry:
    """Entry of the record for a goal."""
    return {
        "name": name,
        "title": title,
        "value": value,
        "unit": "",
        "required": required,
        "target": None,
        "better": better,
    } | more


def canonical(record: Mapping[str, Sequence[Entry]]) -> str:
    """Text of a record: parts in a fixed order, numbers with four digits."""
    return json.dumps({part: rounded(record.get(part, [])) for part in PARTS}, indent=1, sort_keys=False) + "\n"


def rounded(value: Any) -> Any:
    """The record with floats rounded to `DIGITS` significant digits; ValueError for a float that is not finite."""
    if isinstance(value, float):
        if value != value or abs(value) == float("inf"):
            raise ValueError(f"the record holds {value}")
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, Mapping):
        return {key: rounded(each) for key, each in value.items()}
    return [rounded(each) for each in value] if isinstance(value, list | tuple) else value


def read(path: Path) -> dict[str, list[Entry]]:
    """Current record; empty if there is none.

    Raises
    ------
    ValueError
        The file is not a record.
    """
    if not path.exists():
        return {}
    found = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(found, dict) or not set(found) <= set(PARTS):
        raise ValueError(f"{path} is no record of ratios")
    return found


def write_part(path: Path, part: str, entries: Sequence[Entry], whole: bool) -> None:
    """Write one part of the record and keep the others.

    Parameters
    ----------
    whole : whether the entries are the complete part. Otherwise they replace entries with the same name and axis, and
        new ones are appended.
    """
    record = read(path)
    if not whole:
        new = {_key(entry): entry for entry in entries}
        kept = [new.pop(_key(entry), entry) for entry in record.get(part, [])]
        entries = [*kept, *new.values()]
    record[part] = list(entries)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(canonical(record), encoding="utf-8")


def _key(entry: Entry) -> tuple[str, str]:
    """Key that identifies the subject of an entry."""
    return entry["name"], entry.get("axis", "")
