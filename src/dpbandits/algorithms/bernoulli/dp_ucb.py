"""DP-UCB: UCB on sums released by binary trees.

Mishra and Thakurta (UAI 2015).

Pseudo-code. K arms, horizon T, failure probability gamma, n_j pulls of arm j. Every arm has a tree of L = ceil(log2 T)
+ 1 layers over T leaves, with budget e = eps / K (`split_budget: true`) or e = eps (false):

    L1  rounds 1, ..., K: pull every arm once
    L2  for t = K + 1, K + 2, ...:
    L3      pull argmax_j S_j / n_j + sqrt(2 ln t / n_j) + Gamma / n_j, Gamma = ln(T)^2 ln(K T ln T / gamma) / e
    L4  after the n_j-th pull of j: its reward is leaf n_j of tree j; the nodes that it completes get noise Lap(L / e)
    L5      S_j = sum of the nodes that cover 1, ..., n_j, one for each binary digit 1 of n_j: their leaves plus noise

A node gets its noise once.

Privacy: central. Neighboring streams of rewards differ in the reward vector of one round. This changes one leaf of one
tree by at most 1, hence L nodes, so the sequence of arms is eps-DP, and (eps / K)-DP with `split_budget: true`.
Printed and certified noise coincide.

Variant: the printed split of the budget guards against a round that changes all arms. A round changes only the reward
of the arm that is pulled, so e = eps is private as well.

Deviation: nodes that no S_j uses get no noise. Among the nodes that leaf n completes, only the largest is ever used, so
that each pull costs one draw.

Cost: O(K) per round; only the sum of the pulled arm changes. No rounds are skipped, since fresh noise moves the index
of the pulled arm in every round. Ties have probability zero.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.base import PROBABILITY, SWITCH, Algorithm, Example, Look
from dpbandits.algorithms.shared.entries_bandits import COINCIDE, FIVE, REPLACED_VECTOR
from dpbandits.algorithms.shared.play import OUTPUTS as OUTPUTS
from dpbandits.algorithms.shared.play import decided, open_play, record, released
from dpbandits.algorithms.shared.tree_noise import PREFIX_SUMS, advance
from dpbandits.base.jit import formula, kernel
from dpbandits.environments.base import MEANS
from dpbandits.privacy.mechanisms import laplace


@dataclass(frozen=True)
class Params:
    """Constants of the algorithm, in the order in which `run` takes them; the horizon is that of the run."""

    eps: float
    gamma: float
    split_budget: int


ALGORITHM = Algorithm(
    label="DP-UCB (tree)",
    short="DP-UCB",
    reference="Mishra and Thakurta 2015",
    trust_model="central",
    noise=(PREFIX_SUMS,),
    guarantee=REPLACED_VECTOR,
    parameters={"gamma": PROBABILITY, "split_budget": SWITCH},
    arms=MEANS,
    grid=("eps",),
    outputs=OUTPUTS,
    calibrations=COINCIDE,
    examples=(
        Example(FIVE, {"eps": 1.0, "gamma": 0.1, "split_budget": 0.0}, 150),
        Example(FIVE, {"eps": 3.0, "gamma": 0.9, "split_budget": 1.0}, 150),
    ),
    look=Look("<", ":", "dark"),
    looks={"whole_budget": Look(">", ":", "light")},
)


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one grid point."""
    return Params(setting["eps"], setting["gamma"], int(setting["split_budget"]))


@formula
def layers_of(leaves: int) -> int:
    """ceil(log2 of the leaves) + 1."""
    layers = 1
    while 1 << (layers - 1) < leaves:
        layers += 1
    return layers


@formula
def tree_budget(eps: float, arms: int, split_budget: int) -> float:
    """e, the budget of one tree."""
    return eps / arms if split_budget else eps


