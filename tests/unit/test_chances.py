"""The chance that a claim is decided: by hand, against what fresh seeds then find, and where no seeds decide."""

import math

import numpy as np
import pytest
from scipy import stats

from dpbandits.claims.chances import DRAWS, FAIL, OPEN, _Counts, _Events, chances
from dpbandits.claims.comparisons import Count
from dpbandits.claims.judgements import ALPHA
from dpbandits.claims.statistical import judge_claim
from dpbandits.config.models.claims import Rules
from dpbandits.numerics.tails import Tail
from tests.shown import calm

from .sections import claim_of, gate_of

SIZES = (8, 20, 60, 200)


def order(curves=("x", "y"), **more):
    """A claim that each curve has less regret than the next, at one setting unless told otherwise."""
    test = {"reading": "r", "predicate": "ordered", "curves": list(curves), "at": {"eps": [1]}} | more
    return claim_of({"kind": "statistical", "experiment": "small", "tests": [test], "class": "order"})


def sample_of(rows):
    """Runs by curve, the same at all settings; or by curve and column."""

    def sample(curve, setting, column="regret"):
        if column == "seed":
            return np.arange(len(next(iter(rows.values()))))
        return rows[curve] if column == "regret" else rows[curve, column]

    return sample


def standardized(mean, sd, n, seed=1):
    """A symmetric sample of even size with just this mean and standard deviation."""
    x = np.random.default_rng(seed).standard_normal(n // 2)
    x = np.concatenate([x, -x])
    return mean + sd * (x - x.mean()) / x.std(ddof=1)


@pytest.mark.parametrize("gap", [0.05, 0.3, 1.0])
def test_one_comparison_has_the_chance_of_the_normal_distribution(gap):
    """What n seeds find is normal around what 30 have found, with variance sd^2 (1/30 + 1/n); ties are far away."""
    rows = {"x": standardized(10.0, 1.0, 30), "y": np.full(30, 10.0 + gap)}
    claim = order(equivalent=1e-6)
    found = chances(claim, "printed", Rules(), sample_of(rows), calm, SIZES)
    for n, value in zip(SIZES, found.values, strict=True):
        reach, sd = stats.t.ppf(1 - ALPHA, n - 1) / math.sqrt(n), math.sqrt(1 / 30 + 1 / n)
        wanted = stats.norm.cdf((gap - reach) / sd) + stats.norm.cdf((-gap - reach) / sd)
        assert value == pytest.approx(wanted, abs=0.05)
    assert (found.effect, found.spread) == (pytest.approx(-gap), pytest.approx(1.0))
    half = stats.t.ppf(1 - ALPHA, 29) / math.sqrt(30)
    assert found.interval == pytest.approx((-gap - half, -gap + half), abs=1e-3)


@pytest.mark.parametrize(("runs", "seen", "first"), [(24, 24, 48), (24, 36, 24), (48, 0, 12), (24, 54, 8)])
def test_the_runs_of_the_pilot_count_beside_the_fresh_ones(runs, seen, first):
    """A mean is decided once 72 runs have shown no rare kind: 0.95^72 is 2.5 %. The pilot here has 24 seeds.

    With 24 more there are twice as many runs of the curve, or of all experiments; with 12 more half as many again.
    """
    assert 0.95**72 < ALPHA < 0.95**71
    rows = {"x": standardized(10.0, 1.0, 24), "y": standardized(20.0, 1.0, 24, 2)}
    tails = Tail(0.0, 0.0, runs, seen=seen)
    found = chances(order(), "printed", Rules(), sample_of(rows), lambda _: tails, (first - 1, first, 72))
    assert found.values == (0.0, 1.0, 1.0)


def test_counts_share_the_error_of_a_failure(monkeypatch):
    """At least 5 of 1000 runs have a chance of 2.4 % at the allowed rate, which is above 2.5 % over two counts."""
    assert 0.0125 < stats.binom.sf(4, 1000, 0.0016) < 0.025
    counts = [Count("r", "a", "x", 5, 1000, 100, 0.0016), Count("r", "b", "y", 0, 2400, 240, 0.0016)]
    monkeypatch.setattr(_Events, "at", lambda self, runs: np.full(DRAWS, 5))
    noise = np.random.default_rng(1)
    assert (_Counts(counts, noise).codes(100)[:, 0] == OPEN).all()
    assert (_Counts(counts[:1], noise).codes(100)[:, 0] == FAIL).all()


def test_ties_decide_with_enough_seeds():
    rows = {"x": standardized(10.0, 1.0, 60), "y": standardized(10.0, 1.0, 60, seed=2)}
    found = chances(order(), "printed", Rules(), sample_of(rows), calm, (8, 200, 10**4))
    assert found.values[0] < 0.15
    assert found.values[-1] > 0.8


def test_the_comparison_that_is_last_to_be_decided_is_named():
    rows = {"x": standardized(1.0, 0.5, 20), "y": standardized(5.0, 0.5, 20, 2), "z": standardized(5.2, 0.5, 20, 3)}
    found = chances(order("xyz"), "printed", Rules(), sample_of(rows), calm, SIZES)
    assert found.decisive == "y - z at eps = 1"
    one = chances(order("yz"), "printed", Rules(), sample_of(rows), calm, SIZES)
    assert found.values == pytest.approx(one.values, abs=0.12)  # its limits for failing are a little wider
    assert one.values[0] < 0.5 < one.values[-1]


def test_what_is_forecast_is_what_fresh_seeds_find():
    """200 truths, pilots of 12 seeds and fresh runs of 48: of claims forecast at 80 % and more, 70 % are decided.

    So are all others as often as forecast, on average. Runs are lognormal; gaps are from none to clear ones.
    """
    rng = np.random.default_rng(11)
    forecast, decided = [], []
    for _ in range(200):
        means = {"x": 1.0, "y": 1.0 + abs(rng.normal(0.0, 0.35)), "z": 2.2}

        def runs(n, means=means):
            return {curve: mean * rng.lognormal(-0.08, 0.4, n) for curve, mean in means.items()}

        claim = order("xyz")
        found = chances(claim, "printed", Rules(), sample_of(runs(12)), calm, (48,))
        forecast.append(found.values[0])
        record = judge_claim(claim, "printed", Rules(), sample_of(runs(48)), calm)
        decided.append(record["verdict"] in ("holds", "fails"))
    forecast, decided = np.array(forecast), np.array(decided)
    assert 20 < (forecast >= 0.8).sum() < 180
    assert decided[forecast >= 0.8].mean() > 0.8
    assert decided.mean() == pytest.approx(forecast.mean(), abs=0.1)
    assert decided[forecast < 0.5].mean() < 0.5


def test_curves_that_are_equal_in_every_run_are_tied():
    """No seed differs, so that the interval is a point on the bound: the order fails, and so it is forecast."""
    x = standardized(10.0, 1.0, 20)
    rows = {"x": x, "y": x.copy()}
    assert judge_claim(order(), "printed", Rules(), sample_of(rows), calm)["verdict"] == "fails"
    assert chances(order(), "printed", Rules(), sample_of(rows), calm, SIZES).values == (1.0,) * 4


def test_a_share_of_which_the_pilot_saw_nothing_is_not_certain():
    """None of 20 runs: the rate is drawn by Jeffreys' rule, and 96 runs show at most 5 % in half of the draws."""
    test = {"reading": "r", "predicate": "share", "curves": ["x"], "column": "bad", "above": 0, "bounds": [None, 0.05]}
    claim = {"kind": "statistical", "experiment": "small", "class": "judgement", "tests": [test | {"at": {"eps": [1]}}]}
    rows = {"x": np.zeros(20), ("x", "bad"): np.zeros(20)}
    found = chances(claim_of(claim), "printed", Rules(), sample_of(rows), calm, (8, 96, 960))
    counts = np.arange(97)
    ends = [stats.binomtest(int(k), 96).proportion_ci(method="exact") for k in counts]
    decided = [end.high <= 0.05 or end.low > 0.05 for end in ends]
    assert found.values[1] == pytest.approx(stats.betabinom.pmf(counts, 96, 0.5, 20.5) @ decided, abs=0.05)
    assert 0.3 < found.values[1] < 0.7 < found.values[2]


def never(rate):
    test = {"reading": "r", "predicate": "never", "curves": ["x"], "column": "bad", "above": 0, "rate": rate}
    test["at"] = {"eps": [1, 2]}
    return claim_of({"kind": "statistical", "experiment": "small", "tests": [test], "class": "event"})


@pytest.mark.parametrize("events", [0, 3, 40])
def test_counts_have_the_chance_of_the_beta_binomial_distribution(events):
    """Two settings of 100 runs each, of which half are at either: the rate is drawn by Jeffreys' rule."""
    bad = np.zeros(100)
    bad[: events // 2] = 1.0
    more = np.zeros(100)
    more[: events - events // 2] = 1.0

    def sample(curve, setting, column="regret"):
        return np.arange(100) if column == "seed" else bad if setting["eps"] == 1 else more

    found = chances(never(0.05), "printed", Rules(), sample, calm, (50, 400))
    for n, value in zip((50, 400), found.values, strict=True):
        counts = np.arange(2 * n + 1)
        weights = stats.betabinom.pmf(counts, 2 * n, events + 0.5, 200 - events + 0.5)
        ends = [stats.binomtest(int(k), 2 * n).proportion_ci(method="exact") for k in counts]
        decided = [end.high <= 0.05 or end.low > 0.05 for end in ends]
        assert value == pytest.approx(weights @ decided, abs=0.05)
    assert found.effect == events / 200
    twice = chances(never(0.05), "printed", Rules(), sample, calm, (400, 400))
    assert twice.values[0] == twice.values[1], "the draws are the same for all numbers of seeds"


def readings(first, second):
    """A claim of two readings, each an order."""
    parts = {"first": first, "second": second}
    tests = [{"reading": name, "predicate": "ordered", "curves": c, "at": {"eps": [1]}} for name, c in parts.items()]
    claim = {"kind": "statistical", "experiment": "small", "class": "order", "combine": "readings"}
    return claim_of(claim | {"tests": tests})


def test_readings_that_disagree_are_never_decided():
    rows = {"x": standardized(1.0, 0.1, 20), "y": standardized(3.0, 0.1, 20, 2)}
    together = chances(readings(["x", "y"], ["y", "x"]), "printed", Rules(), sample_of(rows), calm, SIZES)
    assert together.values == (0.0,) * 4
    alike = chances(readings(["x", "y"], ["x", "y"]), "printed", Rules(), sample_of(rows), calm, SIZES)
    assert alike.values == (1.0,) * 4


def test_what_gates_leave_out_is_never_decided():
    late = gate_of({"column": "late", "over": "regret", "at_most": 0.35})
    rows = {"x": standardized(1.0, 0.1, 20), "y": standardized(3.0, 0.1, 20, 2)}
    rows |= {(curve, "late"): 0.9 * rows[curve] for curve in "xy"}
    found = chances(order(), "printed", Rules((late,)), sample_of(rows), calm, SIZES)
    assert found.values == (0.0,) * 4
    assert math.isnan(found.effect)


def test_chances_are_the_same_each_time():
    rows = {"x": standardized(1.0, 1.0, 20), "y": standardized(1.5, 1.0, 20, 2)}
    found = [chances(order(), "printed", Rules(), sample_of(rows), calm, SIZES) for _ in range(2)]
    assert found[0] == found[1]
    assert 0.0 < found[0].values[1] < 1.0
