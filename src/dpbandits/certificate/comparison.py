"""Compare certified with current claim records, audit records, tables and environments, in plain words."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpbandits.text.text import number

EXPLAINING = ("architecture", "cpu", "system", "libc")
"""Machine properties that may affect results. Cores and memory do not."""
MOST = 20  # listed changes per file
LAST_DIGITS = 1e-9  # relative tolerance of numbers in double precision; source: our choice
LAST_STEPS = 2.0**-22  # of values of tables and what follows from them: two steps of single precision
Columns = Mapping[str, np.ndarray]
Record = Mapping[str, Any]


@dataclass(frozen=True)
class Difference:
    """A file that does not match the certificate: `missing`, `additional` or `differs`, with the differences.

    Attributes
    ----------
    relative : largest relative difference between numbers of a table; None if no table was compared.
    """

    file: str
    what: str
    changes: tuple[str, ...] = ()
    relative: float | None = None


@dataclass(frozen=True)
class Outcome:
    """Outcome of a comparison.

    Attributes
    ----------
    equal : number of files with identical bytes.
    environment : differences in software and machine.
    verdicts : number of certified verdicts, and how many of them changed; None if some are missing.
    lost : files behind the results that are missing or differ from those used, each with what is wrong.
    identity : SHA-256 of the metadata, which list the digest of every file of the certificate.
    unlisted : files in the certificate that its metadata do not list.
    """

    scale: str
    equal: int
    differences: tuple[Difference, ...]
    environment: tuple[str, ...] = field(default=())
    verdicts: tuple[int, int] | None = None
    lost: tuple[str, ...] = ()
    identity: str = ""
    unlisted: tuple[str, ...] = ()


@dataclass(frozen=True)
class Judged:
    """Result of judging a certificate again.

    Attributes
    ----------
    claims, audits : numbers of verdicts on claims, and of verdicts of audits.
    changes : records that do not follow from the certified tables and numbers, each with the change.
    """

    claims: int
    audits: int
    changes: tuple[str, ...]


@dataclass(frozen=True)
class Recomputed:
    """A certified claim or audit, computed again.

    Attributes
    ----------
    name : the claim with its calibration and variant, or the audit.
    runs : number of runs that were played.
    seeds : seeds that were played, and all certified seeds of the largest curve; (0, 0) without runs of algorithms.
    relative : largest relative difference between certified and recomputed numbers.
    expected, obtained : certified and recomputed verdict, with the estimate.
    same : whether the verdicts are equal and numbers agree up to last digits.
    """

    name: str
    runs: int
    seeds: tuple[int, int]
    relative: float
    expected: str
    obtained: str
    same: bool


def claim_changes(old: Record, new: Record) -> list[str]:
    """Differences between two files of claim records."""
    changes = list(lists(old.get("records"), new.get("records"), claim_name, claim_change))
    changes += lists(old.get("measurements"), new.get("measurements"), measurement_name, measurement_change)
    return changes or ["fields of the records other than verdicts and estimates"]


def claim_name(record: Record) -> str:
    """Name of a claim record: `hanna2022/C1 (printed)`, `hanna2022/C1 (printed, paths)`."""
    return f"{record['id']} ({', '.join(filter(None, (record['calibration'], record['variant'])))})"


def claim_change(old: Record, new: Record) -> str:
    """Changes of the verdict, and of the estimate with its interval."""
    verdict = "" if old["verdict"] == new["verdict"] else f"{old['verdict']} -> {new['verdict']}"
    return ", ".join(filter(None, (verdict, estimates(old, new))))


def estimates(old: Record, new: Record) -> str:
    """Changes of the estimate and the interval, with all digits if four do not show the change."""
    found = [pair(name, old.get(name), new.get(name)) for name in ("estimate", "interval")]
    return ", ".join(filter(None, found))


def measurement_name(record: Record) -> str:
    """Name of a measurement record: `slope (printed)`."""
    return f"{record['name']} ({record['calibration']})"


def measurement_change(old: Record, new: Record) -> str:
    """Curves whose estimates or intervals changed."""
    return "; ".join(lists(old["details"], new["details"], lambda detail: str(detail["label"]), estimates))


def audit_changes(old: Record, new: Record) -> list[str]:
    """Differences between two files of audit records, cell by cell."""
    changes = list(lists(old.get("records"), new.get("records"), cell_name, cell_change))
    return changes or ["fields of the records other than verdicts, epsilons and bounds"]


def cell_name(record: Record) -> str:
    """Name such as `hanna2022/sums, printed, phased_elimination_central, eps = 0.1`; a number distinguishes cells."""
    point = ", ".join(f"{name} = {value:g}" for name, value in record["point"].items())
    parts = (record["audit"], record["calibration"], record["algorithm"], point, record["id"])
    return ", ".join(filter(None, parts))


def cell_change(old: Record, new: Record) -> str:
    """Changes of the verdict, the actual epsilon and the bound."""
    verdict = "" if old["verdict"] == new["verdict"] else f"{old['verdict']} -> {new['verdict']}"
    found = [pair(name, old[key], new[key]) for name, key in (("epsilon", "epsilons"), ("bound from runs", "lower"))]
    return ", ".join(filter(None, (verdict, *found)))


def pair(name: str, old: Any, new: Any) -> str:
    """Change as `estimate 1.2 -> 1.3`, in full if four digits agree; empty if the values are equal."""
    if old == new:
        return ""
    few = (value_text(old), value_text(new))
    return f"{name} {few[0]} -> {few[1]}" if few[0] != few[1] else f"{name} {old} -> {new}"


def value_text(value: Any) -> str:
    """Number or interval with four digits; an end that is None is infinite."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        low, high = value
        return f"[{'-' * (low is None)}{number(low)}, {number(high)}]"
    return "undefined" if value is None else number(value)


