"""Thompson sampling with Beta(1, 1) priors on ten Bernoulli arms."""

from functools import cache

import numpy as np
from numpy.random import Generator

from benchmarks import peers
from benchmarks.batched import group_by_group, in_blocks
from benchmarks.comparison import OURS, Family, Goal, family
from benchmarks.compiled import compiled
from benchmarks.families.ucb1 import MEANS
from benchmarks.timing import Play, Side, seed_by_seed, stream
from dpbandits.algorithms.bernoulli import thompson_sampling

Array = np.ndarray
HORIZON = 20000


def ours(means: Array) -> Play:
    """The kernel."""
    return seed_by_seed(lambda rng, checkpoints: thompson_sampling.run(rng, means, checkpoints)[:, 0])


def plain(rng: Generator, checkpoints: Array) -> Array:
    """NumPy loop over rounds, vectorized over arms."""
    arms, gaps = len(MEANS), MEANS.max() - MEANS
    a, b, regrets = np.ones(arms), np.ones(arms), []
    for t in range(1, int(checkpoints[-1]) + 1):
        i = rng.beta(a, b).argmax()
        if rng.random() < MEANS[i]:
            a[i] += 1.0
        else:
            b[i] += 1.0
        if t == checkpoints[len(regrets)]:
            regrets.append((a + b - 2.0) @ gaps)
    return np.array(regrets)


def batched(rng: Generator, seeds: int, checkpoints: Array) -> Array:
    """Vectorized over seeds: arrays (seeds, arms)."""
    arms, gaps, horizon = len(MEANS), MEANS.max() - MEANS, int(checkpoints[-1])
    rows, a, b = np.arange(seeds), np.ones((seeds, arms)), np.ones((seeds, arms))
    regrets, marks = [], set(checkpoints.tolist())
    for t, u in enumerate(in_blocks(rng.random, (seeds,), horizon), 1):
        arm = rng.beta(a, b).argmax(axis=1)
        won = u < MEANS[arm]
        a[rows, arm] += won
        b[rows, arm] += ~won
        if t in marks:
            regrets.append((a + b - 2.0) @ gaps)
    return np.array(regrets).T


@compiled
def path_of(rng: Generator, means: Array, horizon: int) -> Array:
    """Path of a run: the arm of each round, or -1 - arm if its reward was 0."""
    a, b, path = np.ones(len(means)), np.ones(len(means)), np.empty(horizon, np.int64)
    for t in range(horizon):
        i, largest = 0, -1.0
        for j in range(len(means)):
            theta = rng.beta(a[j], b[j])
            if theta > largest:
                i, largest = j, theta
        if rng.random() < means[i]:
            a[i] += 1.0
            path[t] = i
        else:
            b[i] += 1.0
            path[t] = -1 - i
    return path


@compiled
def betas(rng: Generator, arms: int, path: Array) -> float:
    """Beta draws of a run along that path."""
    a, b, total = np.ones(arms), np.ones(arms), 0.0
    for step in path:
        for j in range(arms):
            total += rng.beta(a[j], b[j])
        if step >= 0:
            a[step] += 1.0
        else:
            b[-1 - step] += 1.0
    return total


@cache
def path_with(seed: int, horizon: int) -> Array:
    """Path of a run, computed once."""
    return path_of(stream(seed), MEANS, horizon)


def limit(first_seed: int, seeds: int, checkpoints: Array) -> Array:
    """Draw only the Beta variates that a run needs, with the parameters of one run."""
    path = path_with(0, int(checkpoints[-1]))
    return np.array([betas(stream(seed), len(MEANS), path) for seed in range(first_seed, first_seed + seeds)])


def family_of() -> Family:
    """The family with all sides."""
    return family(
        "thompson",
        "Thompson sampling",
        f"K = {len(MEANS)}, Bernoulli rewards, T = {HORIZON}",
        [
            Side(OURS, OURS, ours(MEANS), seeds=20, horizon=HORIZON),
            Side("numpy", "plain NumPy loop", seed_by_seed(plain), seeds=1, horizon=HORIZON),
            Side("numpy_seeds", "NumPy over 50 seeds", group_by_group(batched), seeds=50, horizon=HORIZON),
            Side("limit", "limit: Beta draws alone", limit, seeds=20, horizon=HORIZON, bound=True),
            peers.side("smpybandits", "SMPyBandits: Thompson", "smpybandits_thompson", MEANS, seeds=1, horizon=HORIZON),
            peers.side("mabwiser", "MABWiser: ThompsonSampling", "mabwiser_thompson", MEANS, seeds=1, horizon=HORIZON),
        ],
        {"limit": Goal(0.7, 0.95)},
    )
