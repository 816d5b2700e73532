"""Runs on tables of rewards: the actions are those of the shipped algorithms, on equal random numbers.

The algorithms are given rewards that are certain, or random numbers that tell the rewards of a table (`Told`); their
traces say which arm was played in every round.
"""

from dataclasses import astuple

import numpy as np
import pytest

from dpbandits.algorithms.bernoulli import anytime_lazy_ucb, dp_se, lazy_dp_ts
from dpbandits.algorithms.bernoulli.dp_ucb import tree_budget
from dpbandits.algorithms.bernoulli.private_means import noise_scale
from dpbandits.algorithms.full_information import literal as leader_literal
from dpbandits.algorithms.linucb import linucb_jdp
from dpbandits.algorithms.linucb import trace as linucb_trace
from dpbandits.algorithms.phased_elimination import phased_elimination_central
from dpbandits.audits.actions import anytime_lazy_ucb as anytime_lazy_ucb_actions
from dpbandits.audits.actions import dp_se as dp_se_actions
from dpbandits.audits.actions import dp_ucb as dp_ucb_actions
from dpbandits.audits.actions import lazy_dp_ts as lazy_dp_ts_actions
from dpbandits.audits.actions import linucb as linucb_actions
from dpbandits.audits.actions import phased_elimination as elimination_actions
from dpbandits.audits.actions import rnm_ftnl as leader_actions
from dpbandits.privacy.mechanisms import laplace

from . import audit_actions as shipped
from .audit_actions import Told, code
from .rivals import plain

BEST = {(0, 0): 0, (0, 1): 1, (1, 0): 0, (1, 1): 1}  # of the means that `Told` sets
GAP = 0.5  # of the means that it starts from


def streams(count, rounds):
    """Seeds, and rewards (rounds, 2) that they draw."""
    for seed in range(count):
        yield seed, np.random.default_rng([1, seed]).integers(2, size=(rounds, 2)).astype(float)


def literal_arms(literal, seed, stream, *constants):
    """The arms of a transcription on the rewards of a stream: of two arms the better one adds nothing to the regret."""
    told = Told(np.random.default_rng(seed), stream)
    regret = literal(told, told.means, *constants, np.arange(1, len(stream) + 1))
    best = np.array([BEST[tuple(each)] for each in stream.astype(int)])
    return np.where(np.diff(regret, prepend=0.0) > 0.1, 1 - best, best)


# Phased elimination: the action +1 has the mean -1, so that its rewards are certain and draw nothing


@pytest.mark.parametrize("eps", [0.172, 0.784])
def test_phased_elimination(eps):
    """Budgets at which all rewards of -1 put the sum of a batch near the threshold."""
    horizon, seen = 3000, set()
    release = shipped.elimination(eps, horizon=horizon)
    reading = release.params.reading
    constants = release.params.core_factor, release.params.noise_scale
    pulls, widths = elimination_actions.schedule(horizon, reading, *constants)
    ends = np.concatenate([np.cumsum(pulls)[:-1], [horizon]])
    for seed in range(150):
        given = elimination_actions.ACTIONS, np.array([-1.0]), reading, *constants, ends
        trace = phased_elimination_central.run(np.random.default_rng(seed), *given)
        arms = (np.diff(trace[:, 0], prepend=0.0) == 0.0).astype(int)  # -1 has no regret
        both = trace[:, 1] == 2
        np.testing.assert_allclose(trace[both, 3], widths[both])
        sums, rng = -pulls[:-1].astype(float), np.random.default_rng(seed)
        found = elimination_actions.play(rng, reading, horizon, pulls, widths, sums, release.scale, 1)
        assert int(found[0, 0]) == code(arms)
        seen.add(code(arms))
    assert len(seen) > 1


def test_the_batch_that_is_audited():
    """Its width is at most 1, the one before it has more, and its rewards stay in [-1, 1]."""
    for eps, calibration in ((0.1, "printed"), (1.0, "certified"), (5.0, "printed")):
        release = shipped.elimination(eps, calibration)
        constants = release.params.reading, release.params.core_factor, release.params.noise_scale
        pulls, widths = elimination_actions.schedule(release.horizon, *constants)
        low, high = (elimination_actions.sums_of_batches(pulls, widths, side) for side in (1, 0))
        k = len(low) - 1
        assert widths[k] <= 1.0 < widths[k - 1]
        assert high[k] - low[k] == pytest.approx(2.0)
        assert low[k] == pytest.approx(-pulls[k] * widths[k])
        assert np.all(low[:k] == 0.0)
        assert np.all(high[:k] == 0.0)
        assert abs((low[k] + 1.0) / (pulls[k] - 1)) <= 1.0


def test_no_batch_can_be_decided_by_rewards():
    with pytest.raises(ValueError, match="too short"):
        shipped.elimination(0.1, horizon=1000).draw(np.random.default_rng(0), 0, 1)


# The noisy leader


