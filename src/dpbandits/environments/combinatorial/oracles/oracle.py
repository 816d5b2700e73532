"""The oracle of every decision set, and the mean reward of a super arm.

Oracles are exact (alpha = beta = 1) except for coverage, whose oracle is greedy (alpha = 1 - 1/e, beta = 1).
"""

import numpy as np

from dpbandits.base.jit import kernel
from dpbandits.environments.combinatorial.oracles import coverage, grid_paths, listed, matchings, spanning_trees, top
from dpbandits.environments.combinatorial.problem import (
    BOTTLENECK,
    COVERED,
    GRID,
    LINEAR,
    LISTED,
    MATCHING,
    TOP,
    TREE,
    Problem,
)


@kernel
def choose(problem: Problem, reward: int, index: np.ndarray, chosen: np.ndarray) -> int:
    """Write the super arm that is best for `index` under `reward` to `chosen`, (at least K,); return its size."""
    shape = problem.shape
    if problem.kind == LISTED:
        return listed.choose(problem, reward, index, chosen)
    if problem.kind == TOP:
        return top.choose(index, problem.size, chosen)
    if problem.kind == GRID:
        return grid_paths.choose(index, shape[0], 1 if reward == BOTTLENECK else 0, chosen)
    if problem.kind == TREE:
        return spanning_trees.choose(index, problem.ends, shape[0], chosen)
    if problem.kind == MATCHING:
        return matchings.choose(index, shape[0], shape[1], chosen)
    return coverage.choose(index, problem.ends, shape[0], shape[1], shape[2], 1 if reward == LINEAR else 0, chosen)


@kernel
def mean_reward(problem: Problem, chosen: np.ndarray, count: int) -> float:
    """The mean reward of the super arm formed by the first `count` entries of `chosen`."""
    if problem.reward == COVERED:
        return coverage.value(problem.means, problem.ends, problem.shape[1], chosen, count)
    return listed.part(problem.reward, problem.means, chosen[:count])


@kernel
def any_super_arm(rng: np.random.Generator, problem: Problem, arm: int, chosen: np.ndarray) -> int:
    """Write a random super arm to `chosen`, containing `arm` unless that is -1; return its number of arms.

    It maximizes the sum of random weights, so that super arms with the same structure are equally likely.
    """
    weights = np.empty(len(problem.means))
    for i in range(len(weights)):
        weights[i] = rng.random()
    if arm >= 0:
        weights[arm] += problem.size + 1.0
    return choose(problem, LINEAR, weights, chosen)
