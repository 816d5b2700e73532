"""One tree for the public arms: what a centrally private algorithm can do that knows the super arms of Theorem 9.

The decision set (environments.public_arms) is S*, and {i} with the K - 1 public arms for every private arm i. Released
by trees of D = floor(log2 T) + 1 levels are: the sum of every private arm (noise Lap(2 D / eps) on a node), the sum of
the mean outcome of the public arms (Lap(2 D / eps)), and that of the mean outcome of S* (Lap(D / eps)).

    in every round
        mean' = min(mean + sqrt(1.5 ln T / n) + q / n, 1) for each, 1 where nothing was seen; q bounds the noise
        index_i = mean'_i + (K - 1) mean'_public;   index_* = K mean'_*
        play the super arm of largest index

Not in the paper: it probes the argument for Theorem 9 of Chen et al. (arXiv 2006.00706), which would make every private
algorithm play each suboptimal super arm of order K ln T / (eps Delta) times.

Privacy: a round changes a leaf of one private tree and of the public one, or of that of S*, each by at most 1; the
arms played are eps-DP whatever the means are.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.semi_bandit_literal import Arm, needed_bonus, noised_prefix
from dpbandits.algorithms.tree_noise import advance
from dpbandits.algorithms.widths import Width, laplace_sum_bound, sampling_root, width_of
from dpbandits.decision_sets.listed import members
from dpbandits.decision_sets.oracle import mean_reward
from dpbandits.decision_sets.problem import LINEAR, LISTED, Problem
from dpbandits.jit import formula, kernel
from dpbandits.privacy.mechanisms import NoiseRequest
from dpbandits.privacy.tree import levels, tree_sensitivity

OUTPUTS = ("regret", "suboptimal", "late")
"""Up to the checkpoint: regret, share of rounds with a bad super arm, regret after half of the horizon."""


@dataclass(frozen=True)
class Params:
    """Constants of the algorithm, in the order in which `run` takes them; the horizon is that of the run."""

    scale: float  # of the noise of a node, with the whole budget


def requests(setting: Mapping[str, float]) -> dict[str, NoiseRequest]:
    """The noise of a node of one tree with the whole budget."""
    return {"node": NoiseRequest("laplace", tree_sensitivity(1, int(setting["T"])), setting["eps"], 0.0, 1)}


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one point of a grid."""
    return Params(noise["node"])


@formula
def mean_outcome(rng: Generator, problem: Problem, arms: np.ndarray) -> float:
    """The mean outcome of some arms in one round."""
    total, coin, outcome = 0.0, -1, 0.0
    for k in range(len(arms)):
        if problem.coins[arms[k]] != coin:
            coin, outcome = problem.coins[arms[k]], rng.random()
        total += outcome < problem.means[arms[k]]
    return total / len(arms)


@kernel
def run(rng: Generator, problem: Problem, scale: float, checkpoints: np.ndarray) -> np.ndarray:
    """One run; see the module. Returns the trace (len(checkpoints), len(OUTPUTS)).

    Raises
    ------
    ValueError
        It is another decision set, or the reward is not linear.
    """
    public = len(problem.common)
    if problem.kind != LISTED or problem.reward != LINEAR or public < 1 or public != problem.size - 1:
        raise ValueError("one tree for the public arms needs super arms of one private arm each and a linear reward")
    own, joins = problem.own, problem.joins
    sets, horizon, half = len(own), checkpoints[-1], checkpoints[-1] // 2
    size, nodes = float(problem.size), levels(horizon)
    bound = laplace_sum_bound(float(nodes), 2.0 * math.log(horizon))
    wide = Width(sampling_root(horizon), 2.0 * scale * bound, 0.0, 0.0)
    narrow = Width(sampling_root(horizon), scale * bound, 0.0, 0.0)
    n, total = np.zeros(sets + 1, np.int64), np.zeros(sets + 1)  # one place for every super arm, the last: public arms
    index, noise, gaps = np.ones(sets + 1), np.zeros((sets + 1, nodes)), np.empty(sets)
    chosen = np.empty(problem.size, np.int64)
    for s in range(sets):
        gaps[s] = problem.values[0] - mean_reward(problem, chosen, members(problem, s, chosen))
    trace = np.zeros((len(checkpoints), 3))
    lost, early, bad, at = 0.0, 0.0, 0, 0
    for t in range(1, horizon + 1):
        s, most = 0, -math.inf
        for k in range(sets):
            score = index[k] + (size - 1.0) * index[sets] if joins[k] else size * index[k]
            if score > most:
                s, most = k, score
        for place in (s, sets):
            if place == s or joins[s]:
                private = place == s and joins[s]
                arms = problem.common if place == sets else (own[s, :1] if private else own[s])
                n[place] += 1
                total[place] += mean_outcome(rng, problem, arms)
                shared = joins[s] == 1
                estimate = total[place] + advance(rng, noise, place, n[place], 2.0 * scale if shared else scale)
                width = width_of(float(n[place]), wide if shared else narrow)
                index[place] = min(estimate / n[place] + width, 1.0)
        lost += gaps[s]
        bad += gaps[s] > 0.0
        if t == half:
            early = lost
        if t == checkpoints[at]:
            trace[at, 0], trace[at, 1], trace[at, 2] = lost, bad / t, lost - early if t > half else 0.0
            at += 1
    return trace


def run_literal(rng: Generator, problem: Problem, scale: float, checkpoints: np.ndarray) -> np.ndarray:
    """The same, from lists of outcomes; returns the regret at the checkpoints, (len(checkpoints),)."""
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
