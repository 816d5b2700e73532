"""How often a verdict is wrong where it is hardest: with the truth a hair from the threshold.

One curve or six against the same baseline, all on the same instances, every true ratio 1; instances make seeds of one
curve correlate with those of another. With the threshold a hair below 1 a claim of `at most` is false and `holds` is
wrong, with the threshold a hair above it is true and `fails` is wrong; likewise for `at least`. Each rate may be 5 %,
over all comparisons of the claim together: with 1000 repetitions at most 66 wrong verdicts, which a rate of 5 % exceeds
once in a hundred times. Rates are printed (`pytest -s`). A two-sided interval guarantees 2.5 % for a single comparison;
the highest rate is that of six lognormal curves at n = 20, 5.1 % in 20000 repetitions. Slopes are judged the same way;
the rates of counts are not drawn but summed.
"""

from collections import Counter
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy import stats

from dpbandits.claims.comparisons import Count
from dpbandits.claims.judgements import LEVEL, combine, judge_one
from dpbandits.claims.predicates import ratio_between, slope_between
from dpbandits.claims.verdicts import judge_counts
from dpbandits.numerics.statistics import simultaneous_intervals, t_interval
from tests.unit.sections import comparison_of, quantity_of

REPETITIONS = 1000
RESAMPLES = 499  # 0.95 * (499 + 1) is whole: few resamples cost width, not coverage
MOST = int(stats.binom.ppf(0.99, REPETITIONS, 1 - LEVEL))
BELOW, ABOVE = 1 - 1e-9, 1 + 1e-9
FAR = {"at most": 10.0, "at least": 0.1}  # thresholds that every ratio of the synthetic data clears


def normal(rng, n, curves):
    """Mean 1, deviation 0.5, correlation 0.64 between curves."""
    return 1 + rng.normal(0, 0.4, (n, 1)) + rng.normal(0, 0.3, (n, curves))


def lognormal(rng, n, curves, sigma=0.5):
    """Mean 1, deviation 0.53, as regret over instances has it, and skewness 1.75."""
    scores = rng.normal(size=(n, 1)) + rng.normal(size=(n, curves))
    return np.exp(sigma * scores / np.sqrt(2) - sigma**2 / 2)


def skewed(rng, n, curves):
    """Lognormal with sigma 1: mean 1, deviation 1.3, skewness 6.2, more than any regret of the pipeline has."""
    return lognormal(rng, n, curves, sigma=1.0)


def bootstrap(statistics, rng):
    return simultaneous_intervals(statistics, rng, LEVEL, RESAMPLES)


def one_by_one(statistics, rng):
    return [t_interval(statistic, LEVEL) for statistic in statistics]


def bounds_of(low, high):
    return {"low": low, "high": high, "tolerated_low": low, "tolerated_high": high}


def verdict(comparisons, intervals, kind, thresholds):
    """Verdict of the claim that every ratio is at most, or at least, its threshold."""
    judged = []
    for c, interval, threshold in zip(comparisons, intervals, thresholds, strict=True):
        low, high = (-np.inf, threshold) if kind == "at most" else (threshold, np.inf)
        judged.append(judge_one(replace(c, **bounds_of(low, high)), interval, True).verdict)
    return combine(judged)


def wrong_verdicts(distribution, n, curves, method=bootstrap):
    """Wrong verdicts among the repetitions, by what is claimed and what is said."""
    rng = np.random.default_rng((41, n, curves))
    test = {"predicate": "ratio_between", "curves": [f"x{k}" for k in range(1, curves + 1)], "against": "x0"}
    ratios = partial(ratio_between, comparison_of(test | {"at": {"eps": [1]}, "bounds": [None, 1]}))
    wrong = Counter()
    for _ in range(REPETITIONS):
        x = distribution(rng, n, curves + 1)
        found = ratios(lambda name, *_, x=x: x[:, int(name[1:])])
        intervals = method([c.statistic for c in found], rng)
        for kind, false, true in (("at most", BELOW, ABOVE), ("at least", ABOVE, BELOW)):
            others = [FAR[kind]] * (curves - 1)
            wrong[f"{kind}, holds"] += verdict(found, intervals, kind, [false] * curves) == "holds"
            wrong[f"{kind}, holds, others clear"] += verdict(found, intervals, kind, [false, *others]) == "holds"
            wrong[f"{kind}, fails"] += verdict(found, intervals, kind, [true] * curves) == "fails"
    rates = ", ".join(f"{name} {100 * count / REPETITIONS:.1f} %" for name, count in wrong.items())
    print(f"\n{distribution.__name__}, n = {n}, {curves} at once, {method.__name__}: {rates}")
    return wrong


