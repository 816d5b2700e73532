"""Predicates on synthetic samples that satisfy them, break them, and straddle their bounds."""

import math

import numpy as np
import pytest

from dpbandits.claims.predicates import COUNTS, PREDICATES
from dpbandits.claims.verdicts import judge, judge_counts
from dpbandits.statistics import standard_error

SEEDS = 40
SPREAD = 5.0  # standard deviation of every synthetic sample: an error of 0.8, an interval of about +-2

HORIZONS = {"eps": [1], "T": [100, 1000, 10000]}

TESTS = {  # by predicate, and what is particular about its test
    "ratio_between": {"curves": ["x"], "against": "b", "at": {"eps": [1, 2]}, "bounds": [0.9, 1.2]},
    "ratio_between, tolerated": {
        "curves": ["x"],
        "against": "b",
        "at": {"eps": [1, 2]},
        "bounds": [0.9, 1.2],
        "tolerated": [0.8, 1.4],
    },
    "excess_ratio_between": {
        "curves": ["x"],
        "against": "y",
        "baseline": "b",
        "at": {"eps": [1, 2]},
        "bounds": [None, 0.5],
    },
    "ordered": {"curves": ["x", "y", "z"], "at": {"eps": [1, 2]}},
    "ordered, equal in law": {"curves": ["x", "y"], "at": {"eps": [1, 2]}, "indistinguishable": True},
    "decreasing": {"curves": ["x"], "at": {"eps": [1, 2, 3]}, "bounds": [None, 1.05]},
    "decreasing, against": {"curves": ["x"], "against": "b", "at": {"eps": [1, 2, 3]}, "bounds": [None, 1.05]},
    "slope_between": {"curves": ["x"], "along": "T", "at": HORIZONS, "bounds": [0.4, 0.6]},
    "slope_between, baseline": {
        "curves": ["x"],
        "baseline": "b",
        "along": "T",
        "at": HORIZONS,
        "bounds": [0.4, 0.6],
    },
    "flat": {"curves": ["x"], "over": "T", "at": HORIZONS, "bounds": [0.9, 1.1]},
    "share": {"curves": ["x"], "column": "regret", "above": 100.0, "at": {"eps": [1, 2]}, "bounds": [None, 0.5]},
}

