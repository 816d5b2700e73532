"""Whole sequences of arms of the two lazy algorithms on streams of rewards that differ in a round, and their privacy.

Two arms, at most 16 rounds, eps = 1. The streams are fixed, constant or alternating, and the neighbor of one has one
reward vector replaced by its complement: of every vector one reward is read. One part of the runs chooses a pair of
streams, its order, a number of rounds and a set of sequences; other runs alone bound ln P(set) / P'(set) from below, by
the intervals of Clopper and Pearson. Algorithms with a fault exceed eps in the same procedure. Without a bonus all do;
the bonus of 3 hides nothing of Anytime-Lazy-UCB, but all of Lazy-DP-TS, where p = 1 in nearly every round so short.
The loop is tied to the round-by-round transcriptions, which have the distribution of the kernels.
"""

import itertools
import math

import numba
import numpy as np
import pytest
from scipy import stats

from dpbandits.algorithms.bernoulli import anytime_lazy_ucb, lazy_dp_ts
from dpbandits.claims.closed_forms.hu2021 import functions as hu2021
from dpbandits.privacy.mechanisms import laplace

pytestmark = pytest.mark.slow

SIGNIFICANCE = 1e-3  # family-wise
EPS, EXPLORATION, ROUNDS, FEW = 1.0, 2.0, 16, 5
SURVEY, CHOICE, RUNS = 3000, 40_000, 100_000  # a side: of every pair, of the best of them, and of the bound
BEST = 4
LENGTHS = (3, 4, 5, 6, 8, 10, 12, 16)  # rounds looked at
ERRORS = 3.5  # standard errors that are taken off a ratio before it is chosen
PATTERNS = [[(0, 0)], [(1, 1)], [(0, 1)], [(1, 0)], [(0, 1), (1, 0)], [(1, 0), (0, 1)]]
UCB, THOMPSON = False, True
NAMES = {UCB: "Anytime-Lazy-UCB", THOMPSON: "Lazy-DP-TS"}
NOTHING, HALF_NOISE, BARE_FIRST, NO_FORGETTING = range(4)
FAULTS = {
    "half of the noise": HALF_NOISE,
    "first pull without noise": BARE_FIRST,
    "nothing is forgotten": NO_FORGETTING,
}
SHOWN = [(UCB, 0.0), (UCB, 3.0), (THOMPSON, 0.0)]  # with the bonus
HIDDEN = (THOMPSON, 3.0)
BOUNDS = (len(SHOWN) + 1) * (len(FAULTS) + 1) + 2  # that share the epsilon


@numba.njit(error_model="numpy")
def arms_pulled(rng, rewards, bonus, thompson, fault):
    """The arm of every round, 0 or 1, (rounds,); rewards (rounds, 2)."""
    scale = (0.5 if fault == HALF_NOISE else 1.0) / EPS
    m, n, count, total, everything = np.zeros(2), np.ones(2), np.zeros(2), np.zeros(2), np.zeros(2)
    arms = np.zeros(len(rewards), np.int64)
    for t in range(1, len(rewards) + 1):
        i, largest = t - 1, -math.inf
        if t > 2:
            for j in range(2):
                believed = m[j] + bonus * math.log(t) / (EPS * n[j])
                if thompson:
                    p = min(1.0, max(0.0, believed))
                    value = rng.beta(p * n[j] + 1, (1 - p) * n[j] + 1)
                else:
                    value = believed + math.sqrt(EXPLORATION * math.log(t) / n[j])
                if value > largest:
                    i, largest = j, value
        arms[t - 1] = i
        reward = rewards[t - 1, i]
        everything[i] += reward
        if t <= 2:
            m[i] = reward + (0.0 if fault == BARE_FIRST else laplace(rng, scale))
            continue
        count[i] += 1
        total[i] += reward
        if count[i] == 2 * n[i]:
            added, number = (everything[i], 2 * count[i] - 1) if fault == NO_FORGETTING else (total[i], count[i])
            m[i] = (added + laplace(rng, scale)) / number
            n[i] = count[i]
            count[i], total[i] = 0.0, 0.0
    return arms


@numba.njit
def sequences(rng, runs, rewards, bonus, thompson, fault):
    """(runs,) The arms as the digits of a binary number, those of later rounds last."""
    found = np.zeros(runs, np.int64)
    for s in range(runs):
        for i in arms_pulled(rng, rewards, bonus, thompson, fault):
            found[s] = 2 * found[s] + i
    return found


def neighbors(rounds):
    """Streams, (rounds, 2) each, with those that differ from them in a round."""
    for pattern in PATTERNS:
        stream = np.resize(np.array(pattern, float), (rounds, 2))
        replaced = np.arange(rounds)[:, None, None] == np.arange(rounds)[:, None]
        yield stream, list(np.where(replaced, 1 - stream, stream))


def likeliest(one, other, rounds):
    """What tells the two samples apart best: its worth, rounds looked at, set of sequences, whether `other` is first.

    A part of each sample orders the sequences, and the rest says how many of them to take.
    """
    found = []
    for turned, seen in itertools.product((False, True), [each for each in LENGTHS if each <= rounds]):
        first, second = (other, one) if turned else (one, other)
        counts = [
            np.bincount(part >> (rounds - seen), minlength=2**seen)
            for sample in (first, second)
            for part in np.array_split(sample, 2)
        ]
        known = np.flatnonzero(counts[0] + counts[2])
        ratio = (counts[0][known] + 0.5) / (counts[2][known] + 0.5)
        order = known[np.argsort(-ratio, kind="stable")]
        p, q = np.cumsum(counts[1][order]) + 0.5, np.cumsum(counts[3][order]) + 0.5
        worth = np.log(p / q) - ERRORS * np.sqrt(1 / p + 1 / q)
        taken = int(np.argmax(worth))
        found.append((worth[taken], seen, order[: taken + 1], turned))
    return max(found, key=lambda each: each[0])


