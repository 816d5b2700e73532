"""Anytime-Lazy-UCB event by event: against a loop over rounds on the same stream, and its formulas by hand.

The loop compares all indices in every round and draws the sum of a batch as one binomial at its end, as the kernel
does. It consumes the stream in the same order, so that the two agree to the bit or skipping is wrong.
"""

import math

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpbandits.algorithms.bernoulli import anytime_lazy_ucb
from dpbandits.algorithms.shared.play import OUTPUTS
from dpbandits.base.checkpoints import log_spaced
from dpbandits.privacy.mechanisms import laplace

SPREAD = np.array([0.375, 0.75, 0.25, 0.625, 0.5])
CLOSE = np.array([0.7, 0.7, 0.75, 0.7, 0.7])
SETTINGS = {  # means, eps, c1, c2
    "spread": (SPREAD, 0.25, 2.0, 3.0),
    "large budget": (SPREAD, 500.0, 1.5, 3.0),
    "small budget": (SPREAD, 0.01, 3.0, 3.0),
    "close": (CLOSE, 1.0, 2.0, 3.0),
    "no bonus": (CLOSE, 0.5, 2.0, 0.0),
    "two arms": (np.array([0.5, 0.51]), 0.1, 2.0, 3.0),
    "twelve arms": (np.linspace(0.2, 0.8, 12), 0.5, 2.0, 3.0),
}
RUNS = 40  # of each


@numba.njit(error_model="numpy")
def round_by_round(rng, means, eps, c1, c2, checkpoints):
    """Regret at the checkpoints, releases, and runs of rounds on one arm without a release among them."""
    arms, horizon = len(means), checkpoints[-1]
    m, n, count, pulls = np.zeros(arms), np.ones(arms), np.zeros(arms), np.zeros(arms)
    gaps, found, k = np.max(means) - means, np.zeros((len(checkpoints), 3)), 0
    releases, events, last, free = 0, 0, -1, True
    for t in range(1, horizon + 1):
        i, end = t - 1, t <= arms
        if end:
            m[i] = rng.binomial(1, means[i]) + laplace(rng, 1.0 / eps)
            releases += 1
        else:
            largest = -math.inf
            for j in range(arms):
                index = m[j] + math.sqrt(c1 * math.log(t) / n[j]) + c2 * math.log(t) / (eps * n[j])
                if index > largest:
                    i, largest = j, index
            events += i != last or free
            last, free = i, False
            count[i] += 1
        pulls[i] += 1
        if t == checkpoints[k]:
            regret = 0.0
            for j in range(arms):
                regret += pulls[j] * gaps[j]
            found[k, 0], found[k, 1], found[k, 2] = regret, releases, events
            k += 1
        if not end and count[i] == 2 * n[i]:
            m[i] = (rng.binomial(int(count[i]), means[i]) + laplace(rng, 1.0 / eps)) / count[i]
            n[i], count[i] = count[i], 0
            releases, free = releases + 1, True
    return found


def both(seed, rounds, means, *constants):
    return [
        run(np.random.default_rng(seed), means, *constants, rounds) for run in (anytime_lazy_ucb.run, round_by_round)
    ]


@pytest.mark.parametrize("name", SETTINGS)
def test_skipping_and_a_loop_over_rounds_agree_to_the_bit(name):
    rounds = log_spaced(50_000, 20)
    for seed in range(RUNS):
        skipping, looping = both(seed, rounds, *SETTINGS[name])
        regret, releases, steps = (skipping[:, OUTPUTS.index(key)] for key in ("regret", "releases", "steps"))
        assert np.array_equal(regret, looping[:, 0])
        assert np.array_equal(releases, looping[:, 1])
        assert np.array_equal(steps, looping[:, 2]), "a block ends with its batch or its lead, never before"


@pytest.mark.parametrize("name", ["spread", "close", "two arms"])
def test_they_agree_over_long_leads(name):
    for seed in range(4):
        skipping, looping = both([1, seed], log_spaced(3_000_000, 20), *SETTINGS[name])
        assert np.array_equal(skipping[:, 0], looping[:, 0])


@pytest.mark.parametrize("name", SETTINGS)
def test_the_number_of_decisions_grows_like_the_logarithm(name):
    """At most some twenty-six batches an arm at T = 1e8, and few changes of the lead besides."""
    rounds = np.array([10**4, 10**8])
    means, *constants = SETTINGS[name]
    found = np.array([anytime_lazy_ucb.run(np.random.default_rng(s), means, *constants, rounds) for s in range(50)])
    assert found[:, 1, OUTPUTS.index("releases")].max() <= 27 * len(means)
    assert found[:, 1, OUTPUTS.index("steps")].max() <= 30 * len(means)