class ToldSums(Told):
    """The same for vectors of uniform numbers; ties do not occur."""

    def random(self, size):
        return np.where(next(self.left) == 1, -1.0, 2.0)

    def choice(self, places):
        assert len(places) == 1
        return places[0]


def test_rnm_ftnl(monkeypatch):
    monkeypatch.setattr(leader_literal, "laplace", laplace.py_func)
    epochs, scale, seen = 5, 1.5, set()
    for seed, stream in streams(100, 2**epochs - 1):
        told = ToldSums(np.random.default_rng(seed), stream)
        rounds = np.arange(1, len(stream) + 1)
        regret = leader_literal.leader_in_epochs(told, told.means, scale, rounds)
        arms = np.diff(regret, prepend=0.0)[2 ** np.arange(epochs) - 1] > 0.0
        sums = np.array([stream[2**k - 1 : 2 ** (k + 1) - 1].sum(axis=0) for k in range(epochs - 1)])
        found = leader_actions.play(np.random.default_rng(seed), sums, scale, 1)
        assert int(found[0, 0]) == code(arms)
        seen.add(code(arms))
    assert len(seen) > 20


def test_the_vector_of_the_rnm_ftnl():
    """Rewards lie in [0, 1] and sums g + 2 or g apart, in the first epoch that is long enough."""
    for gap in (0.5, 2.0, 20.0):
        before, after = (leader_actions.sums_of_epochs(gap, side) for side in (0, 1))
        assert np.all(before[:-1] == 0.0)
        assert before[-1, 1] - before[-1, 0] == pytest.approx(gap + 2.0)
        assert after[-1, 1] - after[-1, 0] == pytest.approx(gap)
        rounds = 2 ** (len(before) - 1)
        assert rounds // 2 - 1 < gap + 1.0 <= rounds - 1


# DP-SE


def test_successive_elimination(monkeypatch):
    """Arm 1 is dropped, or arm 0, or none; with noise that is large against the threshold."""
    monkeypatch.setattr(dp_se, "laplace", laplace.py_func)
    eps, beta, seen = 0.5, 0.9, set()
    pulls = int(dp_se.epoch_length(2, 1, beta, eps))
    allowed = dp_se.threshold(2, 1, beta, eps, float(pulls))
    for seed in range(25):
        chances = np.random.default_rng([2, seed]).choice([0.45, 0.6], size=2)
        stream = (np.random.default_rng([1, seed]).random((2 * pulls + 2, 2)) < chances).astype(float)
        told = Told(np.random.default_rng(seed), stream)
        given = told.means, eps, beta, 0, np.arange(1, len(stream) + 1)
        arms = np.diff(dp_se.run_literal(told, *given), prepend=0.0) > 0.0
        assert np.array_equal(arms[: 2 * pulls], np.tile([0, 1], pulls))
        sums = np.array([stream[: 2 * pulls : 2, 0].sum(), stream[1 : 2 * pulls : 2, 1].sum()])
        given = sums, float(pulls), allowed, noise_scale(eps), 1
        found = dp_se_actions.play(np.random.default_rng(seed), *given)
        assert int(found[0, 0]) == code(arms[-2:])
        seen.add(code(arms[-2:]))
    assert seen == {0b00, 0b01, 0b11}


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("eps", [0.1, 1.0, 4.0])
def test_the_first_epoch_that_is_audited(eps, side, monkeypatch):
    """Rewards lie in [0, 1], and the difference of the sums is g or g + 1 below the threshold."""

    def told(rng, sums, pulls, allowed, scale, trials):
        assert sums[1] == 0.0
        assert allowed * pulls - sums[0] == pytest.approx(1.0 / eps + 1.0 - side)
        assert 0.0 < (sums[0] - side) / (pulls - 1) < 1.0
        assert scale == 1.0 / eps
        return "played"

    monkeypatch.setattr(dp_se_actions, "play", told)
    assert shipped.dp_se(eps).draw(np.random.default_rng(0), side, 1) == "played"


# The lazy algorithms


@pytest.mark.parametrize("bonus", [0.0, 3.0])
def test_anytime_lazy_ucb(bonus, monkeypatch):
    monkeypatch.setattr(anytime_lazy_ucb, "laplace", laplace.py_func)
    seen = set()
    for seed, stream in streams(100, 20):
        arms = literal_arms(anytime_lazy_ucb.run_literal, seed, stream, 1.0, 2.0, bonus)
        found = anytime_lazy_ucb_actions.play(np.random.default_rng(seed), stream, 1.0, 2.0, bonus, 1.0, 1)
        assert int(found[0, 0]) == code(arms)
        seen.add(code(arms))
    assert len(seen) > 10


def certain_mean(rng, mean, pulls, eps):
    """`noised_mean` of rewards that are all 0 or all 1, which draws nothing for them."""
    return (mean * pulls + laplace(rng, noise_scale(eps))) / pulls


