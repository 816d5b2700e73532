"""UCB1, KL-UCB and Thompson sampling: kernels against plain loops over rounds, exactly and in distribution.

The transcriptions draw in the same order as the kernels, so that both agree on the same stream to rounding of the
regret; also where ties abound. On different streams they agree in distribution, and changed rules are found. The order
of the indices of KL-UCB is compared with that of indices solved for.
"""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, special, stats

from dpbandits.algorithms.bernoulli import kl_ucb, thompson_sampling, ucb1
from dpbandits.algorithms.shared.play import OUTPUTS
from dpbandits.algorithms.shared.ties import largest_of
from dpbandits.base.registry import ALGORITHMS
from dpbandits.numerics.statistics import holm

SIGNIFICANCE = 1e-3  # family-wise
NAMES = ["ucb1", "kl_ucb", "thompson_sampling"]
MEANS = {
    "spread": np.array([0.375, 0.75, 0.25, 0.625, 0.5]),
    "equal but one": np.array([0.5, 0.5, 0.6, 0.5]),
    "rare wins": np.array([0.01, 0.02, 0.005]),
    "certain wins": np.array([0.9, 1.0, 1.0, 0.0]),
}
every = pytest.mark.parametrize("name", NAMES)


def module(name):
    return ALGORITHMS.module(name)


def regrets(run, side, runs, means, rounds):
    """(runs, checkpoints), rounded: gaps are added in different orders."""
    found = [np.reshape(run(np.random.default_rng([side, s]), means, rounds), (len(rounds), -1)) for s in range(runs)]
    return np.round(np.array(found)[:, :, 0], 6)


def p_values(one, other):
    """Kolmogorov-Smirnov and Welch on the regret at every checkpoint."""
    found = []
    for x, y in zip(one.T, other.T, strict=True):
        found.append(stats.ks_2samp(x, y, method="asymp").pvalue)
        if np.ptp(x) > 0 and np.ptp(y) > 0:
            found.append(stats.ttest_ind(x, y, equal_var=False).pvalue)
    return found


# On the same stream


@every
@pytest.mark.parametrize("means", MEANS)
def test_kernel_and_loop_play_the_same_arms_on_the_same_stream(name, means):
    """Regret after every round."""
    runs, rounds = (6 if name == "kl_ucb" else 25), np.arange(1, 501)
    fast, slow = (regrets(run, 1, runs, MEANS[means], rounds) for run in (module(name).run, module(name).run_literal))
    assert np.array_equal(fast, slow)


@every
def test_the_generator_is_left_in_the_same_state(name):
    """Not one draw more or less."""
    fast, slow = np.random.default_rng(3), np.random.default_rng(3)
    module(name).run(fast, MEANS["equal but one"], np.array([200]))
    module(name).run_literal(slow, MEANS["equal but one"], np.array([200]))
    assert fast.random() == slow.random()


@every
def test_every_round_past_the_first_pulls_is_a_decision(name):
    found = module(name).run(np.random.default_rng(0), MEANS["spread"], np.array([3, 5, 100]))
    first = 0 if name == "thompson_sampling" else 5
    assert found[:, OUTPUTS.index("steps")].tolist() == [max(0, t - first) for t in (3, 5, 100)]
    assert not found[:, OUTPUTS.index("releases")].any()


# In distribution


def changed_ucb1(factor, first):
    """UCB1 with another factor in the root, or the first of equal arms."""

    def run(rng, means, rounds):
        arms = len(means)
        total, n = (rng.random(arms) < means).astype(float), np.ones(arms)
        played = list(range(arms))
        for t in range(arms + 1, rounds[-1] + 1):
            index = total / n + np.sqrt(factor * math.log(t) / n)
            i = int(np.argmax(index)) if first else int(rng.choice(np.flatnonzero(index == index.max())))
            total[i] += rng.random() < means[i]
            n[i] += 1
            played.append(i)
        return np.cumsum(means.max() - means[played])[rounds - 1]

    return run


def changed_thompson(weight, forgets):
    """Thompson sampling where a reward counts `weight`, or that forgets every other loss."""

    def run(rng, means, rounds):
        a, b, regret = np.ones(len(means)), np.ones(len(means)), []
        for t in range(rounds[-1]):
            i = int(np.argmax(rng.beta(a, b)))
            won = rng.random() < means[i]
            a[i] += weight * won
            b[i] += 0.0 if won or (forgets and t % 2) else weight
            regret.append(means.max() - means[i])
        return np.cumsum(regret)[rounds - 1]

    return run


