"""Old and new side by side: claim records, audit records, tables, and what they were made with. In plain words."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpbandits.text.text import number

EXPLAINING = ("architecture", "cpu", "system", "libc")
"""Properties of a machine on which results may depend. They do not depend on cores or memory."""
MOST = 20  # changes of one file that are listed
LAST_DIGITS = 1e-9  # relative; source: our choice
Columns = Mapping[str, np.ndarray]
Record = Mapping[str, Any]


@dataclass(frozen=True)
class Difference:
    """A file that is not as certified: `missing`, `additional` or `differs`, and in what.

    Attributes
    ----------
    relative : the largest relative difference of numbers of a table; nothing where no table was compared.
    """

    file: str
    what: str
    changes: tuple[str, ...] = ()
    relative: float | None = None


@dataclass(frozen=True)
class Outcome:
    """What a comparison found.

    Attributes
    ----------
    equal : number of files that are the same bytes.
    environment : what differs in software and machine.
    verdicts : number of certified verdicts, and of those that are other ones now; nothing where some are missing.
    lost : files behind the results that are missing or are not those that the results were made of, each with what it
        is.
    """

    scale: str
    equal: int
    differences: tuple[Difference, ...]
    environment: tuple[str, ...] = field(default=())
    verdicts: tuple[int, int] | None = None
    lost: tuple[str, ...] = ()


def claim_changes(old: Record, new: Record) -> list[str]:
    """What differs between two files of claim records."""
    changes = list(lists(old.get("records"), new.get("records"), claim_name, claim_change))
    changes += lists(old.get("measurements"), new.get("measurements"), measurement_name, measurement_change)
    return changes or ["other fields of the records than verdicts and estimates"]


def claim_name(record: Record) -> str:
    """`hanna2022/C1 (printed)`, `hanna2022/C1 (printed, paths)`."""
    return f"{record['id']} ({', '.join(filter(None, (record['calibration'], record['variant'])))})"


def claim_change(old: Record, new: Record) -> str:
    """Verdict, and estimate with its interval, where they are others."""
    verdict = "" if old["verdict"] == new["verdict"] else f"{old['verdict']} -> {new['verdict']}"
    return ", ".join(filter(None, (verdict, estimates(old, new))))


def estimates(old: Record, new: Record) -> str:
    """The estimate, and the interval, where they are others; all digits where four do not show it."""
    found = [pair(name, old.get(name), new.get(name)) for name in ("estimate", "interval")]
    return ", ".join(filter(None, found))


def measurement_name(record: Record) -> str:
    """`slope (printed)`."""
    return f"{record['name']} ({record['calibration']})"


def measurement_change(old: Record, new: Record) -> str:
    """The curves whose estimates or intervals are others."""
    return "; ".join(lists(old["details"], new["details"], lambda detail: str(detail["label"]), estimates))


def audit_changes(old: Record, new: Record) -> list[str]:
    """What differs between two files of audit records: cell by cell."""
    changes = list(lists(old.get("records"), new.get("records"), cell_name, cell_change))
    return changes or ["other fields of the records than verdicts, epsilons and bounds"]


def cell_name(record: Record) -> str:
    """`hanna2022/sums, printed, phased_elimination_central, eps = 0.1`; the number tells cells apart."""
    point = ", ".join(f"{name} = {value:g}" for name, value in record["point"].items())
    parts = (record["audit"], record["calibration"], record["algorithm"], point, record["id"])
    return ", ".join(filter(None, parts))


def cell_change(old: Record, new: Record) -> str:
    """Verdict, actual epsilon and bound, where they are others."""
    verdict = "" if old["verdict"] == new["verdict"] else f"{old['verdict']} -> {new['verdict']}"
    found = [pair(name, old[key], new[key]) for name, key in (("epsilon", "epsilons"), ("bound from runs", "lower"))]
    return ", ".join(filter(None, (verdict, *found)))


def pair(name: str, old: Any, new: Any) -> str:
    """`estimate 1.2 -> 1.3`, in full where four digits are the same; nothing where they are equal."""
    if old == new:
        return ""
    few = (value_text(old), value_text(new))
    return f"{name} {few[0]} -> {few[1]}" if few[0] != few[1] else f"{name} {old} -> {new}"


def value_text(value: Any) -> str:
    """A number or an interval in four digits; an end that is None is infinite."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        low, high = value
        return f"[{'-' * (low is None)}{number(low)}, {number(high)}]"
    return "undefined" if value is None else number(value)


