"""From intervals to verdicts: boundaries, shared errors, combinations, margins, and what an unclear verdict needs."""

import itertools
import json
import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from dpbandits.claims import forecasts, judgements
from dpbandits.claims import verdicts as v
from dpbandits.claims.comparisons import Comparison, Count
from dpbandits.numerics.statistics import Interval, Statistic, difference, mean
from dpbandits.numerics.statistics import share as share_of
from dpbandits.numerics.tails import Tail, no_tails
from dpbandits.stages.judge import costed
from tests.shown import calm

INF = math.inf


def around(center, spread=1.0, n=40, draw=0):
    """A symmetric sample with exactly this mean and this standard deviation: its limits are those of Student."""
    half = np.abs(np.random.default_rng((3, draw)).normal(size=n // 2))
    scores = np.concatenate([half, np.zeros(n % 2), -half])
    return center + spread * scores / scores.std()


def reach(alpha=0.025, spread=1.0, n=40):
    """Distance of Student's limit from the mean of `around`, wrong to either side with probability `alpha`."""
    return stats.t.ppf(1 - alpha, n - 1) * spread / math.sqrt(n - 1)


def comparison(values, low, high, reading="r", label="", tolerated=None):
    statistic = None if values is None else mean(values)
    return Comparison(reading, label or f"{low} to {high}", "curve", statistic, low, high, *(tolerated or (low, high)))


def bare(low, high, tolerated=None):
    return Comparison("r", "x", "curve", Statistic(0.0, np.zeros(2)), low, high, *(tolerated or (low, high)))


def one(own, low, high, enough=True, tolerated=None, joint=None):
    """Verdict and margin of an interval [low end, high end] around its middle, and a joint one around the same."""
    center = 0.5 * (own[0] + own[1])
    intervals = [Interval(center, *ends, 0.95) for ends in (own, joint or own)]
    judged = judgements.judge_one(bare(low, high, tolerated), *intervals, enough)
    return judged.verdict, judged.margin


def record(comparisons, how="all", tails=calm):
    return v.judge(comparisons, how, tails)


# One comparison. All numbers are exact in binary.


@pytest.mark.parametrize(
    ("interval", "allowed", "expected"),
    [
        ((1.0, 2.0), (0.0, 4.0), ("holds", 3.0)),
        ((1.0, 2.0), (1.0, 2.0), ("holds", 1.0)),
        ((1.0, 2.0), (1.0, INF), ("holds", 1.0)),
        ((1.0, 2.0), (-INF, 2.0), ("holds", 1.0)),
        ((1.0, 2.0), (-INF, math.nextafter(2, 0)), ("unclear", 1.0 - 2**-51)),
        ((1.0, 2.0), (1.5, INF), ("unclear", 0.0)),
        ((1.0, 2.0), (2.0, INF), ("unclear", -1.0)),
        ((1.0, 2.0), (-INF, 1.0), ("unclear", -1.0)),
        ((1.0, 2.0), (math.nextafter(2, 3), INF), ("fails", -1.0 - 2**-50)),
        ((1.0, 2.0), (2.5, 3.0), ("fails", -2.0)),
        ((1.0, 2.0), (-3.0, 0.5), ("fails", -2.0)),
        ((1.0, 2.0), (1.25, 1.75), ("unclear", 0.5)),
    ],
)
def test_one_comparison_at_its_boundaries(interval, allowed, expected):
    """The range is closed, and so is the interval: touching from inside holds, from outside is unclear."""
    assert one(interval, *allowed) == expected


@pytest.mark.parametrize(
    ("allowed", "tolerated", "expected"),
    [
        ((1.0, 2.0), None, ("holds", 1.0)),
        ((0.5, 2.5), None, ("holds", 2.0)),
        ((1.25, 2.5), None, ("unclear", 0.5)),
        ((1.75, INF), None, ("unclear", -0.25)),
        ((2.25, INF), None, ("unclear", -0.75)),
        ((2.5, INF), None, ("unclear", -1.0)),
        ((2.75, INF), None, ("fails", -1.25)),
        ((-INF, 0.75), None, ("unclear", -0.75)),
        ((-INF, 0.25), None, ("fails", -1.25)),
        ((-INF, 0.25), (-INF, 0.75), ("unclear", -1.25)),
        ((-INF, 0.25), (-INF, 0.375), ("fails", -1.25)),
    ],
)
def test_the_own_interval_holds_and_the_joint_one_fails(allowed, tolerated, expected):
    """From 1 to 2 around 1.5, jointly from 0.5 to 2.5: margins are in halves inside the range, in ones outside."""
    assert one((1.0, 2.0), *allowed, tolerated=tolerated, joint=(0.5, 2.5)) == expected


@pytest.mark.parametrize(
    ("interval", "allowed", "tolerated", "expected"),
    [
        ((1.0, 2.0), (0.0, 4.0), (-9.0, 9.0), ("holds", 3.0)),
        ((1.0, 2.0), (1.0, 2.0), (0.0, 3.0), ("holds", 1.0)),
        ((1.0, 2.0), (-INF, 1.5), (-INF, 3.0), ("unclear", 0.0)),
        ((1.0, 2.0), (-INF, 0.5), (-INF, 3.0), ("unclear", -2.0)),
        ((1.0, 2.0), (-INF, 0.5), (-INF, 1.0), ("unclear", -2.0)),
        ((1.0, 2.0), (-INF, 0.5), (-INF, 0.75), ("fails", -2.0)),
        ((1.0, 2.0), (2.5, INF), (2.0, INF), ("unclear", -2.0)),
        ((1.0, 2.0), (2.5, INF), (2.25, INF), ("fails", -2.0)),
        ((1.0, 1.0), (-INF, 0.5), (-INF, 1.0), ("unclear", -judgements.WIDEST_MARGIN)),
        ((1.0, 1.0), (-INF, 1.0), (-INF, 2.0), ("unclear", 0.0)),
        ((1.0, 1.0), (-INF, 0.5), (-INF, 0.75), ("fails", -judgements.WIDEST_MARGIN)),
    ],
)
def test_what_is_tolerated_does_not_fail_and_does_not_hold(interval, allowed, tolerated, expected):
    """It fails when the whole interval lies outside the wider range; the margin stays that to the narrower one."""
    assert one(interval, *allowed, tolerated=tolerated) == expected


@pytest.mark.parametrize(
    ("estimate", "expected"),
    [
        (0.5, "holds"),
        (1.0, "holds"),
        (1.5, "unclear"),
        (2.0, "unclear"),
        (2.5, "fails"),
        (math.nan, "unclear"),
    ],
)
def test_destined_is_the_verdict_of_the_estimate(estimate, expected):
    """At most 1, at most 2 tolerated."""
    whole = Interval(estimate, -INF, INF, 0.95)
    judged = judgements.judge_one(bare(-INF, 1.0, (-INF, 2.0)), whole, whole, True)
    assert (judged.destined, judged.verdict, judged.margin) == (expected, "unclear", 0.0)


@pytest.mark.parametrize(
    ("allowed", "expected"),
    [
        ((0.0, 4.0), ("holds", judgements.WIDEST_MARGIN)),
        ((2.0, 4.0), ("fails", -judgements.WIDEST_MARGIN)),
        ((-INF, 1.5), ("holds", judgements.WIDEST_MARGIN)),
        ((-INF, 1.0), ("unclear", 0.0)),
        ((1.0, 2.0), ("unclear", 0.0)),
    ],
)
def test_a_point_on_a_bound_neither_holds_nor_fails(allowed, expected):
    """A point inside holds and one outside fails; so says the record of data that do not vary."""
    assert one((1.0, 1.0), *allowed) == expected
    found = record([comparison(np.ones(9), *allowed)])
    assert (found["verdict"], found["margin"]) == expected
    assert found["interval"] == found["joint"] == [1.0, 1.0]


def test_margins_are_cut_and_infinite_intervals_have_none():
    assert one((0.0, 2**-20), -INF, 1.0) == ("holds", judgements.WIDEST_MARGIN)
    assert one((0.0, 2**-20), 1.0, INF) == ("fails", -judgements.WIDEST_MARGIN)
    whole = Interval(0.5, -INF, INF, 0.95)
    judged = judgements.judge_one(bare(-INF, 1.0), whole, whole, True)
    assert (judged.verdict, judged.margin) == ("unclear", 0.0)


@pytest.mark.parametrize("allowed", [(0.0, 4.0), (4.0, 5.0)])
def test_too_few_seeds_leave_a_comparison_untested(allowed):
    assert one((1.0, 2.0), *allowed, enough=False)[0] == "not_tested"


# Equality


def equal(low, high, equivalent, own, joint=None, enough=True):
    each = replace(bare(low, high), equivalent=equivalent)
    intervals = [Interval(0.5 * (own[0] + own[1]), *ends, 0.95) for ends in (own, joint or own)]
    return judgements.judge_one(each, *intervals, enough)


@pytest.mark.parametrize(
    ("interval", "expected"),
    [
        ((-4.0, -3.5), "holds"),
        ((-2.0, -1.0), "holds"),
        ((-2.0, 0.0), "holds"),
        ((-2.0, 1.0), "fails"),
        ((-3.0, 3.0), "fails"),
        ((-3.5, 1.0), "unclear"),
        ((-1.0, 3.5), "unclear"),
        ((1.0, 2.0), "fails"),
        ((4.0, 5.0), "fails"),
        ((0.0, 0.0), "fails"),
    ],
)
def test_what_lies_within_equality_and_does_not_hold_fails(interval, expected):
    """At most 0 is claimed, -3 to 3 counts as equal; a certain difference holds, however small."""
    assert equal(-INF, 0.0, (-3.0, 3.0), interval).verdict == expected
    assert equal(-INF, 0.0, (-3.0, 3.0), interval, enough=False).verdict == "not_tested"


@pytest.mark.parametrize(
    ("own", "joint", "expected"),
    [
        ((-2.0, 1.0), (-3.0, 2.0), "fails"),
        ((-2.0, 1.0), (-3.5, 2.5), "unclear"),
        ((-2.0, 0.0), (-3.5, 2.5), "holds"),
    ],
)
def test_equality_takes_the_joint_interval(own, joint, expected):
    assert equal(-INF, 0.0, (-3.0, 3.0), own, joint).verdict == expected


@pytest.mark.parametrize(
    ("interval", "expected"),
    [
        ((-9.0, 7.0), ("fails", (-3.0, 3.0))),
        ((-9.0, 5.0), ("holds", (-INF, 0.0))),
        ((-6.0, 7.0), ("fails", (-3.0, 3.0))),
        ((-4.0, 8.0), ("fails", (-INF, 0.0))),
    ],
)
def test_what_equality_decides_first_is_forecast(interval, expected):
    """Around -1 both ends come inside -3 and 3 before the upper one meets 0; around -2 and 2 the end at 0 is first."""
    judged = equal(-INF, 0.0, (-3.0, 3.0), interval)
    assert (judged.verdict, judged.destined, judged.decided_by) == ("unclear", *expected)


def test_seeds_needed_to_show_equality_agree_with_brute_force():
    """Estimate 0.1, at most 0 claimed, -1 to 1 counts as equal; the interval of 40 seeds is -0.87 to 1.07."""
    values = around(0.1, spread=3.0)

    def judged(n):
        tile = np.tile(values, math.ceil(n / 40))[:n]
        return record([replace(comparison(tile, -INF, 0.0), equivalent=(-1.0, 1.0))])

    found = judged(40)
    assert (found["verdict"], found["needs"]["what"]) == ("unclear", "seeds")
    enough = next(n for n in range(40, 4001, 40) if judged(n)["verdict"] == "fails")
    assert enough - 40 <= found["needs"]["seeds"] <= 1.1 * enough


def test_a_range_of_equality_stands_in_the_record_where_there_is_one():
    parts = [comparison(around(0.0), -INF, 1.0), comparison(around(0.0, draw=1), -INF, 0.0)]
    parts[1] = replace(parts[1], equivalent=(-2, 2))
    assert ["equivalent" in d for d in record(parts)["details"]] == [False, True]
    assert record(parts)["details"][1]["equivalent"] == [-2, 2]


# Alternatives


def alternatives(*means, name="a", first=0):
    parts = [comparison(around(m, draw=first + k), 0.0, INF, label=f"{name}{k}") for k, m in enumerate(means)]
    return [replace(part, any_of=name) for part in parts]


@pytest.mark.parametrize(
    ("means", "expected", "decisive"),
    [
        ((9.0, -9.0), "holds", "a0"),
        ((-9.0, 0.1), "unclear", "a1"),
        ((-9.0, -5.0), "fails", "a1"),
        ((0.1, 0.2), "unclear", "a1"),
        ((5.0, 9.0), "holds", "a1"),
    ],
)
def test_one_alternative_that_holds_is_enough_and_all_must_fail(means, expected, decisive):
    found = record(alternatives(*means))
    assert (found["verdict"], found["decisive"], found["comparisons"]) == (expected, decisive, 1)
    beside = record([*alternatives(*means), *alternatives(9.0, -9.0, name="b", first=5)])
    assert (beside["verdict"], beside["comparisons"]) == (expected, 2)
    fails = record([*alternatives(*means), *alternatives(-9.0, name="b", first=5)])
    assert fails["verdict"] == "fails"


def test_alternatives_of_different_readings_are_different_ones():
    parts = alternatives(9.0, -9.0)
    assert record([parts[0], replace(parts[1], reading="other")])["verdict"] == "fails"


def test_alternatives_share_the_error_of_holding_and_not_that_of_failing():
    """Of 21 alternatives each has 2.5 % / 21 to hold; as one set they have 2.5 % to fail."""
    (alone,) = record(alternatives(1.0))["details"]
    (among,) = record(alternatives(1.0, *[-9.0] * 20))["details"]
    assert alone["label"] == among["label"] == "a0"
    assert alone["interval"] == alone["joint"] == among["joint"] == pytest.approx([1 - reach(), 1 + reach()])
    assert among["interval"] == pytest.approx([1 - reach(0.025 / 21), 1 + reach(0.025 / 21)])


def test_sets_of_alternatives_share_the_error_of_failing_alone():
    """Two sets, of one and of three alternatives, and a comparison by itself: 2.5 % / 3 to fail."""
    parts = [*alternatives(0.5, name="a"), *alternatives(0.5, 0.4, 0.3, name="b", first=1)]
    parts.append(comparison(around(0.5, draw=9), 0.0, INF, label="c"))
    found = {d["label"]: d for d in record(parts)["details"]}
    assert list(found) == ["a0", "b0", "c"]
    for label, alpha in (("a0", 0.025), ("b0", 0.025 / 3), ("c", 0.025)):
        assert found[label]["interval"] == pytest.approx([0.5 - reach(alpha), 0.5 + reach(alpha)])
        assert found[label]["joint"] == pytest.approx([0.5 - reach(0.025 / 3), 0.5 + reach(0.025 / 3)])


@pytest.mark.parametrize(("others", "expected"), [(0, "holds"), (19, "unclear")])
def test_an_alternative_among_others_holds_by_a_smaller_limit(others, expected):
    """Mean 0.4 is above 0 by more than a limit of 2.5 %, 0.32, and by less than one of 2.5 % / 20, 0.52."""
    assert reach() < 0.4 < reach(0.025 / 20)
    assert record(alternatives(0.4, *[-9.0] * others))["verdict"] == expected


# Several comparisons


def test_combine_is_fails_before_unclear_before_holds():
    order = ["holds", "unclear", "fails"]
    for verdicts in itertools.chain.from_iterable(itertools.product(order, repeat=k) for k in (1, 2, 3)):
        assert judgements.combine(verdicts) == max(verdicts, key=order.index)


def test_every_comparison_holds_by_its_own_limit_and_fails_by_one_of_all():
    """Twenty comparisons: 2.5 % to hold, as if alone; 2.5 % / 20 to fail. Means are 0.4 from the bound."""
    assert reach() < 0.4 < reach(0.025 / 20) < 0.6
    inside = [comparison(around(0.6, draw=k), -INF, 1.0, label=f"{k}") for k in range(19)]
    found = record([*inside, comparison(around(0.6, draw=19), -INF, 1.0)])
    assert (found["verdict"], found["comparisons"]) == ("holds", 20)
    for each in (found, *found["details"]):
        assert each["interval"] == pytest.approx([0.6 - reach(), 0.6 + reach()])
        assert each["joint"] == pytest.approx([0.6 - reach(0.025 / 20), 0.6 + reach(0.025 / 20)])
    outside = [comparison(around(mean, draw=19), -INF, 1.0) for mean in (1.4, 1.6)]
    assert [record([each])["verdict"] for each in outside] == ["fails", "fails"]
    assert [record([*inside, each])["verdict"] for each in outside] == ["unclear", "fails"]


def test_shares_have_exact_limits():
    """3 of 40 seeds, and of two such comparisons: Clopper and Pearson's limits, from the beta distribution."""
    values = np.arange(40) < 3
    part = Comparison("r", "x", "curve", share_of(values), -INF, 0.3, -INF, 0.3)
    found = record([part, replace(part, label="y")])
    low, high = stats.beta.ppf(0.025, 3, 38), stats.beta.ppf(0.975, 4, 37)
    assert found["interval"] == pytest.approx([low, high], rel=1e-9)
    low, high = stats.beta.ppf(0.0125, 3, 38), stats.beta.ppf(0.9875, 4, 37)
    assert found["joint"] == pytest.approx([low, high], rel=1e-9)
    assert found["verdict"] == "holds"


READING = {"holds": 0.0, "fails": 9.0, "unclear": 1.1}  # means; at most 1 is allowed, intervals are about +-0.4


@pytest.mark.parametrize("names", list(itertools.product(READING, repeat=2)))
def test_readings_that_disagree_are_unclear(names):
    parts = [comparison(around(READING[name], draw=k), -INF, 1.0, f"r{k}") for k, name in enumerate(names)]
    found = record(parts, "readings")
    assert [r["verdict"] for r in found["readings"]] == list(names)
    assert found["verdict"] == (names[0] if names[0] == names[1] else "unclear")
    assert record(parts)["verdict"] == judgements.combine(names)


def test_readings_that_disagree_need_nothing_even_where_comparisons_are_unclear():
    parts = [
        comparison(around(9.0), -INF, 1.0, "strict"),
        comparison(around(1.1, draw=1), -INF, 1.0, "strict"),
        comparison(around(0.0, draw=2), -INF, 1.0, "weak"),
    ]
    found = record(parts, "readings")
    assert found["details"][1]["verdict"] == found["verdict"] == "unclear"
    assert found["needs"] == {"what": "none", "seeds": None}


def test_readings_about_to_disagree_need_nothing_and_others_need_seeds():
    settled, inside, outside = (comparison(around(m, draw=4), -INF, 1.0, f"{m}") for m in (0.0, 0.9, 1.1))
    assert record([settled, outside], "readings")["needs"]["what"] == "none"
    assert record([settled, inside], "readings")["needs"]["what"] == "seeds"


@pytest.mark.parametrize("n", [4, 7])
def test_fewer_than_eight_seeds_need_eight(n):
    found = record([comparison(around(0.0, 0.01, n), -INF, 100.0)])
    assert (found["verdict"], found["n"], found["needs"]) == ("not_tested", n, {"what": "seeds", "seeds": 8})
    assert record([comparison(around(0.0, 0.01, 8), -INF, 100.0)])["verdict"] == "holds"


def test_decisive_comparison_has_the_smallest_margin():
    parts = [comparison(around(m, s, draw=k), -INF, 1.0, label=f"{m}") for k, (m, s) in enumerate([(0, 1), (-9, 5)])]
    parts.append(comparison(around(0.5, 0.1, draw=9), -INF, 1.0, label="close but sharp"))
    found = record(parts)
    margins = {d["label"]: d["margin"] for d in found["details"]}
    assert found["margin"] == min(margins.values()) == margins[found["decisive"]]
    decisive = next(d for d in found["details"] if d["label"] == found["decisive"])
    assert all(found[key] == decisive[key] for key in ("estimate", "interval", "joint"))
    assert found["decisive"] == "0"  # neither the largest estimate nor the widest interval
    parts.append(comparison(around(40.0, draw=10), -INF, 1.0, label="far outside"))
    assert record(parts)["decisive"] == "far outside"  # nor the margin that is smallest in size


@pytest.mark.parametrize("how", ["all", "readings"])
def test_order_of_comparisons_does_not_matter(how):
    rng = np.random.default_rng(6)
    for _ in range(20):
        parts = [comparison(around(rng.normal(0.6, 0.3), draw=k), -INF, 1.0, f"r{k % 2}", f"c{k}") for k in range(4)]
        first, second = record(parts, how), record([parts[k] for k in rng.permutation(4)], how)
        assert first["margin"] == pytest.approx(second["margin"])
        same = ("verdict", "decisive", "needs", "comparisons", "n")
        assert [first[key] for key in same] == [second[key] for key in same]


@pytest.mark.parametrize("values", [around(0.0), around(0.0, n=3), np.ones(9), [1.0] * 8 + [2.0]])
def test_records_are_json_without_nan_and_infinity(values):
    """Also those of three seeds, of constants, and of all seeds but one equal."""
    found = record([comparison(values, -INF, 1.5), comparison(values, 0.5, INF), comparison(None, 0.0, 1.0)])
    counted = v.judge_counts([Count("r", "x", "curve", 1, 10, 10, 0.5)], "all")
    known = v.judge_findings([finding(-INF, INF, -INF, 1.0)], "all")
    for each in (found, counted, known):
        assert json.loads(json.dumps(each, allow_nan=False)) == each
        assert set(each) == {
            *("verdict", "estimate", "interval", "level", "comparisons", "n", "method", "margin", "decisive", "needs"),
            *("readings", "details", "unplayed", "unresolved", "joint", "flips_at", "resolution", "turning_size"),
            "typical_run",
        }
        assert all({"interval", "joint"} < set(row) for row in each["details"])


# Needs


def tiled(n):
    """The same 40 values again and again, cut at n: mean 0.9, deviation 1 wherever n is a multiple of 40."""
    return np.tile(around(0.9), math.ceil(n / 40))[:n]


def seeds_for(distance, alpha=0.025):
    """The least number of seeds at which the limit of 40 seeds, shrunk as one over their root, is nearer than this."""
    return math.floor(40 * (reach(alpha) / distance) ** 2) + 1


def test_seeds_needed_agree_with_brute_force():
    """The least number of seeds that decides, in steps of 40, with the sample repeated; bound 1, estimate 0.9.

    The forecast keeps the quantile of 40 seeds, which shrinks a little with more: it asks for no fewer than are
    needed and for at most 10 % more.
    """
    found = record([comparison(around(0.9), -INF, 1.0)])
    assert found["verdict"] == "unclear"
    assert found["needs"] == {"what": "seeds", "seeds": seeds_for(0.1)}
    enough = next(n for n in range(40, 4001, 40) if record([comparison(tiled(n), -INF, 1.0)])["verdict"] == "holds")
    assert enough - 40 <= found["needs"]["seeds"] <= 1.1 * enough


@pytest.mark.parametrize(
    ("interval", "allowed", "equivalent", "destined", "seeds"),
    [
        ((-1.0, 10.0), (-2.0, 5.0), None, "holds", 161),
        ((-10.0, 1.0), (-5.0, 2.0), None, "holds", 161),
        ((-1.0, 10.0), (-INF, 5.0), None, "holds", 161),
        ((-3.0, 4.0), (2.0, 9.0), None, "fails", 161),
        ((-4.0, 3.0), (-9.0, -2.0), None, "fails", 161),
        ((-1.0, 10.0), (-INF, -0.5), (-2.0, 8.0), "fails", 63),
        ((-2.5, INF), (-2.0, INF), None, "holds", 63),
        ((-INF, 2.5), (-INF, 2.0), None, "holds", 63),
    ],
)
def test_the_seeds_wanted_are_those_of_the_bound_that_is_reached_last(interval, allowed, equivalent, destined, seeds):
    """Around 0 over 40 seeds: at (10/5)^2 or (4/2)^2 of them an end meets its bound; at (10/8)^2 that of equality."""
    interval = Interval(0.0, *interval, 0.95)
    judged = judgements.judge_one(replace(bare(*allowed), equivalent=equivalent), interval, interval, True)
    assert (judged.verdict, judged.destined, forecasts.wanted_seeds(judged, 40)) == ("unclear", destined, seeds)


def test_more_seeds_of_the_same_distribution_decide():
    """Truth 0.9, bound 1: twice the seeds that were asked for decide 4 of 5 fresh samples, the 40 there 1 of 12."""
    seeds = 2 * record([comparison(around(0.9), -INF, 1.0)])["needs"]["seeds"]
    rng = np.random.default_rng(8)
    few, many = ([record([comparison(rng.normal(0.9, 1.0, n), -INF, 1.0)]) for _ in range(40)] for n in (40, seeds))
    assert sum(r["verdict"] == "holds" for r in few) <= 10
    assert sum(r["verdict"] == "holds" for r in many) >= 25
    assert not any(r["verdict"] == "fails" for r in many)


def test_needs_of_several_comparisons():
    """All must hold, so that the slowest counts; but one failing is enough, so that the quickest of those counts.

    To fail, three comparisons share the error.
    """
    near, nearer, out, barely = (comparison(around(m, draw=2), -INF, 1.0) for m in (0.9, 0.95, 1.15, 1.01))
    alone = [record([each])["needs"]["seeds"] for each in (near, nearer, out, barely)]
    assert alone == [seeds_for(distance) for distance in (0.1, 0.05, 0.15, 0.01)]
    assert record([near, nearer])["needs"]["seeds"] == seeds_for(0.05)
    assert record([nearer, out, barely])["needs"]["seeds"] == seeds_for(0.15, 0.025 / 3)
    assert record([comparison(around(1.0, draw=2), -INF, 1.0)])["needs"] == {"what": "none", "seeds": None}


def test_the_bound_that_is_tolerated_decides_when_it_fails():
    """Estimate 1.15 +- 0.32, at most 1 allowed: fails where 1.1 is excluded, or 1.2 would never be."""
    bound, wide, wider = (
        record([comparison(around(1.15), -INF, high, tolerated=(-INF, outer))])
        for high, outer in ((1.1, 1.1), (1.0, 1.1), (1.0, 1.2))
    )
    assert bound["verdict"] == wide["verdict"] == wider["verdict"] == "unclear"
    assert wide["needs"] == bound["needs"]
    assert wide["needs"]["seeds"] > record([comparison(around(1.15), -INF, 1.0)])["needs"]["seeds"]
    assert wider["needs"] == {"what": "none", "seeds": None}
    inside = record([comparison(around(0.9), -INF, 1.0, tolerated=(-INF, 1.2))])
    assert inside["needs"] == record([comparison(around(0.9), -INF, 1.0)])["needs"]


def test_needs_with_one_comparison_between_the_bounds():
    """It keeps a claim from holding for ever, but not from failing."""
    between, inside, outside = (
        comparison(around(m, draw=2), -INF, 1.0, tolerated=(-INF, 1.2)) for m in (1.1, 0.9, 1.3)
    )
    assert record([between, inside])["needs"] == {"what": "none", "seeds": None}
    assert record([outside])["needs"]["seeds"] == seeds_for(0.1)
    assert record([between, outside, inside])["needs"]["seeds"] == seeds_for(0.1, 0.025 / 3)


def test_an_undefined_statistic_waits_for_what_it_rests_on():
    """It adds nothing to the needs of the others but a share of the error, and cannot keep them from failing."""
    undefined, near, far = (
        comparison(None, 0.4, 0.6),
        comparison(around(-0.2), 0.0, INF),
        comparison(around(-9), 0, INF),
    )
    found = record([undefined, near])
    assert (found["verdict"], found["needs"]) == ("unclear", {"what": "seeds", "seeds": seeds_for(0.2, 0.0125)})
    assert found["details"][1]["interval"] == pytest.approx([-0.2 - reach(), -0.2 + reach()])
    assert found["details"][1]["joint"] == pytest.approx([-0.2 - reach(0.0125), -0.2 + reach(0.0125)])
    assert found["details"][0] | {"label": ""} == {
        **{"reading": "r", "label": "", "curve": "curve", "verdict": "unclear", "margin": 0.0},
        **{"estimate": None, "interval": [None, None], "joint": [None, None], "allowed": [0.4, 0.6]},
    }
    assert record([undefined, far])["verdict"] == "fails"


# Where a verdict would be another


AT_MOST = [  # means of comparisons that are to be at most 1, and their verdict
    ([0.6], "holds"),
    ([0.6, 0.5], "holds"),
    ([0.9], "unclear"),
    ([0.9, 1.1, 0.2], "unclear"),
    ([1.6, 0.5], "fails"),
    ([1.6, 2.0, 0.9, 0.1], "fails"),
]


@pytest.mark.parametrize(("means", "verdict"), AT_MOST)
@pytest.mark.parametrize("sign", [1, -1])
def test_a_verdict_flips_where_the_limits_are(means, verdict, sign):
    """The worst own limit, where all would hold, and the joint limit where one would fail first.

    With a bound from below all is the other way round.
    """
    largest, k = max(means), len(means)
    parts = [comparison(around(sign * m, draw=d), *allowed(sign, 1.0)) for d, m in enumerate(means)]
    found = record(parts)
    assert found["verdict"] == verdict
    holds, fails = sign * (largest + reach()), sign * (largest - reach(0.025 / k))
    side = "high" if sign > 0 else "low"
    assert found["flips_at"] == {side: {"holds": pytest.approx(holds), "fails": pytest.approx(fails)}}
    for threshold, expected in ((holds, "holds"), (fails, "fails")):
        for outwards in (1e-9, -1e-9):
            bounds = allowed(sign, sign * threshold + outwards)
            moved = [comparison(around(sign * m, draw=d), *bounds) for d, m in enumerate(means)]
            changes = outwards > 0 if expected == "holds" else outwards < 0
            assert (record(moved)["verdict"] == expected) == changes


def allowed(sign, threshold):
    """At most the threshold, or at least its negative."""
    return (-INF, threshold) if sign > 0 else (-threshold, INF)


def test_both_bounds_of_a_range_flip():
    """0.2 and 0.5, both between 0 and 1: from 0 to 1 wide enough by 0.2 - 0.32 below, and 0.5 + 0.32 above."""
    found = record([comparison(around(m, draw=d), 0.0, 1.0) for d, m in enumerate((0.2, 0.5))])
    assert found["verdict"] == "unclear"
    assert found["flips_at"] == {
        "low": {"holds": pytest.approx(0.2 - reach()), "fails": pytest.approx(0.2 + reach(0.0125))},
        "high": {"holds": pytest.approx(0.5 + reach()), "fails": pytest.approx(0.5 - reach(0.0125))},
    }


def test_comparisons_with_another_range_or_reading_do_not_flip_with_the_decisive_one():
    """At most 1 decides; at most 9, and at most 1 in another reading, have thresholds of their own."""
    parts = [
        comparison(around(0.9), -INF, 1.0),
        comparison(around(5.0, draw=1), -INF, 9.0),
        comparison(around(0.95, draw=2), -INF, 1.0, "other"),
    ]
    found = record(parts)
    assert found["decisive"] == "-inf to 1.0"
    expected = {"holds": pytest.approx(0.95 + reach()), "fails": pytest.approx(0.95 - reach(0.025 / 3))}
    assert (found["estimate"], found["flips_at"]) == (pytest.approx(0.95), {"high": expected})
    found = record(parts[:2])
    expected = {"holds": pytest.approx(0.9 + reach()), "fails": pytest.approx(0.9 - reach(0.0125))}
    assert found["flips_at"] == {"high": expected}


def test_of_alternatives_the_one_that_would_do_longest_says_where_a_verdict_flips():
    """At least 0: 1.0 is nearer in its own limits, but 4.0 would hold at higher thresholds, and fail at higher ones."""
    sharp, wide = comparison(around(1.0, 0.1), 0.0, INF), comparison(around(4.0, 2.0, draw=1), 0.0, INF)
    found = record([replace(each, any_of="a") for each in (sharp, wide)])
    assert (found["verdict"], found["estimate"]) == ("holds", pytest.approx(1.0))
    assert found["flips_at"] == {
        "low": {"holds": pytest.approx(4 - reach(0.0125, 2.0)), "fails": pytest.approx(4 + reach(0.025, 2.0))}
    }


def test_with_what_is_undefined_no_threshold_would_hold():
    """The other one could still fail."""
    found = record([comparison(None, 0.4, 0.6), comparison(around(0.5), 0.4, 0.6)])
    assert found["flips_at"] == {
        "low": {"holds": None, "fails": pytest.approx(0.5 + reach(0.0125))},
        "high": {"holds": None, "fails": pytest.approx(0.5 - reach(0.0125))},
    }


def test_counts_and_findings_flip_too():
    """2 of 1000 and 5 of 1000, from the beta distribution; a finding between 1 and 2 is to be at most 1.5."""
    found = v.judge_counts([counted(2, 1000, 0.1), counted(5, 1000, 0.1)], "all")
    holds, fails = stats.beta.ppf(0.975, 6, 995), stats.beta.ppf(0.0125, 5, 996)
    assert found["flips_at"] == {"high": {"holds": pytest.approx(holds), "fails": pytest.approx(fails)}}
    found = v.judge_findings([finding(1.0, 2.0, -INF, 1.5)], "all")
    assert found["flips_at"] == {"high": {"holds": 2.0, "fails": 1.0}}


# What all runs of a curve say


def known(runs, skewness=0.0, spread=0.0):
    """Tails that say the same of these samples, by the number of runs, and nothing of others."""
    tails = {id(values): Tail(skewness, spread, number) for values, number in runs}
    return lambda values: tails.get(id(values))


def test_what_would_not_have_been_seen_is_rarer_than_3_in_the_runs_of_the_curve_that_has_fewest():
    """40 seeds show what happens in 3 of 40; more runs show more, of curves and algorithms that have them."""
    first, second = around(0.0), around(0.0, draw=1)
    parts = [comparison(each, -INF, 1.0) for each in (first, second)]
    assert record(parts, tails=no_tails)["resolution"] == 3 / 40
    assert record(parts, tails=known([(first, 4000)]))["resolution"] == 3 / 40
    assert record(parts, tails=known([(first, 4000), (second, 900)]))["resolution"] == 3 / 900
    undefined = [comparison(None, 0.0, 1.0), parts[0]]
    assert record(undefined, tails=known([(first, 4000)]))["resolution"] == 3 / 4000
    assert record(parts, tails=lambda _: Tail(0.0, 0.0, 40, seen=500))["resolution"] == 3 / 500
    bound = Tail(0.0, 0.0, 40, seen=INF)
    of_bound = {id(first): bound, id(second): Tail(0.0, 0.0, 60)}
    assert record(parts, tails=lambda row: of_bound[id(row)])["resolution"] == 3 / 60, "a bound has no runs"
    assert record(parts, tails=lambda _: bound)["resolution"] == 3 / 40
    assert record([comparison(np.array([0.0, 1.0]), -INF, 9.0)], tails=no_tails)["resolution"] == 1.0
    assert v.judge_counts([counted(0, 60, 0.1), counted(0, 500, 0.1)], "all")["resolution"] == 3 / 60
    assert v.judge_counts([counted(0, 2, 0.1)], "all")["resolution"] == 1.0
    assert v.judge_findings([finding(1.0, 2.0, 0.0, 3.0)], "all")["resolution"] is None


def with_few(runs, low, high, n=40):
    """The record of a mean of 4 of an algorithm that has shown so many runs."""
    x = around(4.0, n=n)
    return record([comparison(x, low, high)], tails=lambda _: Tail(0.0, 0.0, n, seen=runs))


@pytest.mark.parametrize(("low", "high", "decided"), [(-INF, 5.0, "holds"), (-INF, 3.0, "fails"), (5.0, INF, "fails")])
def test_a_mean_is_decided_once_a_kind_of_run_of_5_percent_would_have_been_seen(low, high, decided):
    """0.95^71 is 2.6 % and 0.95^72 is 2.49 %: 72 runs. Of 71 one is missing, and of 50 there are 22, a seed each."""
    assert with_few(72, low, high)["verdict"] == decided
    for runs, seeds in ((71, 41), (50, 62)):
        found = with_few(runs, low, high)
        assert found["verdict"] == "unclear"
        assert found["needs"] == {"what": "runs", "seeds": seeds}
        assert found["resolution"] == 3 / runs
    open_anyway = with_few(50, -INF, 4.1)
    assert open_anyway["needs"]["what"] == "seeds"


def test_of_many_comparisons_one_fails_only_with_more_runs():
    """2.5 % over 20 comparisons: 0.95^131 is 0.121 % and 0.95^130 is 0.127 %, on either side of 0.125 %."""
    for runs, verdict in ((130, "unclear"), (131, "fails")):
        tails = known([(x := around(4.0), runs)])
        every = [comparison(x, -INF, bound, label=f"{k}") for k, bound in enumerate([3.0, *[9.0] * 19])]
        found = record(every, tails=tails)
        assert found["verdict"] == verdict
        assert (found["needs"]["what"] == "runs") == (verdict == "unclear")
    x = around(4.0)
    held = [comparison(x, -INF, 9.0, label=f"{k}") for k in range(20)]
    assert record(held, tails=known([(x, 100)]))["verdict"] == "holds", "each holds by itself with 72 runs"


def test_medians_and_shares_of_runs_need_no_more_runs():
    x = around(4.0)
    for each in (replace(comparison(x, -INF, 5.0), of_means=False), shares_above(x, 0.5)):
        assert record([each], tails=no_tails)["verdict"] == "holds"


def shares_above(x, least):
    return Comparison("r", "", "x", share_of(x > 0), least, 1.0, least, 1.0)


def test_runs_that_nobody_saw_turn_a_verdict_from_a_size_on():
    """3 of 400 runs of S times a mean of 4 add 0.03 (S - 1), and so much lies between limit and bound."""
    x = around(4.0)
    tails = known([(x, 400)])
    holds, fails = 5.0 - (4.0 + reach()), 4.9 - (4.0 + reach())
    assert record([comparison(x, -INF, 5.0)], tails=tails)["turning_size"] == pytest.approx(1 + holds / 0.03)
    assert record([comparison(x, 4.9, INF)], tails=tails)["turning_size"] == pytest.approx(1 + fails / 0.03)
    every = [comparison(x, -INF, bound) for bound in (5.0, 9.0)]
    least = record(every, tails=tails)["turning_size"]
    assert least == pytest.approx(1 + holds / 0.03), "one that does not hold is enough"
    below = [comparison(x, bound, INF) for bound in (4.9, 9.0)]
    most = record(below, tails=tails)["turning_size"]
    assert most == pytest.approx(1 + (9.0 - (4.0 + reach(0.0125))) / 0.03), "all must not fail"
    more = record([comparison(x, -INF, 5.0)], tails=known([(x, 4000)]))["turning_size"]
    assert more == pytest.approx(1 + holds / 0.003)


def test_alternatives_of_which_one_holds_do_not_make_a_claim_fail():
    """It fails by the other set, whose runs need not be as large."""
    x = around(4.0)
    tails = known([(x, 400)])
    near, far = (replace(comparison(x, bound, INF), any_of="a") for bound in (4.9, 9.0))
    other = [replace(comparison(x, *each), any_of="b") for each in ((90.0, INF), (-INF, 9.0))]
    alone = record([near, far], tails=tails)
    found = record([near, far, *other], tails=tails)
    assert alone["verdict"] == found["verdict"] == "fails"
    assert found["turning_size"] == pytest.approx(alone["turning_size"], rel=0.2), "not the 3,000 of the other set"


def test_an_infinite_limit_away_from_the_bound_leaves_the_margin():
    found = v.judge_findings([finding(1.2, INF, 1, INF)], "all")
    assert (found["verdict"], found["margin"]) == ("holds", judgements.WIDEST_MARGIN)
    found = v.judge_findings([finding(0.5, INF, -INF, 4)], "all")
    assert (found["verdict"], found["margin"]) == ("unclear", 0.0)


def test_larger_runs_of_one_curve_only_move_a_difference_its_own_way():
    """x - y is -6 and wanted below 0: runs of x of S times their mean of 4 raise it, those of y lower it."""
    x, y = around(4.0), around(10.0, spread=2.0, draw=1)
    statistic = difference(x, y)
    spread = math.sqrt(np.var(x - y) * 40 / 39)
    least = stats.t.ppf(0.975, 39) * spread / math.sqrt(40)
    tails = known([(x, 400), (y, 400)])
    found = record([Comparison("r", "", "x", statistic, -INF, 0.0, -INF, 0.0)], tails=tails)
    assert found["verdict"] == "holds"
    assert found["turning_size"] == pytest.approx(1 + (6 - least) / 0.03, rel=1e-6)
    wrong = record([Comparison("r", "", "x", statistic, 0.0, INF, 0.0, INF)], tails=tails)
    assert wrong["verdict"] == "fails"
    assert wrong["turning_size"] == pytest.approx(found["turning_size"])


def test_of_alternatives_all_must_be_turned_that_hold_and_one_that_fails():
    """Means 4 and 2, of which the second needs more to rise to 5."""
    rows = around(4.0), around(2.0, draw=1)
    tails = known([(x, 400) for x in rows])
    pair = [replace(comparison(x, -INF, 5.0), any_of="a") for x in rows]
    assert record(pair, tails=tails)["turning_size"] == pytest.approx(1 + (3.0 - reach(0.0125)) / 0.015)
    pair = [replace(comparison(x, 5.0, INF), any_of="a") for x in rows]
    assert record(pair, tails=tails)["turning_size"] == pytest.approx(1 + (1.0 - reach()) / 0.03)


def test_no_size_turns_what_larger_runs_confirm_nor_what_is_not_decided():
    x = around(4.0)
    for found in ([comparison(x, 1.0, INF)], [comparison(x, -INF, 1.0)], [comparison(x, -INF, 4.1)]):
        assert record(found)["turning_size"] is None
    assert record([shares_above(x, 0.5)])["turning_size"] is None
    assert record([replace(comparison(x, -INF, 5.0), of_means=False)])["turning_size"] is None
    assert v.judge_counts([counted(0, 60, 0.1)], "all")["turning_size"] is None
    assert v.judge_findings([finding(1.0, 2.0, 0.0, 3.0)], "all")["turning_size"] is None


def test_tied_curves_differ_if_unseen_runs_are_large_enough():
    """x - y is 0 and tied within 1; with 3 of 400 runs of S times a mean of 4 it is not."""
    x = around(4.0)
    tied = Comparison("r", "", "x", difference(x, x[::-1]), -INF, 0.0, -INF, 0.0, equivalent=(-1.0, 1.0))
    found = record([tied], tails=lambda _: Tail(0.0, 0.0, 400))
    assert (found["verdict"], found["details"][0]["tied"]) == ("fails", True)
    assert found["turning_size"] == pytest.approx(1 + (1.0 - found["details"][0]["joint"][1]) / 0.03)


def test_the_skewness_of_all_runs_moves_the_limits():
    """Skewness 1.5 of 4000 runs: the quantile q gets 1.5 (2 q^2 + 1) / (6 root of 40) on the side of the long tail.

    The spread of these runs, 0.1 of their mean of 1, is smaller than that of the 40 seeds, which counts.
    """
    values = around(1.0)
    tails = known([(values, 4000)], 1.5, 0.1)
    (row,) = record([comparison(values, -INF, 2.0)], tails=tails)["details"]
    q, sd = stats.t.ppf(0.975, 39), math.sqrt(40 / 39)
    longer = (q + 1.5 * (2 * q * q + 1) / (6 * math.sqrt(40))) * sd / math.sqrt(40)
    assert row["interval"] == pytest.approx([1 - reach(), 1 + longer])
    (measured,) = v.measured([comparison(values, -INF, INF)], tails)["details"]
    assert measured["interval"] == row["interval"]
    half = [comparison(values, -INF, 2.0, label=label) for label in "ab"]
    q = stats.t.ppf(0.9875, 39)
    longer = (q + 1.5 * (2 * q * q + 1) / (6 * math.sqrt(40))) * sd / math.sqrt(40)
    joint = record(half, tails=tails)["joint"]
    assert joint == pytest.approx([1 - reach(0.0125), 1 + longer])


# Counts


def counted(events, runs, rate, seeds=100, reading="r"):
    return Count(reading, f"{events} of {runs}", "curve", events, runs, seeds, rate)


@pytest.mark.parametrize(
    ("events", "runs"), [(0, 10), (1, 10), (9, 10), (10, 10), (0, 1000), (1, 1000), (17, 5000), (2500, 5000)]
)
@pytest.mark.parametrize("alpha", [0.025, 0.0125])
def test_intervals_of_a_count_are_those_of_scipy(events, runs, alpha):
    judged = judgements.judge_count(counted(events, runs, 0.01), alpha)
    for interval, level in ((judged.interval, 0.95), (judged.joint, 1 - 2 * alpha)):
        expected = stats.binomtest(events, runs).proportion_ci(level, "exact")
        assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high), rel=1e-9, abs=1e-11)
        assert (interval.estimate, interval.level) == (events / runs, level)