def changed_kl_ucb(radius, first):
    """KL-UCB with another radius than ln t, or the first of equal arms; indices by a root finder."""

    def run(rng, means, rounds):
        arms = len(means)
        total, n = (rng.random(arms) < means).astype(float), np.ones(arms)
        played = list(range(arms))
        for t in range(arms + 1, rounds[-1] + 1):
            index = np.array([solved(s, k, radius(t)) for s, k in zip(total, n, strict=True)])
            leaders = np.flatnonzero(index > index.max() - 1e-12)
            i = int(leaders[0]) if first else int(rng.choice(leaders))
            total[i] += rng.random() < means[i]
            n[i] += 1
            played.append(i)
        return np.cumsum(means.max() - means[played])[rounds - 1]

    return run


def solved(wins, n, radius):
    """The index of KL-UCB by Brent's method, in the log-odds of q."""
    if wins == n:
        return 1.0

    def excess(x):
        q = special.expit(x)
        divergence = special.rel_entr(wins / n, q) + special.rel_entr(1 - wins / n, special.expit(-x))
        return n * divergence - radius

    return float(special.expit(optimize.brentq(excess, special.logit(max(wins / n, 1e-300)), 40.0, xtol=1e-13)))


ROUNDS = np.array([4, 10, 30, 70, 120])
CHANGES = {
    "ucb1": {"1 in the root": changed_ucb1(1.0, False), "the first of equal arms": changed_ucb1(2.0, True)},
    "kl_ucb": {
        "ln t + 3 ln ln t": changed_kl_ucb(lambda t: math.log(t) + 3 * math.log(math.log(t)), False),
        "the first of equal arms": changed_kl_ucb(math.log, True),
    },
    "thompson_sampling": {
        "rewards count 0.3": changed_thompson(0.3, False),
        "losses forgotten": changed_thompson(1.0, True),
    },
}
UNCHANGED = {
    "ucb1": changed_ucb1(2.0, False),
    "kl_ucb": changed_kl_ucb(math.log, False),
    "thompson_sampling": changed_thompson(1.0, False),
}
INSTANCE = np.array([0.7, 0.55, 0.9])


def test_kernels_have_the_distribution_of_other_loops_and_changed_rules_are_found():
    """The loops share nothing with the modules, and draw in another order."""
    same, told = [], {}
    for name in NAMES:
        kernel, runs = regrets(module(name).run, 4, 5000, INSTANCE, ROUNDS), (110 if name == "kl_ucb" else 400)
        same += p_values(kernel, regrets(UNCHANGED[name], 5, runs, INSTANCE, ROUNDS))
        for what, run in CHANGES[name].items():
            told[name, what] = p_values(kernel, regrets(run, 6, runs, INSTANCE, ROUNDS))
    print(
        f"smallest of {len(same)} p-values {min(same):.3g}", {key: f"{min(found):.3g}" for key, found in told.items()}
    )
    assert holm(same).min() > SIGNIFICANCE
    for found in told.values():
        assert holm(found).min() < SIGNIFICANCE


# Parts


def test_equal_values_have_equal_chances():
    values, rng = np.array([1.0, 3.0, -2.0, 3.0, 3.0]), np.random.default_rng(0)
    places = np.bincount([largest_of(rng, values) for _ in range(3000)], minlength=5)
    assert places[[0, 2]].tolist() == [0, 0]
    assert stats.chisquare(places[[1, 3, 4]]).pvalue > SIGNIFICANCE


def test_a_single_largest_value_needs_no_draw():
    rng, untouched = np.random.default_rng(0), np.random.default_rng(0)
    assert largest_of(rng, np.array([-3.0, -1.0, -2.0])) == 1
    assert largest_of(rng, np.array([4, 9, 2])) == 1
    assert largest_of(rng, np.array([False, False, True])) == 2
    assert rng.random() == untouched.random()