# Test, means by curve at the first setting, the second, .. (or at all), verdict.
CASES = [
    ("ratio_between", {"x": 105, "b": 100}, "holds"),
    ("ratio_between", {"x": [105, 115], "b": 100}, "holds"),
    ("ratio_between", {"x": [105, 130], "b": 100}, "fails"),
    ("ratio_between", {"x": [105, 80], "b": 100}, "fails"),
    ("ratio_between", {"x": [105, 121], "b": 100}, "unclear"),
    ("ratio_between", {"x": [89, 121], "b": 100}, "unclear"),
    ("ratio_between", {"x": [130, 121], "b": 100}, "fails"),
    ("ratio_between, tolerated", {"x": [105, 115], "b": 100}, "holds"),
    ("ratio_between, tolerated", {"x": [105, 130], "b": 100}, "unclear"),
    ("ratio_between, tolerated", {"x": [105, 85], "b": 100}, "unclear"),
    ("ratio_between, tolerated", {"x": [105, 140.5], "b": 100}, "unclear"),
    ("ratio_between, tolerated", {"x": [105, 150], "b": 100}, "fails"),
    ("ratio_between, tolerated", {"x": [70, 130], "b": 100}, "fails"),
    ("excess_ratio_between", {"x": 120, "y": 200, "b": 100}, "holds"),
    ("excess_ratio_between", {"x": [120, 90], "y": 200, "b": 100}, "holds"),
    ("excess_ratio_between", {"x": [120, 160], "y": 200, "b": 100}, "fails"),
    ("excess_ratio_between", {"x": [120, 150.5], "y": 200, "b": 100}, "unclear"),
    ("ordered", {"x": 100, "y": 110, "z": 120}, "holds"),
    ("ordered", {"x": [100, 130], "y": [110, 140], "z": [120, 150]}, "holds"),
    ("ordered", {"x": 100, "y": 110, "z": [120, 105]}, "fails"),
    ("ordered", {"x": 100, "y": [110, 100.5], "z": 120}, "unclear"),
    ("ordered", {"x": 100, "y": 110, "z": [120, 109.5]}, "unclear"),
    ("ordered, equal in law", {"x": 100, "y": 110}, "holds"),
    ("ordered, equal in law", {"x": [100, 110], "y": [110, 100]}, "fails"),
    ("ordered, equal in law", {"x": 100, "y": [110, 100.5]}, "unclear"),
    ("decreasing", {"x": [300, 200, 100]}, "holds"),
    ("decreasing", {"x": [200, 202, 100]}, "holds"),
    ("decreasing", {"x": [200, 230, 100]}, "fails"),
    ("decreasing", {"x": [200, 211, 100]}, "unclear"),
    ("decreasing, against", {"x": [300, 200, 100], "b": 100}, "holds"),
    ("decreasing, against", {"x": 200, "b": [100, 200, 300]}, "holds"),
    ("decreasing, against", {"x": [300, 200, 100], "b": [300, 200, 50]}, "fails"),
    ("decreasing, against", {"x": [300, 200, 100], "b": [300, 200, 100]}, "unclear"),
    ("decreasing, against", {"x": [300, 211, 100], "b": [300, 200, 200]}, "unclear"),
    ("slope_between", {"x": [100, 316.23, 1000]}, "holds"),
    ("slope_between", {"x": [100, 501, 2512]}, "fails"),
    ("slope_between", {"x": [100, 316.23, 100]}, "fails"),
    ("slope_between", {"x": [100, 398.6, 1588.5]}, "unclear"),
    ("slope_between, baseline", {"x": [1100, 1316.23, 2000], "b": 1000}, "holds"),
    ("slope_between, baseline", {"x": [200, 632.46, 2000], "b": [100, 316.23, 1000]}, "holds"),
    ("slope_between, baseline", {"x": [1100, 1501, 3512], "b": 1000}, "fails"),
    ("slope_between, baseline", {"x": [990, 1316.23, 2000], "b": 1000}, "fails"),
    ("slope_between, baseline", {"x": [1100, 1398.6, 2588.5], "b": 1000}, "unclear"),
    ("slope_between, baseline", {"x": [1000.5, 1316.23, 2000], "b": 1000}, "unclear"),
    ("slope_between, baseline", {"x": [999.5, 1316.23, 2000], "b": 1000}, "unclear"),
    ("flat", {"x": [200, 2000, 20000]}, "holds"),
    ("flat", {"x": [200, 2000, 22000]}, "holds"),
    ("flat", {"x": [200, 2000, 30000]}, "fails"),
    ("flat", {"x": [150, 2000, 20000]}, "fails"),
    ("flat", {"x": [200, 2000, 23158]}, "unclear"),
    ("flat", {"x": [171.4, 2000, 20000]}, "unclear"),
    ("share", {"x": 95}, "holds"),
    ("share", {"x": [95, 105]}, "fails"),
    ("share", {"x": [95, 100]}, "unclear"),
]


def around(mean, draw, n=SEEDS, spread=SPREAD):
    """A normal sample with exactly this mean and this standard deviation."""
    scores = np.random.default_rng((7, draw)).normal(size=n)
    return mean + spread * (scores - scores.mean()) / scores.std()


def samples(means):
    """Independent samples by curve and setting."""

    def sample(curve, setting, column="regret"):
        place, value = list(means).index(curve), means[curve]
        step = round(math.log10(setting["T"])) - 2 if "T" in setting else int(setting["eps"]) - 1
        return around(value[step] if isinstance(value, list) else value, 10 * place + step)

    return sample


def compare(test, sample, **changes):
    return PREDICATES[test.partition(",")[0]]({"reading": "r", **TESTS[test], **changes}, sample)


def verdict(comparisons):
    return judge(comparisons, np.random.default_rng(1), "all")["verdict"]


def estimates(comparisons):
    return [c.statistic.estimate for c in comparisons]


def test_every_predicate_holds_fails_and_is_unclear_on_some_case():
    assert {name.partition(",")[0] for name in TESTS} == set(PREDICATES)
    assert {(name, found) for name, _, found in CASES} == {
        (name, found) for name in TESTS for found in ("holds", "fails", "unclear")
    }


@pytest.mark.parametrize(("test", "means", "expected"), CASES)
def test_verdict_on_synthetic_samples(test, means, expected):
    assert verdict(compare(test, samples(means))) == expected


# Statistics by hand: four seeds, means 6, 2 and 4