@pytest.mark.parametrize(
    ("events", "runs", "rate", "expected"),
    [
        (0, 3688, 0.001, "holds"),  # log(0.025) / log(0.999) is 3687.04
        (0, 3687, 0.001, "unclear"),
        (0, 1000, 0.0, "unclear"),
        (0, 10, 0.31, "holds"),  # 0.025**(1/10) is 0.69
        (0, 10, 0.3, "unclear"),
        (1, 10**6, 0.5, "holds"),
        (1, 1000, 0.0, "fails"),
        (1, 1, 0.0, "fails"),
        (3, 1000, 0.001, "unclear"),
        (10, 1000, 0.001, "fails"),
        (10, 10, 0.9, "unclear"),
        (10, 10, 0.69, "fails"),
        (10, 10, 1.0, "holds"),
    ],
)
def test_a_count_holds_below_its_upper_limit_and_fails_above_its_lower_one(events, runs, rate, expected):
    judged = judgements.judge_count(counted(events, runs, rate), 0.025)
    assert judged.verdict == expected
    seen = events / runs
    assert judged.destined == ("holds" if seen < rate else "fails" if seen > rate else "unclear")
    assert judged.allowed == judged.decided_by == (-INF, rate)
    assert (judged.margin >= 1, judged.margin < -1) == (expected == "holds" and rate < 1, expected == "fails")


