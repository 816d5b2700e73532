"""LinUCB with local Gaussian noise on every message, and a factorization in every round."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from benchmarks.batched import group_by_group, in_blocks
from benchmarks.comparison import OURS, Family, Goal, family
from benchmarks.compiled import compiled
from benchmarks.families.linucb import instance, radii
from benchmarks.timing import Play, Side, seed_by_seed, stream
from dpbandits.algorithms.linucb import linucb_ldp
from dpbandits.algorithms.linucb.protocol import gaussian
from dpbandits.algorithms.linucb.rule import Radius
from dpbandits.numerics.linalg import try_cholesky

Array = np.ndarray
ARMS, HORIZON = 100, 10000
SD = 1.0  # on every entry
RIDGE = 2000.0  # far larger than the norm of all noise, so that every V is positive definite
CONFIDENCE = 2.0 * math.log(2.0 * HORIZON)


def ours(features: Array, theta: Array, ridge: float = RIDGE, sd: float = SD) -> Play:
    """The kernel."""
    protocol = gaussian(sd)
    radius = Radius(math.sqrt(ridge), 1.0, CONFIDENCE, 1.0, ridge)

    def run(rng: Generator, checkpoints: Array) -> Array:
        return linucb_ldp.run(rng, features, theta, 1, ridge, radius, protocol, checkpoints)[:, 0]

    return seed_by_seed(run)


@dataclass(frozen=True, eq=False)
class Rivals:
    """Other sides on one instance: features (K, d), parameter (d,), ridge."""

    features: Array
    theta: Array
    ridge: float

    def plain(self, rng: Generator, checkpoints: Array) -> Array:
        """NumPy loop over rounds, with a matrix inverse in each."""
        features, (arms, d), ridge = self.features, self.features.shape, self.ridge
        means = features @ self.theta
        gaps = means.max() - means
        gram, target, plays, regrets = ridge * np.eye(d), np.zeros(d), np.zeros(arms), []
        for t in range(1, int(checkpoints[-1]) + 1):
            beta = math.sqrt(ridge) + math.sqrt(CONFIDENCE + d * math.log(1.0 + (t - 1) / (d * ridge)))
            inverse = np.linalg.inv(gram)
            squared = ((features @ inverse) * features).sum(axis=1)
            arm = (features @ (inverse @ target) + beta * np.sqrt(squared)).argmax()
            x = features[arm]
            noise = np.tril(rng.normal(0.0, SD, (d, d)))
            gram += np.outer(x, x) + noise + np.tril(noise, -1).T
            target += (rng.random() < means[arm]) * x + rng.normal(0.0, SD, d)
            plays[arm] += 1
            if t == checkpoints[len(regrets)]:
                regrets.append(plays @ gaps)
        return np.array(regrets)

    def batched(self, rng: Generator, seeds: int, checkpoints: Array) -> Array:
        """Simulate all seeds at once: inverses in one call, widths from one matrix product with all x x'.

        V is stored as its lower triangle. In each seed's row, its `entries` follow those of u.
        """
        features, (arms, d), ridge, horizon = self.features, self.features.shape, self.ridge, int(checkpoints[-1])
        columns, means = np.ascontiguousarray(features.T), features @ self.theta
        gaps, betas, first = means.max() - means, radii(d, ridge, CONFIDENCE, horizon), np.arange(seeds) * arms
        low = np.tril_indices(d)
        place = np.zeros((d, d), np.int64)
        place[low] = place.T[low] = np.arange(len(low[0]))
        products = features[:, low[0]] * features[:, low[1]]  # (K, entries)
        doubled = np.ascontiguousarray((products * np.where(low[0] == low[1], 1.0, 2.0)).T)
        entries = np.tile(ridge * np.eye(d)[low], (seeds, 1))
        target = np.zeros((seeds, d))
        plays, regrets, marks = np.zeros(seeds * arms), [], set(checkpoints.tolist())
        normals = in_blocks(rng.standard_normal, (seeds, d + len(low[0])), horizon)
        for t, (u, z) in enumerate(zip(in_blocks(rng.random, (seeds,), horizon), normals, strict=True), 1):
            inverse = np.linalg.inv(entries[:, place])
            index = np.sqrt(inverse[:, low[0], low[1]] @ doubled)
            index *= betas[t - 1]
            index += (inverse @ target[:, :, None])[:, :, 0] @ columns
            arm = index.argmax(axis=1)
            z *= SD
            target += z[:, :d]
            target += (u < means[arm])[:, None] * features[arm]
            entries += z[:, d:]
            entries += products[arm]
            plays[arm + first] += 1.0
            if t in marks:
                regrets.append(plays.reshape(seeds, arms) @ gaps)
        return np.array(regrets).T

    def limit(self, first_seed: int, seeds: int, checkpoints: Array) -> Array:
        """Draw the normals and compute one factorization per round."""
        numbers, rng = (self.features.shape[1], self.ridge, checkpoints[-1]), stream(first_seed)
        return np.array([noise_and_factor(rng, *numbers) for _ in range(seeds)])


@compiled
def noise_and_factor(rng: Generator, d: int, ridge: float, horizon: int) -> float:
    """Cumulative normal noise of the vector and the lower triangle, and a Cholesky factor, in every round."""
    gram, target, factor, total = ridge * np.eye(d), np.zeros(d), np.zeros((d, d)), 0.0
    for _ in range(horizon):
        for i in range(d):
            target[i] += SD * rng.standard_normal()
        for i in range(d):
            for j in range(i + 1):
                gram[i, j] += SD * rng.standard_normal()
        if try_cholesky(gram, factor):
            total += factor[d - 1, d - 1]
    return total + target[0]


def family_of(dimension: int, ridge: float = RIDGE) -> Family:
    """The family with all sides in that dimension. With a small ridge the noise matters after a few rounds."""
    features, theta = instance(ARMS, dimension)
    rivals = Rivals(features, theta, ridge)
    return family(
        f"linucb_ldp_{dimension}",
        "LinUCB with local noise",
        f"d = {dimension}, K = {ARMS}, ridge {ridge:g}, T = {HORIZON}",
        [
            Side(OURS, OURS, ours(features, theta, ridge), seeds=100 // dimension, horizon=HORIZON),
            Side("numpy", "plain NumPy loop: an inverse a round", seed_by_seed(rivals.plain), seeds=1, horizon=HORIZON),
            Side("numpy_seeds", "NumPy over 50 seeds", group_by_group(rivals.batched), seeds=50, horizon=HORIZON),
            Side(
                "limit",
                "limit: normals and a Cholesky factor",
                rivals.limit,
                seeds=400 // dimension,
                horizon=HORIZON,
                bound=True,
            ),
        ],
        {"limit": Goal(0.4 if dimension < 15 else 0.5, 0.7)},
    )
