"""Predicates on synthetic samples that satisfy them, break them, and straddle their bounds."""

import math
from functools import partial

import numpy as np
import pytest
from scipy import stats

from dpbandits.claims.predicates import COUNTS, PREDICATES, comparisons
from dpbandits.claims.verdicts import judge, judge_counts
from tests.shown import calm

from .sections import comparison_of, completed, quantity_of

SEEDS = 40
SPREAD = 5.0  # standard deviation of every synthetic sample: an error of 0.8, an interval of about +-1.6

HORIZONS = {"eps": [1], "T": [100, 1000, 10000]}

BATCHES = [10, 100, 1000, 10_000, 100_000]  # of T = 1e6 the powers 1/6, 1/3, 1/2, 2/3 and 5/6

TESTS = {  # by predicate, and what is particular about its test
    "ratio_between": {"curves": ["x"], "against": "b", "at": {"eps": [1, 2]}, "bounds": [0.9, 1.2]},
    "ratio_between, tolerated": {
        "curves": ["x"],
        "against": "b",
        "at": {"eps": [1, 2]},
        "bounds": [0.9, 1.2],
        "tolerated": [0.8, 1.4],
    },
    "ratio_between, reference": {
        "curves": ["x"],
        "reference": {"eps": 1},
        "at": {"eps": [2, 3]},
        "bounds": [0.9, 1.2],
    },
    "ratio_between, another at the reference": {
        "curves": ["x"],
        "against": "b",
        "reference": {"eps": 1},
        "at": {"eps": [2, 3]},
        "bounds": [0.9, 1.2],
    },
    "ratio_between, columns": {
        "curves": ["x"],
        "against": "x",
        "column": "late",
        "against_column": "fluid",
        "at": {"eps": [1, 2]},
        "bounds": [0.9, 1.2],
    },
    "ratio_between, equivalent": {
        "curves": ["x"],
        "against": "b",
        "at": {"eps": [1, 2]},
        "bounds": [None, 1],
        "equivalent": 0.05,
    },
    "falling_excess": {"curves": ["x"], "baseline": "b", "at": {"eps": [1, 2, 3]}},
    "falling_excess, by 10": {
        "curves": ["x"],
        "baseline": "b",
        "at": {"eps": [1, 2]},
        "bounds": [None, -10],
        "tolerated": [None, 0],
    },
    "excess_ratio_between": {
        "curves": ["x"],
        "against": "y",
        "baseline": "b",
        "at": {"eps": [1, 2]},
        "bounds": [None, 0.5],
    },
    "ordered": {"curves": ["x", "y", "z"], "at": {"eps": [1, 2]}},
    "ordered, equivalent": {"curves": ["x", "y"], "at": {"eps": [1, 2]}, "equivalent": 0.05},
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
    "slope_between, log": {"curves": ["x"], "along": "T", "scale": "log", "at": HORIZONS, "bounds": [0.9, 1.1]},
    "slope_order": {"curves": ["x", "y"], "along": "T", "at": HORIZONS},
    "slope_order, bounded": {
        "curves": ["x", "y"],
        "along": "T",
        "at": HORIZONS,
        "bounds": [None, 0.08],
        "tolerated": [None, 0.1],
    },
    "slope_between, worst": {
        "curves": ["x"],
        "along": "T",
        "worst": "gap",
        "at": {"T": [100, 1000], "gap": [1, 2]},
        "bounds": [0.4, 0.6],
    },
    "slope_order, across": {"curves": ["x"], "along": "T", "across": "gap", "at": {"T": [100, 1000], "gap": [1, 2]}},
    "increments": {"curves": ["x"], "along": "T", "at": HORIZONS, "bounds": [None, 1.5]},
    "argmin_between": {"curves": ["x"], "along": "batch", "at": {"batch": BATCHES}, "bounds": [0.4, 0.7]},
    "argmin_between, at an end": {"curves": ["x"], "along": "batch", "at": {"batch": BATCHES}, "bounds": [None, 0.5]},
    "slope_between, against": {"curves": ["x"], "against": "b", "along": "T", "at": HORIZONS, "bounds": [-0.1, 0.1]},
    "falling_supremum": {"curves": ["x"], "against": "b", "along": "T", "at": {"T": [100, 1000], "gap": [1, 2]}},
    "falling_supremum, bounded": {
        "curves": ["x"],
        "against": "b",
        "along": "T",
        "at": {"T": [100, 1000], "gap": [1, 2]},
        "bounds": [None, 1.5],
        "tolerated": [None, 2],
    },
    "within_factor": {"curves": ["x"], "factor": 1.5, "at": {"eps": [1, 2, 3]}},
    "within_factor, against": {"curves": ["x"], "against": "b", "factor": 1.5, "at": {"eps": [1, 2, 3]}},
    "flat": {"curves": ["x"], "over": "T", "at": HORIZONS, "bounds": [0.9, 1.1]},
    "affine_between": {
        "curves": ["x"],
        "baseline": "b",
        "along": "eps",
        "of": "inverse",
        "fit": 0.98,
        "at": {"eps": [1, 2, 3]},
        "bounds": [0, 3],
    },
    "form_ratio": {
        "curves": ["x"],
        "along": "arms",
        "across": "eps",
        "at": {"arms": [1, 2], "eps": [1, 2]},
        "bounds": [None, 0.5],
    },
    "mean_of": {"curves": ["x"], "column": "late", "at": {"eps": [1, 2]}, "bounds": [90, 110]},
    "dispersion": {"curves": ["x"], "column": "late", "at": {"eps": [1, 2]}, "bounds": [None, 0.1]},
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
    ("ratio_between, reference", {"x": [100, 105, 110]}, "holds"),
    ("ratio_between, reference", {"x": [100, 105, 130]}, "fails"),
    ("ratio_between, reference", {"x": [120, 105, 100]}, "fails"),
    ("ratio_between, reference", {"x": [100, 105, 121]}, "unclear"),
    ("ratio_between, another at the reference", {"x": [999, 105, 110], "b": [100, 999, 999]}, "holds"),
    ("ratio_between, another at the reference", {"x": [100, 105, 130], "b": [100, 999, 999]}, "fails"),
    ("ratio_between, another at the reference", {"x": [100, 105, 121], "b": [100, 999, 999]}, "unclear"),
    ("ratio_between, columns", {"late of x": 105, "fluid of x": 100}, "holds"),
    ("ratio_between, columns", {"late of x": [105, 130], "fluid of x": 100}, "fails"),
    ("ratio_between, columns", {"late of x": 105, "fluid of x": [100, 86.7]}, "unclear"),
    ("ratio_between, equivalent", {"x": 90, "b": 100}, "holds"),
    ("ratio_between, equivalent", {"x": [90, 110], "b": 100}, "fails"),
    ("ratio_between, equivalent", {"x": [90, 100.2], "b": 100}, "fails"),
    ("ratio_between, equivalent", {"x": [90, 99.5], "b": 100}, "fails"),
    ("ratio_between, equivalent", {"x": [90, 97.5], "b": 100}, "unclear"),
    ("ratio_between, equivalent", {"x": [90, 102.6], "b": 100}, "unclear"),
    ("falling_excess", {"x": [300, 200, 150], "b": 100}, "holds"),
    ("falling_excess", {"x": 300, "b": [100, 150, 200]}, "holds"),
    ("falling_excess", {"x": [300, 200, 210], "b": 100}, "fails"),
    ("falling_excess", {"x": [300, 200, 100], "b": [300, 190, 50]}, "fails"),
    ("falling_excess", {"x": [300, 200, 199.5], "b": 100}, "unclear"),
    ("falling_excess", {"x": [300, 200, 100], "b": [300, 200, 100]}, "unclear"),
    ("falling_excess, by 10", {"x": [300, 280], "b": 100}, "holds"),
    ("falling_excess, by 10", {"x": [300, 295], "b": 100}, "unclear"),
    ("falling_excess, by 10", {"x": [300, 305], "b": 100}, "fails"),
    ("excess_ratio_between", {"x": 120, "y": 200, "b": 100}, "holds"),
    ("excess_ratio_between", {"x": [120, 90], "y": 200, "b": 100}, "holds"),
    ("excess_ratio_between", {"x": [120, 160], "y": 200, "b": 100}, "fails"),
    ("excess_ratio_between", {"x": [120, 150.5], "y": 200, "b": 100}, "unclear"),
    ("ordered", {"x": 100, "y": 110, "z": 120}, "holds"),
    ("ordered", {"x": [100, 130], "y": [110, 140], "z": [120, 150]}, "holds"),
    ("ordered", {"x": 100, "y": 110, "z": [120, 105]}, "fails"),
    ("ordered", {"x": 100, "y": [110, 100.5], "z": 120}, "unclear"),
    ("ordered", {"x": 100, "y": 110, "z": [120, 109.5]}, "unclear"),
    ("ordered, equivalent", {"x": 90, "y": 100}, "holds"),
    ("ordered, equivalent", {"x": [90, 100], "y": [100, 90]}, "fails"),
    ("ordered, equivalent", {"x": [90, 100], "y": [100, 100.5]}, "fails"),
    ("ordered, equivalent", {"x": [90, 100], "y": [100, 99.5]}, "fails"),
    ("ordered, equivalent", {"x": [90, 97.4], "y": 100}, "holds"),
    ("ordered, equivalent", {"x": [90, 48], "y": [100, 50]}, "unclear"),
    ("ordered, equivalent", {"x": 50, "y": [60, 50]}, "unclear"),
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
    # log T is 2, 3 and 4 times log 10
    ("slope_between, log", {"x": [200, 300, 400]}, "holds"),
    ("slope_between, log", {"x": [400, 900, 1600]}, "fails"),
    ("slope_between, log", {"x": [100, 316.23, 1000]}, "fails"),
    ("slope_between, log", {"x": [200, 312.4, 428.7]}, "unclear"),
    ("slope_order", {"x": [100, 316.23, 1000], "y": [100, 501, 2512]}, "holds"),
    ("slope_order", {"x": [1000, 3162.3, 10000], "y": [100, 501, 2512]}, "holds"),
    ("slope_order", {"x": [100, 501, 2512], "y": [1000, 3162.3, 10000]}, "fails"),
    ("slope_order", {"x": [100, 501, 2512], "y": [100, 502, 2530]}, "unclear"),
    ("slope_order, bounded", {"x": [100, 316.23, 1000], "y": [100, 354.8, 1258.9]}, "holds"),
    ("slope_order, bounded", {"x": [100, 501, 2512], "y": [100, 316.23, 1000]}, "holds"),
    ("slope_order, bounded", {"x": [100, 316.23, 1000], "y": [100, 389, 1513.6]}, "unclear"),
    ("slope_order, bounded", {"x": [100, 316.23, 1000], "y": [100, 501, 2512]}, "fails"),
    # both gaps at T = 100, both at T = 1000
    ("slope_between, worst", {"x": [100, 50, 200, 316.23]}, "holds"),
    ("slope_between, worst", {"x": [50, 100, 316.23, 100]}, "holds"),
    ("slope_between, worst", {"x": [100, 50, 316.23, 700]}, "fails"),
    ("slope_between, worst", {"x": [100, 50, 398.1, 100]}, "unclear"),
    ("slope_order, across", {"x": [100, 100, 200, 400]}, "holds"),
    ("slope_order, across", {"x": [100, 100, 400, 200]}, "fails"),
    ("slope_order, across", {"x": [100, 100, 300, 301]}, "unclear"),
    ("increments", {"x": [100, 200, 300]}, "holds"),
    ("increments", {"x": [100, 200, 500]}, "fails"),
    ("increments", {"x": [200, 100, 50]}, "fails"),
    ("increments", {"x": [100, 200, 350]}, "unclear"),
    ("increments", {"x": [100, 100.5, 100]}, "unclear"),
    ("argmin_between", {"x": [140, 120, 100, 110, 130]}, "holds"),
    ("argmin_between", {"x": [140, 105, 120, 95, 130]}, "holds"),
    ("argmin_between", {"x": [140, 90, 100, 110, 130]}, "fails"),
    ("argmin_between", {"x": [140, 120, 110, 100, 90]}, "fails"),
    ("argmin_between", {"x": [140, 100.5, 100, 110, 130]}, "unclear"),
    ("argmin_between", {"x": [140, 100, 101, 120, 130]}, "unclear"),
    ("argmin_between, at an end", {"x": [100, 110, 120, 130, 140]}, "holds"),
    ("argmin_between, at an end", {"x": [120, 115, 110, 100, 130]}, "fails"),
    ("argmin_between, at an end", {"x": [120, 115, 100, 100, 130]}, "unclear"),
    ("slope_between, against", {"x": [100, 316.23, 1000], "b": [200, 632, 2000]}, "holds"),
    ("slope_between, against", {"x": [100, 316.23, 1000], "b": 100}, "fails"),
    ("slope_between, against", {"x": [100, 126, 158.5], "b": 100}, "unclear"),
    # the largest ratio at T = 100, of the first two, against both at T = 1000
    ("falling_supremum", {"x": [100, 150, 120, 130], "b": 100}, "holds"),
    ("falling_supremum", {"x": [150, 100, 100, 130], "b": 100}, "holds"),
    ("falling_supremum", {"x": [150, 100, 100, 190], "b": [100, 100, 100, 150]}, "holds"),
    ("falling_supremum", {"x": [100, 150, 170, 130], "b": 100}, "fails"),
    ("falling_supremum", {"x": [100, 150, 130, 150.5], "b": 100}, "unclear"),
    ("falling_supremum, bounded", {"x": [100, 150, 170, 200], "b": 100}, "holds"),
    ("falling_supremum, bounded", {"x": [100, 150, 170, 260], "b": 100}, "unclear"),
    ("falling_supremum, bounded", {"x": [100, 150, 170, 330], "b": 100}, "fails"),
    ("within_factor", {"x": [100, 120, 140]}, "holds"),
    ("within_factor", {"x": [100, 120, 170]}, "fails"),
    ("within_factor", {"x": [170, 140, 100]}, "fails"),
    ("within_factor", {"x": [100, 120, 150]}, "unclear"),
    ("within_factor, against", {"x": [100, 200, 400], "b": [100, 200, 400]}, "holds"),
    ("within_factor, against", {"x": [100, 100, 100], "b": [100, 120, 170]}, "fails"),
    ("within_factor, against", {"x": [100, 120, 150], "b": 100}, "unclear"),
    ("flat", {"x": [200, 2000, 20000]}, "holds"),
    ("flat", {"x": [200, 2000, 22000]}, "holds"),
    ("flat", {"x": [200, 2000, 30000]}, "fails"),
    ("flat", {"x": [150, 2000, 20000]}, "fails"),
    ("flat", {"x": [200, 2000, 23158]}, "unclear"),
    ("flat", {"x": [171.4, 2000, 20000]}, "unclear"),
    # over 1/eps; the line through the first is 100 + 600 / eps
    ("affine_between", {"x": [700, 400, 300], "b": 100}, "holds"),
    ("affine_between", {"x": [700, 400, 330], "b": 100}, "holds"),
    ("affine_between", {"x": [700, 400, 300], "b": [60, 40, 50]}, "holds"),
    ("affine_between", {"x": [700, 400, 300], "b": [60, 20, 10]}, "fails"),
    ("affine_between", {"x": [700, 400, 300], "b": 33.3}, "unclear"),
    ("affine_between", {"x": [700, 300, 400], "b": 100}, "fails"),
    ("affine_between", {"x": [300, 400, 440], "b": 400}, "fails"),
    ("affine_between", {"x": [700, 400, 366], "b": 100}, "unclear"),
    ("form_ratio", {"x": [1000, 750, 760, 500]}, "holds"),
    ("form_ratio", {"x": [1000, 660, 660, 400]}, "holds"),
    ("form_ratio", {"x": [1000, 650, 650, 390]}, "fails"),
    ("form_ratio", {"x": [1000, 510, 500, 250]}, "fails"),
    ("form_ratio", {"x": [1000, 655, 655, 395]}, "unclear"),
    ("mean_of", {"late of x": [95, 105]}, "holds"),
    ("mean_of", {"late of x": [95, 115]}, "fails"),
    ("mean_of", {"late of x": [95, 110]}, "unclear"),
    ("dispersion", {"late of x": [100, 200]}, "holds"),
    ("dispersion", {"late of x": [100, 20]}, "fails"),
    ("dispersion", {"late of x": [100, 50]}, "unclear"),
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
        if column == "T":
            return np.full(SEEDS, 1e6)
        name = curve if column == "regret" else f"{column} of {curve}"
        place, value = list(means).index(name), means[name]
        if "batch" in setting:
            step = BATCHES.index(setting["batch"])
        elif "arms" in setting:
            step = 2 * int(setting["arms"]) + int(setting["eps"]) - 3
        elif "gap" in setting:
            step = 2 * (round(math.log10(setting["T"])) - 2) + int(setting["gap"]) - 1
        else:
            step = round(math.log10(setting["T"])) - 2 if "T" in setting else int(setting["eps"]) - 1
        return around(value[step] if isinstance(value, list) else value, 10 * place + step)

    return sample


def compare(test, sample, **changes):
    return predicate(test.partition(",")[0], {**TESTS[test], **changes}, sample)


def predicate(name, test, sample):
    return PREDICATES[name](completed({"predicate": name, **test}), sample)


def counts(test, sample):
    return COUNTS["never"](comparison_of({"predicate": "never", **test}), sample)


def verdict(comparisons):
    return judge(comparisons, "all", calm)["verdict"]


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


@pytest.mark.parametrize("test", [name for name in TESTS if name not in ("share", "dispersion")])
def test_a_statistic_knows_the_samples_whose_means_it_is_a_function_of(test):
    """They are the very arrays that were given, and their weights, the derivatives, make up the influence of a seed."""
    given = {}
    own = samples(
        {"x": [1000, 750, 760, 500, 400], "b": 450, "y": 3000, "z": 4000, "late of x": 800, "fluid of x": 900}
    )

    def sample(curve, setting, column="regret"):
        return given.setdefault((curve, *sorted(setting.items()), column), own(curve, setting, column))

    found = compare(test, sample)
    assert found
    for statistic in (each.statistic for each in found):
        assert statistic.parts
        assert all(any(row is each for each in given.values()) for row, _ in statistic.parts)
        influence = sum(weight * (row - row.mean()) for row, weight in statistic.parts)
        assert statistic.influence == pytest.approx(influence, rel=1e-6, abs=1e-9 * np.abs(influence).max())


# Statistics by hand: four seeds, means 6, 2 and 4


def by_hand(curve, setting, column="regret"):
    scale = setting["eps"]
    rows = {"x": [4, 8, 6, 6], "y": [1, 3, 1, 3], "b": [4, 4, 3, 5]}
    return scale * np.array(rows[curve], dtype=float)


def test_medians_by_hand():
    """Of x the median is 6 and of y 2: without the outlier of either they would be the same."""

    def sample(curve, setting, column="regret"):
        return np.array({"x": [4.0, 8, 6, 6, 900], "y": [1.0, 3, 1, 300, 2]}[curve])

    test = {"reading": "r", "predicate": "ratio_between", "curves": ["x"], "against": "y", "at": {"eps": [1]}}
    test |= {"bounds": [None, 1]}
    (means,), (medians,) = (comparisons(comparison_of(each), sample) for each in (test, test | {"statistic": "median"}))
    assert means.statistic.estimate == pytest.approx(924 / 307)
    assert medians.statistic.estimate == pytest.approx(3.0)
    assert (means.label, medians.label) == ("x / y at eps = 1", "medians: x / y at eps = 1")
    assert (means.of_means, medians.of_means) == (True, False)


def test_ratio_between_by_hand():
    """6/2 at both settings; x - 3y = (1, -1, 3, -3), over mean(y) = 2: sd sqrt(20/3)/2, error sd/2."""
    found = compare("ratio_between", by_hand, against="y")
    assert estimates(found) == [3, 3]
    assert found[0].statistic.standard_error == pytest.approx(math.sqrt(20 / 3) / 4, rel=1e-14)
    assert {(c.low, c.high) for c in found} == {(0.9, 1.2)}


def test_a_ratio_of_outputs_by_hand():
    """6 of regret over 4 of the other output, by seed 6 - 1.5 (3, 5, 4, 4) = (1.5, -1.5, 0, 0); and the other way."""
    asked = []

    def sample(curve, setting, column="regret"):
        asked.append((curve, column))
        return np.array([6.0, 6.0, 6.0, 6.0] if column == "regret" else [3.0, 5.0, 4.0, 4.0])

    (found,) = compare("ratio_between", sample, against="x", against_column="fluid", at={"eps": [1]})
    assert found.label == "x / fluid of x at eps = 1"
    assert found.statistic.estimate == 1.5
    assert found.statistic.influence.tolist() == [0.375, -0.375, 0.0, 0.0]
    (found,) = compare("ratio_between", sample, against="y", column="fluid", against_column="regret", at={"eps": [1]})
    assert (found.label, found.statistic.estimate) == ("fluid of x / y at eps = 1", pytest.approx(2 / 3))
    compare("ratio_between", sample, column="fluid", at={"eps": [1]})
    (found,) = compare("ratio_between, reference", sample, column="fluid", at={"eps": [2]})
    assert found.label == "fluid of x: eps = 2 over eps = 1"
    (found,) = compare("ratio_between, another at the reference", by_hand, against="y", at={"eps": [2]})
    assert (found.label, found.statistic.estimate) == ("x: eps = 2 over y at eps = 1", 6.0)
    pairs = [("x", "regret"), ("x", "fluid"), ("x", "fluid"), ("y", "regret"), ("x", "fluid"), ("b", "fluid")]
    assert asked == [*pairs, ("x", "fluid"), ("x", "fluid")]


def test_excess_ratio_by_hand():
    """Excess of x over b (0, 4, 3, 1), mean 2; of y (-3, -1, -2, -2), mean -2: ratio -1, sum (-3, 3, 1, -1)."""
    found = compare("excess_ratio_between", by_hand)
    assert estimates(found) == [-2, -4, -1, -1]
    assert [c.low for c in found] == [0, 0, -math.inf, -math.inf]
    assert [c.high for c in found] == [math.inf, math.inf, 0.5, 0.5]
    assert found[2].statistic.standard_error == pytest.approx(math.sqrt(20 / 3) / 4, rel=1e-14)


def test_ordered_by_hand():
    """x - y = 4 and y - b = -2, times eps; x - y = (3, 5, 5, 3) has sd sqrt(4/3)."""
    found = compare("ordered", by_hand, curves=["x", "y", "b"])
    assert estimates(found) == [4, 8, -2, -4]
    assert found[0].statistic.standard_error == pytest.approx(math.sqrt(4 / 3) / 2, rel=1e-14)
    assert {(c.low, c.high) for c in found} == {(-math.inf, 0.0)}


def test_decreasing_by_hand():
    """The sample is proportional to eps: factors 2, 3/2 and, in all, 3, without error."""
    found = compare("decreasing", by_hand)
    assert estimates(found) == pytest.approx([2, 1.5, 3])
    assert [c.high for c in found] == [1.05, 1.05, 1.0]
    assert all(c.statistic.standard_error == 0 for c in found)


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
    assert found[0].statistic.standard_error == pytest.approx(math.sqrt(1 / 3) / 2, rel=1e-14)
    assert [c.high for c in found] == [1.05, 1.0]


SLOPE = {1: [1, 3, 2], 2: [2, 2, 8]}  # means 2 and 4


def test_slope_by_hand():
    """Slope 1; influence (x2/4 - x1/2) / log 2 = (0, -1, 1) / log 2, of sd 1 / log 2."""
    (found,) = compare("slope_between", lambda _, setting, column: np.array(SLOPE[setting["T"]]), at={"T": [1, 2]})
    assert found.statistic.estimate == pytest.approx(1, rel=1e-14)
    assert found.statistic.standard_error == pytest.approx(1 / math.log(2) / math.sqrt(3), rel=1e-14)
    assert (found.low, found.high) == (0.4, 0.6)


def test_slope_over_a_baseline_by_hand():
    """The baseline takes away again what each seed got in addition; each excess is to be positive."""
    base = np.array([5.0, 7.0, 9.0])
    found = compare(
        "slope_between, baseline",
        lambda curve, setting, column: base + (np.array(SLOPE[setting["T"]]) if curve == "x" else 0.0),
        at={"T": [1, 2]},
    )
    assert estimates(found) == pytest.approx([2, 4, 1], rel=1e-14)
    assert found[2].statistic.standard_error == pytest.approx(1 / math.log(2) / math.sqrt(3), rel=1e-13)
    assert [(c.low, c.high) for c in found] == [(0.0, math.inf), (0.0, math.inf), (0.4, 0.6)]


def test_an_exponent_of_the_logarithm_by_hand():
    """Means 2 and 4 at T = e^3 and e^6: as above, for log T doubles. Of another output, over the same one of b."""
    rows, asked = {math.e**3: SLOPE[1], math.e**6: SLOPE[2]}, []

    def sample(curve, setting, column="regret"):
        asked.append((curve, column))
        return np.array(rows[setting["T"]]) + (curve == "x")

    test = {"column": "late", "baseline": "b", "at": {"T": list(rows)}}
    found = compare("slope_between, log", lambda _, setting, column: np.array(rows[setting["T"]]), at={"T": list(rows)})
    assert found[-1].statistic.estimate == pytest.approx(1, rel=1e-13)
    assert found[-1].statistic.standard_error == pytest.approx(1 / math.log(2) / math.sqrt(3), rel=1e-13)
    found = compare("slope_between, log", sample, **test)
    assert set(asked) == {("x", "late"), ("b", "late")}
    assert [c.label for c in found] == [
        "excess of late of x at T = 20.0855",
        "excess of late of x at T = 403.429",
        "slope of excess of late of x in log T, T = 20.0855 .. 403.429",
    ]
    assert estimates(found) == pytest.approx([1, 1, 0])


def test_slope_order_by_hand():
    """Slopes 1 and 2; their influences over log 2 are (0, -1, 1) and, for x2/8 - x1/2, (1/2, -3/4, 1/4)."""
    rows = {"x": SLOPE, "y": {1: [1, 3, 2], 2: [8, 6, 10]}}

    def sample(curve, setting, column="regret"):
        return np.array(rows[curve][setting["T"]])

    (found,) = compare("slope_order", sample, at={"T": [1, 2]})
    assert found.statistic.estimate == pytest.approx(1, rel=1e-14)
    assert found.statistic.influence * math.log(2) == pytest.approx([0.5, 0.25, -0.75], abs=1e-14)
    assert (found.low, found.high, found.curve) == (0.0, math.inf, "y")


def test_slope_order_of_means_that_are_not_positive_rests_on_them():
    found = compare("slope_order", samples({"x": [-100, 1, 1], "y": [100, 200, 300]}))
    assert [c.label for c in found[:3]] == [f"x at eps = 1, T = {T}" for T in (100, 1000, 10_000)]
    assert (len(found), found[3].statistic) == (4, None)


def test_falling_excess_by_hand():
    """x - b is (0, 4, 3, 1) times eps: from eps = 1 to 3 it grows by twice that, 4 in the mean."""
    (found,) = compare("falling_excess", by_hand, at={"eps": [1, 3]})
    assert found.statistic.estimate == 4
    assert found.statistic.influence.tolist() == [-4, 4, 2, -2]
    assert (found.low, found.high) == (-math.inf, 0.0)


def test_ratio_to_a_reference_by_hand():
    """The sample is proportional to eps; what the reference does not name stays."""
    seen = []

    def sample(curve, setting, column="regret"):
        seen.append((curve, *setting.values()))
        return by_hand(curve, setting)

    test = {"reading": "r", "curves": ["x"], "reference": {"eps": 4.0}, "at": {"eps": [1, 2], "T": [10]}}
    found = PREDICATES["ratio_between"](quantity_of(test | {"predicate": "ratio_between"}), sample)
    assert estimates(found) == [0.25, 0.5]
    assert seen == [("x", 1, 10), ("x", 4, 10), ("x", 2, 10), ("x", 4, 10)]


def test_what_counts_as_equal_is_a_part_of_one_and_of_the_smaller_mean():
    """3 % of 1 around a ratio; of mean(y) = 2, times eps, around both differences."""
    found = compare("ratio_between", by_hand, equivalent=0.03, at={"eps": [1]})
    assert found[0].equivalent == pytest.approx((0.97, 1.03))
    found = compare("ordered", by_hand, curves=["x", "y", "b"], equivalent=0.03)
    assert [c.equivalent[1] for c in found] == pytest.approx([0.06, 0.12, 0.06, 0.12])
    assert all(c.equivalent[0] == -c.equivalent[1] for c in found)
    for name in ("ratio_between", "ordered"):
        found = compare(name, samples({"x": 1.0, "y": 2.0, "z": 3.0, "b": 1.0}))
        assert all(c.equivalent is None for c in found)


def test_curves_that_are_the_same_fail_to_be_in_order_where_equality_is_asked_about():
    def same(curve, setting, column="regret"):
        return around(100, 1)

    assert verdict(compare("ordered", same)) == "unclear"
    assert verdict(compare("ordered, equivalent", same)) == "fails"
    assert verdict(compare("ratio_between, equivalent", same)) == "fails"


def test_the_least_regret_is_sought_row_by_row():
    """Two budgets: pairs are of one budget, and of the values outside each has its own alternatives."""
    test = {"curves": ["x"], "along": "batch", "at": {"eps": [1, 2], "batch": BATCHES[1:4]}, "bounds": [0.4, 0.6]}
    means = {(1, 100): 110, (1, 1000): 100, (1, 10_000): 120, (2, 100): 60, (2, 1000): 50, (2, 10_000): 70}

    def sample(curve, setting, column="regret"):
        if column == "T":
            return np.full(SEEDS, 1e6)
        key = (setting["eps"], setting["batch"])
        return around(means[key], list(means).index(key))

    found = predicate("argmin_between", test, sample)
    assert estimates(found) == pytest.approx([10, 20, 10, 20])
    assert found[0].label == "x at eps = 1, batch = 100 (T^0.33) - at eps = 1, batch = 1000 (T^0.50)"
    assert len({c.any_of for c in found}) == 4
    assert {(c.low, c.high) for c in found} == {(0.0, math.inf)}
    assert verdict(found) == "holds"
    means[2, 100] = 40
    assert verdict(predicate("argmin_between", test, sample)) == "fails"


@pytest.mark.parametrize(("bounds", "says"), [([0.1, 0.9], "outside"), ([0.51, 0.6], "within")])
def test_a_least_regret_needs_values_within_bounds_and_outside(bounds, says):
    with pytest.raises(ValueError, match=f"no value of batch at T = 1e\\+06 lies {says} bounds"):
        compare("argmin_between", samples({"x": [1, 2, 3, 4, 5]}), bounds=bounds)


def test_a_choice_of_the_best_inside_does_not_make_equal_values_differ():
    """Five equal distributions: of all four pairs some one is certain in 2.5 % of cases, so that few claims hold."""
    rng = np.random.default_rng(3)
    verdicts = []
    for _ in range(300):
        rows = {batch: rng.normal(100, 5, SEEDS) for batch in BATCHES}

        def sample(curve, setting, column="", rows=rows):
            return np.full(SEEDS, 1e6) if column == "T" else rows[setting["batch"]]

        verdicts.append(verdict(compare("argmin_between", sample, bounds=[0.3, None])))
    assert verdicts.count("holds") <= 15


def test_flat_by_hand():
    """Over T: (1, 3) and (3, 5), average (2, 4) of mean 3; 2/3 with influence ((1, 3) - 2/3 (2, 4))/3 = (-1, 1)/9."""
    rows = {1: [1, 3], 2: [6, 10]}
    found = compare("flat", lambda _, setting: np.array(rows[setting["T"]]), at={"T": [1, 2]})
    assert estimates(found) == pytest.approx([2 / 3, 4 / 3], rel=1e-14)
    assert [c.statistic.standard_error for c in found] == pytest.approx([1 / 9, 1 / 9], rel=1e-13)


def test_flat_over_sqrt_T_log_T_by_hand():
    """sqrt(T log T) is sqrt(e) at T = e and 2 e**2 at T = e**4; over T the same sample is 3.2 times as high at e."""
    size = {math.e: math.sqrt(math.e), math.e**4: 2 * math.e**2}

    def sample(curve, setting, column="regret"):
        return np.array([1.0, 2.0, 6.0]) * size[setting["T"]]

    found = compare("flat", sample, at={"T": list(size)}, over="sqrt_T_log_T")
    assert estimates(found) == pytest.approx([1, 1], rel=1e-14)
    assert all(c.statistic.standard_error < 1e-15 for c in found)
    first, second = estimates(compare("flat", sample, at={"T": list(size)}))
    assert (first + second, first / second) == pytest.approx((2, math.e**1.5 / 2), rel=1e-14)


def columns(curve, setting, column="regret"):
    """Two outputs of four runs; the eighth part of a rounding error above 6 is above 6."""
    rows = {"regret": [4, 8, 6, 6], "over_bound": [0, 6, math.nextafter(6, 7), 9]}
    return setting["eps"] * np.array(rows[column], dtype=float)


def test_share_by_hand():
    """Above 5 lie 3 of (4, 8, 6, 6), sd 1/2; above 6, where two of them lie, 1; at eps = 2 all."""
    (found,) = compare("share", columns, above=5, at={"eps": [1]})
    assert (found.statistic.estimate, found.statistic.standard_error) == (0.75, 0.25)
    assert estimates(compare("share", columns, above=6)) == [0.25, 1.0]
    assert estimates(compare("share", columns, above=6, column="over_bound")) == [0.5, 0.75]


def test_mean_and_dispersion_by_hand():
    """(0, 6, 6+, 9) of mean 5.25, squares 27 + 83.25 - 4 x 5.25^2 = 42.75 over 3; regret (4, 8, 6, 6): 8/3 over 6."""
    (found,) = compare("mean_of", columns, column="over_bound", at={"eps": [2]})
    assert (found.label, found.statistic.estimate) == ("mean of over_bound of x at eps = 2", pytest.approx(10.5))
    (found,) = compare("dispersion", columns, column="over_bound", at={"eps": [2]})
    assert found.label == "dispersion of over_bound of x at eps = 2"
    assert found.statistic.estimate == pytest.approx(math.sqrt(42.75 / 3) / 5.25)
    (found,) = compare("dispersion", columns, column="regret", at={"eps": [1]})
    assert found.statistic.estimate == pytest.approx(math.sqrt(8 / 3) / 6)


def test_a_line_over_the_inverse_by_hand():
    """Means 2, 3 and 6 at 1/3, 1/2 and 1: 6/eps, hence a = 0, b = 6, R^2 = 1. Two seeds with a = -1 and 1, b 5 and 7.

    Over the baseline, whose mean is 2 over the settings, a has the influence (-1, 1) / 2.
    """
    rows = {3: [[5 / 3 - 1], [7 / 3 + 1]], 2: [[5 / 2 - 1], [7 / 2 + 1]], 1: [[4], [8]]}

    def sample(curve, setting):
        eps = setting["eps"]
        return np.array([eps, eps]) if curve == "b" else np.array(rows[eps])[:, 0]

    found = compare("affine_between", sample, at={"eps": [3, 2, 1]})
    assert [c.label for c in found] == [
        "b of x = a + b/eps, eps = 1 .. 3",
        "R^2 of x = a + b/eps, eps = 1 .. 3",
        "a / b, a of x = a + b/eps, eps = 1 .. 3",
    ]
    assert estimates(found) == pytest.approx([6, 1, 0], abs=1e-12)
    assert found[0].statistic.influence.tolist() == pytest.approx([-1, 1])
    assert found[2].statistic.influence.tolist() == pytest.approx([-0.5, 0.5])
    assert [(c.low, c.high) for c in found] == [(0.0, math.inf), (0.98, math.inf), (0.0, 3.0)]
    found = compare("affine_between", sample, at={"eps": [3, 2, 1]}, tolerated=[-1, 4])
    assert [c.tolerated_low for c in found] == [0.0, 0.98, -1.0]


def test_an_error_of_forms_by_hand():
    """All means 1 on a square of settings: 10/19, as worked out with the statistic."""
    ones = np.array([0.5, 1.5])
    (found,) = compare("form_ratio", lambda curve, setting: ones if setting["arms"] == 1 else ones[::-1])
    assert found.statistic.estimate == pytest.approx(10 / 19)
    label = "error of a/arms + b/eps over error of c/(arms eps), x, arms = 1 .. 2, eps = 1 .. 2"
    assert found.label == label
    (found,) = compare("form_ratio", lambda curve, setting: ones / setting["arms"] / setting["eps"])
    assert found.statistic is None


def test_a_form_of_means_that_are_all_the_same_explains_nothing():
    found = compare("affine_between", lambda curve, setting: np.array([1.0, 3.0, 2.0]))
    assert [c.statistic is None for c in found] == [False, True, False]


def test_never_counts_the_runs_of_all_settings_by_hand():
    """Of (0, 6, 6+, 9) two lie above 6; of twice as much three."""
    test = {"reading": "r", "curves": ["x", "y:wide"], "column": "over_bound", "above": 6.0, "rate": 0.01}
    first, second = counts(test | {"at": {"eps": [1, 2]}}, columns)
    assert (first.events, first.runs, first.seeds, first.rate, first.reading) == (5, 8, 4, 0.01, "r")
    assert (first.curve, first.label) == ("x", "runs of x with over_bound above 6")
    assert (second.curve, second.label) == ("y:wide", "runs of y:wide with over_bound above 6")
    (above_all,) = counts(test | {"at": {"eps": [1]}, "above": 9.0, "curves": ["x"]}, columns)
    assert (above_all.events, above_all.runs) == (0, 4)


@pytest.mark.parametrize(
    ("events", "expected"), [(0, "holds"), (7, "holds"), (8, "unclear"), (23, "unclear"), (24, "fails")]
)
def test_never_holds_is_unclear_and_fails(events, expected):
    """500 runs at each of three settings; 1 % allowed, of which so few or so many are in the tails of 2.5 %."""
    assert (stats.binom.cdf(events, 1500, 0.01) < 0.025) == (expected == "holds")
    assert (stats.binom.sf(events - 1, 1500, 0.01) < 0.025) == (expected == "fails")
    assert set(COUNTS) == {"never"}
    test = {"reading": "r", "curves": ["x"], "column": "bad", "above": 0.0, "rate": 0.01, "at": {"eps": [1, 2, 3]}}
    last = np.arange(500) < events
    (count,) = counts(test, lambda _, setting, column: last * (column == "bad") * (setting["eps"] == 3.0))
    assert judge_counts([count], "all")["verdict"] == expected


@pytest.mark.parametrize("name", ["never", "share"])
def test_an_output_that_some_runs_do_not_have_is_no_event_that_did_not_happen(name):
    test = {"reading": "r", "curves": ["x"], "column": "bad", "above": 0.0, "at": {"eps": [1]}}
    test |= {"rate": 0.01} if name == "never" else {"bounds": [0, 1]}
    play = counts if name == "never" else partial(predicate, name)
    with pytest.raises(ValueError, match="bad is not defined in 1 of 3 runs"):
        play(test, lambda *_: np.array([0.0, np.nan, 1.0]))


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
        ("ratio_between, reference", {}, ["x: eps = 2 over eps = 1", "x: eps = 3 over eps = 1"]),
        ("falling_excess", {}, ["excess of x: eps = 2 - eps = 1", "excess of x: eps = 3 - eps = 2"]),
        ("slope_order", {"curves": ["x", "y", "z"]}, ["slope of y - slope of x in T, T = 100 .. 10000, eps = 1", ""]),
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
    return judge(comparisons, "all", calm)["needs"]


@pytest.mark.parametrize("excess", [0.0, -0.5])
def test_a_slope_of_an_excess_that_is_not_positive_is_undefined(excess):
    """Not an error: what the slope rests on is unclear, and says how many seeds it takes."""
    found = compare("slope_between, baseline", samples({"x": [1000 + excess, 1316, 2000], "b": 1000}))
    assert [c.statistic is None for c in found] == [False, False, False, True]
    record = judge(found, "all", calm)
    assert [d["verdict"] for d in record["details"]] == ["unclear", "holds", "holds", "unclear"]
    assert (record["details"][3]["estimate"], record["details"][3]["interval"]) == (None, [None, None])


def test_an_undefined_slope_needs_what_its_excess_needs():
    """But for its share of the error of failing: a fourth is left to each where there were three."""
    found = compare("slope_between, baseline", samples({"x": [999.5, 1316, 2000], "b": 1000}))
    wanted = needs(found)
    assert wanted["what"] == "seeds"
    assert wanted["seeds"] > SEEDS
    fourth, third = stats.t.ppf([1 - 0.025 / 4, 1 - 0.025 / 3], SEEDS - 1)
    assert wanted["seeds"] == pytest.approx(needs(found[:3])["seeds"] * (fourth / third) ** 2, rel=0.01)


def test_means_that_are_not_positive_have_no_slope():
    """Without a baseline too, and where positive and negative seeds leave but a rounding error, 5.6e-17."""
    for first in ([0.0] * 9, [0.1, 0.2, -0.3] * 3):
        rows = {1: first, 2: [1.0, 2.0, 3.0] * 3}
        found = compare(
            "slope_between", lambda _, setting, column, rows=rows: np.array(rows[setting["T"]]), at={"T": [1, 2]}
        )
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
        ("falling_excess", {"x": [300, 270, 240], "b": 100}, {}),
        ("slope_order", {"x": [1000, 2000, 4000], "y": [1000, 2010, 4040]}, {}),
    ],
)
def test_pairing_decides_where_unpaired_samples_do_not(predicate, means, changes):
    """Instances differ by +-200; all curves meet the same instances, or each meets them in an order of its own."""
    instance = around(0, 99, spread=200)
    own = samples(means)

    def shuffled(curve, setting, column="regret"):
        order = np.random.default_rng((5, ord(curve), *map(int, setting.values()))).permutation(SEEDS)
        return own(curve, setting) + instance[order]

    paired = compare(predicate, lambda curve, setting, column="": own(curve, setting) + instance, **changes)
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
