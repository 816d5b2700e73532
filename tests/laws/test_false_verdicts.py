"""How often a verdict is wrong where it is hardest: with the truth a hair from the threshold.

One curve or six against the same baseline, all on the same instances, every true ratio 1; instances make seeds of one
curve correlate with those of another. With the threshold a hair below 1 a claim of `at most` is false and `holds` is
wrong, with the threshold a hair above it is true and `fails` is wrong; likewise for `at least`. Each rate may be 5 %,
over all comparisons of the claim together: with 1000 repetitions at most 66 wrong verdicts, which a rate of 5 % exceeds
once in a hundred times. Rates are printed (`pytest -s`). A two-sided interval promises 2.5 % for a single comparison;
the highest rate is that of six lognormal curves at n = 20, 5.1 % in 20000 repetitions.
"""

from collections import Counter

import numpy as np
import pytest
from scipy import stats

from dpbandits.claims.predicates import Comparison, ratio_between
from dpbandits.claims.verdicts import LEVEL, combine, judge_one
from dpbandits.statistics import simultaneous_intervals, t_interval

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


def verdict(comparisons, intervals, kind, thresholds):
    """Verdict of the claim that every ratio is at most, or at least, its threshold."""
    judged = []
    for c, interval, threshold in zip(comparisons, intervals, thresholds, strict=True):
        low, high = (-np.inf, threshold) if kind == "at most" else (threshold, np.inf)
        judged.append(judge_one(Comparison(c.reading, c.label, c.statistic, low, high), interval, True).verdict)
    return combine(judged)


def wrong_verdicts(law, n, curves, method=bootstrap):
    """Wrong verdicts among the repetitions, by what is claimed and what is said."""
    rng = np.random.default_rng((41, n, curves))
    test = {"reading": "r", "curves": [*map(str, range(1, curves + 1))], "against": "0", "at": {"eps": [1]}}
    wrong = Counter()
    for _ in range(REPETITIONS):
        x = law(rng, n, curves + 1)
        found = ratio_between(test | {"bounds": [None, 1]}, lambda name, _, x=x: x[:, int(name)])
        intervals = method([c.statistic for c in found], rng)
        for kind, false, true in (("at most", BELOW, ABOVE), ("at least", ABOVE, BELOW)):
            others = [FAR[kind]] * (curves - 1)
            wrong[f"{kind}, holds"] += verdict(found, intervals, kind, [false] * curves) == "holds"
            wrong[f"{kind}, holds, others clear"] += verdict(found, intervals, kind, [false, *others]) == "holds"
            wrong[f"{kind}, fails"] += verdict(found, intervals, kind, [true] * curves) == "fails"
    rates = ", ".join(f"{name} {100 * count / REPETITIONS:.1f} %" for name, count in wrong.items())
    print(f"\n{law.__name__}, n = {n}, {curves} at once, {method.__name__}: {rates}")
    return wrong


@pytest.mark.parametrize("curves", [1, 6])
@pytest.mark.parametrize("n", [20, 100])
@pytest.mark.parametrize("law", [normal, lognormal])
def test_wrong_verdicts_at_the_threshold_are_rare(law, n, curves):
    assert max(wrong_verdicts(law, n, curves).values()) <= MOST


def test_the_bound_rejects_comparisons_made_one_by_one():
    """Six 95 % intervals, each on its own: 1 in 10 claims is wrongly found to fail."""
    assert max(wrong_verdicts(lognormal, 100, 6, one_by_one).values()) > MOST


def test_more_skewed_data_are_judged_wrongly_more_often():
    """Lognormal, sigma 1, six curves: `at least` wrongly fails 10.9 % of times at n = 20, 7.2 % at n = 100.

    Those are rates of 20000 repetitions, around which the test puts a band; the other verdicts are rarely wrong. A few
    instances often lack the rare large values that carry a mean, and the interval does not know.
    """
    for n, low, high in ((20, 0.06, 0.12), (100, 0.04, 0.10)):
        wrong = wrong_verdicts(skewed, n, 6)
        assert low <= wrong.pop("at least, fails") / REPETITIONS <= high
        assert max(wrong.values()) <= MOST
