"""Algorithms with a parameter for every arm, in distribution: lazy rules, noise of the messages, learning without
noise.

Fixed seeds; p-values of a test, corrected by Holm, exceed 0.001, and means may be 4 standard errors apart.
"""

import math

import numpy as np
import pytest
from scipy import stats

from dpbandits.algorithms.glm_multi.optimism_by_arm import Server
from dpbandits.algorithms.glm_multi.optimism_by_arm_literal import LiteralServer
from dpbandits.environments.contextual.problem import instance_stream
from dpbandits.numerics.statistics import holm

from ..unit.by_arms import (
    CALIBRATIONS,
    GLOC,
    GREEDY,
    LEAST_SQUARES,
    UCB,
    drawn,
    params,
    random_play,
    rounds_of,
    trace,
)

SIGNIFICANCE = 1e-3
THETA = np.array([[1.0, 0.0], [-0.6, 0.8]])


# Lazy rules


def per_message(rng, server, xs, horizon):
    """The lazy server with fresh noise for every message: theta after `horizon` rounds of two arms in turn."""
    literal = LiteralServer(server._replace(sd=0.0), 2, 2)
    for t in range(1, horizon + 1):
        literal.message(literal.feature(xs[t], t % 2), xs[t].sum())
        lower = np.tril(server.sd * rng.standard_normal((4, 4)))
        literal.V += lower + np.tril(lower, -1).T
        literal.u += server.sd * rng.standard_normal(4)
        literal.refresh(rng, t)
    return literal.theta


def at_once(rng, server, xs, horizon):
    """The same, with what is drawn at a refresh."""
    literal = LiteralServer(server, 2, 2)
    for t in range(1, horizon + 1):
        literal.message(literal.feature(xs[t], t % 2), xs[t].sum())
        literal.refresh(rng, t)
    return literal.theta


def test_noise_of_many_messages_at_once_has_the_distribution_of_their_sum():
    """At round 60 of rules refreshed every 10 rounds or so at last."""
    server, xs = Server(0.7, 8.0, 0.0, 0.0, 5), np.random.default_rng(1).normal(size=(61, 2))
    one, other = (
        np.array([each(np.random.default_rng([k, seed]), server, xs, 60) for seed in range(250)])
        for k, each in enumerate((per_message, at_once))
    )
    p_values = [stats.ks_2samp(one[:, i], other[:, i]).pvalue for i in range(4)]
    assert min(holm(p_values)) > SIGNIFICANCE
    assert one.std(axis=0).min() > 1e-3


@pytest.mark.parametrize(("name", "eps"), [(UCB, 1.0), (GLOC, 4.0)])
def test_rules_of_200_refreshes_lose_nothing_against_one_every_round(name, eps):
    """Regret of rounds 400 to 1500 of one cell, with so small a width that what is learned decides."""
    lost = {}
    for lazy in (0.0, 200.0):
        changes = {"eps": eps, "bonus": 0.003, "lazy": lazy}
        instances = [drawn(seed=seed, d=2, arms=2)._replace(theta=THETA) for seed in range(50)]
        runs = [
            trace(name, [k, int(lazy)], each, [400, 1500], "certified", **changes) for k, each in enumerate(instances)
        ]
        lost[lazy] = np.diff(np.array(runs)[:, :, 0], axis=1).ravel()
    error = math.sqrt(sum(each.var(ddof=1) / len(each) for each in lost.values()))
    assert abs(lost[200.0].mean() - lost[0.0].mean()) < 4 * error
    assert 4 * error < 0.4 * random_play(instances[0], 1500, 400)
    assert stats.ks_2samp(lost[0.0], lost[200.0]).pvalue > SIGNIFICANCE
    assert lost[200.0].mean() < 0.5 * random_play(instances[0], 1500, 400)


# Noise of messages


@pytest.mark.parametrize("calibration", CALIBRATIONS)
def test_of_arms_not_played_messages_of_least_squares_are_noise(monkeypatch, calibration):
    """What a round adds to the sums of all arms, one round after another, by the plain kernel.

    Of the arms not played it is normal with the sd of the calibration; the matrix of the arm played holds x x' too,
    which has trace 1.
    """
    instance, sums = drawn(), []
    (rules,) = params(LEAST_SQUARES, calibration, instance, 1500)
    algorithm = rounds_of(LEAST_SQUARES, [rules])

    def solve_each(gram, shifts, target, count, work, theta):
        sums.append((gram.copy(), target.copy()))
        return 0

    def nearly_greedy(gram, shifts, target, *rest):
        solve_each(gram, shifts, target, *rest[:3])
        return 0

    monkeypatch.setattr(algorithm, "solve_each", solve_each)
    if hasattr(algorithm, "nearly_greedy"):  # which the released kernel asks in place of solving in every round
        monkeypatch.setattr(algorithm, "nearly_greedy", nearly_greedy)
    if hasattr(algorithm, "estimate"):
        monkeypatch.setattr(algorithm, "estimate", algorithm.estimate.py_func)
    algorithm.simulate.py_func(np.random.default_rng(1), instance_stream(instance), instance, rules, np.array([1500]))
    i, j = np.tril_indices(3)
    matrices = np.diff(np.array([gram[:, i, j] for gram, _ in sums]), axis=0)  # theta stays 0: arm 0 is played
    vectors = np.diff(np.array([target for _, target in sums]), axis=0)
    p_values = [
        stats.kstest(values.ravel() / sd, "norm").pvalue
        for values, sd in ((matrices[:, 1:], rules.matrix_sd), (vectors[:, 1:], rules.vector_sd))
    ]
    assert min(holm(p_values)) > SIGNIFICANCE
    assert not np.triu(sums[-1][0], 1).any()
    trace_of = matrices[:, 0][:, i == j].sum(axis=1)
    assert abs(trace_of.mean() - 1) < 4 * rules.matrix_sd * math.sqrt(3 / len(trace_of))


# Learning


@pytest.mark.parametrize("name", [LEAST_SQUARES, UCB, GLOC])
def test_with_hardly_any_noise_they_learn(name):
    """Regret of rounds 101 to 3000 at eps = 1e6, against uniform play; the steps of LDP-GLOC are short.

    Bonuses are small, for they go down with the root of the noise. The l2-ball has a radius that no budget makes small.
    """
    for calibration in CALIBRATIONS:
        ratios = []
        for seed in range(4):
            instance, changes = drawn(seed=seed), {"eps": 1e6, "bonus": 0.01, "warm_up": 100.0}
            found = trace(name, seed, instance, [100, 3000], calibration, **changes)
            ratios.append(np.diff(found[:, 0])[0] / random_play(instance, 3000, 100))
        assert np.mean(ratios) < (0.4 if name == GLOC else 0.05), (calibration, ratios)


@pytest.mark.parametrize("name", GREEDY)
def test_with_much_budget_they_learn_and_with_little_they_do_not(name):
    lost = []
    for eps in (0.01, 30.0):
        changes, ratios = {"eps": eps, "delta": 1e-6, "tuned": 1.0, "warm_up": 300.0}, []
        for seed in range(8):
            found = trace(name, seed, drawn(seed=seed), [300, 4000], "certified", **changes)
            ratios.append(np.diff(found[:, 0])[0] / random_play(drawn(seed=seed), 4000, 300))
        lost.append(np.mean(ratios))
    assert lost[1] < 0.2 < 0.7 < lost[0] < 1.3