@pytest.mark.parametrize(("eps", "bonus"), [(1.0, 0.5), (0.5, 3.0)])
def test_lazy_dp_ts(eps, bonus, monkeypatch):
    """Rewards of arm 0 are 1, of arm 1 they are 0."""
    for name in ("release", "first_pulls"):
        monkeypatch.setattr(lazy_dp_ts, name, getattr(lazy_dp_ts, name).py_func)
    monkeypatch.setattr(lazy_dp_ts, "noised_mean", certain_mean)
    rounds = np.arange(1, 151)
    rewards = np.tile([1.0, 0.0], (len(rounds), 1))
    for seed in range(20):
        given = np.array([1.0, 0.0]), eps, bonus, rounds
        trace = lazy_dp_ts.run_per_round.py_func(np.random.default_rng(seed), *given)
        arms = np.diff(trace[:, 0], prepend=0.0)
        rng = np.random.default_rng(seed)
        found = lazy_dp_ts_actions.play(rng, rewards, eps, bonus, noise_scale(eps), 1)
        np.testing.assert_array_equal(found[0], arms)
        assert 0 < arms.sum() < len(rounds)


# DP-UCB


@pytest.mark.parametrize(("eps", "split"), [(1.0, 0), (30.0, 1)])
def test_dp_ucb(eps, split):
    seen = set()
    for seed, stream in streams(40, 16):
        with plain("dp_ucb") as run:
            told = Told(np.random.default_rng(seed), stream)
            trace = run(told, told.means, eps, 0.1, split, np.arange(1, len(stream) + 1))
        arms = np.diff(trace[:, 1], prepend=0.0) == 0.0  # arm 0 starts as the better one
        budget = tree_budget(eps, 2, split)
        scale = dp_ucb_actions.layers_of(len(stream)) / budget
        found = dp_ucb_actions.play(np.random.default_rng(seed), stream, budget, 0.1, scale, 1)
        assert int(found[0, 0]) == code(arms)
        seen.add(code(arms))
    assert len(seen) > 10


# LinUCB


@pytest.mark.parametrize("kind", ["tree", "frozen"])
def test_linucb(kind, monkeypatch):
    """With the same two arms in every round, and rewards that do not depend on what is played."""
    release = shipped.linucb(4.0) if kind == "tree" else shipped.frozen_linucb(4.0)
    params, rounds, seen = release.params, 30, set()
    rewards = np.random.default_rng(3).integers(2, size=rounds)
    told = iter(())

    def told_rewards(rng, count, mean, top):
        ones = next(told)
        return ones, ones

    monkeypatch.setattr(linucb_trace, "rewards", told_rewards)
    monkeypatch.setattr(linucb_jdp, "play_batch", linucb_trace.play_batch.py_func)
    run = linucb_jdp.run_tree if kind == "tree" else linucb_jdp.run_columns
    features, checkpoints = np.array([[1.0], [-1.0]]), np.arange(1, rounds + 1)
    arms = np.tile(features, (rounds, 1, 1))
    given = params.batch, params.ridge, params.radius, release.protocol
    for seed in range(30):
        told = iter(rewards)
        rng = np.random.default_rng(seed)
        trace = run.py_func(rng, features, np.array([1.0]), *given, checkpoints)
        expected = np.diff(trace[:, 0], prepend=0.0) > 0.0
        rng, parts = np.random.default_rng(seed), linucb_actions.parts_of(params)
        found = linucb_actions.play(rng, arms, rewards, np.arange(rounds), *parts, release.protocol, 1)
        np.testing.assert_array_equal(found[0], expected)
        seen.add(code(expected))
    assert len(seen) > 3


def test_users_around_the_one_with_noise_drawn_once():
    """Two inputs differ in one user's arm alone, and observers see u at the same W places on both ways, or 2 above."""
    release = shipped.frozen_linucb(1.0)
    (before, first), (after, second) = (release.users(side) for side in (0, 1))
    user = np.flatnonzero(np.any(before != after, axis=(1, 2)))
    np.testing.assert_array_equal(first, second)
    assert len(user) == 1
    assert first[user] == 1
    for arms, shift in ((before, 0.0), (after, 2.0)):
        observers = np.flatnonzero(arms[:, 0, 0] != arms[:, 1, 0])
        places = np.cumsum(first * arms[:, 0, 0])[observers - 1]
        up, down = places[observers < user], places[observers > user]
        np.testing.assert_array_equal(np.sort(down), up + shift)
        assert len(up) == release.observers
        assert np.all(first[observers] == 0)
        columns = np.floor(np.log(1 + observers)) + 1  # in the sums that an observer after so many rounds sees
        assert np.all(columns == release.columns)
    assert abs(up.mean()) <= 0.5


def test_halved_noise_leaves_the_algorithm_as_it_is():
    for release in (
        shipped.elimination(1.0),
        shipped.anytime_lazy_ucb(1.0),
        shipped.linucb(1.0),
        shipped.frozen_linucb(1.0),
    ):
        assert release.halved().noise == 0.5 * release.noise
        assert astuple(release.halved().params) == astuple(release.params)