@pytest.mark.slow
@pytest.mark.parametrize("curves", [1, 6])
@pytest.mark.parametrize("n", [20, 100])
@pytest.mark.parametrize("distribution", [normal, lognormal])
def test_wrong_verdicts_at_the_threshold_are_rare(distribution, n, curves):
    assert max(wrong_verdicts(distribution, n, curves).values()) <= MOST


def test_the_bound_rejects_comparisons_made_one_by_one():
    """Six 95 % intervals, each on its own: 1 in 10 claims is wrongly found to fail."""
    assert max(wrong_verdicts(lognormal, 100, 6, one_by_one).values()) > MOST


@pytest.mark.slow
def test_more_skewed_data_are_judged_wrongly_more_often():
    """Lognormal, sigma 1, six curves: `at least` wrongly fails 10.9 % of times at n = 20, 7.2 % at n = 100.

    Those are rates of 20000 repetitions, around which the test puts a band; the other verdicts are rarely wrong. A few
    instances often lack the rare large values that carry a mean, and the interval does not know.
    """
    for n, low, high in ((20, 0.06, 0.12), (100, 0.04, 0.10)):
        wrong = wrong_verdicts(skewed, n, 6)
        assert low <= wrong.pop("at least, fails") / REPETITIONS <= high
        assert max(wrong.values()) <= MOST


# A slope over a baseline, and what a wider range that is tolerated does to the errors


SLOPES = {  # truth 1/2: at most so much is claimed, so much is tolerated
    "false": (0.5 * BELOW, 0.5 * BELOW),
    "true": (0.5 * ABOVE, 0.5 * ABOVE),
    "false but tolerated": (0.4, 0.5 * ABOVE),
    "between what is claimed and tolerated": (0.2, 0.8),
}


@pytest.mark.slow
def test_wrong_verdicts_about_a_slope_are_rare():
    """Excess over a baseline of mean sqrt(T) at four horizons, n = 50, lognormal curves: at most 5 % each."""
    rng = np.random.default_rng(42)
    horizons = [100.0, 1000.0, 10000.0, 100000.0]
    test = {"predicate": "slope_between", "curves": ["x"], "baseline": "b", "along": "T", "at": {"T": horizons}}
    slope_of = partial(slope_between, quantity_of(test))
    found = Counter()
    for _ in range(REPETITIONS):
        rows = {T: 1000 + np.sqrt(T) * lognormal(rng, 50, 2) * [1, 2] for T in horizons}
        comparisons = slope_of(lambda curve, setting, _, rows=rows: rows[setting["T"]][:, int(curve == "x")])
        intervals = bootstrap([c.statistic for c in comparisons], rng)
        premises = [judge_one(c, i, True).verdict for c, i in zip(comparisons[:-1], intervals[:-1], strict=True)]
        for name, (high, outer) in SLOPES.items():
            slope = replace(comparisons[-1], high=high, tolerated_high=outer)
            found[name, combine([*premises, judge_one(slope, intervals[-1], True).verdict])] += 1
    print(dict(found))
    assert found["false", "holds"] <= MOST
    assert found["true", "fails"] <= MOST
    assert found["false but tolerated", "fails"] <= MOST
    assert found["between what is claimed and tolerated", "unclear"] == REPETITIONS


# Counts


@pytest.mark.parametrize("rate", [1e-4, 1e-3, 0.01])
@pytest.mark.parametrize("runs", [1000, 4000])
@pytest.mark.parametrize("curves", [1, 2])
def test_a_count_at_the_rate_that_is_allowed_rarely_fails(curves, runs, rate):
    """The sum of the binomial distribution over all counts that fail, for one curve and for two independent ones."""
    most = int(stats.binom.isf(1e-9, runs, rate))
    distribution = stats.binom.pmf(np.arange(most + 1), runs, rate)
    clear = 0.0
    for events, chance in enumerate(distribution):
        counts = [Count("r", f"{k}", "x", number, runs, runs, rate) for k, number in enumerate([events, 0][:curves])]
        clear += chance * (judge_counts(counts, "all")["verdict"] != "fails")
    assert 1 - clear**curves <= 1 - LEVEL


@pytest.mark.parametrize(("truth", "chance"), [(1e-4, 0.905), (1e-3, 0.368), (3e-3, 0.0496)])
def test_no_event_in_a_thousand_runs_says_little_about_lower_rates(truth, chance):
    """No event `holds` however small a rate is allowed: only above 0.3 % = log(20) / 1000 is that rarer than 5 %."""
    distribution = stats.binom.pmf(np.arange(1001), 1000, truth)
    counts = [Count("r", "", "x", events, 1000, 1000, 1e-6) for events in range(1001)]
    holds = np.array([judge_counts([count], "all")["verdict"] == "holds" for count in counts])
    assert distribution[holds].sum() == pytest.approx(chance, abs=1e-3)