def test_index_by_hand():
    """ln 10 = 2.3025851: 1/2 + sqrt(2 ln 10 / 4) + 3 ln 10 / (0.5 * 4) = 0.5 + 1.0729830 + 3.4538776."""
    assert anytime_lazy_ucb.index(0.5, 4, 10, 0.5, 2.0, 3.0) == pytest.approx(5.0268606, abs=2e-7)
    assert anytime_lazy_ucb.index(-2.0, 1, 2, 1.0, 1.5, 0.0) == pytest.approx(-2 + math.sqrt(1.0397208), abs=1e-7)
    assert anytime_lazy_ucb.index(0.3, 8, 1, 0.1, 2.0, 3.0) == 0.3  # ln 1 = 0


def test_leader_by_hand():
    """In round 100 (ln t = 4.6052) with eps = 1, c1 = 2, c2 = 0: 0.9 + 0.759, 0.2 + 1.517, 0.5 + 1.073."""
    means, n = np.array([0.9, 0.2, 0.5]), np.array([16, 4, 8])
    assert anytime_lazy_ucb.leader_of(means, n, 100, 1.0, 2.0, 0.0) == 1
    assert anytime_lazy_ucb.leader_of(means, n, 3, 1.0, 2.0, 0.0) == 0  # 0.9 + 0.371, 0.2 + 0.741, 0.5 + 0.524
    assert anytime_lazy_ucb.leader_of(means, n, 3, 1.0, 2.0, 3.0) == 1  # 0.206, 0.824 and 0.412 more


@given(
    st.lists(st.tuples(st.floats(-3, 3), st.integers(0, 12)), min_size=2, max_size=5),
    st.integers(2, 10**6),
    st.integers(1, 400),
    st.sampled_from([0.05, 0.5, 100.0]),
    st.sampled_from([0.0, 3.0]),
)
def test_a_lead_ends_where_another_arm_takes_it(arms, t, most, eps, c2):
    """Counted round by round from any state, reached or not."""
    means, n = np.array([mean for mean, _ in arms]), np.array([2**r for _, r in arms])
    i = anytime_lazy_ucb.leader_of(means, n, t, eps, 2.0, c2)
    found = anytime_lazy_ucb.rounds_of_lead(i, means, n, t, most, eps, 2.0, c2)
    leaders = [anytime_lazy_ucb.leader_of(means, n, s, eps, 2.0, c2) for s in range(t, t + most)]
    assert found == next((k for k, leader in enumerate(leaders) if leader != i), most)


def roots_above(now, c, b, a):
    """By numpy.roots; those of multiplicity two are real within rounding."""
    roots = np.roots([a, b, c])
    real = roots[np.abs(roots.imag) < 1e-6 * (1 + np.abs(roots))].real
    return min(real[real > now], default=math.inf)


coordinates = st.floats(-5, 5).map(lambda x: round(x, 3))


@given(coordinates, coordinates, st.floats(0.01, 100), st.sampled_from([-1, 1]), st.floats(0, 6))
def test_crossing_is_a_root_of_the_quadratic(first, second, size, sign, now):
    """a (x - first) (x - second), wherever it is at most 0 now."""
    a = sign * size
    c, b = a * first * second, -a * (first + second)
    away = min(abs(now - first), abs(now - second)) > 1e-3 and abs(first - second) > 1e-2
    if away and c + b * now + a * now * now <= 0:
        found = anytime_lazy_ucb.crossing(c, b, a, now)
        assert found == pytest.approx(min((x for x in (first, second) if x > now), default=math.inf), rel=1e-9)
        assert found == pytest.approx(roots_above(now, c, b, a), rel=1e-6)


@pytest.mark.parametrize(
    ("c", "b", "a", "now", "root"),
    [
        (-6.0, 2.0, 0.0, 1.0, 3.0),  # a line that rises
        (-6.0, 2.0, 0.0, 3.0, math.inf),  # it has crossed
        (-6.0, -2.0, 0.0, 1.0, math.inf),  # one that falls
        (-6.0, 0.0, 0.0, 1.0, math.inf),  # the same number of pulls: never
        (0.0, 0.0, 0.0, 1.0, math.inf),  # the same index for ever
        (-4.0, 0.0, 1.0, 0.0, 2.0),
        (0.0, 0.0, 1.0, 0.0, math.inf),  # a root that is not above
        (0.0, -2.0, 1.0, 1.0, 2.0),
        (-2.0, 3.0, -1.0, 0.5, 1.0),  # two to come: the first
        (-2.0, 3.0, -1.0, 2.0, math.inf),  # at the last one
        (-1.0, 0.0, -1.0, 0.0, math.inf),  # none at all
        (-1.0, 2.0, -1.0, 0.0, 1.0),  # one that is touched
        (-1e-18, 1.0, 1e3, 0.0, 1e-18),  # no digits are lost in a difference
    ],
)
def test_crossing_by_hand(c, b, a, now, root):
    assert anytime_lazy_ucb.crossing(c, b, a, now) == pytest.approx(root, rel=1e-12)


def test_params_are_taken_as_they_stand():
    setting = {"eps": 0.25, "exploration": 1.5, "privacy_bonus": 2.5}
    assert anytime_lazy_ucb.params("printed", setting, {}) == anytime_lazy_ucb.Params(0.25, 1.5, 2.5)