def by_hand(curve, setting, column="regret"):
    scale = setting["eps"]
    rows = {"x": [4, 8, 6, 6], "y": [1, 3, 1, 3], "b": [4, 4, 3, 5]}
    return scale * np.array(rows[curve], dtype=float)


def test_ratio_between_by_hand():
    """6/2 at both settings; x - 3y = (1, -1, 3, -3), over mean(y) = 2: sd sqrt(20/3)/2, error sd/2."""
    found = compare("ratio_between", by_hand, against="y")
    assert estimates(found) == [3, 3]
    assert standard_error(found[0].statistic) == pytest.approx(math.sqrt(20 / 3) / 4, rel=1e-14)
    assert {(c.low, c.high) for c in found} == {(0.9, 1.2)}


def test_excess_ratio_by_hand():
    """Excess of x over b (0, 4, 3, 1), mean 2; of y (-3, -1, -2, -2), mean -2: ratio -1, sum (-3, 3, 1, -1)."""
    found = compare("excess_ratio_between", by_hand)
    assert estimates(found) == [-2, -4, -1, -1]
    assert [c.low for c in found] == [0, 0, -math.inf, -math.inf]
    assert [c.high for c in found] == [math.inf, math.inf, 0.5, 0.5]
    assert standard_error(found[2].statistic) == pytest.approx(math.sqrt(20 / 3) / 4, rel=1e-14)


def test_ordered_by_hand():
    """x - y = 4 and y - b = -2, times eps; x - y = (3, 5, 5, 3) has sd sqrt(4/3)."""
    found = compare("ordered", by_hand, curves=["x", "y", "b"])
    assert estimates(found) == [4, 8, -2, -4]
    assert standard_error(found[0].statistic) == pytest.approx(math.sqrt(4 / 3) / 2, rel=1e-14)
    assert {(c.low, c.high) for c in found} == {(-math.inf, 0.0)}


def test_decreasing_by_hand():
    """The sample is proportional to eps: factors 2, 3/2 and, in all, 3, without error."""
    found = compare("decreasing", by_hand)
    assert estimates(found) == pytest.approx([2, 1.5, 3])
    assert [c.high for c in found] == [1.05, 1.05, 1.0]
    assert all(standard_error(c.statistic) == 0 for c in found)


def test_decreasing_against_by_hand():
    """x over y at eps = 1 is 6/2; the sample of y is doubled once more at eps = 2: a factor of 1/2.

    x and y by seed over their means: (4, 8, 6, 6)/6 and (1, 3, 1, 3)/2 at both settings, so that they cancel; the
    second row of y is turned round: (3, 1, 3, 1)/2, which leaves y1 - y2 = (-1, 1, -1, 1), times 1/2: sd sqrt(1/3).
    """
    rows = {("x", 1): [4, 8, 6, 6], ("x", 2): [8, 16, 12, 12], ("y", 1): [1, 3, 1, 3], ("y", 2): [12, 4, 12, 4]}
    found = compare(
        "decreasing, against",
        lambda curve, setting: np.array(rows[curve, setting["eps"]]),
        against="y",
        at={"eps": [1, 2]},
    )
    assert estimates(found) == [0.5, 0.5]
    assert standard_error(found[0].statistic) == pytest.approx(math.sqrt(1 / 3) / 2, rel=1e-14)
    assert [c.high for c in found] == [1.05, 1.0]


SLOPE = {1: [1, 3, 2], 2: [2, 2, 8]}  # means 2 and 4


def test_slope_by_hand():
    """Slope 1; influence (x2/4 - x1/2) / log 2 = (0, -1, 1) / log 2, of sd 1 / log 2."""
    (found,) = compare("slope_between", lambda _, setting: np.array(SLOPE[setting["T"]]), at={"T": [1, 2]})
    assert found.statistic.estimate == pytest.approx(1, rel=1e-14)
    assert standard_error(found.statistic) == pytest.approx(1 / math.log(2) / math.sqrt(3), rel=1e-14)
    assert (found.low, found.high) == (0.4, 0.6)