def log_ratio_at_least(thompson, bonus, fault, rounds=ROUNDS, times=1):
    """A lower bound for the largest log-ratio of the probabilities of a set of sequences; with `times` the runs."""
    rng = np.random.default_rng([thompson, int(bonus), fault, rounds])

    def play(runs, stream):
        return sequences(rng, times * runs, stream, bonus, thompson, fault)

    found = []
    for stream, others in neighbors(rounds):
        sample = play(SURVEY, stream)
        found += [(likeliest(sample, play(SURVEY, other), rounds)[0], stream, other) for other in others]
    pairs = [pair for _, *pair in sorted(found, key=lambda each: -each[0])[:BEST]]
    events = [(*likeliest(*(play(CHOICE, stream) for stream in pair), rounds), pair) for pair in pairs]
    _, seen, chosen, turned, pair = max(events, key=lambda each: each[0])
    hits = [int(np.isin(play(RUNS, stream) >> (rounds - seen), chosen).sum()) for stream in pair]
    p, q = hits[::-1] if turned else hits
    runs = times * RUNS
    alpha = SIGNIFICANCE / BOUNDS / 2  # of either end
    low = math.log(stats.beta.ppf(alpha, p, runs - p + 1) / stats.beta.isf(alpha, q + 1, runs - q))
    print(f"{NAMES[thompson]}, bonus {bonus:g}, {rounds} rounds: at least {low:.3f} ({p} to {q}, {len(chosen)} chosen)")
    return low


class Told:
    """A generator of noise whose uniform numbers make the rewards those of a stream.

    Before every reward it sets the means, on either side of 1/2 and never equal, and answers 1/2.
    """

    def __init__(self, rng, stream):
        self.laplace, self.beta = rng.laplace, rng.beta
        self.left, self.means = iter(stream), np.zeros(2)

    def random(self):
        self.means[:] = np.where(next(self.left) == 1, (0.75, 1.0), (0.25, 0.0))
        return 0.5


@pytest.mark.parametrize("bonus", [0.0, 3.0])
@pytest.mark.parametrize("thompson", NAMES)
def test_the_arms_are_those_of_the_transcription(thompson, bonus, monkeypatch):
    """On equal random numbers, on random streams: of two arms the better one adds nothing to the regret."""
    module, constants = (lazy_dp_ts, (EPS, bonus)) if thompson else (anytime_lazy_ucb, (EPS, EXPLORATION, bonus))
    monkeypatch.setattr(module, "laplace", laplace.py_func)
    means = {(0, 0): (0.25, 0.0), (0, 1): (0.25, 1.0), (1, 0): (0.75, 0.0), (1, 1): (0.75, 1.0)}
    found = set()
    for seed in range(150):
        stream = np.random.default_rng([1, seed]).integers(2, size=(4 * ROUNDS, 2)).astype(float)
        told = Told(np.random.default_rng(seed), stream)
        regret = module.run_literal(told, told.means, *constants, np.arange(1, len(stream) + 1))
        best = np.array([int(np.argmax(means[tuple(each)])) for each in stream.astype(int)])
        literal = np.where(np.diff(regret, prepend=0.0) > 0.1, 1 - best, best)
        arms = arms_pulled(np.random.default_rng(seed), stream, bonus, thompson, NOTHING)
        np.testing.assert_array_equal(arms, literal)
        found.add(tuple(arms))
    assert len(found) > 30


@pytest.mark.parametrize(("thompson", "bonus"), [*SHOWN, HIDDEN])
def test_the_arms_give_away_at_most_eps(thompson, bonus):
    """And not much less, where the noise shows."""
    low = log_ratio_at_least(thompson, bonus, NOTHING)
    assert low <= EPS
    assert low > 0.6 * EPS or (thompson, bonus) == HIDDEN


@pytest.mark.parametrize(("thompson", "bonus"), SHOWN)
@pytest.mark.parametrize("what", FAULTS)
def test_a_fault_gives_away_more(what, thompson, bonus):
    assert log_ratio_at_least(thompson, bonus, FAULTS[what]) > EPS


@pytest.mark.parametrize("what", FAULTS)
def test_the_bonus_of_the_thompson_sampler_hides_faults(what):
    """p = 1 for both arms in nearly every round, whatever the reward: the arms show next to nothing of the noise."""
    assert log_ratio_at_least(*HIDDEN, FAULTS[what]) < 0.1 * EPS


@pytest.mark.parametrize(("fault", "scale"), [(NOTHING, 1 / EPS), (HALF_NOISE, 0.5 / EPS)])
def test_the_bound_is_close_to_the_exact_epsilon(fault, scale, monkeypatch):
    """Anytime-Lazy-UCB in five rounds, where quadrature gives the epsilon."""
    monkeypatch.setattr(hu2021, "noise_scale", lambda eps: scale)
    exact = hu2021.epsilon_of_arms(EPS)
    low = log_ratio_at_least(UCB, hu2021.CONSTANTS["privacy_bonus"], fault, FEW, 8)
    print(f"exact {exact:.4f}")
    assert 0.85 * exact < low < exact < 1 / scale
