"""Audits of actions have power: at the sizes that are shipped they find the copy with half of the noise.

Runs also have the distributions that are calculated for them, no certified algorithm exceeds its claim, and copies with
other faults are found: a first pull without noise, one draw of noise for all arms. Where an audit is said to have no
power, the copy is not found.
"""

import numpy as np
import pytest
from scipy import stats

from dpbandits.algorithms.semi_bandit import cucb_dp
from dpbandits.algorithms.semi_bandit.widths import cucb_root_central
from dpbandits.audits.actions import action_distributions
from dpbandits.audits.actions import anytime_lazy_ucb as anytime_lazy_ucb_actions
from dpbandits.audits.actions import cucb as cucb_actions
from dpbandits.audits.actions import dp_se as dp_se_actions
from dpbandits.audits.actions import linucb as linucb_actions
from dpbandits.audits.learned import learned_scores
from dpbandits.privacy import mechanisms
from dpbandits.privacy.auditing import ALPHA, epsilon_bound
from dpbandits.privacy.mechanisms import laplace

from ..unit import audit_actions as shipped

pytestmark = pytest.mark.slow

SIGNIFICANCE = 1e-4  # of every single test of a distribution
POWER = {  # eps, runs on each input, delta; those of the scale smoke, and the hardest of quick
    "elimination": (shipped.elimination, 1.0, 4000, 0.0),
    "elimination, small budget": (shipped.elimination, 0.5, 20_000, 0.0),
    "leader": (shipped.leader, 1.0, 20_000, 0.0),
    "leader, small budget": (shipped.leader, 0.5, 100_000, 0.0),
    "successive elimination": (shipped.dp_se, 1.0, 20_000, 0.0),
    "successive elimination, small budget": (shipped.dp_se, 0.5, 100_000, 0.0),
    "lazy UCB": (shipped.anytime_lazy_ucb, 1.0, 20_000, 0.0),
    "lazy UCB, small budget": (shipped.anytime_lazy_ucb, 0.5, 100_000, 0.0),
    "lazy Thompson sampling": (shipped.lazy_dp_ts, 1.0, 15_000, 0.0),
    "LinUCB": (shipped.linucb, 1.0, 10_000, 0.1),
    "LinUCB, small budget": (shipped.linucb, 0.2, 40_000, 0.1),
}
BROKEN = {  # the printed constants do not keep these claims
    "elimination, printed": (lambda eps: shipped.elimination(eps, "printed"), 1.0, 4000, 0.0),
    "leader, printed": (lambda eps: shipped.leader(eps, "printed"), 1.0, 20_000, 0.0),
    "frozen LinUCB": (shipped.frozen_linucb, 1.0, 200, 0.1),
}
NO_POWER = {
    "tree UCB": (shipped.dp_ucb, 1.0, 100_000, 0.0),
    "tree UCB, split": (lambda eps: shipped.dp_ucb(eps, 1.0), 1.0, 100_000, 0.0),
    "CUCB": (shipped.cucb, 1.0, 100_000, 0.0),
    "CUCB, printed": (lambda eps: shipped.cucb(eps, "printed"), 1.0, 100_000, 0.0),
    "LinUCB, printed": (lambda eps: shipped.linucb(eps, "printed"), 1.0, 10_000, 0.1),
}


def views(release, trials, seed=1):
    """Of both inputs."""
    return [release.draw(np.random.default_rng([seed, side]), side, trials) for side in (0, 1)]


def bound(release, trials, delta, seed=1):
    """What an audit finds."""
    first, second = views(release, trials, seed)
    scores = release.scores(first)
    both = learned_scores(first, second) if scores is None else (scores, release.scores(second))
    return epsilon_bound(*both, delta, ALPHA).epsilon


@pytest.mark.parametrize("name", POWER)
def test_half_of_the_noise_is_found(name):
    make, eps, trials, delta = POWER[name]
    found, of_half = bound(make(eps), trials, delta), bound(make(eps).halved(), trials, delta)
    print(f"{name}, eps {eps:g}: {found:.3f}, with half of the noise {of_half:.3f}")
    assert found <= eps < of_half


@pytest.mark.parametrize("name", BROKEN)
def test_claims_that_are_broken(name):
    make, eps, trials, delta = BROKEN[name]
    found, of_half = bound(make(eps), trials, delta), bound(make(eps).halved(), trials, delta)
    print(f"{name}, eps {eps:g}: {found:.3f}, with half of the noise {of_half:.3f}")
    assert found > eps
    assert of_half > eps


@pytest.mark.parametrize("name", NO_POWER)
def test_half_of_the_noise_is_not_found(name):
    make, eps, trials, delta = NO_POWER[name]
    assert max(bound(make(eps), trials, delta), bound(make(eps).halved(), trials, delta)) <= eps


# Other faults, put into the same runs as plain Python, one at a time


def runs_of(play, noise, given, trials, monkeypatch):
    """Views (trials, 1) with `noise(k, rng, scale)` in the place of the k-th draw of a run."""
    found, rng = [], np.random.default_rng([9, len(given)])
    for _ in range(trials):
        drawn = iter(range(1000))
        monkeypatch.setattr(mechanisms, "laplace", lambda rng, scale, drawn=drawn: noise(next(drawn), rng, scale))
        found.append(play.py_func(rng, *given, 1)[0])
    return np.array(found)