@pytest.mark.parametrize(("runs", "rate"), [(50, 0.1), (1000, 0.001), (1000, 0.3)])
@pytest.mark.parametrize("alpha", [0.025, 0.005])
def test_a_count_is_decided_where_so_few_or_so_many_events_are_rarer_than_the_tail(runs, rate, alpha):
    """P(so few or fewer at the rate allowed) at most 2.5 % holds, P(so many or more) below its part of it fails.

    Both from the binomial distribution itself, which decides exactly at the limit and not one event before.
    """
    events = np.arange(runs + 1)
    few = stats.binom.cdf(events, runs, rate) <= 0.025
    many = stats.binom.sf(events - 1, runs, rate) < alpha
    verdicts = [judgements.judge_count(counted(k, runs, rate), alpha).verdict for k in events.tolist()]
    assert verdicts == np.where(few, "holds", np.where(many, "fails", "unclear")).tolist()


def test_counts_share_the_error_of_failing_and_not_that_of_holding():
    """5 of 1000 where 0.16 % are allowed: P(5 or more) = 2.4 %, below 2.5 % but above half of that.

    0 of 2400 hold there beside others as well: P(0) = 2.1 %.
    """
    assert 0.0125 < stats.binom.sf(4, 1000, 0.0016) < 0.025
    assert 0.0125 < stats.binom.cdf(0, 2400, 0.0016) < 0.025
    first, second = counted(5, 1000, 0.0016), counted(0, 2400, 0.0016)
    assert v.judge_counts([first], "all")["verdict"] == "fails"
    assert v.judge_counts([second, second], "all")["verdict"] == "holds"
    found = v.judge_counts([first, second], "all")
    assert (found["verdict"], found["decisive"], found["level"]) == ("unclear", "5 of 1000", 0.95)
    assert [d["verdict"] for d in found["details"]] == ["unclear", "holds"]
    for key, level in (("interval", 0.95), ("joint", 0.975)):
        expected = stats.binomtest(5, 1000).proportion_ci(level, "exact")
        assert found[key] == pytest.approx([expected.low, expected.high])


