"""How often the intervals of `dpbandits.numerics.statistics` cover the truth, with fixed seeds.

Each test states distribution, n, statistic and repetitions; the level is 95 % throughout. With 2000 repetitions the
standard deviation of a coverage of 95 % is 0.49 %: a band of 93 to 97 % is four of them wide on either side.
Measured coverages are printed (`pytest -s`). Where an interval fails, the test asserts how far it fails: a
band around the coverage in a longer run (400000 repetitions of t, 15000 of the bootstrap with 999 resamples).
"""

import numpy as np
import pytest

from dpbandits.numerics import statistics as s

pytestmark = pytest.mark.slow
RESAMPLES = 499  # 0.95 * (499 + 1) is whole: few resamples cost width, not coverage
PARETO_MEAN = 3.0  # index a = 1.5, least value 1: mean a / (a - 1), variance infinite
PARETO_MEDIAN = 2 ** (1 / 1.5)


def normal(rng, n):
    return rng.normal(3.0, 2.0, size=n)


def pareto(rng, n):
    return 1 + rng.pareto(1.5, size=n)


def student_2(rng, n):
    return rng.standard_t(2, size=n)


def student(x, rng):
    return [s.t_interval(s.mean(x))]


def bootstrap(x, rng):
    return [s.bootstrap_interval(s.mean(x), rng, resamples=RESAMPLES)]


def median(x, rng):
    return [s.t_interval(s.mean(s.median_values(x)))]


def coverage(label, draw, intervals, truths, repetitions, seed):
    """Part of the repetitions in which all intervals cover their truths."""
    rng = np.random.default_rng(seed)
    hits = 0
    for _ in range(repetitions):
        found = intervals(draw(rng), rng)
        hits += all(i.low <= truth <= i.high for i, truth in zip(found, truths, strict=True))
    print(f"{label}: {hits / repetitions:.4f} of {repetitions}")
    return hits / repetitions


@pytest.mark.parametrize("n", [20, 100])
@pytest.mark.parametrize(("method", "repetitions"), [(student, 5000), (bootstrap, 2000)])
def test_mean_of_normal_data(method, repetitions, n):
    """Normal, n = 20 and 100, mean, 5000 repetitions of Student's interval and 2000 of the bootstrap."""
    label = f"normal n={n} {method.__name__}"
    assert 0.93 <= coverage(label, lambda rng: normal(rng, n), method, [3.0], repetitions, 11) <= 0.97


# Five comparisons: one curve with five others on the same seeds. The differences x_j - x_0 share x_0, hence
# have correlation 0.64 (x_0 has variance 16/9 that of the others).


def against_the_first(x):
    return [s.difference(x[:, j], x[:, 0]) for j in range(1, 6)]


def six_curves(rng, n):
    return rng.normal(size=(n, 6)) * [4 / 3, 1, 1, 1, 1, 1] + [0, 1, 2, 3, 4, 5]


def simultaneous(x, rng):
    return s.simultaneous_intervals(against_the_first(x), rng, resamples=RESAMPLES)


def one_by_one(x, rng):
    return [s.t_interval(statistic) for statistic in against_the_first(x)]


def bonferroni(x, rng):
    return [s.t_interval(statistic, 1 - 0.05 / 5) for statistic in against_the_first(x)]


@pytest.mark.parametrize("n", [20, 100])
def test_five_correlated_comparisons(n):
    """Six normal curves, n = 20 and 100, five paired differences covered jointly, 2000 repetitions."""
    found = coverage(f"five n={n}", lambda rng: six_curves(rng, n), simultaneous, [1, 2, 3, 4, 5], 2000, 13)
    assert 0.93 <= found <= 0.975


def test_the_band_rejects_comparisons_made_one_by_one():
    """The same five with a 95 % t interval each, n = 20, 2000 repetitions: jointly near 85 %, outside."""
    found = coverage("one by one", lambda rng: six_curves(rng, 20), one_by_one, [1, 2, 3, 4, 5], 2000, 13)
    assert 0.80 <= found <= 0.90


def test_joint_resampling_is_narrower_than_bonferroni():
    """Six normal curves, n = 100: knowing the correlation saves width, at the same joint coverage."""
    x = six_curves(np.random.default_rng(14), 100)
    rng = np.random.default_rng(15)
    joint, safe = (
        s.simultaneous_intervals(against_the_first(x), rng, resamples=20000)[0],
        bonferroni(x, rng)[0],
    )
    assert joint.high - joint.low < 0.97 * (safe.high - safe.low)


