"""How often intervals cover the truth, with fixed seeds: those of the engine, and Student's where they are shown.

Each test states distribution, n, statistic and repetitions; the level is 95 % throughout. With 2000 repetitions the
standard deviation of a coverage of 95 % is 0.49 %: 93.5 % is three of them below. The engine may cover more, where
few seeds must count on runs that they have not seen; on normal data it may not, beyond 97.5 %. More runs are 19 other
cells of the same curve, as large as the sample. Measured coverages are printed (`pytest -s`). Where an interval fails,
the test asserts how far it fails: a band around the coverage in a longer run (400000 repetitions of t).
"""

import numpy as np
import pytest

from dpbandits.numerics import fits
from dpbandits.numerics import statistics as s
from dpbandits.numerics.limits import limits
from dpbandits.numerics.tails import pooled, summary

ALPHA = 0.025
LEAST = 0.935
REPETITIONS = 2000
OTHERS = 19
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


def covered(label, draw, statistics, truths, seed, alpha=ALPHA, repetitions=REPETITIONS, known=True):
    """Coverage of the engine: `draw` makes (samples, seeds) of curves, `statistics` make statistics of its rows."""
    rng = np.random.default_rng(seed)
    many = [draw(rng) for _ in range(20 * OTHERS)]
    pools = [
        [pooled(summary(np.asarray(cells[j], dtype=float)) for cells in many[k::20]) for j in range(len(many[0]))]
        for k in range(20)
    ]

    def intervals(rows, rng):
        tails = dict(zip(map(id, rows), pools[rng.integers(20)], strict=True)) if known else {}
        return [limits(each, alpha, lambda row: tails.get(id(row))) for each in statistics(*rows)]

    return coverage(label, lambda rng: list(draw(rng)), intervals, truths, repetitions, seed + 1)


# Means


@pytest.mark.parametrize("n", [8, 20, 100])
def test_mean_of_normal_data(n):
    """Normal, mean 3, deviation 2, n = 8, 20, 100: by Student's t 95 %, by the engine up to 97.5 %."""
    assert 0.935 <= coverage(f"normal n={n} t", lambda rng: normal(rng, n), student, [3.0], REPETITIONS, 11) <= 0.965
    found = covered(f"normal n={n}", lambda rng: normal(rng, (1, n)), lambda x: [s.mean(x)], [3.0], 12)
    assert LEAST <= found <= (0.985 if n == 8 else 0.975)


@pytest.mark.parametrize("n", [8, 20, 100])
@pytest.mark.parametrize("sigma", [0.5, 1.0])
def test_mean_of_lognormal_data(sigma, n):
    """Lognormal, sigma 0.5 and 1, n = 8, 20, 100: Student's t covers from 83 % on, the engine at least 93.5 %."""
    truth = [np.exp(sigma**2 / 2)]
    label = f"lognormal({sigma}) n={n}"
    found = covered(label, lambda rng: rng.lognormal(sigma=sigma, size=(1, n)), lambda x: [s.mean(x)], truth, 13)
    assert found >= LEAST
    by_t = coverage(f"{label} t", lambda rng: rng.lognormal(sigma=sigma, size=n), student, truth, REPETITIONS, 14)
    assert by_t < 0.945
    assert sigma < 1 or n > 8 or by_t < 0.87


# Five comparisons: one curve with five others on the same seeds. The differences x_j - x_0 share x_0, hence
# have correlation 0.64 (x_0 has variance 16/9 that of the others).


def against_the_first(*x):
    return [s.difference(x[j], x[0]) for j in range(1, 6)]


def six_curves(rng, n):
    return (rng.normal(size=(n, 6)) * [4 / 3, 1, 1, 1, 1, 1] + [10, 11, 12, 13, 14, 15]).T


@pytest.mark.parametrize("n", [20, 100])
def test_five_correlated_comparisons(n):
    """Six normal curves, n = 20 and 100, five paired differences with a fifth of the error each: all covered."""
    draw, truths = lambda rng: six_curves(rng, n), [1, 2, 3, 4, 5]
    joint = covered(f"five n={n}", draw, against_the_first, truths, 15, ALPHA / 5)
    assert LEAST <= joint <= 0.99


def test_the_band_rejects_comparisons_made_one_by_one():
    """The same five with a 95 % t interval each, n = 20, 2000 repetitions: jointly near 85 %, outside."""

    def one_by_one(x, rng):
        return [s.t_interval(statistic) for statistic in against_the_first(*x)]

    found = coverage("one by one", lambda rng: six_curves(rng, 20), one_by_one, [1, 2, 3, 4, 5], 2000, 13)
    assert 0.80 <= found <= 0.90


# Other statistics of lognormal curves, sigma 0.5, paired by a common factor: 0.3**2 + 0.4**2 = 0.5**2


