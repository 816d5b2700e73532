"""The kernels of the private rivals against their oracles.

The round-by-round transcription, which shares with a kernel the draw of the noise and nothing else, gives the same
distribution of the regret at checkpoints inside batches, at their ends and at the horizon, and of the increments
between them. A round-by-round oracle that draws the sum of a batch at its end, as the kernel does, gives the same
regret in every round of every run. The same source in plain Python gives the same bits. Where the best arm stands does
not matter.
"""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from dpbandits.algorithms.bernoulli import adap_kl_ucb, adap_ucb, dp_imed, dp_kl_ucb, dp_ucb
from dpbandits.algorithms.bernoulli import dp_se as dp_se
from dpbandits.numerics.statistics import holm

from ..unit.rivals import NAMES, constants, module, plain, plain_trace, regrets, trace

pytestmark = pytest.mark.slow

SIGNIFICANCE = 1e-3  # family-wise
RUNS, LITERAL_RUNS, LITERAL_ROUNDS = 3000, 300, 1_200_000
MEANS = np.array([0.65, 0.9, 0.35])
SHORT = [4, 9, 20, 57, 131, 260, 400]
CASES = {  # name, changes, checkpoints; for DP-SE the first epochs of three arms have 510 or 1532 pulls each
    "DP-SE": ("dp_se", {}, [700, 1530, 1700, 3000, 6500, 6800]),
    "DP-SE, beta = 1/T": ("dp_se", {"beta": 0.0, "eps": 0.12}, [2000, 4596, 4800, 5500, 6500]),
    "DP-SE, restarts at 2^k": ("dp_se", {"restarts": 1.0}, [2046, 3576, 4094, 5624, 6500]),
    "DP-SE, restarts at 2^(2^k)": ("dp_se", {"restarts": 2.0}, [276, 1806, 3000, 6776, 7500]),
    "AdaP-UCB": ("adap_ucb", {}, SHORT),
    "AdaP-UCB, as published": ("adap_ucb", {"alpha": 3.1, "eps": 5.0}, SHORT),
    "AdaP-KLUCB": ("adap_kl_ucb", {}, SHORT),
    "AdaP-KLUCB, as published": ("adap_kl_ucb", {"alpha_kl": 3.1, "alpha_private": 3.1, "eps": 5.0}, SHORT),
    "DP-KLUCB": ("dp_kl_ucb", {}, SHORT),
    "DP-KLUCB, from one pull": ("dp_kl_ucb", {"ratio": 2.0, "first_batch": 0.0}, SHORT),
    "DP-IMED": ("dp_imed", {}, SHORT),
    "DP-IMED, from one pull": ("dp_imed", {"ratio": 1.2, "first_batch": 0.0, "eps": 2.0}, SHORT),
    "DP-UCB": ("dp_ucb", {}, SHORT[:-1]),
    "DP-UCB, split": ("dp_ucb", {"split_budget": 1.0, "eps": 40.0}, SHORT[:-1]),
}
every_case = pytest.mark.parametrize("case", CASES)


def fast_regrets(case, **others):
    name, changes, rounds = CASES[case]
    return np.round(regrets(name, range(RUNS), MEANS, rounds, **{**changes, **others}), 6)


