"""One noisy sum for every super arm: what a locally private algorithm can do that knows the super arms to be disjoint.

    in every round
        index_s = min(mean_s + 4 K sqrt(2 ln T / (eps^2 n_s)), K), K for a super arm without reports
        play the super arm of largest index; the user sends (sum of x_i over its arms) + Lap(K / eps)

Not in the paper: it probes the conjecture at the end of Section 4.1 of Chen et al. (arXiv 2006.00706) on the paper's
own instance. A bandit with rewards in [0, K], whose regret grows as m K / Delta. `width` multiplies the bonus.

Privacy: the sum is in [0, K], so that a report is eps-locally private.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpbandits.decision_sets.oracle import mean_reward
from dpbandits.decision_sets.problem import LINEAR, LISTED, Problem
from dpbandits.jit import kernel
from dpbandits.privacy.mechanisms import laplace

OUTPUTS = ("regret", "suboptimal", "late")
"""Up to the checkpoint: regret, share of rounds with a bad super arm, regret after half of the horizon."""


@dataclass(frozen=True)
class Params:
    """Constants of the algorithm, in the order in which `run` takes them; the horizon is that of the run."""

    eps: float
    width: float


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one point of a grid."""
    return Params(setting["eps"], setting["width"])


@kernel
def run(rng: Generator, problem: Problem, eps: float, width: float, checkpoints: np.ndarray) -> np.ndarray:
    """One run; see the module. Returns the trace (len(checkpoints), len(OUTPUTS)).

    Raises
    ------
    ValueError
        Super arms share arms, or the reward is not linear.
    """
    if problem.kind != LISTED or problem.reward != LINEAR or problem.joins.any():
        raise ValueError("one sum for every super arm needs disjoint super arms and a linear reward")
    means, coins, own = problem.means, problem.coins, problem.own
    sets, horizon, half = len(own), checkpoints[-1], checkpoints[-1] // 2
    size, log_T = float(problem.size), math.log(checkpoints[-1])
    root = width * 4.0 * size * math.sqrt(2.0 * log_T) / eps
    n, total, index, gaps = np.zeros(sets), np.zeros(sets), np.full(sets, size), np.empty(sets)
    for s in range(sets):
        gaps[s] = problem.values[0] - mean_reward(problem, own[s], own.shape[1])
    trace = np.zeros((len(checkpoints), 3))
    lost, early, bad, at = 0.0, 0.0, 0, 0
    for t in range(1, horizon + 1):
        s = int(np.argmax(index))
        report, coin, outcome = laplace(rng, size / eps), -1, 0.0
        for k in range(own.shape[1]):
            if coins[own[s, k]] != coin:
                coin, outcome = coins[own[s, k]], rng.random()
            report += outcome < means[own[s, k]]
        n[s] += 1.0
        total[s] += report
        index[s] = min(total[s] / n[s] + root / math.sqrt(n[s]), size)
        lost += gaps[s]
        bad += gaps[s] > 0.0
        if t == half:
            early = lost
        if t == checkpoints[at]:
            trace[at, 0], trace[at, 1], trace[at, 2] = lost, bad / t, lost - early if t > half else 0.0
            at += 1
    return trace


def run_literal(rng: Generator, problem: Problem, eps: float, width: float, checkpoints: np.ndarray) -> np.ndarray:
    """The same, from lists of reports; returns the regret at the checkpoints, (len(checkpoints),)."""
    K, log_T = problem.size, math.log(checkpoints[-1])
    reports: list[list[float]] = [[] for _ in problem.own]
    regret, found = 0.0, []
    for t in range(1, int(checkpoints[-1]) + 1):
        index = [
            min(sum(each) / len(each) + width * 4 * K * math.sqrt(2 * log_T / (eps**2 * len(each))), K) if each else K
            for each in reports
        ]
        s = int(np.argmax(index))
        noise = laplace(rng, K / eps)
        coins: dict[int, float] = {}
        for i in problem.own[s]:
            if problem.coins[i] not in coins:
                coins[problem.coins[i]] = rng.random()
        x = [float(coins[problem.coins[i]] < problem.means[i]) for i in problem.own[s]]
        reports[s].append(sum(x) + noise)
        regret += problem.values[0] - sum(problem.means[i] for i in problem.own[s])
        if t in checkpoints:
            found.append(regret)
    return np.array(found)
