"""Algorithms that skip rounds event by event, compared with compiled kernels that decide and draw every round.

Lazy-DP-TS cannot skip all rounds: its indices are random, so rounds in which arms compete must be played.
"""

import math

import numpy as np
from numpy.random import Generator

from benchmarks.comparison import OURS, Family, Goal, family
from benchmarks.compiled import compiled
from benchmarks.timing import Play, Side, seed_by_seed
from dpbandits.algorithms.bernoulli import anytime_lazy_ucb, lazy_dp_ts

Array = np.ndarray
MEANS = np.array([0.75, 0.625, 0.5, 0.375, 0.25])
EPS, EXPLORATION, BONUS = 0.25, 2.0, 3.0
SHORT, HORIZON, LONG = 10**5, 10**6, 10**7
SETTING = f"K = {len(MEANS)}, eps = {EPS}"
OF_LONG = Goal(1.0 / 1.7)  # largest allowed cost of a run of the horizon `LONG`, relative to the horizon `SHORT`


def anytime_lazy_ucb_play(means: Array) -> Play:
    """Play function of the kernel of Anytime-Lazy-UCB."""
    return seed_by_seed(
        lambda rng, checkpoints: anytime_lazy_ucb.run(rng, means, EPS, EXPLORATION, BONUS, checkpoints)[:, 0]
    )


def lazy_thompson_play(means: Array) -> Play:
    """Play function of the kernel of Lazy-DP-TS."""
    return seed_by_seed(lambda rng, checkpoints: lazy_dp_ts.run(rng, means, EPS, BONUS, checkpoints)[:, 0])


@compiled
def anytime_lazy_ucb_rounds(
    rng: Generator, means: Array, eps: float, exploration: float, bonus: float, checkpoints: Array
) -> Array:
    """Regret of Anytime-Lazy-UCB at the checkpoints, played round by round."""
    arms, best = len(means), np.max(means)
    noisy, root, linear = np.zeros(arms), np.ones(arms), np.ones(arms)
    n, count, total, pulls = np.ones(arms), np.zeros(arms), np.zeros(arms), np.zeros(arms)
    regrets, row = np.zeros(len(checkpoints)), 0
    for t in range(1, checkpoints[-1] + 1):
        i, largest = t - 1, -math.inf
        if t > arms:
            log_t = math.log(t)
            width, lift = math.sqrt(exploration * log_t), bonus * log_t / eps
            for j in range(arms):
                index = noisy[j] + width * root[j] + lift * linear[j]
                if index > largest:
                    i, largest = j, index
        won = 1.0 if rng.random() < means[i] else 0.0
        if t <= arms:
            noisy[i] = won + rng.laplace(0.0, 1.0 / eps)
        else:
            count[i] += 1.0
            total[i] += won
            if count[i] == 2.0 * n[i]:
                n[i] = count[i]
                noisy[i] = (total[i] + rng.laplace(0.0, 1.0 / eps)) / n[i]
                root[i], linear[i] = 1.0 / math.sqrt(n[i]), 1.0 / n[i]
                count[i], total[i] = 0.0, 0.0
        pulls[i] += 1.0
        if t == checkpoints[row]:
            regrets[row] = np.sum(pulls * (best - means))
            row += 1
    return regrets


@compiled
def lazy_thompson_rounds(rng: Generator, means: Array, eps: float, bonus: float, checkpoints: Array) -> Array:
    """Regret of Lazy-DP-TS at the checkpoints, played round by round."""
    arms, best = len(means), np.max(means)
    noisy, n = np.zeros(arms), np.ones(arms)
    count, total, pulls = np.zeros(arms), np.zeros(arms), np.zeros(arms)
    regrets, row = np.zeros(len(checkpoints)), 0
    for t in range(1, checkpoints[-1] + 1):
        i, largest = t - 1, -1.0
        if t > arms:
            lift = bonus * math.log(t) / eps
            for j in range(arms):
                p = min(1.0, max(0.0, noisy[j] + lift / n[j]))
                theta = rng.beta(p * n[j] + 1.0, (1.0 - p) * n[j] + 1.0)
                if theta > largest:
                    i, largest = j, theta
        won = 1.0 if rng.random() < means[i] else 0.0
        if t <= arms:
            noisy[i] = won + rng.laplace(0.0, 1.0 / eps)
        else:
            count[i] += 1.0
            total[i] += won
            if count[i] == 2.0 * n[i]:
                n[i] = count[i]
                noisy[i] = (total[i] + rng.laplace(0.0, 1.0 / eps)) / n[i]
                count[i], total[i] = 0.0, 0.0
        pulls[i] += 1.0
        if t == checkpoints[row]:
            regrets[row] = np.sum(pulls * (best - means))
            row += 1
    return regrets


def anytime_lazy_ucb_family() -> Family:
    """Anytime-Lazy-UCB: the kernel against the round-by-round version."""
    rounds = seed_by_seed(
        lambda rng, checkpoints: anytime_lazy_ucb_rounds(rng, MEANS, EPS, EXPLORATION, BONUS, checkpoints)
    )
    return against_rounds(
        "anytime_lazy_ucb", "Anytime-Lazy-UCB", SETTING, anytime_lazy_ucb_play(MEANS), 3000, rounds, 5, Goal(300.0)
    )


def lazy_dp_ts_family() -> Family:
    """Lazy-DP-TS: the kernel against the round-by-round version."""
    name, title = "lazy_dp_ts", "Lazy-DP-TS"
    rounds = seed_by_seed(lambda rng, checkpoints: lazy_thompson_rounds(rng, MEANS, EPS, BONUS, checkpoints))
    return against_rounds(name, title, SETTING, lazy_thompson_play(MEANS), 50, rounds, 1, Goal(60.0, 130.0))


def anytime_lazy_ucb_long() -> Family:
    """Anytime-Lazy-UCB: long runs against short ones."""
    return long_against_short("anytime_lazy_ucb", "Anytime-Lazy-UCB", SETTING, anytime_lazy_ucb_play(MEANS), 3000)


def lazy_dp_ts_long() -> Family:
    """Lazy-DP-TS: long runs against short ones."""
    return long_against_short("lazy_dp_ts", "Lazy-DP-TS", SETTING, lazy_thompson_play(MEANS), 50)


def against_rounds(
    name: str,
    title: str,
    setting: str,
    ours: Play,
    seeds: int,
    rounds: Play,
    rounds_seeds: int,
    goal: Goal,
) -> Family:
    """Family of a kernel that skips rounds and one that does not, with the number of runs in a sample of each."""
    return family(
        name,
        title,
        f"{setting}, T = {HORIZON}",
        [
            Side(OURS, OURS, ours, seeds, HORIZON),
            Side("rounds", "compiled kernel: round by round", rounds, rounds_seeds, horizon=HORIZON),
        ],
        {"rounds": goal},
    )


def long_against_short(name: str, title: str, setting: str, ours: Play, seeds: int) -> Family:
    """Family that compares runs of the long and the short horizon, a hundred times apart, in runs per CPU second."""
    return family(
        f"{name}_long",
        f"{title}, long runs",
        f"(runs) {setting}, T = {LONG:.0e}",
        [
            Side(OURS, OURS, ours, seeds, LONG, per_run=True),
            Side("short", f"runs of T = {SHORT:.0e}", ours, seeds, SHORT, per_run=True),
        ],
        {"short": OF_LONG},
    )
