"""UCB1 on ten Bernoulli arms."""

import math

import numpy as np
from numpy.random import Generator

from benchmarks import c_loops, peers
from benchmarks.batched import group_by_group, in_blocks
from benchmarks.comparison import OURS, Family, Goal, family
from benchmarks.compiled import compiled
from benchmarks.timing import Play, Side, seed_by_seed, stream
from dpbandits.algorithms.bernoulli import ucb1

Array = np.ndarray
MEANS = np.linspace(0.1, 0.9, 10)
HORIZON = 20000


def ours(means: Array) -> Play:
    """The kernel."""
    return seed_by_seed(lambda rng, checkpoints: ucb1.run(rng, means, checkpoints)[:, 0])


def plain(rng: Generator, checkpoints: Array) -> Array:
    """NumPy loop over rounds, vectorized over arms."""
    arms, gaps = len(MEANS), MEANS.max() - MEANS
    wins, n, regrets = np.zeros(arms), np.zeros(arms), []
    for t in range(1, int(checkpoints[-1]) + 1):
        if t <= arms:
            i = t - 1
        else:
            index = wins / n + np.sqrt(2.0 * math.log(t) / n)
            equal = np.flatnonzero(index == index.max())
            i = equal[0] if len(equal) == 1 else rng.choice(equal)
        wins[i] += rng.random() < MEANS[i]
        n[i] += 1
        if t == checkpoints[len(regrets)]:
            regrets.append(n @ gaps)
    return np.array(regrets)


def batched(rng: Generator, seeds: int, checkpoints: Array) -> Array:
    """Flat arrays of shape (seeds x arms); each round changes one entry per seed, found by one index."""
    arms, gaps, horizon = len(MEANS), MEANS.max() - MEANS, int(checkpoints[-1])
    chances, first = np.tile(MEANS, seeds), np.arange(seeds) * arms
    wins, n = np.zeros(seeds * arms), np.zeros(seeds * arms)
    average, width, index = np.zeros((seeds, arms)), np.ones((seeds, arms)), np.empty((seeds, arms))
    averages, widths, indices = average.ravel(), width.ravel(), index.ravel()
    scales = np.sqrt(2.0 * np.log(np.arange(1, horizon + 1)))
    regrets, marks = [], set(checkpoints.tolist())
    for t, u in enumerate(in_blocks(rng.random, (seeds,), horizon), 1):
        if t <= arms:
            cell = first + (t - 1)
        else:
            np.multiply(width, scales[t - 1], out=index)
            index += average
            cell = index.argmax(axis=1)
            cell += first
            equal = index == indices.take(cell)[:, None]
            if np.count_nonzero(equal) > seeds:
                several = np.flatnonzero(equal.sum(axis=1) > 1)
                chosen = np.where(equal[several], rng.random((len(several), arms)), -1.0).argmax(axis=1)
                cell[several] = first[several] + chosen
        found, count = wins.take(cell), n.take(cell)
        found += u < chances.take(cell)
        count += 1.0
        wins[cell], n[cell] = found, count
        averages[cell], widths[cell] = found / count, 1.0 / np.sqrt(count)
        if t in marks:
            regrets.append(n.reshape(seeds, arms) @ gaps)
    return np.array(regrets).T


@compiled
def uniforms(rng: Generator, horizon: int) -> float:
    """One uniform number per round."""
    total = 0.0
    for _ in range(horizon):
        total += rng.random()
    return total


def limit(first_seed: int, seeds: int, checkpoints: Array) -> Array:
    """Draw only the random numbers that every run needs."""
    rng = stream(first_seed)
    return np.array([uniforms(rng, checkpoints[-1]) for _ in range(seeds)])


def family_of() -> Family:
    """The family with all sides."""
    return family(
        "ucb1",
        "UCB1",
        f"K = {len(MEANS)}, Bernoulli rewards, T = {HORIZON}",
        [
            Side(OURS, OURS, ours(MEANS), seeds=200, horizon=HORIZON),
            Side("numpy", "plain NumPy loop", seed_by_seed(plain), seeds=1, horizon=HORIZON),
            Side("numpy_seeds", "NumPy over 50 seeds", group_by_group(batched), seeds=50, horizon=HORIZON),
            c_loops.side("ucb1", (MEANS, len(MEANS)), seeds=300, horizon=HORIZON),
            Side("limit", "limit: uniform numbers alone", limit, seeds=1000, horizon=HORIZON, bound=True),
            peers.side("smpybandits", "SMPyBandits: UCB", "smpybandits_ucb", MEANS, seeds=1, horizon=HORIZON),
            peers.side("mabwiser", "MABWiser: UCB1", "mabwiser_ucb1", MEANS, seeds=1, horizon=HORIZON),
        ],
        {"numpy_seeds": Goal(3.0, 6.0), "c": Goal(0.9, 1.0), "smpybandits": Goal(100.0, 500.0)},
    )
