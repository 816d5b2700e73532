"""Leaders with full information: kernels against transcriptions and exact distributions, and mutants that are rejected.

The transcriptions draw one reward a round and action. Compiled versions, also round by round, can be given one fault at
a time. With two actions the chance that an epoch's leader is the best one is a finite sum, which the kernels must meet.
"""

import math

import numba
import numpy as np
import pytest
from scipy import stats

from dpbandits.algorithms.full_information import (
    epoch_ftl,
    ftl,
    naive_ftnl,
    rnm_ftnl,
)
from dpbandits.algorithms.full_information import (
    literal as leader_literal,
)
from dpbandits.algorithms.shared.play import OUTPUTS
from dpbandits.algorithms.shared.ties import largest_of
from dpbandits.base.registry import ALGORITHMS
from dpbandits.numerics.statistics import holm
from dpbandits.privacy.mechanisms import laplace

from .comparison import p_values

pytestmark = pytest.mark.slow

SIGNIFICANCE = 1e-3  # family-wise
RUNS, LITERAL = 6000, 400  # a side: compiled, and transcribed
ROUNDS = np.array([1, 2, 3, 6, 7, 12, 31, 50, 100, 127, 150])  # epochs end at 1, 3, 7, 15, 31, 63 and 127
THREE, FIVE = np.array([0.5, 0.65, 0.2]), np.array([0.8, 0.4, 0.75, 0.4, 0.75])
CASES = {  # module, means, parameters
    "follow the leader, three": ("ftl", THREE),
    "follow the leader, five": ("ftl", FIVE),
    "epochs, three": ("epoch_ftl", THREE),
    "epochs, five": ("epoch_ftl", FIVE),
    "noisy, three": ("rnm_ftnl", THREE, 2.0),
    "noisy, five": ("rnm_ftnl", FIVE, 10.0),
    "naive, three": ("naive_ftnl", THREE, 0.3),
    "naive, five": ("naive_ftnl", FIVE, 2.0),
}
NOTHING, SHARED, ALL_EPOCHS, REUSED, LATE = range(5)


def regrets(run, side, runs, *arguments):
    """(runs, checkpoints), rounded: gaps are added in different orders."""
    found = [np.reshape(run(np.random.default_rng([side, s]), *arguments), (len(ROUNDS), -1)) for s in range(runs)]
    return np.round(np.array(found)[:, :, 0], 6)


def of_kernel(name, runs=RUNS):
    algorithm, *arguments = CASES[name]
    return regrets(ALGORITHMS.module(algorithm).run, 1, runs, *arguments, ROUNDS)


def of_transcription(name):
    algorithm, *arguments = CASES[name]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(leader_literal, "laplace", laplace.py_func)  # a call from Python costs less
        literal = ALGORITHMS.module(algorithm).run_literal
        return regrets(literal, 2, LITERAL, *arguments, ROUNDS)


@pytest.fixture(scope="module")
def shipped():
    return {name: of_kernel(name) for name in CASES}


def test_kernels_have_the_distribution_of_the_transcriptions(shipped):
    found = {name: p_values(shipped[name], of_transcription(name)) for name in CASES}
    for name, values in found.items():
        print(f"{name}: smallest of {len(values)} p-values {min(values):.3g}")
    assert holm([p for values in found.values() for p in values]).min() > SIGNIFICANCE


# Follow the leader


@numba.njit(error_model="numpy")
def leader_of_every_round(rng, means, first, checkpoints):
    """No block: every round is decided by itself, where `first` for the first of several leaders."""
    arms, found, k = len(means), np.zeros(len(checkpoints)), 0
    sums, regret = np.zeros(arms), 0.0
    for t in range(1, checkpoints[-1] + 1):
        i = np.argmax(sums) if first else largest_of(rng, sums)
        for j in range(arms):
            sums[j] += 1.0 if rng.random() < means[j] else 0.0
        regret += np.max(means) - means[i]
        if t == checkpoints[k]:
            found[k] = regret
            k += 1
    return found


