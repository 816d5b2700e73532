"""Algorithms that skip rounds phase by phase, compared with compiled kernels that play and draw every round."""

import math

import numpy as np
from numpy.random import Generator

from benchmarks.comparison import Family, Goal
from benchmarks.compiled import compiled
from benchmarks.families import events
from benchmarks.timing import Play, seed_by_seed, stream
from dpbandits.algorithms.bernoulli import dp_se
from dpbandits.algorithms.bernoulli.dp_se import epoch_length, threshold
from dpbandits.algorithms.phased_elimination import batches, phased_elimination_central
from dpbandits.algorithms.phased_elimination.batches import Reading
from dpbandits.environments.linear import linear

Array = np.ndarray
MEANS = np.array([0.75, 0.5625, 0.5, 0.375, 0.25])  # at the first gap, DP-SE is on the edge of dropping an arm
ARMS, DIMENSION = 10, 2
READING = Reading(width=1.0, extra_batches=0, tolerance=0.001, whole_maximum=False, reward_sd=0.0)
CORE_FACTOR, NOISE_SCALE = 1.5, 1.0
REQUIRED, TARGET = 60.0, 300.0
LINEAR = f"d = {DIMENSION}, K = {ARMS}, eps = {1.0 / NOISE_SCALE:g}"


def elimination_play(means: Array) -> Play:
    """Play function of the kernel of DP-SE."""

    def run(rng: Generator, checkpoints: Array) -> Array:
        return dp_se.run(rng, means, events.EPS, 0.0, 0, checkpoints)[:, 0]

    return seed_by_seed(run)


def phased_play(actions: Array, theta: Array) -> Play:
    """Play function of the kernel of phased elimination."""

    def run(rng: Generator, checkpoints: Array) -> Array:
        return phased_elimination_central.run(rng, actions, theta, READING, CORE_FACTOR, NOISE_SCALE, checkpoints)[:, 0]

    return seed_by_seed(run)


@compiled
def elimination_rounds(rng: Generator, means: Array, eps: float, checkpoints: Array) -> Array:
    """Regret of DP-SE with a known horizon at the checkpoints, played round by round."""
    arms, horizon, gaps = len(means), checkpoints[-1], np.max(means) - means
    active, epoch, turn, done = np.arange(arms), 1, 0, 0.0
    length = epoch_length(arms, epoch, 1.0 / horizon, eps)
    total, pulls = np.zeros(arms), np.zeros(arms)
    regrets, row = np.zeros(len(checkpoints)), 0
    for t in range(1, horizon + 1):
        i = active[turn]
        total[i] += 1.0 if rng.random() < means[i] else 0.0
        pulls[i] += 1.0
        turn += 1
        if turn == len(active):
            turn = 0
            done += 1.0
            if len(active) > 1 and done == length:
                for j in active:
                    total[j] = total[j] / length + rng.laplace(0.0, 1.0 / (eps * length))
                allowed = threshold(len(active), epoch, 1.0 / horizon, eps, length)
                active = active[np.max(total[active]) - total[active] <= allowed]
                total[:] = 0.0
                epoch, done = epoch + 1, 0.0
                length = epoch_length(len(active), epoch, 1.0 / horizon, eps)
        if t == checkpoints[row]:
            regrets[row] = np.sum(pulls * gaps)
            row += 1
    return regrets


@compiled
def phased_rounds(
    rng: Generator,
    actions: Array,
    theta: Array,
    reading: Reading,
    core_factor: float,
    noise_scale: float,
    checkpoints: Array,
) -> Array:
    """Regret of phased elimination at the checkpoints, played round by round in random order within a batch.

    Designs, estimates and eliminations are those of the kernel.
    """
    horizon, d = checkpoints[-1], actions.shape[1]
    progress = batches.start(actions, theta, reading, checkpoints)
    chance, gaps = 0.5 * (1.0 + progress.means), progress.gaps
    active, best, t, row = np.arange(len(actions)), 0, 0, 0
    regrets = np.zeros(len(checkpoints))
    q, last = batches.batch_schedule(horizon)
    for i in range(1, last + 1):
        nominal = q ** float(i)
        log_term = batches.log_confidence(len(active), horizon)
        bias = (2.0 * core_factor * d**2 + 2.0 * d * log_term) * noise_scale / nominal
        gamma = reading.width * (math.sqrt(4.0 * d * log_term / nominal) + bias)
        coordinates = batches.coordinates_of(actions, active)
        core, pulls = batches.core_set(coordinates, nominal, reading.tolerance)
        left, sums, remaining = pulls.copy(), np.zeros(len(core)), np.sum(pulls)
        while remaining > 0 and t < horizon:
            place, k = rng.random() * remaining, 0
            while place >= left[k] and k < len(core) - 1:
                place -= left[k]
                k += 1
            a = active[core[k]]
            sums[k] += 1.0 if rng.random() < chance[a] else -1.0
            left[k] -= 1
            remaining -= 1
            progress.plays[a] += 1
            t += 1
            if t == checkpoints[row]:
                regrets[row] = np.sum(progress.plays * gaps)
                row += 1
        if t == horizon:
            return regrets
        for k in range(len(core)):
            sums[k] += rng.laplace(0.0, noise_scale)
        best, active = batches.eliminate(progress, active, coordinates, core, pulls, sums, gamma)
    won = 0
    while t < horizon:
        won += rng.random() < chance[best]
        progress.plays[best] += 1
        t += 1
        if t == checkpoints[row]:
            regrets[row] = np.sum(progress.plays * gaps)
            row += 1
    return regrets


def instance() -> tuple[Array, Array]:
    """Actions and parameter of the instance."""
    return linear.draw(stream(7), ARMS, DIMENSION)


def dp_se_family() -> Family:
    """DP-SE: the kernel against the round-by-round version."""
    rounds = seed_by_seed(lambda rng, checkpoints: elimination_rounds(rng, MEANS, events.EPS, checkpoints))
    ours = elimination_play(MEANS)
    return events.against_rounds("dp_se", "DP-SE", events.SETTING, ours, 5000, rounds, 20, Goal(REQUIRED, TARGET))


def phased_elimination_family() -> Family:
    """Phased elimination: the kernel against the round-by-round version."""
    actions, theta = instance()

    def run(rng: Generator, checkpoints: Array) -> Array:
        return phased_rounds(rng, actions, theta, READING, CORE_FACTOR, NOISE_SCALE, checkpoints)

    name, title = "phased_elimination_central", "Phased elimination, central"
    ours = phased_play(actions, theta)
    return events.against_rounds(name, title, LINEAR, ours, 2000, seed_by_seed(run), 20, Goal(REQUIRED, TARGET))


def dp_se_long() -> Family:
    """DP-SE: long runs against short ones."""
    ours = elimination_play(MEANS)
    return events.long_against_short("dp_se", "DP-SE", events.SETTING, ours, 5000)


def phased_elimination_long() -> Family:
    """Phased elimination: long runs against short ones."""
    name, title = "phased_elimination_central", "Phased elimination, central"
    return events.long_against_short(name, title, LINEAR, phased_play(*instance()), 2000)
