"""The tail of a curve: skewness and spread of its runs at all settings, known for the samples that were read alone."""

import math

import numpy as np
import pytest

from dpbandits.claims.pools import Pools, agree
from dpbandits.claims.samples import Runs
from dpbandits.numerics.statistics import median_values
from dpbandits.numerics.tails import Tail, bulk

from .test_judge_stage import BASE, CENTRAL, COINCIDES, curve

TWO = ({"T": 100.0, "eps": 0.1}, {"T": 100.0, "eps": 1.0})
CURVES = [
    curve(CENTRAL, TWO),
    curve(CENTRAL, TWO, calibration="certified"),
    curve(CENTRAL, TWO, variant="wide"),
    curve(BASE, ({"T": 100.0}, {"T": 50.0})),
]
CELLS = {  # algorithm, calibration, variant, eps and T: the regret of the seeds
    (CENTRAL, "printed", "", 0.1, 100.0): [1.0, 2.0, 6.0],
    (CENTRAL, "printed", "", 1.0, 100.0): [20.0, 20.0, 50.0],
    (CENTRAL, "certified", "", 0.1, 100.0): [1.0, 1.0, 1.0],
    (CENTRAL, "certified", "", 1.0, 100.0): [2.0, 4.0, 6.0],
    (CENTRAL, "printed", "wide", 0.1, 100.0): [4.0, 4.0, 4.0],
    (CENTRAL, "printed", "wide", 1.0, 100.0): [5.0, 5.0, 5.0],
    (BASE, "printed", "", np.nan, 100.0): [6.0, 2.0, 1.0],
    (BASE, "printed", "", np.nan, 50.0): [3.0, 3.0, 3.0],
}
PRINTED = (CENTRAL, "printed", "", "regret")
SKEWNESS, SPREAD = 18 / (5 * math.sqrt(5)), math.sqrt(5) / 3
"""Skewness and spread of the printed runs: (-2, -1, 3) / 3 and (-1, -1, 2) / 3 over the means 3 and 30.

Squares sum to 14/9 and 6/9, over 2 and times 3 to 7/3 and 1, in all 10/3: a variance of 5/9 of 6 runs. Cubes sum to 2/3
and 2/9, times 3^2 over 2 * 1 to 3 and 1, in all 4: a third moment of 2/3.
"""


def table(cells=CELLS, order=None, **outputs):
    """The table of runs of these cells, of three seeds each, in this order of rows."""
    rows = [(*cell, seed, value) for cell, values in cells.items() for seed, value in enumerate(values)]
    names = ("algorithm", "calibration", "variant", "eps", "T", "seed", "regret")
    found = {name: np.array(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)} | outputs
    return found if order is None else {name: values[order] for name, values in found.items()}


def runs_of(runs, calibration="printed", pools=None, seeds=None):
    return Runs(runs, CURVES, calibration, COINCIDES, pools, seeds)


EVERY = np.zeros(3)  # a sample whose bulk agrees with that of every cell


def tail(kind, runs, sample=EVERY):
    return Pools(runs, CURVES).tail(kind, sample, None, 100.0)


@pytest.mark.parametrize("order", [None, np.arange(24)[::-1], np.random.default_rng(1).permutation(24)])
def test_a_tail_is_that_of_all_settings_of_a_curve(order):
    """Runs over the mean of their setting, whatever the order of rows; nothing of other calibrations and variants."""
    found = tail(PRINTED, table(order=order))
    assert (found.skewness, found.spread) == (pytest.approx(SKEWNESS), pytest.approx(SPREAD))
    assert found.runs == 6


def test_a_setting_whose_runs_do_not_differ_counts_as_runs_without_spread():
    """(-1, 0, 1) / 2 over the mean 4: 1/2, over 2 and times 3 is 3/4; of 6 runs, 1/8. Both ends are alike."""
    found = tail((CENTRAL, "certified", "", "regret"), table())
    assert (found.skewness, found.spread, found.runs) == (pytest.approx(0, abs=1e-15), pytest.approx(8**-0.5), 6)
    assert tail((CENTRAL, "printed", "wide", "regret"), table()) == Tail(0.0, 0.0, 6, seen=math.inf)