def test_ratio_of_paired_lognormal_means():
    """Lognormal, sigma 0.5, paired by a common factor, n = 50, ratio 2, 2000 repetitions, t and bootstrap."""

    def draw(rng):
        common, x, y = rng.normal(size=(3, 50)) * [[0.3], [0.4], [0.4]]  # 0.3**2 + 0.4**2 = 0.5**2
        return 2 * np.exp(common + x), np.exp(common + y)

    def by_bootstrap(xy, rng):
        return [s.bootstrap_interval(s.ratio(*xy), rng, resamples=RESAMPLES)]

    assert 0.93 <= coverage("ratio bootstrap", draw, by_bootstrap, [2.0], 2000, 16) <= 0.97
    assert 0.93 <= coverage("ratio t", draw, lambda xy, rng: [s.t_interval(s.ratio(*xy))], [2.0], 2000, 16) <= 0.97


def test_ratio_of_ratios_of_paired_lognormal_means():
    """Lognormal, sigma 0.5, four curves paired by a common factor, n = 50, (6/2) / (4/8) = 6, 2000 repetitions."""

    def draw(rng):
        scores = rng.normal(scale=0.3, size=(1, 50)) + rng.normal(scale=0.4, size=(4, 50))
        return np.exp(scores) * [[6.0], [2.0], [4.0], [8.0]]

    def nested(rows, rng):
        return [s.bootstrap_interval(s.ratio_of_ratios(*rows), rng, resamples=RESAMPLES)]

    assert 0.93 <= coverage("ratio of ratios", draw, nested, [6.0], 2000, 23) <= 0.97


def test_slope_of_lognormal_regret():
    """Lognormal, sigma 0.5, means ~ T**0.5 at four horizons, n = 50, slope, 2000 repetitions, bootstrap."""
    horizons = np.array([1e3, 1e4, 1e5, 1e6])

    def draw(rng):
        return np.sqrt(horizons) * rng.lognormal(sigma=0.5, size=(50, 4))

    def slope(x, rng):
        return [s.bootstrap_interval(s.log_log_slope(horizons, x), rng, resamples=RESAMPLES)]

    assert 0.93 <= coverage("slope", draw, slope, [0.5], 2000, 17) <= 0.97


# Heavy tails at n = 8: what really happens.


def test_pareto_mean_is_not_covered():
    """Pareto with tail index 1.5, n = 8, mean: 61.4 % (t, 5000 repetitions), 74.8 % (bootstrap, 3000).

    Most samples lack the rare huge values that carry the mean. More seeds hardly help: at n = 100 the
    coverages are 70 % and 78 %. Such a claim must be made about medians, or about a capped quantity.
    """
    by_t = coverage("Pareto t", lambda rng: pareto(rng, 8), student, [PARETO_MEAN], 5000, 18)
    by_bootstrap = coverage("Pareto bootstrap", lambda rng: pareto(rng, 8), bootstrap, [PARETO_MEAN], 3000, 19)
    assert 0.585 <= by_t <= 0.645
    assert 0.715 <= by_bootstrap <= 0.780


def test_symmetric_heavy_tails_are_covered_too_often():
    """t with 2 degrees of freedom, n = 8, mean: 96.7 % (t, 5000 repetitions), 97.8 % (bootstrap, 3000).

    The variance is infinite, but an outlier widens the interval more than it moves the mean: conservative.
    """
    by_t = coverage("t(2) t", lambda rng: student_2(rng, 8), student, [0.0], 5000, 20)
    by_bootstrap = coverage("t(2) bootstrap", lambda rng: student_2(rng, 8), bootstrap, [0.0], 3000, 21)
    assert 0.957 <= by_t <= 0.977
    assert 0.967 <= by_bootstrap <= 0.989


@pytest.mark.parametrize("n", [8, 20])
@pytest.mark.parametrize(("distribution", "center"), [(pareto, PARETO_MEDIAN), (student_2, 0.0)])
def test_median_values_cover_under_heavy_tails(distribution, center, n):
    """Pareto 1.5 and t(2), 5000 repetitions: from 94 % to 99 %, above for few seeds, whose order statistics are far."""
    found = coverage(
        f"median {distribution.__name__} {n}", lambda rng: distribution(rng, n), median, [center], 5000, 22
    )
    assert 0.94 <= found <= 0.99
