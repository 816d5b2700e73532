"""One tree for the public arms: a centrally private algorithm for the decision set of Theorem 9.

Not in the paper. It probes the argument for Theorem 9 of Chen, Zheng, Zhou, Yang, Chen and Wang (ICML 2020, arXiv
2006.00706). By that argument, every private algorithm plays each suboptimal super arm about K ln T / (eps Delta) times.

The decision set (`public_arms`) contains S*, and for every private arm i the super arm of i and the K - 1 public arms
P. The algorithm estimates the mean outcome of every group of base arms {i}, of the group P and of the group S*.

Pseudo-code. Horizon T, n_j plays of group j so far:

    L1  for every group j: mu_hat_j = 0, n_j = 0
    L2  for t = 1, ..., T:
    L3      mu_bar_j = min(mu_hat_j + sqrt(1.5 ln T / n_j) + q_j / n_j, 1) for every group j; 1 where n_j = 0
    L4      play the S of largest index: mu_bar_i + (K - 1) mu_bar_P for {i} and P, and K mu_bar_S* for S*
    L5      for every group j of S: see the mean outcome x_j of its base arms; n_j += 1
    L6      for every group j of S: mu_hat_j = (sum of its n_j outcomes, with the noise of its tree) / n_j

A tree has D = floor(log2 T) + 1 layers. Its nodes have noise Lap(2 D / eps) for {i} and P, and Lap(D / eps) for S*.
The noise of a sum exceeds q_j, Chernoff's bound, with probability at most T^-2. The kernel evaluates L3 after L6, for
the groups of S.

Privacy: central, of the super arms played. A round changes one leaf of the trees of some {i} and of P, or one leaf of
that of S*, each by at most 1. So the run is eps-DP, whatever the means are.

Cost: O(K) and one pass over the super arms per round.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.base import Algorithm, Example, Look
from dpbandits.algorithms.semi_bandit.entries import PLAYED, PUBLIC
from dpbandits.algorithms.semi_bandit.literal import Arm, needed_bonus, noised_prefix
from dpbandits.algorithms.semi_bandit.trace import LISTED_OUTPUTS as OUTPUTS
from dpbandits.algorithms.semi_bandit.trace import NO_ROUNDS, account_listed
from dpbandits.algorithms.semi_bandit.widths import certified_central, width_of
from dpbandits.algorithms.shared.tree_noise import PREFIX_SUMS, advance
from dpbandits.base.jit import formula, kernel
from dpbandits.environments.base import SETS
from dpbandits.environments.combinatorial.oracles.listed import members
from dpbandits.environments.combinatorial.oracles.oracle import mean_reward
from dpbandits.environments.combinatorial.problem import LINEAR, LISTED, Problem
from dpbandits.privacy.mechanisms import NoiseRequest
from dpbandits.privacy.tree import layers, tree_sensitivity


@dataclass(frozen=True)
class Params:
    """Constants of the algorithm, in the order of the arguments of `run`. The horizon T is the last checkpoint."""

    scale: float  # of the noise on a node, with the whole budget


ALGORITHM = Algorithm(
    label="One tree for the public arms (DP)",
    short="public-arms tree",
    reference="ours, for Theorem 9 of Chen et al. 2020",
    trust_model="central",
    noise=(PREFIX_SUMS,),
    guarantee=PLAYED,
    parameters={},
    arms=SETS,
    grid=("eps",),
    outputs=OUTPUTS,
    calibrations={"certified": "certified"},
    examples=(
        Example(PUBLIC, {"eps": 100.0}, 200, "certified", {"node": 0.1}),
        Example(PUBLIC, {"eps": 1000.0}, 200, "certified", {"node": 0.01}),
    ),
    agrees="stream",
    look=Look("P", "--", "dark"),
)


def requests(setting: Mapping[str, float]) -> dict[str, NoiseRequest]:
    """Request for the noise on a node of one tree with the whole budget."""
    return {"node": NoiseRequest("laplace", tree_sensitivity(1, int(setting["T"])), setting["eps"], 0.0, 1)}


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one grid point."""
    return Params(noise["node"])


