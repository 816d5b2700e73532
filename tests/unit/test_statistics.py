"""Known answers, symmetries and refusals of `dpbandits.numerics.statistics`."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpbandits.numerics import fits
from dpbandits.numerics import statistics as s

SEED = 20250101
numbers = st.integers(-1000, 1000).map(lambda k: k / 8)  # exact in binary: sums of them do not round
samples = st.lists(numbers, min_size=2, max_size=12).map(np.array)


def rng(seed=SEED):
    return np.random.default_rng(seed)


def ends(interval):
    return interval.low, interval.high


def width(interval):
    return interval.high - interval.low


# Estimates and influence values


def test_mean_and_difference_by_hand():
    np.testing.assert_allclose(s.mean([1, 2, 6]).influence, [-2, -1, 3])
    difference = s.difference([1, 2, 6], [0, 4, 2])
    assert difference.estimate == 1
    np.testing.assert_allclose(difference.influence, [0, -3, 3])
    assert difference.standard_error == pytest.approx(math.sqrt(3), rel=1e-14)


def test_ratio_by_hand():
    """r = 6/9; influence (x - 2y/3)/3 = (-1, 2, -1)/9; its sd is sqrt(3)/9, so the standard error is 1/9."""
    ratio = s.ratio([1, 2, 3], [2, 2, 5])
    assert ratio.estimate == pytest.approx(2 / 3, rel=1e-15)
    np.testing.assert_allclose(ratio.influence, [-1 / 9, 2 / 9, -1 / 9], rtol=1e-14)
    assert ratio.standard_error == pytest.approx(1 / 9, rel=1e-14)


def test_ratio_of_ratios_by_hand():
    """(6/2) / (4/8) = 6; influence 6 (x/6 - y/2 - u/4 + v/8), of squares 0.25 + 25 + 2.25 + 9 = 36.5 over 3 and 4."""
    x, y, u, v = [4, 8, 6, 6], [1, 3, 2, 2], [4, 2, 6, 4], [6, 12, 10, 4]
    found = s.ratio_of_ratios(x, y, u, v)
    assert found.estimate == 6
    np.testing.assert_allclose(found.influence, [-0.5, 5.0, -1.5, -3.0], atol=1e-14)
    assert found.standard_error == pytest.approx(math.sqrt(36.5 / 3) / 2, rel=1e-14)


def test_ratio_of_ratios_over_constants_is_the_ratio():
    draws = rng().lognormal(size=(2, 30))
    ones = np.ones(30)
    for plain, nested in (
        (s.ratio(*draws), s.ratio_of_ratios(*draws, ones, ones)),
        (s.ratio(*draws), s.ratio_of_ratios(ones, draws[1], ones, draws[0])),
        (s.ratio(*draws), s.ratio_of_ratios(draws[0], ones, draws[1], ones)),
    ):
        assert nested.estimate == pytest.approx(plain.estimate, rel=1e-13)
        np.testing.assert_allclose(nested.influence, plain.influence, atol=1e-12)


def test_equal_ratios_are_equal_without_error():
    """x / y and its copy; and x over y where both are 0.3 times u and v: only rounding is left."""
    x, y = rng().lognormal(size=(2, 30))
    for found in (s.ratio_of_ratios(x, y, x, y), s.ratio_of_ratios(0.3 * x, y, x, y), s.ratio_of_ratios(x, x, y, y)):
        assert found.standard_error == 0.0
        assert ends(s.t_interval(found)) == (found.estimate, found.estimate)


def jackknife_error(function, n):
    left_out = np.array([function(np.arange(n) != i) for i in range(n)])
    return math.sqrt((n - 1) * left_out.var())


def test_delta_method_agrees_with_the_jackknife():
    draws = rng().lognormal(sigma=0.5, size=(400, 3))
    draws[:, 1:] += draws[:, :1]  # paired: columns share a seed's luck
    x, y, z = draws.T
    expected = jackknife_error(lambda keep: x[keep].mean() / y[keep].mean(), 400)
    assert s.ratio(x, y).standard_error == pytest.approx(expected, rel=0.01)
    expected = jackknife_error(lambda keep: x[keep].mean() / y[keep].mean() * x[keep].mean() / z[keep].mean(), 400)
    assert s.ratio_of_ratios(x, y, z, x).standard_error == pytest.approx(expected, rel=0.01)
    logs = np.log([1, 10, 1000])
    expected = jackknife_error(lambda keep: np.polyfit(logs, np.log(draws[keep].mean(axis=0)), 1)[0], 400)
    assert s.log_log_slope([1, 10, 1000], draws).standard_error == pytest.approx(expected, rel=0.01)


def test_slope_by_hand():
    """Means 2 and 4 at settings 1 and 2: slope 1; influence (x2/4 - x1/2) / log 2 = (0, -1, 1) / log 2."""
    slope = s.log_log_slope([1, 2], [[1, 2], [3, 2], [2, 8]])
    assert slope.estimate == pytest.approx(1, rel=1e-14)
    np.testing.assert_allclose(slope.influence * 0.6931471805599453, [0, -1, 1], atol=1e-14)


@pytest.mark.parametrize("exponent", [-2.0, 0.0, 0.5, 1.0])
def test_slope_of_a_power_law_is_exact(exponent):
    """Seeds that are multiples of one power law tell the exponent without error: a point interval."""
    places = np.array([3.0, 10.0, 1e3, 2e6])
    slope = s.log_log_slope(places, np.outer([1.0, 0.3, 7.7, 2.9], places**exponent))
    assert slope.estimate == pytest.approx(exponent, abs=1e-14)
    assert ends(s.t_interval(slope)) == (slope.estimate, slope.estimate)


# Student and Welch


def test_contrast_of_statistics_by_hand():
    """Means 2 and 3 of (1, 3) and (2, 4) differ by -1 without error; of (1, 3) and (4, 2) with influences -2 and 2."""
    same, against = s.mean([2, 4]), s.mean([4, 2])
    first = s.contrast(s.mean([1, 3]), same)
    assert (first.estimate, first.standard_error) == (-1, 0)
    assert s.contrast(s.mean([1, 3]), against).influence.tolist() == [-2, 2]
    with pytest.raises(ValueError, match="same seeds"):
        s.contrast(same, s.mean([1, 2, 3]))


def test_t_interval_of_one_to_four():
    """Mean 2.5, sd 1.2909944, t(3) quantile 3.182446: half width 2.054260."""
    interval = s.t_interval(s.mean([1, 2, 3, 4]))
    assert (interval.estimate, interval.level) == (2.5, 0.95)
    assert ends(interval) == pytest.approx((0.445740, 4.554260), abs=1e-6)


def test_t_interval_at_another_level():
    """t(1) is Cauchy: quantile tan(0.45 pi) = 6.313752 at 90 %; the standard error of (0, 2) is 1."""
    assert ends(s.t_interval(s.mean([0, 2]), 0.9)) == pytest.approx((-5.313752, 7.313752), abs=1e-6)


def test_constant_samples_give_points():
    tenths = [0.1] * 7
    x = rng().normal(1e6, 1e3, size=50)
    for statistic in (s.mean(tenths), s.difference(x + 0.1, x), s.ratio(0.3 * x, x), s.ratio([0, 0], [1, 2])):
        assert ends(s.t_interval(statistic)) == (statistic.estimate, statistic.estimate)
    assert width(s.t_interval(s.difference(x + 1e-6 * np.arange(50), x))) > 0  # small is not constant


def test_column_moments_by_hand():
    """1, 2, 3, 6: mean 3, sd sqrt(14/3), t(3) quantile 3.182446, median 2.5; and a constant."""
    found = s.column_moments([[1, 5], [6, 5], [3, 5], [2, 5]])
    half = 3.182446 * math.sqrt(14 / 3) / 2
    expected = {
        "mean": [3, 5],
        "standard_error": [math.sqrt(14 / 3) / 2, 0],
        "low": [3 - half, 5],
        "high": [3 + half, 5],
        "median": [2.5, 5],
    }
    assert set(found) == set(expected)
    for name, values in expected.items():
        np.testing.assert_allclose(found[name], values, rtol=1e-6)


def test_column_moments_agree_with_the_scalar_functions():
    """Of columns of all sizes, a constant and a constant up to rounding among them; at 90 % as well."""
    table = rng().lognormal(size=(11, 5)) * [1e-9, 1.0, 1e9, 0.0, 0.0] + [0, -3, 0, 0.1, 1 / 3]
    table[0, 4] = math.nextafter(table[0, 4], 1)
    for level in (0.95, 0.9):
        found = s.column_moments(table, level)
        for k, column in enumerate(table.T):
            statistic = s.mean(column)
            interval = s.t_interval(statistic, level)
            assert found["mean"][k] == pytest.approx(statistic.estimate, rel=1e-14)
            assert found["standard_error"][k] == pytest.approx(statistic.standard_error, rel=1e-12)
            assert (found["low"][k], found["high"][k]) == pytest.approx(ends(interval), rel=1e-12)
            assert found["median"][k] == sorted(column)[5]
    assert found["standard_error"][3:].tolist() == [0, 0]


@given(samples, numbers, st.sampled_from([0.25, 2.0, 1024.0]), st.randoms(use_true_random=False))
def test_t_interval_shifts_scales_and_ignores_the_order_of_seeds(x, shift, scale, random):
    plain, moved = s.t_interval(s.mean(x)), s.t_interval(s.mean(scale * x + shift))
    assert ends(moved) == pytest.approx([scale * end + shift for end in ends(plain)], rel=1e-9, abs=1e-8)
    order = random.sample(range(x.size), x.size)
    assert ends(s.t_interval(s.mean(x[order]))) == pytest.approx(ends(plain), rel=1e-9, abs=1e-9)


@given(samples)
def test_difference_from_itself_is_zero_and_swapping_turns_the_sign(x):
    assert ends(s.t_interval(s.difference(x, x))) == (0, 0)
    there, back = s.t_interval(s.difference(x, x[::-1] ** 2)), s.t_interval(s.difference(x[::-1] ** 2, x))
    assert ends(there) == pytest.approx((-back.high, -back.low), rel=1e-12, abs=1e-9)


def test_statistics_made_by_hand():
    """Rounding of a constant is no spread, and an influence given off center changes nothing."""
    rounded = s.Statistic(1.0, np.array([1e-16, -1e-16, 0.0]))
    assert ends(s.t_interval(rounded)) == (1, 1)
    centered = s.mean(rng().normal(size=20))
    off = s.Statistic(centered.estimate, centered.influence + 5)
    assert ends(s.t_interval(off)) == pytest.approx(ends(s.t_interval(centered)), rel=1e-9)


# Samples and their derivatives

ROWS = tuple(rng(7).lognormal(sigma=0.4, size=(4, 30)) * np.array([[1.0], [20.0], [0.03], [7.0]]))
EVENTS = (np.arange(30) % 7 == 0).astype(float)
PLACES = [1.0, 3.0, 10.0, 70.0]


def excess_ratio(x, y, u, v):
    """(x - y) / (u + 2 v), from the four."""
    return s.of_rows(s.ratio(x - y, u + 2 * v), [[(x, 1.0), (y, -1.0)], [(u, 1.0), (v, 2.0)]])


PARTS = {  # of so many of the rows, a statistic
    "mean": (1, s.mean),
    "difference": (2, s.difference),
    "ratio": (2, s.ratio),
    "ratio_of_ratios": (4, s.ratio_of_ratios),
    "log_log_slope": (4, lambda *rows: s.log_log_slope(PLACES, np.stack(rows, axis=1))),
    "contrast": (4, lambda x, y, u, v: s.contrast(s.ratio(x, y), s.ratio_of_ratios(u, x, v, y))),
    "of_rows": (4, excess_ratio),
    "smooth": (3, lambda *rows: fits.smooth(lambda m: m[0] ** 2 / m[1] + np.exp(m[2]), np.stack(rows, axis=1))),
    "smooth norm": (2, lambda x, y: fits.smooth(lambda m: np.sqrt(m @ m), np.stack([x, y], axis=1))),
}


def derivative(function, rows, j):
    """By the mean of one sample: a central difference, as both samples shift."""
    step = 1e-5 * rows[j].mean()
    above, below = (function(*rows[:j], rows[j] + shift, *rows[j + 1 :]).estimate for shift in (step, -step))
    return (above - below) / (2 * step)


@pytest.mark.parametrize("name", PARTS)
def test_parts_are_the_samples_with_the_derivatives_by_their_means(name):
    """Derivatives by the same sample add; so do deviations times derivatives, to the influence."""
    number, function = PARTS[name]
    rows = ROWS[:number]
    found = function(*rows)
    for j, row in enumerate(rows):
        weight = sum(weight for part, weight in found.parts if np.array_equal(part, row))
        assert weight == pytest.approx(derivative(function, rows, j), rel=1e-7), j
    summed = sum(weight * (row - row.mean()) for row, weight in found.parts)
    np.testing.assert_allclose(found.influence, summed, atol=1e-9 * np.abs(found.influence).max())
    assert all(any(np.array_equal(part, row) for row in rows) for part, _ in found.parts)


def test_samples_are_the_arrays_that_were_given():
    """What is known of an array is found by its identity."""
    x, y, u, v = ROWS
    for found, rows in ((s.mean(x), [x]), (s.ratio(x, y), [x, y]), (s.ratio_of_ratios(*ROWS), ROWS)):
        assert all(part is row for (part, _), row in zip(found.parts, rows, strict=True))
    found = s.contrast(excess_ratio(*ROWS), s.difference(v, x))
    assert all(part is row for (part, _), row in zip(found.parts, [x, y, u, v, v, x], strict=True))


def test_parts_of_a_share():
    """It is the mean of ones and zeros, and has their number as well."""
    found = s.share(EVENTS > 0)
    assert (found.estimate, found.share) == (5 / 30, (5, 30))
    ((row, weight),) = found.parts
    assert (row.tolist(), weight) == (EVENTS.tolist(), 1.0)
    np.testing.assert_allclose(found.influence, EVENTS - 5 / 30)
    assert s.mean(EVENTS).share is None


def test_a_ratio_knows_both_means():
    """With the samples that they are sums of."""
    x, y, u, v = ROWS
    above, below = s.ratio(x, y).quotient
    assert (above.estimate, below.estimate) == pytest.approx((x.mean(), y.mean()))
    above, below = excess_ratio(*ROWS).quotient
    assert below.estimate == pytest.approx((u + 2 * v).mean())
    assert [(row is u or row is v, factor) for row, factor in below.parts] == [(True, 1.0), (True, 2.0)]
    assert all(each.quotient is None for each in (s.mean(x), s.difference(x, y), s.contrast(s.ratio(x, y), s.mean(u))))


# The median


def test_median_values_have_the_median_as_mean():
    for n in (8, 9, 20, 101):
        x = rng().exponential(size=n)
        assert s.median_values(x).mean() == pytest.approx(np.median(x), rel=1e-12)


def test_the_standard_error_of_a_median_is_half_the_distance_of_its_order_statistics():
    """n = 16: ranks 4 and 13 cover 1 - 2 P(Bin(16, 1/2) <= 3) = 0.97873, and so do 2.3031 normal sds."""
    x = rng().permutation(np.arange(16.0) ** 2)
    error = s.mean(s.median_values(x)).standard_error
    assert error == pytest.approx(0.5 * (12.0**2 - 3.0**2) / 2.3031, rel=1e-4)


def test_median_values_ignore_how_far_an_outlier_lies():
    x = rng().standard_normal(20)
    wild = x.copy()
    wild[np.argmax(x)] = 1e9
    assert np.array_equal(s.median_values(x), s.median_values(wild))


def test_equal_values_have_no_spread():
    assert np.array_equal(s.median_values([3.0] * 8), [3.0] * 8)


# Decisions


def test_holm_textbook_example():
    """The usual example: 0.005 * 4, 0.01 * 3, 0.03 * 2, 0.04 * 1, then the running maximum."""
    np.testing.assert_allclose(s.holm([0.01, 0.04, 0.03, 0.005]), [0.03, 0.06, 0.06, 0.02], rtol=1e-14)
    assert s.holm([0.6, 0.9]).tolist() == [1, 1]
    assert s.holm([]).size == 0


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_rejects_as_its_step_down_procedure(p):
    """Definition: walk up the sorted p-values and stop at the first with (m - i) p > alpha."""
    alpha, rejected = 0.05, set()
    for i, j in enumerate(sorted(range(len(p)), key=p.__getitem__)):
        if p[j] * (len(p) - i) > alpha:
            break
        rejected.add(j)
    assert set(np.flatnonzero(s.holm(p) <= alpha)) == rejected


def test_equivalent_is_inclusion():
    interval = s.Interval(1.0, 0.9, 1.2, 0.95)
    assert s.equivalent(interval, 0.8, 1.5)
    assert s.equivalent(interval, 0.9, 1.2)
    assert not s.equivalent(interval, 0.95, 1.5)
    assert not s.equivalent(interval, 0.8, 1.1)
    assert not s.equivalent(s.Interval(1.0, -math.inf, math.inf, 0.95), 0.0, 1e9)


@pytest.mark.parametrize(
    ("low", "high", "n", "threshold", "needed"),
    [
        (0.5, 1.5, 100, 1.25, 401),  # twice too wide: 400 would only touch
        (0.5, 1.5, 100, 0.75, 401),  # the same from below
        (0.5, 1.5, 100, 1.5, 101),  # touches now: one more
        (0.5, 1.5, 100, 3.0, 7),  # conclusive: 100 / 16 would have done
        (1.0, 1.0, 100, 3.0, 2),  # a point: the least sample
        (0.875, 3.0, 100, 0.9375, 401),  # asymmetric: the side of the threshold counts
        (0.5, 1.5, 10, 1.0006, 6944445),  # 10 * (0.5 / 0.0006)**2 = 6944444.4
        (0.5, 1.5, 10, 1.0004, None),  # 15.6 million
        (0.5, 1.5, 10, 1.0, None),
        (1.0, 1.0, 10, 1.0, None),
        (-math.inf, math.inf, 10, 3.0, None),
    ],
)
def test_seeds_needed_by_hand(low, high, n, threshold, needed):
    assert s.seeds_needed(s.Interval(1.0, low, high, 0.95), n, threshold) == needed


@given(st.floats(0.01, 10), st.integers(2, 1000), st.floats(-20, 20))
def test_seeds_needed_is_the_least_that_excludes_the_threshold(half, n, threshold):
    interval = s.Interval(0.0, -half, half, 0.95)
    needed = s.seeds_needed(interval, n, threshold)
    if needed is None:
        assert half * math.sqrt(n / 1e7) >= abs(threshold)
        return
    assert half * math.sqrt(n / needed) < abs(threshold) * (1 + 1e-9)
    assert needed in (2, n + 1) or half * math.sqrt(n / (needed - 1)) >= abs(threshold) * (1 - 1e-9)
    assert needed > n or abs(threshold) > half


# Refusals

NAN_INTERVAL = s.Interval(1.0, math.nan, 2.0, 0.95)
UNIT = s.Interval(1.0, 0.0, 2.0, 0.95)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: s.mean([1.0]), "2 seeds"),
        (lambda: s.mean([]), "2 seeds"),
        (lambda: s.mean(3.0), "2 seeds"),
        (lambda: s.mean([[1, 2], [3, 4]]), "one value per seed"),
        (lambda: s.mean([1, math.nan]), "finite"),
        (lambda: s.difference([1, 2], [1, math.inf]), "finite"),
        (lambda: s.difference([1, 2, 3], [1, 2]), "equal lengths"),
        (lambda: s.ratio([1, 2, 3], [1, 2]), "equal lengths"),
        (lambda: s.ratio([1, 2], [-1, 1]), "mean of y is zero"),
        (lambda: s.ratio([1, 2, 3], [0.1, 0.2, -0.3]), "mean of y is zero"),  # 0.1 + 0.2 - 0.3 = 5.6e-17
        (lambda: s.ratio_of_ratios([1, 2], [1, 2], [1, 2], [1, 2, 3]), "equal lengths"),
        (lambda: s.ratio_of_ratios([1, 2], [1, 2], [1, math.nan], [1, 2]), "finite"),
        (lambda: s.ratio_of_ratios([1, 2], [1, 2], [1, 2], [-1, 1]), "every mean"),
        (lambda: s.ratio_of_ratios([-1, 0], [1, 2], [1, 2], [1, 2]), "every mean"),
        (lambda: s.ratio_of_ratios([1, 2, 3], [1, 2, 3], [0.1, 0.2, -0.3], [1, 2, 3]), "every mean"),
        (lambda: s.column_moments([[1, 2]]), "2 seeds"),
        (lambda: s.column_moments([1, 2]), "a table"),
        (lambda: s.column_moments([[1, 2], [3, math.inf]]), "finite"),
        (lambda: s.t_interval(s.mean([1, 2]), 0.0), "level"),
        (lambda: s.t_interval(s.mean([1, 2]), math.nan), "level"),
        (lambda: s.median_values([1, 2, math.nan]), "finite"),
        (lambda: s.Statistic(1.0, np.array([0.0])).standard_error, "2 seeds"),
        (lambda: s.Statistic(math.nan, np.zeros(2)).standard_error, "estimate"),
        (lambda: s.Statistic(1.0, np.array([1.0, math.nan])).standard_error, "finite"),
        (lambda: s.log_log_slope([1, 2], [[1, 2]]), "2 seeds"),
        (lambda: s.log_log_slope([1, 2], [[1, 2, 3]] * 2), "2 settings"),
        (lambda: s.log_log_slope([1, 2], [1, 2]), "2 settings"),
        (lambda: s.log_log_slope([[1, 2]], [[1, 2]] * 2), "settings"),
        (lambda: s.log_log_slope([1, 2], [[1, math.nan]] * 2), "finite"),
        (lambda: s.log_log_slope([0, 2], [[1, 2]] * 2), "positive"),
        (lambda: s.log_log_slope([2, 2], [[1, 2]] * 2), "distinct"),
        (lambda: s.log_log_slope([2], [[1]] * 2), "distinct"),
        (lambda: s.log_log_slope([1, 2], [[1, 2], [1, -2]]), "column mean"),
        (lambda: s.holm([0.5, 1.1]), r"\[0, 1\]"),
        (lambda: s.holm([0.5, math.nan]), r"\[0, 1\]"),
        (lambda: s.holm([[0.5, 0.1]]), "one row"),
        (lambda: s.equivalent(UNIT, 1.0, 0.5), "exceed"),
        (lambda: s.equivalent(UNIT, math.nan, 0.5), "exceed"),
        (lambda: s.seeds_needed(UNIT, 1, 0.5), "at least 2"),
        (lambda: s.seeds_needed(UNIT, 10, math.nan), "NaN"),
        (lambda: s.seeds_needed(NAN_INTERVAL, 10, 0.5), "NaN"),
        (lambda: s.Interval(1.0, 0.0, 2.0, 95), "level"),
    ],
)
def test_refuses(call, text):
    with pytest.raises(ValueError, match=text):
        call()
