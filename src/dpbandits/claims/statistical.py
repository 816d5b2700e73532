"""Judges a statistical claim under one calibration: its comparisons in the runs of a table, and its verdict."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from dpbandits.claims.comparisons import Comparison, Count, Sample
from dpbandits.claims.gates import Left, left_of, nothing, with_gaps
from dpbandits.claims.predicates import COUNTS, comparisons
from dpbandits.claims.verdicts import judge, judge_counts
from dpbandits.config.models.claims import Rules, Statistical
from dpbandits.config.models.compared import Comparison as Test
from dpbandits.config.models.comparisons import Ordered
from dpbandits.numerics.tails import Tails, no_tails

TIED = 0.05  # share of the smaller mean below which two curves count as equal in an order; our choice


@dataclass(frozen=True)
class Compared:
    """The comparisons of a claim in the runs of a table.

    Attributes
    ----------
    tests : all tests of the claim.
    left : the tests after the selection of settings.
    comparisons, counts : those of the remaining tests; at least one of the two is empty.
    """

    tests: tuple[Test, ...]
    left: Left
    comparisons: tuple[Comparison, ...]
    counts: tuple[Count, ...]


def compared(claim: Statistical, calibration: str, rules: Rules, sample: Sample) -> Compared:
    """The comparisons or counts of a claim."""
    every = tuple(tied(test) if claim.class_ == "order" else test for test in claim.tests_of(calibration))
    left = left_of(every, rules.gates_of(claim), sample, rules.late_of(claim))
    counts = [count for test in left.used if test.predicate in COUNTS for count in COUNTS[test.predicate](test, sample)]
    found = [each for test in left.used if test.predicate not in COUNTS for each in comparisons(test, sample)]
    if claim.class_ == "upper_rate":
        found = [forgiven(each) if each.is_premise else each for each in found]
    return Compared(every, left, tuple(found), tuple(counts))


def forgiven(premise: Comparison) -> Comparison:
    """A premise that fails no claim: less regret than the baseline does not refute an upper bound."""
    return replace(premise, tolerated_low=-math.inf)


def judge_claim(
    claim: Statistical, calibration: str, rules: Rules, sample: Sample, tails: Tails = no_tails
) -> dict[str, Any]:
    """The verdict part of a claim's record under one calibration; a pure function of the table."""
    each, how = compared(claim, calibration, rules, sample), claim.combine
    if each.counts:
        found = judge_counts(each.counts, how)
    elif each.comparisons:
        found = judge(each.comparisons, how, tails)
    else:
        found = nothing(seeds_of(each.tests, sample))
    return with_gaps(found, each.tests, each.left, how, rules.late_of(claim))


def tied(test: Test) -> Test:
    """The test; a test of an order without a margin of equivalence gets the default `TIED`."""
    if not isinstance(test, Ordered) or test.equivalent is not None:
        return test
    return test.model_copy(update={"equivalent": TIED})


def seeds_of(tests: Sequence[Test], sample: Sample) -> int:
    """The number of seeds, the same for all curves; 0 if no setting was played."""
    return max(len(sample(test.curves[0], setting, "seed")) for test in tests for setting in test.settings)