def test_a_first_pull_without_noise_is_found(monkeypatch):
    release, eps = shipped.anytime_lazy_ucb(1.0), 1.0

    def noise(k, rng, scale):
        return laplace(rng, scale) if k >= 2 else 0.0

    def found(used):
        given = [(anytime_lazy_ucb_actions.rewards_of(side), *release.constants, release.scale) for side in (0, 1)]
        both = [runs_of(anytime_lazy_ucb_actions.play, used, each, 3000, monkeypatch) for each in given]
        return epsilon_bound(*learned_scores(*both), 0.0, ALPHA).epsilon

    assert found(lambda k, rng, scale: laplace(rng, scale)) <= eps
    assert found(noise) > 3 * eps


def test_one_draw_for_all_arms_is_found(monkeypatch):
    """It cancels in the comparison, so that arm 1 is dropped for certain, or never."""
    pulls, allowed, eps = 3000.0, 0.02, 1.0
    kept = []

    def noise(k, rng, scale):
        if k == 0:
            kept[:] = [laplace(rng, scale)]
        return kept[0]

    def found(used):
        sums = [np.array([allowed * pulls + above, 0.0]) for above in (-0.5, 0.5)]
        given = [(each, pulls, allowed, 1.0 / eps) for each in sums]
        play = dp_se_actions.play
        both = [runs_of(play, used, each, 3000, monkeypatch) for each in given]
        return epsilon_bound(*learned_scores(*both), 0.0, ALPHA).epsilon

    assert found(lambda k, rng, scale: laplace(rng, scale)) <= eps
    assert found(noise) > 3 * eps


# Distributions of what is drawn


@pytest.mark.parametrize("eps", [0.5, 2.0])
@pytest.mark.parametrize("name", ["lazy UCB", "LinUCB"])
def test_sequences_have_their_distributions(name, eps):
    release = POWER[name][0](eps)
    by = anytime_lazy_ucb_actions.by_pieces if name == "lazy UCB" else linucb_actions.positive
    for release_, side in [(each, side) for each in (release, release.halved()) for side in (0, 1)]:
        distribution = release_.distributions(by)[side]
        possible = np.flatnonzero(distribution)
        codes = release_.draw(np.random.default_rng([2, side]), side, 20_000)[:, 0].astype(int)
        counts = np.bincount(codes, minlength=len(distribution))
        assert counts.sum() == counts[possible].sum()
        assert stats.chisquare(counts[possible], 20_000 * distribution[possible]).pvalue > SIGNIFICANCE


@pytest.mark.parametrize("eps", [0.5, 2.0])
@pytest.mark.parametrize("name", ["elimination", "leader", "successive elimination"])
def test_events_have_their_probabilities(name, eps):
    release = POWER[name][0](eps)
    tail = action_distributions.exceeds if name == "elimination" else action_distributions.differs
    gaps = (2.0, 0.0) if name == "elimination" else release.gaps
    for side, each in enumerate(views(release, 20_000)):
        happened = int(release.scores(each).sum())
        assert stats.binomtest(happened, len(each), tail(gaps[side], release.scale)).pvalue > SIGNIFICANCE


def test_differences_of_laplace_numbers_are_drawn_so():
    draws = np.random.default_rng(4).laplace(0.0, 2.0, (2, 20_000))
    assert (
        stats.ks_1samp(draws[0] - draws[1], np.vectorize(lambda x: 1.0 - action_distributions.differs(x, 2.0))).pvalue
        > SIGNIFICANCE
    )


def test_observers_show_the_user_as_often_as_calculated():
    """With less of a budget than is shipped; without the user's +1 never."""
    release = shipped.frozen_linucb(0.5)
    first, second = (release.scores(each) > 0.0 for each in views(release, 500))
    assert not first.any()
    assert stats.binomtest(int(second.sum()), 500, release.shown(linucb_actions.positive)).pvalue > SIGNIFICANCE


@pytest.mark.parametrize(("scale", "better"), [(1.0, 0), (1.0, 1), (4.0, 0)])
def test_cucb_dp_is_the_shipped_one(scale, better):
    """In distribution; outcomes of one arm all 1, of the other all 0; also with noise that makes indices negative."""
    runs, constants = 4000, (1.0, scale, 0.0, 1, 0, 0, 0)
    problem, outcomes = cucb_actions.two_arms(), np.zeros((cucb_actions.ROUNDS, 2))
    problem.means[better] = outcomes[:, better] = 1.0
    rounds = np.arange(1, cucb_actions.ROUNDS + 1)
    expected = np.zeros(8, int)
    for seed in range(runs):
        trace = cucb_dp.run(np.random.default_rng([6, seed]), problem, *constants, rounds)
        worse = np.diff(trace[:, 0], prepend=0.0) > 0.5
        expected[shipped.code(worse != better)] += 1
    width = cucb_root_central(1.0, 1.0, 0.0, cucb_actions.ROUNDS)
    codes = cucb_actions.play(np.random.default_rng(7), problem, outcomes, width, scale, runs)[:, 0].astype(int)
    counts = np.bincount(codes, minlength=8)
    seen = (expected + counts) > 0
    assert seen.sum() > 2
    assert stats.chi2_contingency([expected[seen], counts[seen]]).pvalue > SIGNIFICANCE