def test_slope_over_a_baseline_by_hand():
    """The baseline takes away again what each seed got in addition; each excess is to be positive."""
    base = np.array([5.0, 7.0, 9.0])
    found = compare(
        "slope_between, baseline",
        lambda curve, setting: base + (np.array(SLOPE[setting["T"]]) if curve == "x" else 0.0),
        at={"T": [1, 2]},
    )
    assert estimates(found) == pytest.approx([2, 4, 1], rel=1e-14)
    assert standard_error(found[2].statistic) == pytest.approx(1 / math.log(2) / math.sqrt(3), rel=1e-13)
    assert [(c.low, c.high) for c in found] == [(0.0, math.inf), (0.0, math.inf), (0.4, 0.6)]


def test_flat_by_hand():
    """Over T: (1, 3) and (3, 5), average (2, 4) of mean 3; 2/3 with influence ((1, 3) - 2/3 (2, 4))/3 = (-1, 1)/9."""
    rows = {1: [1, 3], 2: [6, 10]}
    found = compare("flat", lambda _, setting: np.array(rows[setting["T"]]), at={"T": [1, 2]})
    assert estimates(found) == pytest.approx([2 / 3, 4 / 3], rel=1e-14)
    assert [standard_error(c.statistic) for c in found] == pytest.approx([1 / 9, 1 / 9], rel=1e-13)


def test_flat_over_sqrt_T_log_T_by_hand():
    """sqrt(T log T) is sqrt(e) at T = e and 2 e**2 at T = e**4; over T the same sample is 3.2 times as high at e."""
    size = {math.e: math.sqrt(math.e), math.e**4: 2 * math.e**2}

    def sample(curve, setting):
        return np.array([1.0, 2.0, 6.0]) * size[setting["T"]]

    found = compare("flat", sample, at={"T": list(size)}, over="sqrt_T_log_T")
    assert estimates(found) == pytest.approx([1, 1], rel=1e-14)
    assert all(standard_error(c.statistic) < 1e-15 for c in found)
    first, second = estimates(compare("flat", sample, at={"T": list(size)}))
    assert (first + second, first / second) == pytest.approx((2, math.e**1.5 / 2), rel=1e-14)


def columns(curve, setting, column="regret"):
    """Two outputs of four runs; the eighth part of a rounding error above 6 is above 6."""
    rows = {"regret": [4, 8, 6, 6], "over_bound": [0, 6, math.nextafter(6, 7), 9]}
    return setting["eps"] * np.array(rows[column], dtype=float)


def test_share_by_hand():
    """Above 5 lie 3 of (4, 8, 6, 6), sd 1/2; above 6, where two of them lie, 1; at eps = 2 all."""
    (found,) = compare("share", columns, above=5, at={"eps": [1]})
    assert (found.statistic.estimate, standard_error(found.statistic)) == (0.75, 0.25)
    assert estimates(compare("share", columns, above=6)) == [0.25, 1.0]
    assert estimates(compare("share", columns, above=6, column="over_bound")) == [0.5, 0.75]


def test_never_counts_the_runs_of_all_settings_by_hand():
    """Of (0, 6, 6+, 9) two lie above 6; of twice as much three."""
    test = {"reading": "r", "curves": ["x", "y:wide"], "column": "over_bound", "above": 6.0, "rate": 0.01}
    first, second = COUNTS["never"](test | {"at": {"eps": [1, 2]}}, columns)
    assert (first.events, first.runs, first.seeds, first.rate, first.reading) == (5, 8, 4, 0.01, "r")
    assert (first.curve, first.label) == ("x", "runs of x with over_bound above 6")
    assert (second.curve, second.label) == ("y:wide", "runs of y:wide with over_bound above 6")
    (above_all,) = COUNTS["never"](test | {"at": {"eps": [1]}, "above": 9.0, "curves": ["x"]}, columns)
    assert (above_all.events, above_all.runs) == (0, 4)


@pytest.mark.parametrize(("events", "expected"), [(0, "holds"), (1, "unclear"), (30, "fails")])
def test_never_holds_is_unclear_and_fails(events, expected):
    """500 runs at each of three settings; 1 % allowed."""
    assert set(COUNTS) == {"never"}
    test = {"reading": "r", "curves": ["x"], "column": "bad", "above": 0.0, "rate": 0.01, "at": {"eps": [1, 2, 3]}}
    last = np.arange(500) < events
    (count,) = COUNTS["never"](test, lambda _, setting, column: last * (column == "bad") * (setting["eps"] == 3.0))
    assert judge_counts([count], "all")["verdict"] == expected