@formula
def mean_outcome(rng: Generator, problem: Problem, arms: np.ndarray) -> float:
    """The mean outcome of some base arms in one round."""
    total, coin, outcome = 0.0, -1, 0.0
    for k in range(len(arms)):
        if problem.coins[arms[k]] != coin:
            coin, outcome = problem.coins[arms[k]], rng.random()
        total += outcome < problem.means[arms[k]]
    return total / len(arms)


@kernel
def run(rng: Generator, problem: Problem, scale: float, checkpoints: np.ndarray) -> np.ndarray:
    """Play one run; return its trace, shape (len(checkpoints), len(OUTPUTS)).

    Raises
    ------
    ValueError
        The decision set is not that of `public_arms`, or the reward is not linear.
    """
    known = problem.kind == LISTED and problem.reward == LINEAR and 1 <= len(problem.common) == problem.size - 1
    if not known:
        raise ValueError("one tree for the public arms needs super arms of one private arm each and a linear reward")
    own, joins = problem.own, problem.joins
    sets, K, T = len(own), float(problem.size), checkpoints[-1]
    public = sets  # group s < sets contains the arms that only super arm s has: {i} or S*; the last group is P
    half_budget, whole_budget = certified_central(2.0 * scale, layers(T), T), certified_central(scale, layers(T), T)
    n, total, mu_bar = np.zeros(sets + 1, np.int64), np.zeros(sets + 1), np.ones(sets + 1)  # L1
    noise, gaps, S = np.zeros((sets + 1, layers(T))), np.empty(sets), np.empty(problem.size, np.int64)
    for s in range(sets):
        gaps[s] = problem.values[0] - mean_reward(problem, S, members(problem, s, S))
    totals, trace = NO_ROUNDS, np.zeros((len(checkpoints), len(OUTPUTS)))
    for t in range(1, T + 1):  # L2
        s, largest = 0, -math.inf
        for k in range(sets):
            index = mu_bar[k] + (K - 1.0) * mu_bar[public] if joins[k] else K * mu_bar[k]  # L4
            if index > largest:
                s, largest = k, index  # L4
        node, bonus = (2.0 * scale, half_budget) if joins[s] else (scale, whole_budget)
        for j in (s, public):
            if j == s or joins[s]:
                arms = problem.common if j == public else (own[s, :1] if joins[s] else own[s])
                n[j] += 1  # L5
                total[j] += mean_outcome(rng, problem, arms)  # L5
                mu_hat = (total[j] + advance(rng, noise, j, n[j], node)) / n[j]  # L6
                mu_bar[j] = min(mu_hat + width_of(float(n[j]), bonus), 1.0)  # L3
        totals = account_listed(totals, gaps[s], t, checkpoints, trace)
    return trace


def run_literal(rng: Generator, problem: Problem, scale: float, checkpoints: np.ndarray) -> np.ndarray:
    """Play one run from lists of outcomes; return the regret at the checkpoints, shape (len(checkpoints),)."""
    K, T = problem.size, int(checkpoints[-1])
    seen = [Arm(s) for s in range(len(problem.own) + 1)]
    public, regret, found = seen[-1], 0.0, []

    def observe(arm: Arm, arms: list[int], noise: float) -> None:
        coins: dict[int, float] = {}
        for i in arms:
            if problem.coins[i] not in coins:
                coins[problem.coins[i]] = rng.random()
        arm.reports.append(sum(coins[problem.coins[i]] < problem.means[i] for i in arms) / len(arms))
        released = sum(arm.reports) + noised_prefix(rng, arm, arm.n, noise)
        bonus = math.sqrt(1.5 * math.log(T) / arm.n) + needed_bonus(T.bit_length(), noise, 2 * math.log(T)) / arm.n
        arm.index = min(released / arm.n + bonus, 1.0)

    for t in range(1, T + 1):
        scores = [
            arm.index + (K - 1) * public.index if joins else K * arm.index
            for arm, joins in zip(seen, problem.joins, strict=False)
        ]
        s = int(np.argmax(scores))
        own = [int(i) for i in problem.own[s] if i >= 0]
        if problem.joins[s]:
            observe(seen[s], own, 2 * scale)
            observe(public, [int(i) for i in problem.common], 2 * scale)
        else:
            observe(seen[s], own, scale)
        played = own + [int(i) for i in problem.common] * int(problem.joins[s])
        regret += problem.values[0] - sum(problem.means[i] for i in played)
        if t in checkpoints:
            found.append(regret)
    return np.array(found)
