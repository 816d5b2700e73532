"""Predicates on synthetic samples that satisfy them, break them, and straddle their bounds."""

import math

import numpy as np
import pytest

from dpbandits.claims.predicates import PREDICATES
from dpbandits.claims.verdicts import judge
from dpbandits.statistics import standard_error

SEEDS = 40
SPREAD = 5.0  # standard deviation of every synthetic sample: an error of 0.8, an interval of about +-2

TESTS = {
    "ratio_between": {"curves": ["x"], "against": "b", "at": {"eps": [1, 2]}, "bounds": [0.9, 1.2]},
    "excess_ratio_between": {
        "curves": ["x"],
        "against": "y",
        "baseline": "b",
        "at": {"eps": [1, 2]},
        "bounds": [None, 0.5],
    },
    "ordered": {"curves": ["x", "y", "z"], "at": {"eps": [1, 2]}},
    "decreasing": {"curves": ["x"], "at": {"eps": [1, 2, 3]}, "bounds": [None, 1.05]},
}

# Predicate, means by curve at eps = 1, 2, .. (or at all), verdict.
CASES = [
    ("ratio_between", {"x": 105, "b": 100}, "holds"),
    ("ratio_between", {"x": [105, 115], "b": 100}, "holds"),
    ("ratio_between", {"x": [105, 130], "b": 100}, "fails"),
    ("ratio_between", {"x": [105, 80], "b": 100}, "fails"),
    ("ratio_between", {"x": [105, 121], "b": 100}, "unclear"),
    ("ratio_between", {"x": [89, 121], "b": 100}, "unclear"),
    ("ratio_between", {"x": [130, 121], "b": 100}, "fails"),
    ("excess_ratio_between", {"x": 120, "y": 200, "b": 100}, "holds"),
    ("excess_ratio_between", {"x": [120, 90], "y": 200, "b": 100}, "holds"),
    ("excess_ratio_between", {"x": [120, 160], "y": 200, "b": 100}, "fails"),
    ("excess_ratio_between", {"x": [120, 150.5], "y": 200, "b": 100}, "unclear"),
    ("ordered", {"x": 100, "y": 110, "z": 120}, "holds"),
    ("ordered", {"x": [100, 130], "y": [110, 140], "z": [120, 150]}, "holds"),
    ("ordered", {"x": 100, "y": 110, "z": [120, 105]}, "fails"),
    ("ordered", {"x": 100, "y": [110, 100.5], "z": 120}, "unclear"),
    ("ordered", {"x": 100, "y": 110, "z": [120, 109.5]}, "unclear"),
    ("decreasing", {"x": [300, 200, 100]}, "holds"),
    ("decreasing", {"x": [200, 202, 100]}, "holds"),
    ("decreasing", {"x": [200, 230, 100]}, "fails"),
    ("decreasing", {"x": [200, 211, 100]}, "unclear"),
]


def around(mean, draw, n=SEEDS, spread=SPREAD):
    """A normal sample with exactly this mean and this standard deviation."""
    scores = np.random.default_rng((7, draw)).normal(size=n)
    return mean + spread * (scores - scores.mean()) / scores.std()


def samples(means):
    """Independent samples by curve and setting."""

    def sample(curve, setting):
        place, value = list(means).index(curve), means[curve]
        step = int(setting["eps"]) - 1
        return around(value[step] if isinstance(value, list) else value, 10 * place + step)

    return sample


def compare(predicate, sample, **changes):
    return PREDICATES[predicate]({"reading": "r", **TESTS[predicate], **changes}, sample)


def verdict(comparisons):
    return judge(comparisons, np.random.default_rng(1), "all")["verdict"]


def estimates(comparisons):
    return [c.statistic.estimate for c in comparisons]


def test_every_predicate_holds_fails_and_is_unclear_on_some_case():
    assert set(TESTS) == set(PREDICATES)
    assert {(name, found) for name, _, found in CASES} == {
        (name, found) for name in PREDICATES for found in ("holds", "fails", "unclear")
    }


@pytest.mark.parametrize(("predicate", "means", "expected"), CASES)
def test_verdict_on_synthetic_samples(predicate, means, expected):
    assert verdict(compare(predicate, samples(means))) == expected


# Statistics by hand: four seeds, means 6, 2 and 4


def by_hand(curve, setting):
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
    ],
)
def test_number_and_labels_of_comparisons(predicate, changes, labels):
    """Curve by curve, inside it setting by setting; an empty label stands for any."""
    found = compare(predicate, lambda curve, setting: around(10 + ord(curve[0]), 1), **changes)
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


# Pairing


@pytest.mark.parametrize(
    ("predicate", "means", "changes"),
    [
        ("ratio_between", {"x": 100, "b": 110}, {"bounds": [None, 1]}),
        ("excess_ratio_between", {"x": 120, "y": 300, "b": 100}, {}),
        ("ordered", {"x": 100, "y": 110, "z": 120}, {}),
        ("decreasing", {"x": [120, 110, 100]}, {"bounds": [None, 1]}),
    ],
)
def test_pairing_decides_where_unpaired_samples_do_not(predicate, means, changes):
    """Instances differ by +-200; all curves meet the same instances, or each meets them in an order of its own."""
    instance = around(0, 99, spread=200)
    own = samples(means)

    def shuffled(curve, setting):
        order = np.random.default_rng((5, ord(curve), int(setting["eps"]))).permutation(SEEDS)
        return own(curve, setting) + instance[order]

    paired = compare(predicate, lambda curve, setting: own(curve, setting) + instance, **changes)
    unpaired = compare(predicate, shuffled, **changes)
    assert estimates(paired) == pytest.approx(estimates(unpaired))
    assert verdict(paired) == "holds"
    assert verdict(unpaired) == "unclear"