@pytest.mark.parametrize(
    ("predicate", "changes", "labels"),
    [
        ("ratio_between", {"curves": ["x", "y"]}, ["x / b at eps = 1", "x / b at eps = 2", "y / b at eps = 1", ""]),
        (
            "excess_ratio_between",
            {"curves": ["x", "z"]},
            ["excess of y at eps = 1", "excess of y at eps = 2", "excess of x / excess of y at eps = 1", "", "", ""],
        ),
        ("ordered", {"at": {"eps": [0.01, 1]}}, ["x - y at eps = 0.01", "x - y at eps = 1", "y - z at eps = 0.01", ""]),
        ("decreasing", {}, ["x: eps = 2 over eps = 1", "x: eps = 3 over eps = 2", "x: eps = 3 over eps = 1, in all"]),
        ("decreasing, against", {"at": {"eps": [1, 2]}}, ["x / b: eps = 2 over eps = 1", ""]),
        ("slope_between", {"curves": ["x", "y"]}, ["slope of x in T, T = 100 .. 10000, eps = 1", ""]),
        ("slope_between", {"at": {"T": [2e6, 1e6]}}, ["slope of x in T, T = 1e+06 .. 2e+06"]),
        (
            "slope_between, baseline",
            {"at": {"T": [100, 1000]}},
            ["excess of x at T = 100", "", "slope of excess of x in T, T = 100 .. 1000"],
        ),
        ("flat", {"at": {"T": [10, 20]}}, ["x over T, relative to its average, at T = 10", ""]),
        ("share", {}, ["share of runs of x with regret above 100 at eps = 1", ""]),
        (
            "ordered",
            {"at": [{"eps": [2], "T": [10]}, {"eps": [0.5]}], "curves": ["x", "y"]},
            ["x - y at eps = 2, T = 10", "x - y at eps = 0.5"],
        ),
    ],
)
def test_number_and_labels_of_comparisons(predicate, changes, labels):
    """Curve by curve, inside it setting by setting; an empty label stands for any."""
    found = compare(predicate, lambda curve, setting, column="": around(10 + ord(curve[0]), 1), **changes)
    assert len(found) == len(labels) == len({c.label for c in found})
    assert all(expected in ("", c.label) for c, expected in zip(found, labels, strict=True))
    assert {c.reading for c in found} == {"r"}


# What a bound does not say by itself


def test_a_ratio_of_excesses_over_a_negative_one_does_not_hold():
    """x is worse than the baseline and y better: the ratio is negative, hence below the bound."""
    found = compare("excess_ratio_between", samples({"x": 120, "y": 90, "b": 100}))
    assert all(c.statistic.estimate < 0.5 for c in found[2:])
    assert verdict(found) == "fails"
    assert verdict(compare("excess_ratio_between", samples({"x": 98, "y": 101, "b": 100}))) == "unclear"


def test_equal_curves_are_not_in_order():
    assert verdict(compare("ordered", lambda curve, setting: around(100, 1))) == "unclear"


def test_a_plateau_or_a_creeping_rise_does_not_decrease():
    """Each step stays within the 5 % that a plateau may take."""
    assert verdict(compare("decreasing", samples({"x": [100, 101, 100.5]}))) == "unclear"
    assert verdict(compare("decreasing", samples({"x": [1000, 1030, 1061]}))) == "fails"


@pytest.mark.parametrize("name", ["ordered", "decreasing", "ratio_between"])
def test_without_a_tolerated_range_there_is_nothing_between(name):
    found = compare(name, samples({"x": [100, 90, 80], "y": 110, "z": 120, "b": 100}))
    assert all((c.tolerated_low, c.tolerated_high) == (c.low, c.high) for c in found)


def test_a_premise_tolerates_nothing():
    """What the test tolerates of the slope does not count for the excess that it rests on."""
    found = compare("slope_between, baseline", samples({"x": [1100, 1316, 2000], "b": 1000}), tolerated=[0.3, None])
    assert [(c.tolerated_low, c.tolerated_high) for c in found] == [(0.0, math.inf)] * 3 + [(0.3, math.inf)]
    found = compare("excess_ratio_between", samples({"x": 120, "y": 200, "b": 100}), tolerated=[-1.0, 0.7])
    assert [(c.tolerated_low, c.tolerated_high) for c in found] == [(0.0, math.inf)] * 2 + [(-1.0, 0.7)] * 2


