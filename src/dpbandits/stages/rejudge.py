"""Derive the verdicts of a certificate again from its tables and audit records, with its configuration."""

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from dpbandits.audits.release import SEARCHED
from dpbandits.base.storage import read_record
from dpbandits.certificate.comparison import LAST_DIGITS, Judged, cell_name, claim_change, claim_name
from dpbandits.privacy.auditing import verdict_of
from dpbandits.stages.certified import configured, judged


def rejudge(certificate: Path, scale: str, own_code: bool = False) -> Judged:
    """Judge all claims of a certificate again, and derive its audit verdicts from their numbers.

    Parameters
    ----------
    own_code : whether code that the certified configuration names may be run.

    Raises
    ------
    ConfigError
        The certified configuration is invalid, or names code that may not be run.
    DamagedFile
        A table or record is missing or damaged.
    """
    project = configured(certificate, scale, own_code)
    claims = audits = 0
    changes: list[str] = []
    for key, paper in project.papers.items():
        old, audited = (read_record(certificate / part / f"{key}.json") for part in ("claims", "audit"))
        new = judged(project, paper, certificate)
        changes += different(old["records"], new["records"])
        changes += contradictory(audited["records"])
        claims, audits = claims + len(new["records"]), audits + len(audited["records"])
    return Judged(claims, audits, tuple(changes))


def different(old: list[Mapping[str, Any]], new: list[Mapping[str, Any]]) -> Iterator[str]:
    """Claim records that only one side has, and those with another verdict or with numbers that differ clearly."""
    before, after = ({claim_name(record): record for record in side} for side in (old, new))
    for name in dict.fromkeys([*before, *after]):
        if name not in after or name not in before:
            yield f"{name}: {'is certified, but not a claim' if name in before else 'is not certified'}"
        elif before[name]["verdict"] != after[name]["verdict"] or not alike(before[name], after[name]):
            yield f"{name}: {claim_change(before[name], after[name])}"


def alike(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Whether estimates and intervals agree up to last digits, which may differ between processors."""
    numbers = [[record["estimate"], *record["interval"]] for record in (old, new)]
    return all(
        one == other or (None not in (one, other) and math.isclose(one, other, rel_tol=LAST_DIGITS, abs_tol=1e-12))
        for one, other in zip(*numbers, strict=True)
    )


def contradictory(records: list[Mapping[str, Any]]) -> Iterator[str]:
    """Audit records whose verdict does not follow from their own numbers."""
    for record in records:
        least, most, lower, cap = (
            math.inf if each is None else each for each in (*record["epsilons"], record["lower"], record["cap"])
        )
        bounds = least, math.inf if record["status"] == SEARCHED else most
        found: str = verdict_of(lower, bounds, record["eps"], cap)
        if found == "consistent" and record.get("mutant") and not record["mutant"]["found"]:
            found = "no power"
        if found != record["verdict"]:
            yield f"{cell_name(record)}: {record['verdict']} -> {found}"