def lists(old: Any, new: Any, name: Any, change: Any) -> Iterator[str]:
    """Records that one side alone has, and the changes of those that both have."""
    before = {name(record): record for record in old or ()}
    after = {name(record): record for record in new or ()}
    for key, record in before.items():
        if key not in after:
            yield f"{key}: is missing"
        elif text := change(record, after[key]):
            yield f"{key}: {text}"
    for key in after:
        if key not in before:
            yield f"{key}: is new"


def verdicts_changed(old: Iterable[Record], new: Iterable[Record]) -> int:
    """Number of verdicts of the old records that the new ones do not have."""
    after = {claim_name(record): record["verdict"] for record in new}
    return sum(after.get(claim_name(record)) != record["verdict"] for record in old)


def column_changes(old: Columns, new: Columns, whole: bool = True) -> tuple[list[str], float | None]:
    """What differs between two tables, and the largest relative difference.

    Parameters
    ----------
    whole : whether the old table has all columns that were certified; else only those that it has are compared.
    """
    changes = [f"column {name}: is missing" for name in old if name not in new]
    if whole:
        changes += [f"column {name}: is new" for name in new if name not in old]
    largest = None
    for name in old:
        if name not in new:
            continue
        if len(old[name]) != len(new[name]):
            return [*changes, f"{len(old[name])} -> {len(new[name])} rows"], None
        many, relative = apart(old[name], new[name])
        if many:
            by = "" if relative is None else f", by at most {relative:.2g} (relative)"
            changes.append(f"column {name}: {many} of {len(old[name])} rows differ{by}")
        if relative is not None:
            largest = max(relative, largest or 0.0)
    if not changes:
        changes = [
            "how the values are stored, not the values" if whole else "columns that the certificate has no copy of"
        ]
    return changes, largest


def apart(old: np.ndarray, new: np.ndarray) -> tuple[int, float | None]:
    """Number of rows that differ, and by how much at most, relative to the larger of both; NaN equals NaN.

    Where one alone is finite, the difference is infinite. Text has none.
    """
    if old.dtype.kind not in "iuf" or new.dtype.kind not in "iuf":
        return int(np.count_nonzero(old.astype(str) != new.astype(str))), None
    before, after = old.astype(float), new.astype(float)
    differ = (before != after) & ~(np.isnan(before) & np.isnan(after))
    if not differ.any():
        return 0, None
    before, after = before[differ], after[differ]
    with np.errstate(invalid="ignore", over="ignore"):
        relative = np.abs(before - after) / np.maximum(np.abs(before), np.abs(after))
    return int(differ.sum()), float(np.where(np.isfinite(relative), relative, np.inf).max())


def environment_changes(old: Record, new: Record, machine: Record, other: Record) -> list[str]:
    """What differs: scale, Python, versions of what both have, sources, and the class of machine."""
    changes = [plain(name, old.get(name), new[name]) for name in ("scale", "python", "root_seed") if name in new]
    before, after = (side.get("packages") or {} for side in (old, new))
    changes += [plain(name, before[name], after[name]) for name in sorted(before) if name in after]
    changes += [
        f"{words}: other ones" if old.get(key) != new[key] else ""
        for key, words in (("source", "sources of the package"), ("lock", "pinned versions"))
        if key in new
    ]
    changes += [plain(name, machine.get(name), other.get(name)) for name in EXPLAINING]
    return [change for change in changes if change]


def plain(name: str, old: Any, new: Any) -> str:
    """`numpy: 2.3.0 -> 2.4.1`; nothing where both are equal."""
    return "" if old == new else f"{name}: {old} -> {new}"


def shortened(changes: Sequence[str]) -> tuple[str, ...]:
    """The first changes, and how many more there are."""
    more = len(changes) - MOST
    return (*changes[:MOST], *([f"and {more} more"] if more > 0 else []))