def test_evidence_by_hand():
    """4 kl(1/4, 3/4) = 2 ln 3; nothing at or below the mean; 3 kl(0, 1/2) = 3 ln 2; none above a mean of 1."""
    assert kl_ucb.evidence(1, 4, 0.75) == pytest.approx(2 * math.log(3))
    assert kl_ucb.evidence(1, 4, 0.25) == kl_ucb.evidence(1, 4, 0.1) == 0.0
    assert kl_ucb.evidence(0, 3, 0.5) == pytest.approx(3 * math.log(2))
    assert kl_ucb.evidence(5, 5, 0.999) == 0.0


counts = st.integers(1, 10**6).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(st.lists(counts, min_size=2, max_size=6), st.integers(2, 10**8), st.floats(0.001, 0.999))
def test_the_separated_arm_has_the_largest_index(arms, t, q):
    """Against indices solved for; where several are separated they are equal, and a separating q is given back."""
    wins, n = (np.array(column) for column in zip(*arms, strict=True))
    against = np.array([kl_ucb.evidence(*arm, q) for arm in arms])
    before = against < math.log(t)
    found = kl_ucb.separated(against, wins, n, math.log(t), q)
    leaders = against < math.log(t)
    assert np.array_equal(against, [kl_ucb.evidence(*arm, found) for arm in arms])
    index = np.array([solved(*arm, math.log(t)) for arm in arms])
    assert leaders.any()
    assert (index[leaders] >= index.max() - 1e-9).all()
    assert (np.ptp(index[leaders])) < 1e-9
    if before.sum() == 1:
        assert found == q
        assert np.array_equal(leaders, before)


def test_equal_arms_are_separated_from_the_others_together():
    """The same pulls and wins; and arms that always won, however often they were pulled."""
    for wins, n, equal in (([3, 1, 3], [7, 7, 7], [0, 2]), ([2, 5, 4, 1], [2, 5, 5, 1], [0, 1, 3])):
        wins, n = np.array(wins), np.array(n)
        against = np.zeros(len(n))
        q = kl_ucb.separated(against, wins, n, math.log(20), 0.5)
        assert np.flatnonzero(against < math.log(20)).tolist() == equal
        assert q > 0.5


def test_ucb1_chooses_by_its_formula():
    """After wins 1, 0 at K = 2 arm 0 is pulled until 1 + sqrt(2 ln t / n) is less than sqrt(2 ln t)."""
    t, n = 3, 1
    while 1 + math.sqrt(2 * math.log(t) / n) > math.sqrt(2 * math.log(t)):
        t, n = t + 1, n + 1
    found = ucb1.run(np.random.default_rng(0), np.array([1.0, 0.0]), np.arange(1, t + 1))[
        :, OUTPUTS.index("best_pulls")
    ]
    assert found.tolist() == [1, *range(1, t - 1), t - 2]


@pytest.mark.parametrize("arms", [1, 2, 7])
def test_arms_that_ucb1_leaves_out_change_no_choice(arms, monkeypatch):
    """With AHEAD = 0 all arms are looked at in every round."""
    looked_at = []

    def counted(rng, values):
        looked_at.append(len(values))
        return largest_of(rng, values)

    monkeypatch.setattr(ucb1, "largest_of", counted)
    means, rounds, counts = np.linspace(0.2, 0.8, arms), np.arange(1, 1500), []
    for ahead in (ucb1.AHEAD, 0):
        monkeypatch.setattr(ucb1, "AHEAD", ahead)
        streams = [np.random.default_rng([arms, ahead]) for _ in range(2)]
        np.testing.assert_array_equal(ucb1.run.py_func(streams[0], means, rounds), ucb1.run(streams[1], means, rounds))
        assert streams[0].bit_generator.state == streams[1].bit_generator.state
        counts.append(len(looked_at))
        looked_at.clear()
    assert counts[0] < 0.8 * counts[1]
    assert counts[1] == max(0, 1499 - arms)


def test_thompson_sampling_draws_from_the_posterior():
    """Means 1 and 0: the first arm is the best in round 2 with chance 2/3, whichever was pulled first."""
    second = [
        np.diff(thompson_sampling.run(np.random.default_rng(s), np.array([1.0, 0.0]), np.array([1, 2]))[:, 1])[0]
        for s in range(4000)
    ]
    assert stats.binomtest(int(np.sum(second)), 4000, 2 / 3).pvalue > SIGNIFICANCE