def lists(old: Any, new: Any, name: Any, change: Any) -> Iterator[str]:
    """Records that only one side has, and changes of records that both have."""
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
    """Number of old verdicts that are missing or changed in the new records."""
    after = {claim_name(record): record["verdict"] for record in new}
    return sum(after.get(claim_name(record)) != record["verdict"] for record in old)


def column_changes(old: Columns, new: Columns, whole: bool = True) -> tuple[list[str], float | None]:
    """Differences between two tables, and the largest relative difference.

    Parameters
    ----------
    whole : whether the old table has all certified columns; else only the columns that it has are compared.
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
        changes = ["the storage format, not the values" if whole else "columns that the certificate does not contain"]
    return changes, largest


def apart(old: np.ndarray, new: np.ndarray) -> tuple[int, float | None]:
    """Number of rows that differ, and the largest difference relative to the larger value; NaN equals NaN.

    The difference is infinite if only one value is finite. Text has no relative difference.
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
    """Differences in scale, Python, versions of shared packages, sources, and machine class."""
    changes = [plain(name, old.get(name), new[name]) for name in ("scale", "python", "root_seed") if name in new]
    before, after = (side.get("packages") or {} for side in (old, new))
    changes += [plain(name, before[name], after[name]) for name in sorted(before) if name in after]
    changes += [
        f"{words}: changed" if old.get(key) != new[key] else ""
        for key, words in (("source", "sources of the package"), ("lock", "pinned versions"))
        if key in new
    ]
    changes += [plain(name, machine.get(name), other.get(name)) for name in EXPLAINING]
    return [change for change in changes if change]


def plain(name: str, old: Any, new: Any) -> str:
    """Change as `numpy: 2.3.0 -> 2.4.1`; empty if both are equal."""
    return "" if old == new else f"{name}: {old} -> {new}"


def shortened(changes: Sequence[str]) -> tuple[str, ...]:
    """First changes, and the number of the others."""
    more = len(changes) - MOST
    return (*changes[:MOST], *([f"and {more} more"] if more > 0 else []))