def decided(count, runs, alpha):
    """Whether the count would be decided at its rate in so many runs (an array), from the beta distribution."""
    events = count.events * runs / count.runs
    few = stats.beta.cdf(count.rate, events + 1, runs - events) >= 0.975
    return few | (stats.beta.cdf(count.rate, events, runs - events + 1) < alpha) if count.events else few


@pytest.mark.parametrize(
    ("events", "runs", "rate", "alpha"),
    [
        (0, 300, 0.01, 0.025),
        (0, 10, 0.001, 0.025),
        (0, 300, 1e-5, 0.025),
        (1, 300, 0.01, 0.025),
        (8, 1000, 0.01, 0.025),
        (5, 1000, 0.0025, 0.025),
        (5, 1000, 0.0016, 0.0125),
        (12, 1000, 0.01, 0.025),
        (12, 1000, 0.01, 0.0025),
        (24, 1000, 0.01, 0.025),
    ],
)
def test_runs_needed_agree_with_brute_force(events, runs, rate, alpha):
    """The least number that decides, but for a part in a thousand: all from there on do."""
    count = counted(events, runs, rate)
    every = np.arange(runs, 10**6)
    enough = every[decided(count, every, alpha)]
    assert np.array_equal(enough, np.arange(enough[0], 10**6))
    assert enough[0] <= forecasts.runs_needed(count, alpha) <= 1.001 * enough[0] + 1