def test_settings_are_told_apart_by_every_value_of_the_grid_and_missing_ones_are_alike():
    """The baseline has no budget and two horizons: (1, -1/3, -2/3) over 3, and nothing."""
    found = tail((BASE, "printed", "", "regret"), table())
    assert found.runs == 6
    assert found.spread == pytest.approx(math.sqrt(7 / 3 / 6))
    assert found.skewness == pytest.approx(0.5 / (7 / 18) ** 1.5)


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_setting_with_a_run_without_a_number_does_not_count(value):
    found = tail(PRINTED, table(CELLS | {(CENTRAL, "printed", "", 1.0, 100.0): [1.0, value, 1.0]}))
    assert (found.runs, found.spread) == (3, pytest.approx(math.sqrt(7 / 9)))
    assert found.skewness == pytest.approx(1 / (7 / 9) ** 1.5)


@pytest.mark.parametrize("values", [[-1.0, 0.0, 1.0], [3.0, 4.0], [5.0]])
def test_a_setting_of_mean_zero_or_of_fewer_than_three_runs_does_not_count(values):
    found = tail(PRINTED, table(CELLS | {(CENTRAL, "printed", "", 1.0, 100.0): values}))
    assert (found.runs, found.spread) == (3, pytest.approx(math.sqrt(7 / 9)))


def test_a_negative_mean_turns_a_tail_round():
    """Over their mean the runs are what they were; it is for the limits to say to which side the tail is."""
    turned = {cell: [-value for value in values] for cell, values in CELLS.items()}
    found = tail(PRINTED, table(turned))
    assert (found.skewness, found.spread) == (pytest.approx(SKEWNESS), pytest.approx(SPREAD))


def test_a_sample_that_was_read_has_the_tail_of_its_curve():
    """At any setting; of another output that of this output."""
    runs = table()
    sample = runs_of(runs | {"late": runs["regret"] ** 0})
    for eps in (0.1, 1.0):
        found = sample.tail(sample(CENTRAL, {"eps": eps}))
        assert (found.skewness, found.spread) == (pytest.approx(SKEWNESS), pytest.approx(SPREAD))
    assert sample.tail(sample(BASE, {"eps": 0.1})).spread == pytest.approx(math.sqrt(7 / 18))
    for still in (sample(CENTRAL, {"eps": 0.1}, "late"), sample(f"{CENTRAL}:wide", {"eps": 0.1})):
        assert sample.tail(still) == Tail(0.0, 0.0, 6)


def test_the_tail_is_that_of_the_calibration_whose_runs_were_read():
    """Certified runs, also where a curve names them; of the baseline the printed ones, which stand for them."""
    runs = table()
    printed, certified = runs_of(runs), runs_of(runs, "certified")
    of_certified = certified.tail(certified(CENTRAL, {"eps": 1.0}))
    assert of_certified.spread == pytest.approx(8**-0.5)
    assert printed.tail(printed(f"{CENTRAL}@certified", {"eps": 1.0})) == of_certified
    assert certified.tail(certified(BASE, {})) == printed.tail(printed(BASE, {}))


@pytest.mark.parametrize("order", [None, np.arange(24)[::-1], np.random.default_rng(1).permutation(24)])
def test_of_the_first_seeds_no_others_are_read(order):
    """Whatever the order of rows, of every output, and of the seeds themselves; more than there are change nothing."""
    runs = table(order=order)
    runs["late"] = 10.0 * runs["regret"]
    first = runs_of(runs, seeds=2)
    for eps, regret in ((0.1, [1.0, 2.0]), (1.0, [20.0, 20.0])):
        assert first(CENTRAL, {"eps": eps}).tolist() == regret
        assert first(CENTRAL, {"eps": eps}, "late").tolist() == [10.0 * value for value in regret]
        assert first(CENTRAL, {"eps": eps}, "seed").tolist() == [0, 1]
        assert first(CENTRAL, {"eps": eps}, "T").tolist() == [100.0, 100.0]
    assert first(f"{CENTRAL}@certified", {"eps": 1.0}).tolist() == [2.0, 4.0]
    assert first(BASE, {}).tolist() == [6.0, 2.0]
    for seeds in (3, 100):
        assert runs_of(runs, seeds=seeds)(CENTRAL, {"eps": 1.0}).tolist() == [20.0, 20.0, 50.0]


def test_the_first_seeds_of_a_curve_have_the_tail_of_all_its_runs():
    """Those that are left out say no less about rare runs."""
    sample = runs_of(table(), seeds=2)
    found = sample.tail(sample(CENTRAL, {"eps": 1.0}))
    assert (found.skewness, found.spread) == (pytest.approx(SKEWNESS), pytest.approx(SPREAD))
    assert found.runs == 6


