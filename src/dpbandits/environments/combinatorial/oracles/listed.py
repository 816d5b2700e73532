"""Oracle for listed super arms: disjoint sets, and sets that share arms.

A super arm consists of its own arms, which belong to no other super arm, and of the common arms if it includes them.
Its score combines one part for each, so that a round changes only one own part and the common part.
"""

import numpy as np

from dpbandits.base.jit import formula, kernel
from dpbandits.environments.combinatorial.problem import BEST_OF, BOTTLENECK, LINEAR, Problem

LEAST = 1e-9  # lower bound on the factors of a product, so that it stays positive; source: our choice


@formula
def neutral(reward: int) -> float:
    """The score of the empty set of arms."""
    if reward == LINEAR:
        return 0.0
    if reward == BOTTLENECK:
        return np.inf
    return -np.inf if reward == BEST_OF else 1.0


@formula
def joined(reward: int, first: float, second: float) -> float:
    """The score of the union of two sets of arms, given their scores."""
    if reward == LINEAR:
        return first + second
    if reward == BOTTLENECK:
        return min(first, second)
    return max(first, second) if reward == BEST_OF else first * second


@formula
def added(reward: int, score: float, value: float) -> float:
    """The score of a set of arms after adding one with index `value`; factors of a product are at least `LEAST`."""
    return joined(reward, score, max(value, LEAST) if reward > BEST_OF else value)


@formula
def part(reward: int, index: np.ndarray, arms: np.ndarray) -> float:
    """The score of a set of arms."""
    score = neutral(reward)
    for k in range(len(arms)):
        score = added(reward, score, index[arms[k]])
    return score


@formula
def own_part(reward: int, index: np.ndarray, own: np.ndarray, s: int) -> float:
    """The score of the own arms of super arm s."""
    score = neutral(reward)
    for k in range(own.shape[1]):
        if own[s, k] < 0:
            break
        score = added(reward, score, index[own[s, k]])
    return score


@kernel
def largest(reward: int, scores: np.ndarray, common: float, joins: np.ndarray) -> int:
    """The first super arm with the largest score, from the scores of own arms and that of the common arms."""
    best, most = 0, -np.inf
    for s in range(len(scores)):
        score = joined(reward, scores[s], common) if joins[s] else scores[s]
        if score > most:
            best, most = s, score
    return best


@kernel
def members(problem: Problem, s: int, chosen: np.ndarray) -> int:
    """Write the arms of super arm s to `chosen`, own arms before common arms; return their number."""
    count = 0
    for k in range(problem.own.shape[1]):
        if problem.own[s, k] >= 0:
            chosen[count] = problem.own[s, k]
            count += 1
    if problem.joins[s]:
        for k in range(len(problem.common)):
            chosen[count] = problem.common[k]
            count += 1
    return count


@kernel
def choose(problem: Problem, reward: int, index: np.ndarray, chosen: np.ndarray) -> int:
    """Write the arms of the first super arm that is best for `index` to `chosen`; return their number."""
    common = part(reward, index, problem.common)
    scores = np.empty(len(problem.own))
    for s in range(len(scores)):
        scores[s] = own_part(reward, index, problem.own, s)
    return members(problem, largest(reward, scores, common, problem.joins), chosen)