@pytest.mark.parametrize("name", ["follow the leader, three", "follow the leader, five"])
def test_deciding_in_every_round_has_the_same_distribution(name, shipped):
    """And a rule that favors the first of several leaders is found."""
    means = CASES[name][1]
    same = p_values(shipped[name], regrets(leader_of_every_round, 3, RUNS, means, False, ROUNDS))
    favored = p_values(shipped[name], regrets(leader_of_every_round, 5, RUNS, means, True, ROUNDS))
    print(f"{name}: {min(same):.3g}; the first of several {min(favored):.3g}")
    assert holm(same).min() > SIGNIFICANCE
    assert holm(favored).min() < SIGNIFICANCE / 100


class Given:
    """A generator whose rewards are given, (rounds, actions); ties are drawn."""

    def __init__(self, rewards, seed):
        self.rewards, self.calls, self.now, self.ties = rewards, 0, 0, np.random.default_rng(seed)

    def integers(self, low, high):
        return self.ties.integers(low, high)

    def binomial(self, rounds, mean):
        """The rewards of the next action over the next rounds; after the last action these have passed."""
        action, first = self.calls % self.rewards.shape[1], self.now
        self.calls += 1
        if self.calls % self.rewards.shape[1] == 0:
            self.now += rounds
        return int(self.rewards[first : first + rounds, action].sum())


def regrets_on(rewards, seed, means):
    """Of the kernel's plain Python and of a loop over rounds, after every round of the given rewards."""
    horizon = len(rewards)
    blocks = ftl.run.py_func(Given(rewards, seed), means, np.arange(1, horizon + 1))[:, 0]
    arms, sums, rng = [], np.zeros(len(means)), Given(rewards, seed)
    for t in range(horizon):
        arms.append(largest_of.py_func(rng, sums))
        sums += rewards[t]
    return blocks, np.cumsum(means.max() - means[arms])


@pytest.mark.parametrize("more", [0, -1, 1])
def test_a_leader_by_so_many_rounds_is_kept_for_as_many(more, monkeypatch):
    """On the same rewards blocks and a loop over rounds play the same actions; not if a block is a round longer."""
    lead = ftl.lead.py_func
    monkeypatch.setattr(ftl, "largest_of", largest_of.py_func)
    monkeypatch.setattr(ftl, "lead", lambda sums, i: lead(sums, i) + more)
    same = []
    for seed in range(20):
        means = (THREE, FIVE)[seed % 2]
        rewards = (np.random.default_rng(seed).random((400, len(means))) < means).astype(int)
        same.append(np.allclose(*regrets_on(rewards, seed, means), rtol=1e-9, atol=1e-9))
    assert all(same) if more <= 0 else not all(same)


def test_lead_by_hand():
    assert ftl.lead(np.array([7, 0]), 0) == 7
    assert ftl.lead(np.array([4, 4, 1]), 0) == 0
    assert ftl.lead(np.array([4, 9, 6]), 1) == 3


def test_blocks_of_the_leader_get_longer():
    """About ln T / gap of them."""
    rounds = np.array([10**4, 10**8])
    found = [ftl.run(np.random.default_rng(s), THREE, rounds)[:, OUTPUTS.index("steps")] for s in range(50)]
    assert np.diff(found).max() < 10 * math.log(10**4) / 0.15
    assert np.diff(found).min() > 0


# Epochs


@numba.njit(error_model="numpy")
def faulty_epochs(rng, means, scale, checkpoints, fault):
    """Round by round, one Bernoulli reward a round and action; the regret at the checkpoints."""
    arms, found, k = len(means), np.zeros(len(checkpoints)), 0
    sums, noise, regret, end, length = np.zeros(arms), np.zeros(arms), 0.0, 1, 1
    i = rng.integers(0, arms)
    for j in range(arms):
        noise[j] = laplace(rng, scale)
    for t in range(1, checkpoints[-1] + 1):
        regret += np.max(means) - means[i]
        for j in range(arms):
            sums[j] += 1.0 if rng.random() < means[j] else 0.0
        if t == checkpoints[k]:
            found[k] = regret
            k += 1
        if t == end + (1 if fault == LATE else 0):
            for j in range(arms):
                if fault != REUSED:
                    noise[j] = laplace(rng, scale)
                if fault == SHARED:
                    noise[j] = noise[0]
            i = largest_of(rng, sums + noise)
            if fault != ALL_EPOCHS:
                sums[:] = 0.0
            length *= 2
            end += length
    return found