@pytest.mark.parametrize(("events", "runs", "rate"), [(3, 300, 0.01), (0, 100, 0.0), (0, 1, 1e-12)])
def test_no_affordable_number_of_runs_decides_next_to_the_rate(events, runs, rate):
    """The rate itself was seen, or no upper limit comes below one that is next to nothing."""
    count = counted(events, runs, rate)
    assert forecasts.runs_needed(count, 0.025) == INF
    found = v.judge_counts([count], "all")
    assert (found["verdict"], found["needs"]) == ("unclear", {"what": "none", "seeds": None})


def test_needs_of_counts():
    """None in 368 runs holds at 1 %: where 100 seeds make 300 runs, 123 do it. At 1 of 300 more are needed."""
    few = [counted(0, 300, 0.01, seeds=100), counted(0, 600, 0.01, seeds=100)]
    assert stats.binom.cdf(0, 368, 0.01) < 0.025 < stats.binom.cdf(0, 367, 0.01)
    found = v.judge_counts(few, "all")
    assert (found["verdict"], found["n"], found["needs"]) == ("unclear", 100, {"what": "seeds", "seeds": 123})
    for seeds, verdict in ((122, "unclear"), (123, "holds")):
        then = v.judge_counts([counted(0, seeds * c.runs // 100, c.rate, seeds=seeds) for c in few], "all")
        assert (then["verdict"], then["needs"]["what"]) == (verdict, "none" if verdict == "holds" else "seeds")
    seen = v.judge_counts([counted(1, 300, 0.01), few[1]], "all")
    assert (seen["verdict"], seen["needs"]["what"]) == ("unclear", "seeds")
    every = np.arange(300, 3000)
    least = every[decided(counted(1, 300, 0.01), every, 0.0125)][0]
    assert seen["needs"]["seeds"] == pytest.approx(least / 3, rel=0.002)
    assert v.judge_counts([counted(9, 10, 0.01)], "all")["needs"] == {"what": "none", "seeds": None}


def test_one_count_that_would_fail_soon_is_enough():
    """5 of 1000 are above 0.25 % for certain long before 2 of 1000 are below it; two counts share the error."""
    fails, slow = counted(5, 1000, 0.0025), counted(2, 1000, 0.0025)
    every = np.arange(1000, 10_000)
    first = every[decided(fails, every, 0.0125)][0]
    found = v.judge_counts([fails, slow], "all")
    assert found["verdict"] == "unclear"
    assert found["needs"]["seeds"] == pytest.approx(first / 10, rel=0.002)
    assert v.judge_counts([slow], "all")["needs"]["seeds"] > 1000
    assert v.judge_counts([fails], "all")["needs"]["seeds"] < found["needs"]["seeds"]


def test_a_count_that_only_its_share_of_the_error_keeps_from_failing_needs_more_seeds():
    """5 of 1000 at 0.16 % would fail alone; beside another count it takes more than the 100 seeds there are."""
    found = v.judge_counts([counted(5, 1000, 0.0016), counted(0, 10_000, 0.0016)], "all")
    assert (found["verdict"], found["needs"]["what"]) == ("unclear", "seeds")
    assert found["needs"]["seeds"] > 100


def test_readings_of_counts_that_disagree_are_unclear_and_need_nothing():
    parts = [counted(0, 1000, 0.1, reading="weak"), counted(9, 1000, 0.0, reading="strict")]
    found = v.judge_counts(parts, "readings")
    assert found["readings"] == [{"reading": "weak", "verdict": "holds"}, {"reading": "strict", "verdict": "fails"}]
    assert (found["verdict"], found["needs"]) == ("unclear", {"what": "none", "seeds": None})
    assert v.judge_counts(parts, "all")["verdict"] == "fails"


# Closed forms


def finding(least, most, low, high, reading="r"):
    return judgements.Finding(reading, f"{least} to {most}", least, most, low, high)


@pytest.mark.parametrize(
    ("value", "allowed", "expected"),
    [
        ((1.0, 2.0), (0.0, 3.0), "holds"),
        ((1.0, 2.0), (1.0, 2.0), "holds"),
        ((1.0, 2.0), (-INF, 2.0), "holds"),
        ((1.0, 2.0), (1.0, INF), "holds"),
        ((1.0, 2.0), (1.5, INF), "unclear"),
        ((1.0, 2.0), (-INF, 1.5), "unclear"),
        ((1.0, 2.0), (1.25, 1.75), "unclear"),
        ((1.0, 2.0), (-INF, 1.0), "unclear"),
        ((1.0, 2.0), (2.0, INF), "unclear"),
        ((1.0, 2.0), (2.5, 3.0), "fails"),
        ((1.0, 2.0), (-INF, math.nextafter(1, 0)), "fails"),
        ((1.0, 1.0), (1.0, 1.0), "holds"),
        ((1.0, 1.0), (math.nextafter(1, 2), INF), "fails"),
        ((1.0, INF), (-INF, 2.0), "unclear"),
        ((1.0, INF), (1.0, INF), "holds"),
        ((3.0, INF), (-INF, 2.0), "fails"),
    ],
)
def test_bounds_on_a_number_hold_fail_and_leave_open(value, allowed, expected):
    """A value on a bound is inside; a lower bound above the range fails it, whatever the upper one is."""
    found = v.judge_findings([finding(*value, *allowed)], "all")
    assert found["verdict"] == found["details"][0]["verdict"] == expected
    assert found["interval"] == [end if math.isfinite(end) else None for end in value]
    assert found["needs"] == {"what": "none", "seeds": None, "cost": None}
    assert (found["n"], found["level"], found["comparisons"]) == (None, None, 1)


def test_the_value_that_stands_for_bounds_is_one_of_them():
    """The lower one, unless the range begins above it."""
    assert v.judge_findings([finding(1.0, 2.0, -INF, 1.5)], "all")["estimate"] == 1.0
    assert v.judge_findings([finding(1.0, 2.0, 1.5, INF)], "all")["estimate"] == 2.0


def test_findings_combine():
    inside, outside = finding(1.0, 1.0, 0.0, 2.0, "a"), finding(3.0, 3.0, 0.0, 2.0, "b")
    found = v.judge_findings([inside, outside], "all")
    assert (found["verdict"], found["decisive"], found["estimate"]) == ("fails", "3.0 to 3.0", 3.0)
    assert v.judge_findings([inside, outside], "readings")["verdict"] == "unclear"
    assert v.judge_findings([inside, inside], "readings")["verdict"] == "holds"


# Measurements


def test_measured_is_the_estimate_and_the_interval_without_a_verdict():
    """The same interval as in a claim, each of its own; the undefined is None."""
    parts = [
        comparison(around(0.9), -INF, INF),
        comparison(around(2.0, draw=1), -INF, INF),
        comparison(None, -INF, INF),
    ]
    found = v.measured(parts)
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert set(found) == {"n", "level", "details"}
    assert (found["n"], found["level"]) == (40, 0.95)
    for row, judged in zip(found["details"], record(parts)["details"], strict=True):
        assert set(row) == {"reading", "label", "curve", "estimate", "interval"}
        assert row == {key: judged[key] for key in row}
    assert [row["estimate"] for row in found["details"]] == [pytest.approx(0.9), pytest.approx(2.0), None]
    assert found["details"][2]["interval"] == [None, None]
    assert found["details"][0]["interval"] == pytest.approx(stats.t.interval(0.95, 39, 0.9, 1 / math.sqrt(39)))


def priced(points, replicates, milliseconds, seeds):
    """A curve as it costs, in chunks of 200 seeds."""
    return SimpleNamespace(
        points=[{}] * points, replicates=replicates, milliseconds=milliseconds, chunk=200, seeds=seeds
    )


@pytest.mark.parametrize(("wanted", "seeds", "seconds"), [(201, 400, 3.0), (400, 400, 3.0), (401, 600, 6.0)])
def test_cost_rounds_up_to_chunks_and_prices_every_run(wanted, seeds, seconds):
    """14 points of 10 replicates of 0.1 ms, and one run of 1 ms: 15 ms a seed, 200 seeds there, chunks of 200."""
    curves = [priced(14, 10, 0.1, 200), priced(1, 1, 1.0, 200)]
    found = costed({"what": "seeds", "seeds": wanted}, curves, curves)
    assert found == {"what": "seeds", "seeds": seeds, "cost": seconds}


@pytest.mark.parametrize(("what", "wanted"), [("seeds", 200), ("seeds", 201), ("seeds", 600), ("runs", 1000)])
def test_cost_counts_for_every_curve_the_seeds_that_it_lacks(what, wanted):
    """14 ms a seed of a curve that has 400, 1 ms of one that has 200, 5 ms of one that has 600; others have none."""
    curves = [priced(14, 10, 0.1, 400), priced(1, 1, 1.0, 200), priced(1, 1, 5.0, 600)]
    others = [*curves, priced(1, 1, 1000.0, 200)]
    first, second, third = {200: (0, 0, 0), 201: (0, 200, 0), 600: (200, 400, 0), 1000: (600, 800, 400)}[wanted]
    found = costed({"what": what, "seeds": wanted}, others, curves)
    assert found["cost"] == pytest.approx(0.014 * first + 0.001 * second + 0.005 * third)


def test_a_longer_horizon_costs_all_runs_of_the_experiment():
    """Ten times 400 seeds of 14 ms and 200 of 1 ms, whatever curves stand for the calibration."""
    curves = [priced(14, 10, 0.1, 400), priced(1, 1, 1.0, 200)]
    assert costed({"what": "horizon", "seeds": None}, curves, curves[1:])["cost"] == pytest.approx(58.0)


def test_nothing_costs_nothing():
    assert costed({"what": "none", "seeds": None}, [], []) == {"what": "none", "seeds": None, "cost": None}


# Margins


@pytest.mark.parametrize(
    ("found", "margin"),
    [
        (finding(1, 2.5, -math.inf, 2), 2 / 3),
        (finding(1, 2, -math.inf, 2), 1),
        (finding(2.1, 2.5, -math.inf, 2), -judgements.WIDEST_MARGIN),
        (finding(0, 0.5, 1, math.inf), -judgements.WIDEST_MARGIN),
        (finding(0.5, 2, 1, math.inf), 2 / 3),
    ],
)
def test_margins_of_bounds_count_towards_the_bound(found, margin):
    """[1, 2.5] against at most 2 reaches 1.5 upwards from 1, and 1 is inside; [0.5, 2] reaches 1.5 downwards from 2."""
    assert v.judge_findings([found], "all")["margin"] == pytest.approx(margin)


def test_margin_of_a_count_says_what_the_verdict_says():
    """3 of 1000 at a rate of 0.0006: the lower limit, 0.00062, lies above it."""
    found = v.judge_counts([counted(3, 1000, 0.0006)], "all")
    assert (found["verdict"], found["margin"] < -1) == ("fails", True)
    for runs, verdict in ((300, "unclear"), (999, "holds")):
        found = v.judge_counts([counted(0, runs, 0.01)], "all")
        assert (found["verdict"], found["margin"]) == (verdict, pytest.approx(0.01 / (1 - 0.025 ** (1 / runs))))


def test_the_decisive_finding_has_the_verdict_of_the_claim():
    """One on its bound holds with margin 0; the claim is unclear for another one."""
    found = v.judge_findings([finding(2, 2, -math.inf, 2), finding(1, 2.5, -math.inf, 2)], "all")
    assert (found["verdict"], found["interval"]) == ("unclear", [1, 2.5])