def needs(comparisons):
    return judge(comparisons, np.random.default_rng(1), "all")["needs"]


def test_curves_that_are_indistinguishable_need_no_seeds():
    """A difference of -0.5 +- 2 asks for more seeds, unless it is known to be 0."""
    close = samples({"x": 100, "y": 100.5})
    assert needs(compare("ordered", close, curves=["x", "y"]))["what"] == "seeds"
    assert needs(compare("ordered, equal in law", close)) == {"what": "none", "seeds": None}


@pytest.mark.parametrize("excess", [0.0, -0.5])
def test_a_slope_of_an_excess_that_is_not_positive_is_undefined(excess):
    """Not an error: what the slope rests on is unclear, and says how many seeds it takes."""
    found = compare("slope_between, baseline", samples({"x": [1000 + excess, 1316, 2000], "b": 1000}))
    assert [c.statistic is None for c in found] == [False, False, False, True]
    record = judge(found, np.random.default_rng(1), "all")
    assert [d["verdict"] for d in record["details"]] == ["unclear", "holds", "holds", "unclear"]
    assert (record["details"][3]["estimate"], record["details"][3]["interval"]) == (None, [None, None])


def test_an_undefined_slope_needs_what_its_excess_needs():
    found = compare("slope_between, baseline", samples({"x": [999.5, 1316, 2000], "b": 1000}))
    wanted = needs(found)
    assert wanted["what"] == "seeds"
    assert wanted["seeds"] > SEEDS
    assert wanted == needs(found[:3])


def test_means_that_are_not_positive_have_no_slope():
    """Without a baseline too, and where positive and negative seeds leave but a rounding error, 5.6e-17."""
    for first in ([0.0] * 9, [0.1, 0.2, -0.3] * 3):
        rows = {1: first, 2: [1.0, 2.0, 3.0] * 3}
        found = compare("slope_between", lambda _, setting, rows=rows: np.array(rows[setting["T"]]), at={"T": [1, 2]})
        assert found[-1].statistic is None
        assert verdict(found) == "unclear"
        assert needs(found) == {"what": "none", "seeds": None}


# Pairing


@pytest.mark.parametrize(
    ("predicate", "means", "changes"),
    [
        ("ratio_between", {"x": 100, "b": 110}, {"bounds": [None, 1]}),
        ("excess_ratio_between", {"x": 120, "y": 300, "b": 100}, {}),
        ("ordered", {"x": 100, "y": 110, "z": 120}, {}),
        ("decreasing", {"x": [120, 110, 100]}, {"bounds": [None, 1]}),
        ("slope_between, baseline", {"x": [1100, 1316.23, 2000], "b": 1000}, {}),
    ],
)
def test_pairing_decides_where_unpaired_samples_do_not(predicate, means, changes):
    """Instances differ by +-200; all curves meet the same instances, or each meets them in an order of its own."""
    instance = around(0, 99, spread=200)
    own = samples(means)

    def shuffled(curve, setting):
        order = np.random.default_rng((5, ord(curve), *map(int, setting.values()))).permutation(SEEDS)
        return own(curve, setting) + instance[order]

    paired = compare(predicate, lambda curve, setting: own(curve, setting) + instance, **changes)
    unpaired = compare(predicate, shuffled, **changes)
    assert estimates(paired) == pytest.approx(estimates(unpaired))
    assert verdict(paired) == "holds"
    assert verdict(unpaired) == "unclear"


def test_a_ratio_to_nothing_is_undefined_and_no_fault():
    """Equal curves have no excess; a curve without regret divides nothing."""

    def sample(curve, setting, column="regret"):
        return np.zeros(SEEDS) if curve == "none" else around(100, 1)

    excess = compare("excess_ratio_between", lambda curve, setting, column="regret": around(100, 1))
    assert [c.statistic is None for c in excess] == [False, False, True, True]
    assert verdict(excess) == "unclear"
    ratios = compare("ratio_between", sample, against="none") + compare("ratio_between", sample, against="b")
    assert [c.statistic is None for c in ratios] == [True, True, False, False]
    assert verdict(ratios) == "unclear"
    assert compare("decreasing, against", sample, against="none")[0].statistic is None
    with pytest.raises(ValueError, match="every mean that a comparison divides by is zero"):
        verdict(compare("ratio_between", sample, against="none"))
