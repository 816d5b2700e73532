"""Who suffers where contexts are not diverse: greedy, epoch greedy and greedy first, with the noise of the figures.

Greedy is written here, for all runs at once and with contexts of its own; it takes a step in every round. Contexts that
are not diverse are those of CORNER, where the second arm alone tells the third coordinate of theta*.
"""

import math

import numpy as np
import pytest

from dpbandits.algorithms.glm_single import ldp_epoch_greedy, ldp_greedy_first
from dpbandits.environments.contextual.problem import CORNER, SPHERE, problem

RUNS, T, NOISE = 150, 10_000, 0.1
THETA = np.array([5.0 + 4.0 / math.sqrt(T), 3.0, 5.0])
Z = 4.0  # standard errors that a difference must have


def rng(*seed):
    return np.random.default_rng([20210603, *seed])


def contexts(distribution, draws):
    """(RUNS, 2, 3)"""
    if distribution == SPHERE:
        x = draws.standard_normal((RUNS, 2, 3))
        return x / np.linalg.norm(x, axis=2, keepdims=True)
    x = np.zeros((RUNS, 2, 3))
    x[:, 0, :2] = draws.uniform(size=(RUNS, 2))
    x[:, 1, 2] = 1.0
    return x


def greedy(distribution, eps, draws):
    """Regrets, and the shares of rounds with the second arm, each (RUNS,)."""
    theta, regret, second = np.zeros((RUNS, 3)), np.zeros(RUNS), np.zeros(RUNS)
    for t in range(1, T + 1):
        x = contexts(distribution, draws)
        arm = np.argmax(np.einsum("rki,ri->rk", x, theta), axis=1)
        means, played = x @ THETA, x[np.arange(RUNS), arm]
        regret += means.max(axis=1) - means[np.arange(RUNS), arm]
        second += arm / T
        residual = np.sum(played * (theta - THETA), axis=1) - NOISE * draws.standard_normal(RUNS)
        theta -= (residual[:, None] * played + draws.standard_normal((RUNS, 3)) / eps) / t
    return regret, second


def regrets(module, distribution, *constants):
    """(RUNS,)"""
    cases = [problem(rng(1, seed), distribution, THETA, 2, noise=NOISE) for seed in range(RUNS)]
    return np.array([module.run(rng(2, s), cases[s], *constants, np.array([T]))[0, 0] for s in range(RUNS)])


@pytest.fixture(scope="module")
def found():
    """Regrets by distribution and algorithm, at eps = 1."""
    every = {}
    for distribution in (CORNER, SPHERE):
        every[distribution] = {
            "greedy": greedy(distribution, 1.0, rng(3, distribution))[0],
            "sparse": regrets(ldp_epoch_greedy, distribution, 1.0, math.inf, 0),
            "frequent": regrets(ldp_epoch_greedy, distribution, 1.0, math.inf, 1),
            "first": regrets(ldp_greedy_first, distribution, 1.0, math.inf, 0, 0.0),
            "averaged": regrets(ldp_greedy_first, distribution, 1.0, math.inf, 1, 0.0),
        }
    return every


def clearly_more(more, less):
    """Whether the first mean is larger, by Z standard errors of the difference."""
    return more.mean() - less.mean() > Z * math.sqrt((more.var(ddof=1) + less.var(ddof=1)) / RUNS)


@pytest.mark.slow
def test_greedy_suffers_where_contexts_are_not_diverse(found, say):
    here = found[CORNER]
    say(" ".join(f"{name} {values.mean():.0f} ({values.std(ddof=1):.0f})" for name, values in here.items()))
    assert clearly_more(here["greedy"], here["sparse"])
    assert clearly_more(here["greedy"], here["first"])
    assert clearly_more(here["frequent"], here["sparse"])


def test_greedy_is_best_where_contexts_are_diverse(found, say):
    here = found[SPHERE]
    say(" ".join(f"{name} {values.mean():.0f} ({values.std(ddof=1):.0f})" for name, values in here.items()))
    assert clearly_more(here["sparse"], here["greedy"])
    assert clearly_more(here["frequent"], here["greedy"])


def test_greedy_first_is_at_random_regret_where_contexts_are_diverse_and_its_mean_is_not(found):
    """Two random unit vectors: half of E|U - U'| ||theta*|| is lost a round, U uniform on [-1, 1]: a third."""
    here = found[SPHERE]
    assert here["first"].mean() / T == pytest.approx(np.linalg.norm(THETA) / 3, rel=0.02)
    assert clearly_more(here["sparse"], here["averaged"])