def test_any_other_array_has_no_tail():
    """Copies, sums and medians, the horizon, and what other runs gave."""
    sample, other = runs_of(table()), runs_of(table())
    values = sample(CENTRAL, {"eps": 1.0})
    assert sample.tail(values) is not None
    for each in (values.copy(), values + 0.0, values[:], median_values(values), np.array([1.0, 2.0, 6.0])):
        assert sample.tail(each) is None
    assert sample.tail(sample(CENTRAL, {"eps": 1.0}, "T")) is None
    assert other.tail(values) is None


def test_samples_are_kept_and_cannot_be_changed():
    """The tail goes by the array itself, which must stay what it is."""
    sample = runs_of(table())
    values = sample(CENTRAL, {"eps": 1.0, "T": 100.0})
    assert sample(CENTRAL, {"T": 100.0, "eps": 1.0}) is values
    with pytest.raises(ValueError, match="read-only"):
        values[0] = 1.0


def test_calibrations_may_share_their_tails():
    """Of one calibration whose runs stand for another."""
    runs = table()
    pools = Pools(runs, CURVES)
    first, second = runs_of(runs, "printed", pools), runs_of(runs, "certified", pools)
    found = first.tail(first(BASE, {}))
    assert second.tail(second(BASE, {})) == found
    assert runs_of(runs).tail(first(BASE, {})) is None


def test_cells_agree_whose_bulk_is_spread_alike():
    """A rare run leaves the bulk as it is. Of many runs half of the spread agrees, and a tenth does not."""
    calm = np.array([9.0, 10.0, 10.0, 11.0, 12.0, 12.0, 13.0, 14.0])
    far, many = np.append(calm[:-1], 1000.0), (10**6, 10**6)
    assert bulk(calm) == bulk(far) == pytest.approx((12.25 - 10.0) / 11.5)
    assert agree(bulk(calm), bulk(far), *many)
    assert agree(bulk(calm), bulk(12.0 + 0.5 * (calm - 12.0)), *many)
    assert not agree(bulk(calm), bulk(12.0 + 0.1 * (calm - 12.0)), *many)
    assert agree(bulk(np.ones(8)), bulk(calm), *many)
    assert agree(bulk(np.array([0.0, 0.0, 0.0, 5.0])), bulk(calm), *many)


@pytest.mark.parametrize(("size", "other"), [(8, 8), (8, 10**6), (100, 400)])
def test_bulks_of_few_runs_may_differ_by_chance(size, other):
    """Of normal runs the logarithm of the bulk has the standard error 1.2 over the root of their number, about."""
    most = 3.0 * math.exp(3.0 * 1.2 * math.sqrt(1 / size + 1 / other))
    assert agree(1.0, 0.999 * most, size, other)
    assert not agree(1.0, 1.001 * most, size, other)
    assert not agree(1.001 * most, 1.0, size, other)
    n, rng = min(size, other), np.random.default_rng(size)
    found = [math.log(bulk(row)) for row in rng.normal(10.0, 1.0, (2000, n))]
    assert np.std(found) * math.sqrt(n) == pytest.approx(1.2, rel=0.15)


def far_apart(many):
    """Two settings with other bulks, of so many runs each, and their number."""
    wide, calm = np.geomspace(1.0, 6.0, many), 30.0 + np.linspace(-0.1, 0.1, many)
    return {(CENTRAL, "printed", "", 0.1, 100.0): wide, (CENTRAL, "printed", "", 1.0, 100.0): calm}


def test_a_tail_is_that_of_the_cells_that_agree():
    """Of two settings with other bulks each knows its own 80 runs alone, unless all its runs are equal."""
    cells = far_apart(80)
    first, second = (tail(PRINTED, table(cells), values) for values in cells.values())
    assert (first.runs, second.runs) == (80, 80)
    assert second.spread == pytest.approx(np.std(30.0 + np.linspace(-0.1, 0.1, 80), ddof=1) / 30.0)
    assert tail(PRINTED, table(cells), np.ones(3)).runs == 160


def test_settings_that_agree_and_have_fewer_than_72_runs_are_pooled_with_the_others():
    """With 71 runs each, both know all 142; with 72 but their own."""
    for many, runs in ((71, 142), (72, 72)):
        cells = far_apart(many)
        assert [tail(PRINTED, table(cells), values).runs for values in cells.values()] == [runs, runs]