@pytest.mark.parametrize("name", ["noisy, three", "noisy, five"])
def test_faults_of_epochs_are_found(name, shipped):
    _, means, scale = CASES[name]
    found = {
        fault: p_values(shipped[name], regrets(faulty_epochs, 6 + fault, RUNS, means, scale, ROUNDS, fault))
        for fault in (NOTHING, SHARED, ALL_EPOCHS, REUSED, LATE)
    }
    halved = p_values(shipped[name], regrets(faulty_epochs, 20, RUNS, means, scale / 2, ROUNDS, NOTHING))
    print(f"{name}: {[f'{min(values):.3g}' for values in found.values()]}; half the noise {min(halved):.3g}")
    assert holm(found.pop(NOTHING)).min() > SIGNIFICANCE
    for values in (*found.values(), halved):
        assert holm(values).min() < SIGNIFICANCE / 100


@pytest.mark.parametrize("name", ["epochs, three", "epochs, five"])
def test_one_draw_for_all_actions_is_no_noise(name, shipped):
    """It cancels in the comparison: the distribution is that of the leader in epochs, whatever the scale."""
    found = p_values(shipped[name], regrets(faulty_epochs, 30, RUNS, CASES[name][1], 10.0, ROUNDS, SHARED))
    assert holm(found).min() > SIGNIFICANCE


def chance_of_the_best(n, best, other, scale):
    """That sum + Lap(`scale`) over n rounds is larger for the best of two actions; equal ones have equal chances."""
    counts = np.arange(n + 1)
    distribution = np.convolve(stats.binom.pmf(counts, n, best), stats.binom.pmf(counts, n, other)[::-1])
    lead = np.arange(-n, n + 1)
    if scale == 0.0:
        return distribution[lead > 0].sum() + distribution[lead == 0].sum() / 2
    x = np.abs(lead) / scale
    tail = np.exp(-x) * (1 + x / 2) / 2
    return distribution @ np.where(lead < 0, tail, 1 - tail)


@pytest.mark.parametrize(
    ("module", "constants", "scale"),
    [
        (epoch_ftl, (), 0.0),
        (rnm_ftnl, (3.0,), 3.0),
        (rnm_ftnl, (60.0,), 60.0),
        (naive_ftnl, (0.1,), 20.0),
    ],
)
def test_epochs_follow_the_best_of_two_with_the_exact_chance(module, constants, scale):
    """Epochs of up to 2^12 rounds, at gap 0.04; a test by the binomial distribution for each, Holm-corrected."""
    means, epochs = np.array([0.46, 0.5]), np.arange(13)
    ends = 2 ** (epochs + 1) - 1
    found = np.array([module.run(np.random.default_rng([40, s]), means, *constants, ends)[:, 0] for s in range(3000)])
    right = np.diff(found) < 1e-9  # of epoch r + 1
    p = [stats.binomtest(int(right[:, 0].sum()), 3000, chance_of_the_best(1, 0.5, 0.46, scale)).pvalue]
    for r in epochs[1:-1]:
        p.append(stats.binomtest(int(right[:, r].sum()), 3000, chance_of_the_best(2**r, 0.5, 0.46, scale)).pvalue)
    print(f"{module.__name__}, {scale:g}: {min(p):.3g}")
    assert holm(p).min() > SIGNIFICANCE
    assert stats.binomtest(int((found[:, 0] < 1e-9).sum()), 3000, 0.5).pvalue > SIGNIFICANCE  # epoch 0


def test_naive_noise_is_that_of_as_many_budgets_as_actions():
    fast, slow = (
        run(np.random.default_rng(7), FIVE, constant, ROUNDS)
        for run, constant in ((naive_ftnl.run, 0.5), (rnm_ftnl.run, 10.0))
    )
    assert np.array_equal(fast[:, :2], slow[:, :2])


@pytest.mark.parametrize(("name", "numbers"), [("epochs, five", 0), ("noisy, five", 1), ("naive, five", 5)])
def test_releases_and_steps_of_epochs(name, numbers):
    """Round t lies in epoch floor(log2 t); every epoch but the first is decided by one release."""
    algorithm, *arguments = CASES[name]
    found = ALGORITHMS.module(algorithm).run(np.random.default_rng(0), *arguments, ROUNDS)
    epoch = np.floor(np.log2(ROUNDS))
    assert found[:, OUTPUTS.index("releases")].tolist() == (numbers * epoch).tolist()
    assert found[:, OUTPUTS.index("steps")].tolist() == (epoch + 1).tolist()
