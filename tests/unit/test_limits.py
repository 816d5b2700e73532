"""Confidence limits: Student's, Hall's, Cornish and Fisher's written out, symmetries, and samples that say little."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

from dpbandits.numerics import limits as li
from dpbandits.numerics import statistics as s
from dpbandits.numerics import tails as ta
from dpbandits.numerics.limits import limits
from dpbandits.numerics.tails import Large, Tail

ALPHA = 0.025
SKEWED = Tail(3.0, 0.8, 4000)
CALM = Tail(0.1, 0.2, 4000)


def together(cells):
    """What the runs of cells show, each of which is an array."""
    return ta.pooled(ta.summary(cell) for cell in cells)


def rng(seed=20250101):
    return np.random.default_rng(seed)


def ends(interval):
    return interval.low, interval.high


def reaches(interval):
    """How far both limits lie from the estimate."""
    return interval.estimate - interval.low, interval.high - interval.estimate


def known(*pairs):
    """Tails by sample."""

    def tails(row):
        return next((tail for sample, tail in pairs if sample is row), None)

    return tails


def everywhere(tail):
    return lambda _: tail


def quantile(n, alpha=ALPHA):
    return stats.t.ppf(1 - alpha, n - 1)


def halls(x, q):
    """How far Hall's limits of the mean lie below and above it: his g solved by bisection, whose slope is a square."""
    n, gamma = len(x), stats.skew(x)

    def g(t):
        return t + gamma * t**2 / 3 + gamma**2 * t**3 / 27 + gamma / (6 * n)

    least, most = (optimize.brentq(lambda t, y=y: g(t) - y, -1e3, 1e3, xtol=1e-13) for y in (-q, q) / np.sqrt(n))
    return x.std(ddof=1) * most, x.std(ddof=1) * -least


def written_out(found, alpha, tails):
    """Distances below and above the estimate, sample by sample, without a sample that does not vary."""
    n, q = len(found.influence), quantile(len(found.influence), alpha)
    own = np.std(found.influence, ddof=1)
    cells = [[w * row.mean(), abs(w) * row.std(ddof=1), tails(row)] for row, w in found.parts]
    cells = [cell for cell in cells if cell[2] is not None]
    lacking = [max((t.spread * center) ** 2 - d**2, 0) for center, d, t in cells]
    variance = own**2 + sum(lacking)
    shares = [min(1, (d**2 + more) / variance) for (_, d, _), more in zip(cells, lacking, strict=True)]
    cubes = [np.sign(c) * share**1.5 * t.skewness for (c, _, t), share in zip(cells, shares, strict=True)]
    wide = {-1: own, 0: own, 1: own}
    if n < 1.2 * (1 + max(sum(map(abs, cubes)), abs(stats.skew(found.influence))) ** 2) * q**2:
        for side in wide:
            growth = [1 / max(1 - q * t.spread / math.sqrt(n), 0.01) if c * side > 0 else 1 for c, _, t in cells]
            wide[side] = math.sqrt(own**2 + sum(more * k**2 for more, k in zip(lacking, growth, strict=True)))
    shift = sum(cubes) * (2 * q**2 + 1) / (6 * math.sqrt(n))
    by_hall = np.array(halls(found.influence, q)) * math.sqrt(n)
    below = max(q * own, by_hall[0], (q - shift) * wide[0], q * wide[-1])
    above = max(q * own, by_hall[1], (q + shift) * wide[0], q * wide[1])
    return below / math.sqrt(n), above / math.sqrt(n)


# Each limit by itself


