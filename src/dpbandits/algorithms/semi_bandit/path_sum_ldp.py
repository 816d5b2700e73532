"""One noisy sum per super arm: a locally private algorithm for disjoint super arms.

Not in the paper. It probes the conjecture at the end of Section 4.1 of Chen, Zheng, Zhou, Yang, Chen and Wang (ICML
2020, arXiv 2006.00706) on the paper's own instance: there its regret grows as m K / Delta.

Pseudo-code. Disjoint super arms s of K base arms, horizon T, n_s reports of super arm s so far:

    L1  for every super arm s: mu_hat_s = 0, n_s = 0
    L2  for t = 1, ..., T:
    L3      mu_bar_s = min(mu_hat_s + 4 K sqrt(2 ln T / (eps^2 n_s)), K); K where n_s = 0
    L4      play s = argmax_s mu_bar_s
    L5      the user sends y = (sum of x_i over i in s) + Lap(K / eps)
    L6      mu_hat_s = (n_s mu_hat_s + y) / (n_s + 1); n_s += 1

This is a bandit with rewards in [0, K]. The kernel keeps total_s = n_s mu_hat_s and evaluates L3 after L6, for s alone.

Privacy: local. The sum lies in [0, K], so each report is eps-DP. The server chooses s from earlier reports only.

Choices:
    width   factor on the bonus. Default 1.

Cost: O(K) per round and one pass over the super arms.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.base import POSITIVE, Algorithm, Example, Look
from dpbandits.algorithms.semi_bandit.entries import REPORTED, SETS_OF_TWO
from dpbandits.algorithms.semi_bandit.trace import LISTED_OUTPUTS as OUTPUTS
from dpbandits.algorithms.semi_bandit.trace import NO_ROUNDS, account_listed
from dpbandits.base.jit import kernel
from dpbandits.environments.base import SETS
from dpbandits.environments.combinatorial.oracles.oracle import mean_reward
from dpbandits.environments.combinatorial.problem import LINEAR, LISTED, Problem
from dpbandits.privacy.mechanisms import LAPLACE_NOISE, add_laplace, laplace


@dataclass(frozen=True)
class Params:
    """Constants of the algorithm, in the order of the arguments of `run`. The horizon T is the last checkpoint."""

    eps: float
    width: float


ALGORITHM = Algorithm(
    label="One noisy sum per super arm (LDP)",
    short="super-arm sums",
    reference="ours, for the conjecture of Chen et al. 2020, Section 4.1",
    trust_model="local",
    noise=(LAPLACE_NOISE,),
    guarantee=REPORTED,
    parameters={"width": POSITIVE},
    arms=SETS,
    grid=("eps",),
    outputs=OUTPUTS,
    calibrations={"printed": "printed", "tuned": "tuned"},
    examples=(
        Example(SETS_OF_TWO, {"eps": 10.0, "width": 0.1}, 200),
        Example(SETS_OF_TWO, {"eps": 5.0, "width": 0.1}, 200, "tuned"),
    ),
    agrees="stream",
    look=Look("D", "-.", "light"),
)


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one grid point."""
    return Params(setting["eps"], setting["width"])


@kernel
def run(rng: Generator, problem: Problem, eps: float, width: float, checkpoints: np.ndarray) -> np.ndarray:
    """Play one run; return its trace, shape (len(checkpoints), len(OUTPUTS)).

    Raises
    ------
    ValueError
        Super arms share base arms, or the reward is not linear.
    """
    if problem.kind != LISTED or problem.reward != LINEAR or problem.joins.any():
        raise ValueError("one sum per super arm needs disjoint super arms and a linear reward")
    means, coins, own = problem.means, problem.coins, problem.own
    sets, K, T = len(own), float(problem.size), checkpoints[-1]
    root = width * 4.0 * K * math.sqrt(2.0 * math.log(T)) / eps
    n, total, mu_bar, gaps = np.zeros(sets), np.zeros(sets), np.full(sets, K), np.empty(sets)  # L1
    for s in range(sets):
        gaps[s] = problem.values[0] - mean_reward(problem, own[s], own.shape[1])
    totals, trace = NO_ROUNDS, np.zeros((len(checkpoints), len(OUTPUTS)))
    for t in range(1, T + 1):  # L2
        s = int(np.argmax(mu_bar))  # L4
        y, coin, draw = add_laplace(rng, 0.0, K / eps), -1, 0.0  # L5
        for i in own[s]:
            if coins[i] != coin:
                coin, draw = coins[i], rng.random()
            y += draw < means[i]  # L5
        n[s] += 1.0  # L6
        total[s] += y  # L6
        mu_bar[s] = min(total[s] / n[s] + root / math.sqrt(n[s]), K)  # L3
        totals = account_listed(totals, gaps[s], t, checkpoints, trace)
    return trace


def run_literal(rng: Generator, problem: Problem, eps: float, width: float, checkpoints: np.ndarray) -> np.ndarray:
    """Play one run from lists of reports; return the regret at the checkpoints, shape (len(checkpoints),)."""
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