def paired(rng, curves, n):
    return np.exp(rng.normal(scale=0.3, size=(1, n)) + rng.normal(scale=0.4, size=(curves, n)))


@pytest.mark.parametrize("n", [8, 20, 50])
def test_ratio_and_difference_of_paired_lognormal_means(n):
    """The ratio is 2, the difference 1 of the mean exp(0.125)."""
    for name, statistic, truth in (
        ("ratio", lambda x, y: [s.ratio(x, y)], 2.0),
        ("difference", lambda x, y: [s.difference(x, y)], np.exp(0.125)),
    ):
        found = covered(f"{name} n={n}", lambda rng: paired(rng, 2, n) * [[2], [1]], statistic, [truth], 16)
        assert found >= LEAST


@pytest.mark.parametrize("n", [8, 50])
def test_ratio_of_ratios_of_paired_lognormal_means(n):
    """(6/2) / (4/8) = 6."""

    def draw(rng):
        return paired(rng, 4, n) * [[6.0], [2.0], [4.0], [8.0]]

    assert covered(f"ratio of ratios n={n}", draw, lambda *rows: [s.ratio_of_ratios(*rows)], [6.0], 23) >= LEAST


@pytest.mark.parametrize("n", [8, 50])
def test_slope_of_lognormal_regret(n):
    """Lognormal, sigma 0.5, means ~ T**0.5 at four horizons, unpaired."""
    horizons = np.array([1e3, 1e4, 1e5, 1e6])

    def draw(rng):
        return np.sqrt(horizons)[:, None] * rng.lognormal(sigma=0.5, size=(4, n))

    def slope(*rows):
        found = s.log_log_slope(horizons, np.stack(rows, axis=1))
        return [s.of_rows(found, [[(row, 1.0)] for row in rows])]

    assert covered(f"slope n={n}", draw, slope, [0.5], 17) >= LEAST


def test_dispersion_of_lognormal_regret():
    """Lognormal, sigma 0.3, n = 50 and 400: the influence is not a run, so only its own skewness counts."""
    truth = [np.sqrt(np.exp(0.09) - 1)]
    for n in (50, 400):
        found = covered(
            f"dispersion n={n}",
            lambda rng, n=n: rng.lognormal(sigma=0.3, size=(1, n)),
            lambda x: [fits.dispersion(x)],
            truth,
            24,
            known=False,
        )
        assert LEAST <= found <= 0.975


# Shares


@pytest.mark.parametrize("share", [0.02, 0.3, 0.5])
@pytest.mark.parametrize("n", [8, 100])
def test_share_of_runs(n, share):
    """Exact limits: 95 % or more at any share; 2000 repetitions."""
    found = covered(f"share {share} n={n}", lambda rng: rng.random((1, n)) < share, lambda x: [s.share(x)], [share], 25)
    assert found >= LEAST


# Heavy tails at n = 8: what really happens.


def test_pareto_mean_is_not_covered_by_t():
    """Pareto with tail index 1.5, n = 8 and 100, mean: 61.4 and 70 % by t, which lacks the rare huge values.

    The engine, whose pools have 19 times the runs, says less instead. Such a claim must be made about medians, or about
    a capped quantity.
    """
    for n, low, high in ((8, 0.585, 0.645), (100, 0.66, 0.74)):
        by_t = coverage(f"Pareto n={n} t", lambda rng, n=n: pareto(rng, n), student, [PARETO_MEAN], 5000, 18)
        engine = covered(
            f"Pareto n={n}", lambda rng, n=n: pareto(rng, (1, n)), lambda x: [s.mean(x)], [PARETO_MEAN], 19
        )
        assert low <= by_t <= high
        assert engine >= LEAST


def test_symmetric_heavy_tails_are_covered_too_often():
    """t with 2 degrees of freedom, n = 8, mean: 96.7 % (t, 5000 repetitions).

    The variance is infinite, but an outlier widens the interval more than it moves the mean: conservative.
    """
    by_t = coverage("t(2) t", lambda rng: student_2(rng, 8), student, [0.0], 5000, 20)
    assert 0.957 <= by_t <= 0.977


@pytest.mark.parametrize("n", [8, 20])
@pytest.mark.parametrize(("distribution", "center"), [(pareto, PARETO_MEDIAN), (student_2, 0.0)])
def test_median_values_cover_under_heavy_tails(distribution, center, n):
    """Pareto 1.5 and t(2), 5000 repetitions: from 94 % to 99 %, above for few seeds, whose order statistics are far."""
    found = coverage(
        f"median {distribution.__name__} {n}", lambda rng: distribution(rng, n), median, [center], 5000, 22
    )
    assert 0.94 <= found <= 0.99
