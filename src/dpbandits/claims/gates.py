"""Which settings count: those at which every curve of a test has run long enough to show what it comes to.

A cell, one curve at one setting, is resolved where the means of all gates of the paper are at most what they allow; a
curve without the columns of a gate, as one of closed form, is. Settings at which some cell of a test is unresolved are
left out of it and listed. A test with too few settings left compares nothing, and no number of seeds would help.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from dpbandits.claims.comparisons import Sample, Setting, Test, place
from dpbandits.claims.judgements import LEVEL, UNCLEAR, combine
from dpbandits.claims.verdicts import overall
from dpbandits.config.models.experiments import Gate
from dpbandits.config.sections import enough

LONGER = 10  # times the horizon, which a claim asks for where its tests have too few settings; our choice


def gated(tests: Sequence[Test], gates: Sequence[Gate], sample: Sample) -> tuple[list[Test | None], list[str]]:
    """Every test with the settings that are left of its own, None where they are too few; and the unresolved cells."""
    left: list[Test | None] = []
    unresolved: dict[str, None] = {}
    for test in tests:
        kept, every = [], test.settings
        for setting in every:
            found = [line for cell in cells_of(test, setting) for line in failures(*cell, gates, sample)]
            unresolved.update(dict.fromkeys(found))
            if not found:
                kept.append(setting)
        rest = test if kept == every else test.at_settings(kept)
        left.append(rest if kept == every or enough(test, kept) else None)
    return left, list(unresolved)


def cells_of(test: Test, setting: Setting) -> Iterator[tuple[str, Setting]]:
    """Curves and settings whose runs a test compares at one of its settings."""
    for role, curve in test.roles:
        yield curve, setting
        if role == "curves" and test.moved:
            yield curve, {**setting, **test.moved}


def failures(curve: str, setting: Setting, gates: Sequence[Gate], sample: Sample) -> Iterator[str]:
    """For every gate that a cell does not pass: `cucb at eps = 0.25: late / regret = 0.41 > 0.35`."""
    for gate in gates:
        columns = [sample(curve, setting, name) for name in gate.columns]
        if any(np.isnan(column).all() for column in columns):  # as the table has outputs of other algorithms
            continue
        value, *below = (float(column.mean()) for column in columns)
        if below:
            value = value / below[0] if below[0] > 0.0 else math.inf if value > 0.0 else 0.0
        if not value <= gate.at_most:
            yield f"{curve} at {place(setting)}: {' / '.join(gate.columns)} = {value:.3g} > {gate.at_most:g}"


def with_gaps(
    found: dict[str, Any], tests: Sequence[Test], left: Sequence[Test | None], unresolved: Sequence[str], how: str
) -> dict[str, Any]:
    """The verdict part of a record, given by the tests that have enough settings left, with those that have not."""
    known = {each["reading"]: each["verdict"] for each in found["readings"]}
    bare = {test.reading for test, rest in zip(tests, left, strict=True) if rest is None}
    readings = {
        reading: combine([*([known[reading]] if reading in known else []), *([UNCLEAR] if reading in bare else [])])
        for reading in dict.fromkeys(test.reading for test in tests)
    }
    verdict = overall(readings, how)
    return found | {
        "verdict": verdict,
        "readings": [{"reading": reading, "verdict": each} for reading, each in readings.items()],
        "needs": {"what": "horizon", "seeds": None} if bare and verdict == UNCLEAR else found["needs"],
        "unresolved": list(unresolved),
    }


def nothing(n: int) -> dict[str, Any]:
    """The verdict part of the record of a claim whose tests all have too few settings, as `verdicts.judge`."""
    return {
        "verdict": UNCLEAR,
        "estimate": None,
        "interval": [None, None],
        "level": LEVEL,
        "comparisons": 0,
        "n": n,
        "method": "",
        "margin": 0.0,
        "decisive": "",
        "readings": [],
        "details": [],
        "needs": {"what": "none", "seeds": None},
    }
