"""Selects the settings that a test may use: those that were run, and run long enough.

A cell is one curve at one setting. It is played if the table has runs of it; a scale with shorter runs does not play
cells with a longer horizon. It is resolved if the means of all gates of the paper are at most their limits. A curve
without a gate's columns, such as a closed form, is resolved.

Tests that judge each setting by itself skip settings with an unplayed cell. A test that compares settings with each
other is skipped as a whole, because the claim is about all of them. So the settings that were played can still make
a claim fail, but not hold.

All tests skip settings with an unresolved cell and settings whose horizon ends before the regime of the claim begins.
A test with too few settings left compares nothing, and no number of seeds would help.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpbandits.claims.comparisons import Sample, Setting, Test, place
from dpbandits.claims.judgements import LEVEL, NOT_TESTED, combine
from dpbandits.claims.verdicts import overall
from dpbandits.config.models.claims import Late
from dpbandits.config.models.experiments import Gate
from dpbandits.config.sections import SEVERAL, enough

LONGER = 10  # factor on the horizon that a claim asks for if its tests have too few settings; our choice


@dataclass(frozen=True)
class Left:
    """The tests after the selection of settings.

    Attributes
    ----------
    tests : every test with its remaining settings; None if they are too few.
    unplayed : horizons that the scale does not play.
    unresolved : cells that were not played long enough.
    incomplete : readings with a setting that was not played.
    bare : readings with a test that has too few resolved settings.
    early : horizons that end before the regime begins.
    """

    tests: tuple[Test | None, ...]
    unplayed: tuple[float, ...] = ()
    unresolved: tuple[str, ...] = ()
    incomplete: frozenset[str] = frozenset()
    bare: frozenset[str] = frozenset()
    early: tuple[str, ...] = ()

    @property
    def used(self) -> list[Test]:
        """The tests that have enough settings."""
        return [test for test in self.tests if test is not None]


def left_of(tests: Sequence[Test], gates: Sequence[Gate], sample: Sample, late: Late | None = None) -> Left:
    """Remove settings that were not played, not long enough, or before the regime."""
    left: list[Test | None] = []
    unplayed: dict[float, None] = {}
    unresolved: dict[str, None] = {}
    early: dict[str, None] = {}
    incomplete, bare = set(), set()
    for test in tests:
        played, kept = [], []
        for setting in test.settings:
            cells = list(cells_of(test, setting))
            missing = [at for curve, at in cells if not len(sample(curve, at, "seed"))]
            unplayed.update(dict.fromkeys(at["T"] for at in missing))  # a scale leaves out only horizons
            if missing:
                continue
            played.append(setting)
            failing = [line for cell in cells for line in failures(*cell, gates, sample)]
            unresolved.update(dict.fromkeys(failing))
            before = late is not None and not late.reached(setting)
            if late and before:
                early[f"horizon of {late.horizon_of(setting):g} rounds, before the regime"] = None
            if not failing and not before:
                kept.append(setting)
        whole = len(played) == len(test.settings)
        if not whole:
            incomplete.add(test.reading)
        if not whole and (not played or test.predicate in SEVERAL):
            left.append(None)
        elif kept == test.settings:
            left.append(test)
        elif kept == played or enough(test, kept):
            left.append(test.at_settings(kept))
        else:
            left.append(None)
            bare.add(test.reading)
    gaps = frozenset(incomplete), frozenset(bare)
    return Left(tuple(left), tuple(sorted(unplayed)), tuple(unresolved), *gaps, tuple(early))


def cells_of(test: Test, setting: Setting) -> Iterator[tuple[str, Setting]]:
    """The curves and settings whose runs a test compares at one of its settings."""
    for role, curve in test.roles:
        for cell in test.cells_of(role, setting):
            yield curve, cell


def failures(curve: str, setting: Setting, gates: Sequence[Gate], sample: Sample) -> Iterator[str]:
    """A line for every gate that a cell fails, such as `cucb at eps = 0.25: late / regret = 0.41 > 0.35`."""
    for gate in gates:
        columns = [sample(curve, setting, name) for name in gate.columns]
        if any(np.isnan(column).all() for column in columns):  # the column is an output of other algorithms
            continue
        value, *below = (float(column.mean()) for column in columns)
        if below:
            value = value / below[0] if below[0] > 0.0 else math.inf if value > 0.0 else 0.0
        if not value <= gate.at_most:
            yield f"{curve} at {place(setting)}: {' / '.join(gate.columns)} = {value:.3g} > {gate.at_most:g}"


def with_gaps(
    found: dict[str, Any], tests: Sequence[Test], left: Left, how: str, late: Late | None = None
) -> dict[str, Any]:
    """The verdict part of a record from the tests with enough settings, completed by the tests without."""
    known = {each["reading"]: each["verdict"] for each in found["readings"]}
    every = dict.fromkeys(test.reading for test in tests)
    gaps = left.incomplete | left.bare | every.keys() - known.keys()
    readings = {
        reading: combine([*([known[reading]] if reading in known else []), *([NOT_TESTED] if reading in gaps else [])])
        for reading in every
    }
    verdict = overall(readings, how)
    return found | {
        "verdict": verdict,
        "readings": [{"reading": reading, "verdict": each} for reading, each in readings.items()],
        "needs": needs_of(left, tests, late) if gaps and verdict == NOT_TESTED else found["needs"],
        "unplayed": list(left.unplayed),
        "unresolved": [*left.unresolved, *left.early],
    }


def needs_of(left: Left, tests: Sequence[Test], late: Late | None = None) -> dict[str, Any]:
    """What a claim needs to be tested: horizons in the regime, unplayed cells, or else a longer horizon."""
    if late and any(not in_regime(test, late) for test in tests):
        return {"what": "regime", "seeds": None, **late.regime.model_dump()}
    return {"what": "unplayed" if left.incomplete else "horizon", "seeds": None}


def in_regime(test: Test, late: Late) -> bool:
    """Whether a test has enough settings in the regime, regardless of what is played."""
    kept = [setting for setting in test.settings if late.reached(setting)]
    return kept == test.settings or enough(test, kept)


def nothing(n: int) -> dict[str, Any]:
    """The verdict part of a record, as from `verdicts.judge`, if all tests have too few settings."""
    return {
        "verdict": NOT_TESTED,
        "estimate": None,
        "interval": [None, None],
        "joint": [None, None],
        "flips_at": {},
        "typical_run": None,
        "resolution": None,
        "turning_size": None,
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