@formula
def privacy_bonus(arms: int, horizon: int, budget: float, gamma: float) -> float:
    """Gamma of L3, for a horizon of 2 or more."""
    log_T = math.log(horizon)
    return log_T * log_T * math.log(arms * horizon * log_T / gamma) / budget


@formula
def index(steady: float, width: float, t: int) -> float:
    """The index of an arm in round t, L3, from its two parts, which change only when the arm is pulled."""
    return steady + width * math.sqrt(2.0 * math.log(t))


@formula
def parts(total: float, n: int, bonus: float) -> tuple[float, float]:
    """(S + Gamma) / n and sqrt(1 / n)."""
    return (total + bonus) / n, math.sqrt(1.0 / n)


@kernel
def run(
    rng: Generator, means: np.ndarray, eps: float, gamma: float, split_budget: int, checkpoints: np.ndarray
) -> np.ndarray:
    """Play one run of the algorithm above; return the trace (len(checkpoints), len(OUTPUTS))."""
    arms, horizon = len(means), checkpoints[-1]
    play = open_play(means, checkpoints)
    budget, layers = tree_budget(eps, arms, split_budget), layers_of(horizon)
    bonus = privacy_bonus(arms, max(2, horizon), budget, gamma)
    noise, sums = np.zeros((arms, layers)), np.zeros(arms)
    steady, width = np.empty(arms), np.empty(arms)
    now = 0
    while now < horizon:
        i = now  # L1
        if now >= arms:  # L2
            i, largest = 0, -math.inf
            for j in range(arms):  # L3
                value = index(steady[j], width[j], now + 1)
                if value > largest:
                    i, largest = j, value
            decided(play)
        now += 1
        play.pulls[i] += 1
        if now == checkpoints[play.counts[0]]:  # `pull` costs as much as the rest of a round
            record(play)
        sums[i] += rng.random() < means[i]  # L4
        total = sums[i] + advance(rng, noise, i, play.pulls[i], layers / budget)  # L4, L5
        steady[i], width[i] = parts(total, play.pulls[i], bonus)
        released(play, 1)
    return play.trace


def run_literal(
    rng: Generator, means: np.ndarray, eps: float, gamma: float, split_budget: int, checkpoints: np.ndarray
) -> np.ndarray:
    """Same as `run`, from whole trees; returns the regret at the checkpoints, (len(checkpoints),)."""
    arms, horizon = len(means), int(checkpoints[-1])
    e = eps / arms if split_budget else eps
    scale = (math.ceil(math.log2(horizon)) + 1) / e
    rewards: list[list[float]] = [[] for _ in means]
    noise: list[dict[tuple[int, int], float]] = [{} for _ in means]  # key: first and last leaf of a node
    gaps, regret, regrets = means.max() - means, 0.0, []
    for t in range(1, horizon + 1):
        if t <= arms:  # L1
            i = t - 1
        else:
            log_T = math.log(horizon)
            bonus = log_T**2 * math.log(arms * horizon * log_T / gamma) / e
            s = np.array([noised_prefix(rewards[j], noise[j]) for j in range(arms)])
            n = np.array([len(each) for each in rewards])
            i = int(np.argmax(s / n + np.sqrt(2 * math.log(t) / n) + bonus / n))  # L3
        rewards[i].append(float(rng.random() < means[i]))
        leaf, size = len(rewards[i]), 1
        while leaf % size == 0:  # L4
            noise[i][leaf - size + 1, leaf] = laplace(rng, scale)
            size *= 2
        regret += gaps[i]
        regrets.append(regret)
    return np.array(regrets)[checkpoints - 1]


def noised_prefix(rewards: list[float], noise: dict[tuple[int, int], float]) -> float:
    """L5 for the transcription: the noisy sum of all leaves, from the nodes that cover them."""
    total, done = sum(rewards), 0
    for digit in reversed(range(len(rewards).bit_length())):
        if len(rewards) >> digit & 1:
            total += noise[done + 1, done + 2**digit]
            done += 2**digit
    return total
