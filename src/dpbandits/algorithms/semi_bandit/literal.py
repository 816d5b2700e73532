"""Transcription of `semi_bandit`: rounds one by one, lists of reports, brute force over listed super arms."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator

from dpbandits.environments.combinatorial.oracles import oracle
from dpbandits.environments.combinatorial.problem import LISTED, Problem
from dpbandits.privacy.mechanisms import laplace

GRID = np.concatenate([np.linspace(0.0005, 0.999, 4000), 1.0 - np.logspace(-3, -9, 2000), np.logspace(-6, -3.3, 2000)])
"""Values of s at which `needed_bonus` minimizes the bound; every value gives a valid bound."""


@dataclass
class Arm:
    """State of one base arm."""

    name: int
    reports: list[float] = field(default_factory=list)
    nodes: dict[tuple[int, int], float] = field(default_factory=dict)
    index: float = 1.0

    @property
    def n(self) -> int:
        """Number of reports so far."""
        return len(self.reports)


def needed_bonus(count: int, scale: float, exponent: float) -> float:
    """A bound that a sum of `count` Lap(`scale`) exceeds with probability at most exp(-exponent), by grid search."""
    return scale * float(np.min((exponent - count * np.log1p(-(GRID**2))) / GRID))


def noised_prefix(rng: Generator, arm: Arm, leaves: int, scale: float) -> float:
    """Noise on the sum of the first `leaves` leaves, from the nodes that cover them; larger nodes are drawn first."""
    noise, done = 0.0, 0
    for layer in reversed(range(leaves.bit_length())):
        if leaves >> layer & 1:
            node = (done + 1, done + 2**layer)
            if node not in arm.nodes:
                arm.nodes[node] = laplace(rng, scale)
            noise += arm.nodes[node]
            done = node[1]
    return noise


def literal(
    rng: Generator,
    problem: Problem,
    index: Callable[[Arm, int], float],
    report: Callable[[Arm, float, int], float],
    least: bool,
    checkpoints: np.ndarray,
    fallback: int = 0,
) -> np.ndarray:
    """Regret at the checkpoints, (len(checkpoints),).

    Parameters
    ----------
    index : index of an arm with reports, in a round.
    report : turns the outcome of an arm in a round into the number that is stored.
    least : whether only the arm of the super arm with the fewest reports is reported.
    """
    arms = [Arm(i) for i in range(len(problem.means))]
    regret, found = 0.0, []
    for t in range(1, int(checkpoints[-1]) + 1):
        for arm in arms:
            arm.index = index(arm, t) if arm.n else 1.0
        values = np.array([arm.index for arm in arms])
        if values.min() >= 0.0:
            S = super_arm(problem, values)
        elif fallback == 2:
            S = super_arm(problem, np.maximum(values, 0.0))
        else:
            S = np.empty(problem.size, np.int64)
            S = S[: oracle.any_super_arm(rng, problem, int(values.argmin()) if fallback == 1 else -1, S)]
        shown = [min(S, key=lambda i: arms[i].n)] if least else list(S)
        coins: dict[int, float] = {}
        for i in shown:
            if problem.coins[i] not in coins:
                coins[problem.coins[i]] = rng.random()
            x = float(coins[problem.coins[i]] < problem.means[i])
            arms[i].reports.append(report(arms[i], x, t))
        regret += problem.values[0] - oracle.mean_reward(problem, S, len(S))
        if t in checkpoints:
            found.append(regret)
    return np.array(found)


def super_arm(problem: Problem, values: np.ndarray) -> np.ndarray:
    """The first listed super arm with the largest reward; for other decision sets, the oracle's answer."""
    if problem.kind != LISTED:
        chosen = np.empty(problem.size, np.int64)
        return chosen[: oracle.choose(problem, problem.reward, values, chosen)]
    rewards: list[Callable[[list[float]], float]] = [math.fsum, min, max, math.prod]
    reward = rewards[problem.reward]
    every = [
        np.concatenate([own[own >= 0], problem.common if joins else []]).astype(int)
        for own, joins in zip(problem.own, problem.joins, strict=True)
    ]
    best = max(range(len(every)), key=lambda s: (reward([float(values[i]) for i in every[s]]), -s))
    return every[best]