def literal_regrets(case):
    name, changes, rounds = CASES[case]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module(name), "laplace", lambda rng, scale: rng.laplace(0.0, scale))  # costs less than compiled
        run, given = module(name).run_literal, (MEANS, *constants(name, **changes), np.array(rounds))
        runs = min(LITERAL_RUNS, LITERAL_ROUNDS // rounds[-1])
        return np.round([run(np.random.default_rng([2, seed]), *given) for seed in range(runs)], 6)


@pytest.fixture(scope="module")
def transcribed():
    for case in CASES:  # compiled before the draw of the noise is replaced
        trace(CASES[case][0], 0, MEANS, [8])
    return {case: literal_regrets(case) for case in CASES}


def p_values(one, other):
    """Kolmogorov-Smirnov and Welch, of the regret at every checkpoint and of its increments, where they vary."""
    found = []
    for x, y in zip([*one.T, *np.diff(one).T], [*other.T, *np.diff(other).T], strict=True):
        if np.ptp(np.concatenate([x, y])) > 0:
            found.append(stats.ks_2samp(x, y, method="asymp").pvalue)
            if np.ptp(x) > 0 and np.ptp(y) > 0:
                found.append(stats.ttest_ind(x, y, equal_var=False).pvalue)
    return found


# In distribution


def test_kernels_have_the_distribution_of_the_transcription(transcribed):
    found = {case: p_values(fast_regrets(case), transcribed[case]) for case in CASES}
    for case, values in found.items():
        print(f"{case}: smallest of {len(values)} p-values {min(values):.3g}")
    assert all(len(values) >= 6 for values in found.values())
    assert {CASES[case][0] for case in CASES} == set(NAMES)
    assert holm([p for values in found.values() for p in values]).min() > SIGNIFICANCE


OTHERS = {
    "DP-SE": {"beta": 0.1},
    "DP-SE, restarts at 2^k": {"restarts": 2.0},
    "AdaP-UCB": {"alpha": 1.0},
    "AdaP-KLUCB": {"alpha_kl": 1.5},
    "AdaP-KLUCB, as published": {"alpha_private": 0.5},
    "DP-KLUCB": {"ratio": 1.9},
    "DP-IMED": {"first_batch": 1.0},
    "DP-UCB": {"gamma": 0.9},
}


@pytest.mark.parametrize("case", OTHERS)
def test_the_comparison_finds_another_constant(case, transcribed):
    assert holm(p_values(fast_regrets(case, **OTHERS[case]), transcribed[case])).min() < SIGNIFICANCE


# Round by round, on the same draws


class Ledger:
    """Rounds played one by one."""

    def __init__(self, means, horizon):
        self.gaps, self.pulls = np.max(means) - means, np.zeros(len(means), dtype=int)
        self.horizon, self.regret = horizon, []

    def play(self, arm):
        """One round; whether there is another one."""
        self.pulls[arm] += 1
        self.regret.append(sum(int(n) * gap for n, gap in zip(self.pulls, self.gaps, strict=True)))
        return len(self.regret) < self.horizon

    @property
    def t(self):
        """The round to come."""
        return len(self.regret) + 1


def chosen(rng, values):
    """Where the largest stands; of several, the one that one uniform integer picks."""
    where = np.flatnonzero(np.array(values) == max(values))
    return where[rng.integers(0, len(where))] if len(where) > 1 else where[0]


def adap_rounds(rng, means, horizon, index):
    """Episode by episode; `index` (mean, n, t)."""
    game, m, n = Ledger(means, horizon), np.zeros(len(means)), np.zeros(len(means), dtype=int)
    for j in range(len(means)):
        m[j], n[j] = rng.binomial(1, means[j]) + rng.laplace(0.0, index.scale), 1
        if not game.play(j):
            return game.regret
    while True:
        i = chosen(rng, [index(m[j], int(n[j]), game.t) for j in range(len(means))])
        length = int(game.pulls[i])
        for _ in range(length):
            if not game.play(i):
                return game.regret
        m[i], n[i] = (rng.binomial(length, means[i]) + rng.laplace(0.0, index.scale)) / length, length


def growing_rounds(rng, means, horizon, eps, ratio, first, pick):
    """Batch by batch; `pick` (rng, sums, n, t) an arm."""
    game, sums, n = Ledger(means, horizon), np.zeros(len(means)), np.zeros(len(means), dtype=int)
    while True:
        waiting = np.flatnonzero(n == 0)
        i = waiting[0] if len(waiting) else pick(rng, sums, n, game.t)
        goal = max(1, math.ceil(first / eps - 1e-9)) if len(waiting) else max(n[i] + 1, math.ceil(ratio * n[i] - 1e-9))
        while game.pulls[i] < goal:
            if not game.play(i):
                return game.regret
        sums[i] += rng.binomial(goal - n[i], means[i]) + rng.laplace(0.0, 1.0 / eps)
        n[i] = goal


def elimination_rounds(rng, means, horizon, eps, beta):
    """DP-SE with a known horizon."""
    game, active, epoch = Ledger(means, horizon), list(range(len(means))), 0
    while True:
        if len(active) == 1:
            if not game.play(active[0]):
                return game.regret
            continue
        epoch += 1
        each = int(dp_se.epoch_length(len(active), epoch, beta, eps))
        for j in active * each:
            if not game.play(j):
                return game.regret
        m = {j: (rng.binomial(each, means[j]) + rng.laplace(0.0, 1.0 / eps)) / each for j in active}
        allowed = dp_se.threshold(len(active), epoch, beta, eps, each)
        active = [j for j in active if max(m.values()) - m[j] <= allowed]


def tree_rounds(rng, means, horizon, eps, gamma):
    """DP-UCB on one budget for all arms, the noise of all nodes kept by their last leaf."""
    arms, scale = len(means), (math.ceil(math.log2(horizon)) + 1) / eps
    bonus = dp_ucb.privacy_bonus(arms, max(2, horizon), eps, gamma)
    game, sums, noise = Ledger(means, horizon), np.zeros(arms), [{} for _ in means]
    steady, width = np.zeros(arms), np.zeros(arms)
    while True:
        i = game.t - 1
        if i >= arms:
            i = int(np.argmax([dp_ucb.index(steady[j], width[j], game.t) for j in range(arms)]))
        more = game.play(i)
        n = int(game.pulls[i])
        sums[i] += rng.random() < means[i]
        noise[i][n] = rng.laplace(0.0, scale)
        last, drawn = 0, 0.0
        for digit in reversed(range(n.bit_length())):
            if n >> digit & 1:
                last += 1 << digit
                drawn += noise[i][last]
        steady[i], width[i] = dp_ucb.parts(sums[i] + drawn, n, bonus)
        if not more:
            return game.regret


def oracle(name, rng, horizon):
    """The regret of every round, under the constants of the tests."""
    eps, *others = constants(name)
    if name in ("adap_ucb", "adap_kl_ucb"):
        own = (adap_ucb if name == "adap_ucb" else adap_kl_ucb).index
        index = lambda mean, n, t: own(mean, n, t, eps, *others)  # noqa: E731 - carries the scale
        index.scale = 1.0 / eps
        return adap_rounds(rng, MEANS, horizon, index)
    if name == "dp_kl_ucb":
        pick = lambda rng, s, n, t: chosen(rng, [dp_kl_ucb.index(s[j], int(n[j]), t, eps) for j in range(3)])  # noqa: E731
        return growing_rounds(rng, MEANS, horizon, eps, *others, pick)
    if name == "dp_imed":

        def pick(rng, s, n, t):
            p = [min(1.0, max(0.0, s[j] / n[j])) for j in range(3)]
            return chosen(rng, [-dp_imed.index(p[j], max(p), int(n[j]), eps) for j in range(3)])

        return growing_rounds(rng, MEANS, horizon, eps, *others, pick)
    if name == "dp_ucb":
        return tree_rounds(rng, MEANS, horizon, eps, others[0])
    return elimination_rounds(rng, MEANS, horizon, eps, others[0])


@pytest.mark.parametrize("name", NAMES)
def test_rounds_are_skipped_exactly(name):
    """No run of any horizon differs in any round."""
    horizons = (1, 2, 3, 4, 40, 700) if name != "dp_se" else (1, 2, 1530, 1531, 8000)
    for seed, horizon in itertools.product(range(12), horizons):
        expected = oracle(name, np.random.default_rng(seed), horizon)
        np.testing.assert_array_equal(trace(name, seed, MEANS, np.arange(1, horizon + 1))[:, 0], expected)


# In bits


@every_case
def test_kernel_is_its_own_source_in_plain_python(case):
    name, changes, rounds = CASES[case]
    for seed, checkpoints in itertools.product(range(4), ([1], [2, 8], rounds)):
        fast = trace(name, seed, MEANS, checkpoints, **changes)
        np.testing.assert_array_equal(fast, plain_trace(name, seed, MEANS, checkpoints, **changes))


# Where the best arm stands


def places(name, run):
    """p-value: regret with the best arm first against the best arm last, after one decision or later."""
    first, last, rounds = np.array([0.8, 0.6, 0.5]), np.array([0.6, 0.5, 0.8]), np.array([14, 40, 300])
    found = [
        [run(np.random.default_rng([k, seed]), means, *constants(name), rounds)[:, 0] for seed in range(600)]
        for k, means in enumerate((first, last))
    ]
    return holm(p_values(*np.round(found, 6))).min()


@pytest.mark.parametrize("name", ["adap_kl_ucb", "dp_kl_ucb", "dp_imed"])
def test_where_the_best_arm_stands_does_not_matter(name):
    """After batches of all arms: until then arms are played in their order. The first of several would be found."""
    assert places(name, module(name).run) > SIGNIFICANCE
    with plain(name, largest_of=lambda rng, values: int(np.argmax(values))) as first_of_ties:
        assert places(name, first_of_ties) < SIGNIFICANCE