@pytest.mark.parametrize("alpha", [ALPHA, ALPHA / 20, 0.2])
@pytest.mark.parametrize("n", [8, 21, 400])
def test_symmetric_data_have_the_limits_of_students_t(n, alpha):
    half = rng().normal(size=n // 2)
    x = 3 + np.concatenate([half, -half, np.zeros(n % 2)])
    found = limits(s.mean(x), alpha)
    wanted = stats.t.interval(1 - 2 * alpha, n - 1, x.mean(), stats.sem(x))
    assert ends(found) == pytest.approx(wanted, rel=1e-9)
    assert (found.estimate, found.level) == (x.mean(), 1 - 2 * alpha)


@pytest.mark.parametrize("n", [5, 8, 30, 300])
@pytest.mark.parametrize("seed", range(5))
def test_a_skewed_sample_has_halls_limit_where_it_is_farther_than_students(n, seed):
    x = rng(seed).lognormal(sigma=1.2, size=n) * [1, -1][seed % 2]
    q, student = quantile(n), quantile(n) * stats.sem(x)
    below, above = halls(x, q)
    assert reaches(limits(s.mean(x), ALPHA)) == pytest.approx((max(student, below), max(student, above)), rel=1e-8)
    assert max(below, above) > 1.02 * student > min(below, above)


def test_the_skewness_of_more_runs_moves_one_limit_by_hand():
    """Ten and ten runs at 9 and 11: sd sqrt(20/19), t(19) 2.093024. Skewness 0.5: (2 t^2 + 1) / 6 sqrt(20) / 2."""
    x = np.repeat([9.0, 11.0], 10)
    t, error = 2.093024, math.sqrt(20 / 19 / 20)
    shift = 0.5 * (2 * t**2 + 1) / (6 * math.sqrt(20))
    found = limits(s.mean(x), ALPHA, everywhere(Tail(0.5, 0.05, 1000)))
    assert reaches(found) == pytest.approx((t * error, (t + shift) * error), rel=1e-6)
    found = limits(s.mean(x), ALPHA, everywhere(Tail(-0.5, 0.05, 1000)))
    assert reaches(found) == pytest.approx(((t + shift) * error, t * error), rel=1e-6)


def test_few_seeds_borrow_the_spread_of_more_runs_by_hand():
    """The same 20 runs and a tail of skewness 2, spread 0.4: 20 < 1.2 (1 + 2^2) t^2, so that 0.4 * 10 is the sd.

    Below it is t times that; above (t + shift) times that, where shift = 2 (2 t^2 + 1) / 6 sqrt(20), or t times an sd
    that grows by 1 / (1 - 0.4 t / sqrt(20)) less what the sample has of it.
    """
    x, t = np.repeat([9.0, 11.0], 10), 2.093024
    shift = 2 * (2 * t**2 + 1) / (6 * math.sqrt(20))
    own = 20 / 19
    grown = math.sqrt(own + (16 - own) / (1 - 0.4 * t / math.sqrt(20)) ** 2)
    found = limits(s.mean(x), ALPHA, everywhere(Tail(2.0, 0.4, 1000)))
    assert grown == pytest.approx(4.866, abs=0.001)
    assert reaches(found) == pytest.approx((4 * t / math.sqrt(20), 4 * (t + shift) / math.sqrt(20)), rel=1e-6)
    found = limits(s.mean(x), ALPHA, everywhere(Tail(-2.0, 0.4, 1000)))
    assert reaches(found) == pytest.approx((4 * (t + shift) / math.sqrt(20), grown * t / math.sqrt(20)), rel=1e-6)


def test_a_spread_that_the_seeds_cannot_bound_grows_to_a_hundredfold():
    """With 8 seeds a spread of 1 grows 1 / (1 - t / sqrt(8)) = 6.1 times; one of 2 would without end."""
    x = np.array([0.9, 1.1] * 4)
    for spread, growth in ((1.0, 1 / (1 - 2.364624 / math.sqrt(8))), (2.0, 100.0)):
        own = x.var(ddof=1)
        sd = math.sqrt(own + (spread**2 - own) * growth**2)
        found = limits(s.mean(x), ALPHA, everywhere(Tail(0.0, spread, 1000)))
        assert reaches(found)[1] == pytest.approx(reaches(limits(s.mean(x), ALPHA))[1], rel=1e-9), "8 are enough"
        found = limits(s.mean(x), ALPHA, everywhere(Tail(1.0, spread, 1000)))
        assert reaches(found)[1] == pytest.approx(2.364624 * sd / math.sqrt(8), rel=1e-6)


def test_a_ratio_has_the_limits_of_fieller_by_hand():
    """x = 4 +- 1 and y = 8 +- 2 in all four ways: no skewness, variances 4/3 and 16/3, and t(3) is 3.182446.

    (4 - 8 c)^2 = t^2 (4/3 + 16/3 c^2) / 4 is c^2 (64 - 4 t^2 / 3) - 64 c + 16 - t^2 / 3 = 0.
    """
    x, y = np.array([3.0, 3.0, 5.0, 5.0]), np.array([6.0, 10.0, 6.0, 10.0])
    square = 3.182446**2
    wanted = np.roots([64 - 4 * square / 3, -64, 16 - square / 3])
    assert ends(limits(s.ratio(x, y), ALPHA)) == pytest.approx(sorted(wanted), rel=1e-6)
    low, high = ends(limits(s.ratio(x, -y), ALPHA))
    assert (-high, -low) == pytest.approx(sorted(wanted), rel=1e-6)


def test_limits_of_a_ratio_of_positive_samples_are_positive_or_infinite():
    x, y = rng(3).lognormal(sigma=1.5, size=(2, 8))
    low, high = ends(limits(s.ratio(x, y), ALPHA, everywhere(Tail(5.0, 3.0, 999))))
    assert (low, high) == (0.0, math.inf)
    assert ends(limits(s.ratio(x, 5.0 * x), ALPHA)) == pytest.approx((0.2, 0.2))


def test_a_ratio_of_ratios_has_the_limits_of_its_logarithm():
    rows = rng(4).lognormal(sigma=0.3, size=(4, 12))
    found = s.ratio_of_ratios(*rows)
    log = s.Statistic(math.log(found.estimate), found.influence / found.estimate)
    assert ends(limits(found, ALPHA)) == pytest.approx([math.exp(end) for end in ends(limits(log, ALPHA))], rel=1e-9)


# Large runs


LARGE = Large(np.array([18.0, 22.0] * 10), 400, 0.0, Tail(0.0, 0.05, 380))
LINEAR = Tail(4.0, 2.0, 400, LARGE)
"""Of 400 runs 20 have about 20 times the mean of the others."""


def taken_apart(center, sd, n, alpha=ALPHA):
    """Estimate and reaches of a mean of n runs, the ordinary ones with this mean and deviation, without skewness."""
    low, high = stats.beta.ppf(alpha, 20, 381), stats.beta.ppf(1 - alpha, 21, 380)
    size = quantile(20, alpha) * math.sqrt(4 * 20 / 19) / math.sqrt(20)
    ordinary = 1.95 * quantile(n, alpha) * sd / math.sqrt(n)
    parts = [[ordinary, center * 19 * (0.05 - low), center * 0.05 * size], [ordinary, center * 19 * (high - 0.05)]]
    return 1.95 * center, *(math.hypot(*each) for each in (parts[0], [*parts[1], center * 0.05 * size]))


@pytest.mark.parametrize("large", [[], [200.0]])
@pytest.mark.parametrize("alpha", [ALPHA, ALPHA / 20])
def test_a_mean_with_rare_large_runs_is_taken_apart_by_hand(large, alpha):
    """Runs of 9 to 11, and rarely 200: 10 (1 + 0.05 (20 - 1)) = 19.5, whether the sample has a large run or none."""
    x = np.array([9.0, 9.0, 9.0, 10.0, 11.0, 11.0, 11.0, *(large or [10.0])])
    estimate, below, above = taken_apart(10.0, math.sqrt(6 / 7), 8, alpha)
    found = limits(s.mean(x), alpha, everywhere(LINEAR))
    wanted = estimate - below, estimate + above
    assert (found.estimate, *ends(found)) == pytest.approx((19.5, *wanted), rel=1e-6)
    minus = s.Statistic(-x.mean(), x.mean() - x, ((x, -1.0),), form="means")
    negative = limits(minus, alpha, everywhere(LINEAR))
    assert ends(negative) == pytest.approx((-wanted[1], -wanted[0]), rel=1e-6)


@pytest.mark.parametrize(("skewness", "ordinary"), [(0.4, (1.62150, 1.79082)), (0.0, (1.62150, 1.76857))])
def test_one_mean_of_ordinary_runs_has_the_spread_of_more_runs_by_hand(skewness, ordinary):
    """Spread 0.12 of 19.5 by the root of 8, times 1.95996 below; above plus 0.20466 for the skewness, or times 1.0907.

    The sample alone has a spread of 0.0926. With 0.05 for more runs it is spread more widely than 5 % of samples.
    """
    x = np.array([9.0, 9.0, 9.0, 10.0, 11.0, 11.0, 11.0, 10.0])
    tail = Tail(4.0, 2.0, 400, Large(LARGE.sizes, 400, 0.0, Tail(skewness, 0.12, 380)))
    low, high = stats.beta.ppf(ALPHA, 20, 381), stats.beta.ppf(1 - ALPHA, 21, 380)
    size = 0.5 * quantile(20) * math.sqrt(4 / 19)
    wanted = [math.hypot(each, 190 * p, size) for each, p in zip(ordinary, (0.05 - low, high - 0.05), strict=True)]
    assert reaches(limits(s.mean(x), ALPHA, everywhere(tail))) == pytest.approx(wanted, rel=1e-4)
    minus = s.Statistic(-x.mean(), x.mean() - x, ((x, -1.0),), form="means")
    assert reaches(limits(minus, ALPHA, everywhere(tail))) == pytest.approx(wanted[::-1], rel=1e-4)


def test_a_lucky_sample_does_not_carry_the_mean():
    """The large run of eight is two and a half times its part: the mean is 19.5 and not 33.6, and may be below 25."""
    x = np.array([9.0, 9.0, 9.0, 10.0, 11.0, 11.0, 11.0, 200.0])
    found = limits(s.mean(x), ALPHA, everywhere(LINEAR))
    assert found.estimate == pytest.approx(19.5)
    assert found.low < 19.5 < found.high < x.mean()


def test_a_slope_is_that_of_means_that_are_taken_apart():
    """Means 19.5 and 39 at 1 and 2: slope 1, where those of the samples are 33.6 and 20. Reaches are on logs."""
    x = np.array([9.0, 9.0, 9.0, 10.0, 11.0, 11.0, 11.0, 200.0])
    y = np.array([20.0, 18.0, 22.0, 22.0, 18.0, 18.0, 22.0, 20.0])
    slope = s.of_rows(s.log_log_slope([1.0, 2.0], np.stack([x, y], axis=1)), [[(x, 1.0)], [(y, 1.0)]])
    found = limits(slope, ALPHA, known((x, LINEAR), (y, LINEAR)))
    assert found.estimate == pytest.approx(1.0)
    low, high = stats.beta.ppf(ALPHA, 20, 381), stats.beta.ppf(1 - ALPHA, 21, 380)
    size = 0.05 * quantile(20) * math.sqrt(4 / 19)
    calm = np.where(x == 200.0, 10.0, x) / 10.0
    ordinary = quantile(8) * np.std(y / 20 - calm, ddof=1) / math.sqrt(8)
    of_rates = math.log((1 + 19 * high) / 1.95) - math.log((1 + 19 * low) / 1.95)
    of_sizes = math.log(1 + size / 1.95) - math.log(1 - size / 1.95)
    wanted = math.sqrt(ordinary**2 + of_rates**2 + of_sizes**2) / math.log(2)
    assert reaches(found)[1] == pytest.approx(wanted, rel=1e-3)
    assert reaches(found)[0] == pytest.approx(wanted, rel=0.01), "Hall's limit is a little lower"


def test_a_ratio_of_ratios_is_that_of_means_that_are_taken_apart():
    x = np.array([9.0, 9.0, 9.0, 10.0, 11.0, 11.0, 11.0, 200.0])
    y, z = 2.0 * np.where(x == 200.0, 10.0, x), rng(5).normal(3.0, 0.1, size=8)
    tails = known((x, LINEAR), (y, LINEAR))
    found = limits(s.ratio_of_ratios(x, y, z, z), ALPHA, tails)
    assert found.estimate == pytest.approx(0.5)
    assert found.low < 0.5 < found.high


@pytest.mark.parametrize("swapped", [False, True])
def test_a_ratio_is_that_of_means_that_are_taken_apart(swapped):
    """Ordinary runs are equal, run by run: the ratio is 1, and its limits are those of the rates and sizes alone."""
    x = np.array([9.0, 9.0, 9.0, 10.0, 11.0, 11.0, 11.0, 200.0])
    y = np.where(x == 200.0, 10.0, x)
    found = limits(s.ratio(y, x) if swapped else s.ratio(x, y), ALPHA, known((x, LINEAR), (y, LINEAR)))
    assert found.estimate == pytest.approx(1.0)
    assert 0.2 < found.low < 1.0 < found.high < 3.0
    assert found.low * found.high == pytest.approx(1.0, rel=0.1)


def test_a_statistic_of_another_form_includes_the_value_at_the_means_of_the_samples():
    """An excess may have any sign, and its logarithm no line through both means."""
    x = np.array([9.0, 9.0, 9.0, 10.0, 11.0, 11.0, 11.0, 200.0])
    base = np.full(8, 1.0)
    slope = s.log_log_slope([1.0, 2.0], np.stack([x - base, x - base + 5.0], axis=1))
    rows = [[(x, 1.0), (base, -1.0)], [(x, 1.0), (base, 4.0)]]
    found = limits(s.of_rows(slope, rows), ALPHA, known((x, LINEAR)))
    assert found.low <= slope.estimate <= found.high
    assert s.of_rows(slope, rows).form == "other"


def test_forms_of_statistics():
    x, y = rng(6).lognormal(size=(2, 8))
    slope = s.log_log_slope([1.0, 2.0], np.stack([x, y], axis=1))
    forms = [s.mean(x), s.difference(x, y), s.contrast(s.mean(x), s.mean(y), 2.0)]
    assert {each.form for each in forms} == {"means"}
    forms = [slope, s.contrast(slope, slope), s.of_rows(slope, [[(x, 1.0)], [(y, 1.0)]]), s.ratio_of_ratios(x, y, x, y)]
    assert {each.form for each in forms} == {"logs"}
    forms = [s.contrast(slope, s.mean(x)), s.contrast(*[s.ratio_of_ratios(x, y, x, y)] * 2)]
    assert {each.form for each in forms} == {"other"}


def test_what_two_samples_lack_adds_up_and_does_not_cancel():
    """Both may miss the same large runs: their difference has twice the reach of one, its ordinary runs none."""
    x = np.array([9.0, 9.0, 9.0, 10.0, 11.0, 11.0, 11.0, 10.0])
    _, below, above = taken_apart(10.0, 0.0, 8)
    found = limits(s.difference(x, x.copy()), ALPHA, everywhere(LINEAR))
    low, high = stats.beta.ppf(ALPHA, 20, 381), stats.beta.ppf(1 - ALPHA, 21, 380)
    rates, sizes = 190 * (high - low), 2 * 0.5 * quantile(20) * math.sqrt(4 / 19)
    assert reaches(found) == pytest.approx((math.hypot(rates, sizes),) * 2, rel=1e-6)
    assert rates == pytest.approx(190 * (0.0764 - 0.0308), rel=0.01)


def test_the_mean_size_varies_from_cell_to_cell():
    """A deviation of 3 between cells adds t(19) 3 to the reach of the size, at right angles."""
    x = np.array([9.0, 9.0, 9.0, 10.0, 11.0, 11.0, 11.0, 10.0])
    _, below, above = taken_apart(10.0, math.sqrt(6 / 7), 8)
    found = limits(s.mean(x), ALPHA, everywhere(replace(LINEAR, large=replace(LARGE, variation=3.0))))
    more = 10 * 0.05 * quantile(20) * 3
    assert ends(found) == pytest.approx((19.5 - math.hypot(below, more), 19.5 + math.hypot(above, more)))


def test_a_sample_with_too_many_large_runs_for_the_others_has_limits_of_its_own_as_well():
    """Three of 12, where the others have 5 %: that is 2 %. The upper limit of the rate is that of 3 of 12."""
    x = np.array([9.0, 9.0, 9.0, 10.0, 10.0, 10.0, 11.0, 11.0, 11.0, 200.0, 200.0, 200.0])
    sd, high, low = math.sqrt(6 / 11), stats.beta.ppf(1 - ALPHA, 4, 9), stats.beta.ppf(ALPHA, 20, 381)
    size, ordinary = 0.5 * quantile(20) * 2 / math.sqrt(19), 1.95 * quantile(12) * sd / math.sqrt(12)
    found = limits(s.mean(x), ALPHA, everywhere(LINEAR))
    assert stats.binom.sf(2, 12, 0.05) < stats.binom.sf(1, 12, 0.05) < 0.2 < stats.binom.sf(0, 12, 0.05)
    assert found.high == pytest.approx(19.5 + math.sqrt(ordinary**2 + (190 * (high - 0.05)) ** 2 + size**2))
    assert found.low == pytest.approx(19.5 - math.sqrt(ordinary**2 + (190 * (0.05 - low)) ** 2 + size**2))
    two = np.array([*x[:9], 10.0, 200.0, 200.0])
    assert limits(s.mean(two), ALPHA, everywhere(LINEAR)).high < found.high


SIX = np.concatenate([np.tile([9.0, 10.0, 11.0], 8), np.full(6, 200.0)])
"""Six large runs of 30."""


def ends_of_six(count, runs):
    """Limits of 48 = 10 (1 + 0.2 (20 - 1)), with the exact limits of a rate of so many large runs; sizes are equal."""
    low, high = stats.beta.ppf([ALPHA, 1 - ALPHA], [count, count + 1], [runs - count + 1, runs - count])
    ordinary = 4.8 * quantile(30) * math.sqrt(16 / 29) / math.sqrt(30)
    return 48 - math.hypot(ordinary, 190 * (0.2 - low)), 48 + math.hypot(ordinary, 190 * (high - 0.2))


def test_a_sample_with_enough_large_runs_of_its_own_has_the_narrower_limits():
    """More runs have the same rate: 20 of 100 say more than six of 30, five of 25 say less."""
    many, few = replace(LARGE, runs=100), replace(LARGE, sizes=LARGE.sizes[:5], runs=25)
    for large, wanted in ((many, ends_of_six(20, 100)), (few, ends_of_six(6, 30))):
        found = limits(s.mean(SIX), ALPHA, everywhere(replace(LINEAR, large=large)))
        assert (found.estimate, *ends(found)) == pytest.approx((48.0, *wanted))


def test_a_sample_with_enough_large_runs_for_the_others_to_be_unlike_it_is_taken_apart_alone():
    """Six of 30, where the others have 5 %, or 0.5 %."""
    for runs in (400, 4000):
        found = limits(s.mean(SIX), ALPHA, everywhere(replace(LINEAR, large=replace(LARGE, runs=runs))))
        assert (found.estimate, *ends(found)) == pytest.approx((48.0, *ends_of_six(6, 30)))


def test_a_sample_with_few_large_runs_for_the_others_has_limits_of_its_own_as_well():
    """None of 40, where the others have 5 %: that is 13 %, and the rate may be 0 to 8.8 %. Of 30 it is 21 %."""
    assert stats.binom.cdf(0, 40, 0.05) < 0.2 < stats.binom.cdf(0, 30, 0.05)
    others = stats.beta.ppf([ALPHA, 1 - ALPHA], [20, 21], [381, 380])
    for n, low, high in ((30, *others), (40, 0.0, 1 - ALPHA ** (1 / 40))):
        x = np.tile([9.0, 11.0], n // 2)
        sd, size = math.sqrt(n / (n - 1)), 0.5 * quantile(20) * 2 / math.sqrt(19)
        ordinary = 1.95 * quantile(n) * sd / math.sqrt(n)
        found = limits(s.mean(x), ALPHA, everywhere(LINEAR))
        reach = [math.sqrt(ordinary**2 + (190 * each) ** 2 + size**2) for each in (0.05 - low, high - 0.05)]
        assert reaches(found) == pytest.approx(reach, rel=1e-3)


def test_samples_of_many_seeds_or_with_a_run_that_is_not_positive_are_taken_as_they_are():
    x, plain = np.tile([9.0, 11.0], 300), everywhere(replace(LINEAR, large=None))
    for row in (x, np.array([0.0, *x[:19]])):
        assert limits(s.mean(row), ALPHA, everywhere(LINEAR)) == limits(s.mean(row), ALPHA, plain)
    assert limits(s.mean(x[:20]), ALPHA, everywhere(LINEAR)) != limits(s.mean(x[:20]), ALPHA, plain)


def test_large_runs_exceed_eight_times_the_lower_quartile_and_are_a_kind_of_their_own():
    cell = np.array([1.0] * 16 + [2.0] * 4)
    assert not ta.is_large(cell).any()
    assert ta.is_large(np.append(cell, [8.0, 8.1])).sum() == 1
    assert not ta.is_large(np.append(cell, [0.0, 8.1])).any()
    cells = [np.append(cell, 20.0 + k) for k in range(5)]
    found = together(cells)
    assert found.large.sizes == pytest.approx([(20 + k) / 1.2 for k in range(5)])
    assert found.runs == 105
    ordinary = found.large.ordinary
    assert (ordinary.runs, ordinary.spread) == (100, pytest.approx(np.std(cell, ddof=1) / 1.2))
    assert together(cells[:4]).large is None
    between = [np.append(cells[0], 7.0), *cells[1:]]
    assert together(between).large is not None
    assert together([np.append(cells[0], [7.0, 7.0]), *cells[1:]]).large is None
    zero = together([*cells, np.append(cell, [0.0, 20.0])])
    assert (zero.runs, zero.large.runs, zero.large.sizes.size) == (127, 105, 5)


def test_large_runs_are_rare_and_as_frequent_in_all_cells():
    """Chi-square of six cells of 20 with one each is 0. With 6 in one cell it is 27, 5 +- 3.3 is expected."""
    calm = np.ones(20)
    alike = [np.append(calm[1:], 20.0)] * 6
    other = [np.append(calm[6:], [20.0] * 6), *[calm] * 5]
    assert together(alike).large.sizes.size == 6
    assert together(other).large is None
    counts = np.array([6, 0, 0, 0, 0, 0])
    chi, *_ = stats.chi2_contingency([counts, 20 - counts], correction=False)
    spread = 0.05 * 0.95
    assert chi > 5 + 2 * math.sqrt(10 + 0.3 * (1 - 6 * spread) / spread)
    half = [np.array([1.0] * 6 + [20.0] * 4)] * 6
    assert together(half).large is None
    assert together([np.array([1.0] * 8 + [20.0] * 4)] * 6).large.sizes.size == 24


def test_the_variation_of_sizes_is_that_between_cells_beyond_that_within():
    """One-way analysis of variance: sizes 10, 12 | 20, 22 | 30: between 324 / 2, within 4 / 2, typical size 1.6."""
    groups = [[10.0, 12.0], [20.0, 22.0], [30.0]]
    cells = [np.array([1.0] * 18 + each) for each in groups]
    mean_of = np.mean([x for each in groups for x in each])
    between = sum(len(each) * (np.mean(each) - mean_of) ** 2 for each in groups) / 2
    within, typical = 4.0 / 2, (5 - 9 / 5) / 2
    assert together(cells).large.variation == pytest.approx(math.sqrt((between - within) / typical))
    single = [np.array([1.0] * 19 + [size]) for size in (10.0, 20.0, 30.0, 40.0, 50.0)]
    assert together(single).large.variation == pytest.approx(np.std([10, 20, 30, 40, 50], ddof=1))
    alike = [np.array([1.0] * 18 + [10.0, 30.0])] * 3
    assert together(alike).large.variation == 0.0


# As if there were more seeds


@pytest.mark.parametrize("name", ["mean", "ratio", "ratio of ratios", "slope", "difference"])
@pytest.mark.parametrize("tail", [None, SKEWED, LINEAR])
def test_a_forecast_has_the_limits_of_the_same_runs_many_times_over(name, tail):
    """Up to the divisor n - 1 of variances, and for large runs with as many more of them."""
    rows = rng(5).lognormal(sigma=0.3, size=(4, 30))
    kinds = {
        "mean": lambda x, *_: s.mean(x),
        "difference": lambda x, y, *_: s.difference(x, y),
        "ratio": lambda x, y, *_: s.ratio(x, y),
        "ratio of ratios": s.ratio_of_ratios,
        "slope": lambda *each: s.log_log_slope([1, 10, 100, 1000], np.stack(each, axis=1)),
    }
    many = None if tail is None else replace(tail, runs=20 * tail.runs)
    if tail is LINEAR:
        many = replace(many, large=replace(LARGE, sizes=np.tile(LARGE.sizes, 20), runs=20 * LARGE.runs))
    found = limits(kinds[name](*rows), ALPHA, everywhere(tail), 600)
    wanted = limits(kinds[name](*np.tile(rows, 20)), ALPHA, everywhere(many))
    assert ends(found) == pytest.approx(ends(wanted), rel=0.02, abs=0.01)
    assert reaches(found) == pytest.approx(reaches(wanted), rel=0.04)


def test_a_forecast_of_one_large_run_is_that_of_all_cells():
    """However many such runs more seeds would bring: one size says nothing of how sizes vary."""
    row = np.array([9.0, 9.0, 9.0, 10.0, 11.0, 11.0, 11.0, 200.0])
    found = limits(s.mean(row), ALPHA, everywhere(LINEAR), 600)
    assert found.low < found.estimate < found.high < math.inf


def test_a_forecast_of_a_share_counts_as_many_more_events():
    found = limits(s.share(np.arange(20) < 2), ALPHA, seeds=200)
    assert ends(found) == pytest.approx(stats.binomtest(20, 200).proportion_ci(method="exact")[:2], rel=1e-6)


# All together


STATISTICS = {
    "mean": lambda x, y, u, v: s.mean(x),
    "negative mean": lambda x, y, u, v: s.mean(-x),
    "difference": lambda x, y, u, v: s.difference(x, y),
    "slope": lambda *rows: s.log_log_slope([1, 10, 100, 1000], np.stack(rows, axis=1)),
    "excess": lambda x, y, u, v: s.of_rows(s.difference(x - y, u), [[(x, 1.0), (y, -1.0)], [(u, 1.0)]]),
    "contrast": lambda x, y, u, v: s.contrast(s.ratio(x, y), s.ratio(u, v)),
}


@pytest.mark.parametrize("name", STATISTICS)
@pytest.mark.parametrize("n", [3, 8, 20, 150])
def test_limits_are_the_farthest_of_all_written_out(name, n):
    """Four samples, of which one has no tail; skewed or calm, with more or less spread than the sample."""
    for seed in range(12):
        draws = rng((seed, n))
        sigma = (0.1, 0.4, 1.0)[seed % 3]
        rows = draws.lognormal(sigma=sigma, size=(4, n)) * [[5.0], [1.0], [0.2], [30.0]]
        found = STATISTICS[name](*rows)
        members = list({id(row): row for row, _ in found.parts}.values())
        pools = [Tail(float(draws.normal(0, 3)), float(draws.exponential(sigma)), 999) for _ in members]
        tails = known(*zip(members, [None, *pools[1:]] if seed % 4 == 3 else pools, strict=True))
        alpha = ALPHA / (1, 20)[seed % 2]
        assert reaches(limits(found, alpha, tails)) == pytest.approx(written_out(found, alpha, tails), rel=1e-7)


@given(st.integers(0, 2**32), st.sampled_from([1e-9, 0.25, 1e9]), st.floats(-1e3, 1e3), st.sampled_from([4, 9, 40]))
def test_limits_scale_with_the_data_and_shift_with_them(seed, scale, shift, n):
    """They shift where more runs say nothing: a spread over the mean does not."""
    x, y = rng(seed).lognormal(size=(2, n))
    tails = everywhere(SKEWED)
    plain, scaled = (limits(s.difference(k * x, k * y), ALPHA, tails) for k in (1.0, scale))
    assert ends(scaled) == pytest.approx([scale * end for end in ends(plain)], rel=1e-9)
    assert ends(limits(s.ratio(scale * x, scale * y), ALPHA, tails)) == pytest.approx(
        ends(limits(s.ratio(x, y), ALPHA, tails)), rel=1e-9
    )
    moved = limits(s.mean(x + shift), ALPHA)
    assert ends(moved) == pytest.approx([end + shift for end in ends(limits(s.mean(x), ALPHA))], rel=1e-7, abs=1e-7)


@given(st.integers(0, 2**32), st.sampled_from([3, 8, 50]), st.sampled_from([SKEWED, CALM, None]))
def test_the_other_sign_mirrors_the_limits(seed, n, tail):
    """Runs over their mean have the same tail when all change sign."""
    x, y = rng(seed).lognormal(sigma=0.7, size=(2, n))
    tails = everywhere(tail)
    for there, back in (
        (s.mean(x), s.mean(-x)),
        (s.difference(x, y), s.difference(y, x)),
        (s.ratio(x, y), s.ratio(-x, y)),
        (s.contrast(s.mean(x), s.mean(y)), s.contrast(s.mean(y), s.mean(x))),
    ):
        low, high = ends(limits(back, ALPHA, tails))
        assert ends(limits(there, ALPHA, tails)) == pytest.approx((-high, -low), rel=1e-9)


@given(
    st.integers(0, 2**32),
    st.sampled_from([2, 8, 30, 200]),
    st.floats(0, 40),
    st.floats(1, 5),
    st.floats(0.01, 3),
    st.floats(1, 5),
)
def test_worse_tails_and_smaller_errors_never_narrow(seed, n, skewness, more, spread, wider):
    x = rng(seed).lognormal(sigma=0.5, size=n)

    def found(skewness, spread, alpha=ALPHA):
        return reaches(limits(s.mean(x), alpha, everywhere(Tail(skewness, spread, 1000))))

    plain = found(skewness, spread)
    assert all(a <= b * (1 + 1e-12) for a, b in zip(reaches(limits(s.mean(x), ALPHA)), plain, strict=True))
    for worse in (
        found(more * skewness, spread),
        found(skewness, wider * spread),
        found(skewness, spread, ALPHA / more),
    ):
        assert all(a <= b * (1 + 1e-12) for a, b in zip(plain, worse, strict=True))


# Samples of a statistic


def test_a_sample_that_comes_twice_counts_once():
    """x - (x + y) / 2 has the derivatives 1 - 1/2 and -1/2, whose tails have less to say than those of 1 and -1/2."""
    x, y = rng().lognormal(size=(2, 12))
    half = s.of_rows(s.mean(0.5 * (x + y)), [[(x, 0.5), (y, 0.5)]])
    twice = s.contrast(s.mean(x), half)
    once = replace(twice, parts=((x, 0.5), (y, -0.5)))
    apart = replace(twice, parts=((x, 1.0), (y, -0.5)))
    assert [weight for _, weight in twice.parts] == [1.0, -0.5, -0.5]
    tails = everywhere(SKEWED)
    assert ends(limits(twice, ALPHA, tails)) == ends(limits(once, ALPHA, tails))
    assert limits(apart, ALPHA, tails).high > limits(once, ALPHA, tails).high


def test_equal_values_in_two_arrays_are_two_samples():
    x = rng().lognormal(size=12)
    found = s.difference(x, x.copy())
    assert ends(limits(found, ALPHA)) == ends(limits(s.difference(x, x), ALPHA, everywhere(SKEWED))) == (0, 0)
    assert limits(found, ALPHA, everywhere(Tail(3.0, 5.0, 1000))).high > 0


def test_each_sample_has_its_part_of_the_third_moment():
    """Variances 9 and 1 of 10: skewness 0.9^1.5 that of x less 0.1^1.5 that of y; with one alone its part."""
    signs = np.array([1.0, -1.0] * 100)
    x, y = 30 + 3 * signs, 20 + np.repeat([1.0, -1.0], 100)
    found, q = s.difference(x, y), quantile(200)
    error = math.sqrt(10 * 200 / 199 / 200)
    calm = 1e-3
    for first, second, skewness in (
        (Tail(2.0, calm, 999), None, 0.9**1.5 * 2),
        (None, Tail(2.0, calm, 999), -(0.1**1.5) * 2),
        (Tail(2.0, calm, 999), Tail(2.0, calm, 999), (0.9**1.5 - 0.1**1.5) * 2),
    ):
        shift = abs(skewness) * (2 * q**2 + 1) / (6 * math.sqrt(200)) * error
        lower, upper = reaches(limits(found, ALPHA, known((x, first), (y, second))))
        assert (lower, upper) == pytest.approx(
            (q * error + shift * (skewness < 0), q * error + shift * (skewness > 0)), rel=1e-9
        )


def test_tails_that_cancel_in_the_skewness_are_not_forgotten():
    """Both of a difference are skewed: none to either side, yet 20 seeds do not show the spread of either."""
    x, y = 1 + 0.1 * rng().normal(size=(2, 20))
    tail = Tail(5.0, 1.0, 4000)
    lower, upper = reaches(limits(s.difference(x, y), ALPHA, everywhere(tail)))
    assert min(lower, upper) > quantile(20) * math.sqrt(x.mean() ** 2 + y.mean() ** 2) / math.sqrt(20)
    assert reaches(limits(s.difference(x, y), ALPHA))[1] < 0.1


# Samples that say little


def test_a_constant_statistic_is_a_point():
    x = rng().lognormal(size=9)
    for found in (s.mean([0.1] * 7), s.difference(x + 0.1, x), s.ratio(0.3 * x, x), s.ratio([0, 0], [1, 2])):
        assert ends(limits(found, ALPHA)) == (found.estimate, found.estimate)
    assert ends(limits(s.mean([2.0, 2.0]), ALPHA, everywhere(None))) == (2, 2)


@pytest.mark.parametrize("tail", [SKEWED, CALM, Tail(0.0, 0.3, 1000)])
@pytest.mark.parametrize("n", [2, 8, 100])
def test_equal_runs_of_a_curve_that_varies_are_no_point(tail, n):
    """As wide as the spread of its other runs says, however little skewed they are."""
    x = np.full(n, 5.0)
    lower, upper = reaches(limits(s.mean(x), ALPHA, everywhere(tail)))
    assert lower >= quantile(n) * 5 * tail.spread / math.sqrt(n) * (1 - 1e-12)
    assert upper >= lower * (1 - 1e-12)
    rounded = x.copy()
    rounded[0] = math.nextafter(5.0, 6.0)
    found = limits(s.mean(rounded), ALPHA, everywhere(tail))
    assert reaches(found) == pytest.approx((lower, upper), rel=1e-9)


@pytest.mark.parametrize("against", [2.0, 0.3, 3.7, 61.9])
@pytest.mark.parametrize("mean", [3 / 7, 1.0, 114.3])
def test_ratios_of_runs_that_differ_by_rounding_have_limits_where_more_runs_are_equal(mean, against):
    x = np.full(2, mean)
    x[0] = math.nextafter(mean, 1e3)
    found = limits(s.ratio(x, np.full(2, against)), ALPHA, everywhere(Tail(0.0, 0.0, 124)))
    assert ends(found) == pytest.approx((mean / against, mean / against), rel=1e-9)


def test_runs_that_are_all_zero_are_a_point_whatever_more_runs_say():
    """A spread is a part of the mean; shares have limits of their own."""
    assert ends(limits(s.mean([0.0] * 8), ALPHA, everywhere(SKEWED))) == (0, 0)
    assert ends(limits(s.share([0] * 8), ALPHA, everywhere(SKEWED))) == pytest.approx((0, 1 - 0.025 ** (1 / 8)))


@pytest.mark.parametrize("n", [2, 3])
def test_the_least_samples_have_limits(n):
    """Two runs have no skewness and the quantile 12.7; three may have both."""
    x = np.array([1.0, 2.0, 9.0])[:n]
    lower, upper = reaches(limits(s.mean(x), ALPHA))
    student = quantile(n) * stats.sem(x)
    assert lower == pytest.approx(student)
    assert upper == pytest.approx(student if n == 2 else halls(x, quantile(3))[1])
    wide = reaches(limits(s.mean(x), ALPHA, everywhere(SKEWED)))
    assert all(math.isfinite(each) for each in wide)
    assert wide[1] > upper


def test_a_statistic_whose_samples_are_not_known_has_what_its_influence_says():
    x = rng().lognormal(size=20)
    found = s.mean(x)
    bare = s.Statistic(found.estimate, found.influence)
    assert limits(bare, ALPHA, everywhere(SKEWED)) == limits(found, ALPHA)


# Shares


@pytest.mark.parametrize("alpha", [ALPHA, ALPHA / 7, 0.2])
@pytest.mark.parametrize("runs", [1, 2, 8, 50, 4000])
def test_limits_of_a_share_are_exact(runs, alpha):
    for events in sorted({0, 1, 2, runs // 3, runs - 1, runs} & set(range(runs + 1))):
        found = stats.binomtest(events, runs).proportion_ci(confidence_level=1 - 2 * alpha, method="exact")
        assert li.exact_share(events, runs, alpha) == pytest.approx((found.low, found.high), rel=1e-9)
        if runs > 1:
            share = limits(s.share(np.arange(runs) < events), alpha)
            assert (share.estimate, *ends(share)) == pytest.approx((events / runs, found.low, found.high), rel=1e-9)


# More runs


def test_the_tail_of_many_cells_is_that_of_unbiased_moments_over_their_means():
    """Each cell counts by its runs. Cells of two runs, of mean zero and without runs say nothing."""
    draws = rng()
    cells = [draws.lognormal(sigma=0.6, size=n) * scale for n, scale in ((3, 1.0), (8, 50.0), (20, -7.0), (100, 1e6))]
    variance = third = runs = 0.0
    for x in cells:
        relative = x / x.mean()
        variance += len(x) * stats.kstat(relative, 2)
        third += len(x) * stats.kstat(relative, 3)
        runs += len(x)
    useless = [np.array([1.0, 5.0]), np.array([-1.0, 0.0, 1.0]), np.zeros(9), np.zeros(0)]
    found = together([*useless, *cells, np.full(4, 2.0)])
    wanted = (third / (runs + 4)) / (variance / (runs + 4)) ** 1.5, math.sqrt(variance / (runs + 4)), runs + 4
    assert (found.skewness, found.spread, found.runs) == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("cells", [[], [np.array([1.0, 2.0])], [np.full(5, 3.0), np.full(9, 1.0)], [np.zeros(8)]])
def test_cells_that_do_not_vary_have_no_tail(cells):
    assert together(cells) is None


def test_the_pool_of_many_cells_comes_near_the_skewness_of_a_run():
    """Lognormal, sigma 0.5: skewness (e^s + 2) sqrt(e^s - 1) and spread sqrt(e^s - 1) with s = 1/4."""
    cells = rng().lognormal(sigma=0.5, size=(400, 100)) * np.geomspace(1e-3, 1e3, 400)[:, None]
    found, e = together(cells), math.exp(0.25)
    assert found.skewness == pytest.approx((e + 2) * math.sqrt(e - 1), rel=0.1)
    assert found.spread == pytest.approx(math.sqrt(e - 1), rel=0.02)
