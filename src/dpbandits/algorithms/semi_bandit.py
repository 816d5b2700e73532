"""Optimism for combinatorial semi-bandits: what CUCB and its private versions share.

Algorithms 1 to 3 of Chen, Zheng, Zhou, Yang, Chen and Wang (arXiv 2006.00706), and CUCB, differ in what `Rules` says:

    in every round
        play S = Oracle(index), or any super arm where some index is negative
        of every arm i of S, or of the least updated one alone, a 0/1 outcome is reported:
            n_i += 1;   sum_i += outcome (+ noise)
            index_i = min(sum_i / n_i + width(n_i), 1)

An arm without reports has index 1. Nothing is clipped from below. Where widths hang on the round, as those of CUCB do,
all indices are formed anew in every round; else they change for the arms of S alone.

Readings: the paper leaves open what "any" super arm is: a random one, a random one that contains the arm of least
index, or the oracle's for indices raised to 0 (`negative`). Of the least updated arms the first is taken; arms stand in
random order (environments). Whether the leaves of a tree are rounds or the arm's own reports is open too
(`over_rounds`); noise and level are the same.

Exact: a listed super arm is played on while its score stays above all others, of which only the common part changes.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.tree_noise import advance, advance_to
from dpbandits.algorithms.widths import Width, width_of
from dpbandits.decision_sets.listed import joined, largest, members, own_part, part
from dpbandits.decision_sets.oracle import any_super_arm, choose, mean_reward
from dpbandits.decision_sets.problem import LISTED, Problem
from dpbandits.jit import kernel
from dpbandits.privacy.mechanisms import laplace
from dpbandits.privacy.tree import levels

OUTPUTS = ("regret", "exact", "greedy", "suboptimal", "late", "negative_rounds", "fluid")
"""Up to the checkpoint: approximation regret, alpha times the best mean reward less that of S; the same with alpha = 1;
regret against what the oracle finds at the true means; share of rounds with a super arm worse than alpha times the
best; regret after half of the horizon; rounds with a negative index. Of listed super arms, at the horizon: regret of
the `fluid`."""
NONE, REPORT, TREE = range(3)
RANDOM, LOWEST, RAISED = range(3)
ROUNDING = 1e-12  # gaps up to this are none
BLOCK = 0.01  # the fluid plays on for this part of the reports of the arm with the fewest; source: our choice


class Rules(NamedTuple):
    """What the algorithms differ in.

    Attributes
    ----------
    width : of the index; with `anytime` c > 0 it is sqrt(c ln t / n) in round t instead.
    noise : NONE, Laplace noise on every REPORT, or on the nodes of a TREE over the reports of an arm.
    scale : of the Laplace noise.
    over_rounds : 1 where the leaves of the trees are the rounds.
    least : 1 where the least updated arm of S alone is reported.
    negative : RANDOM, LOWEST or RAISED: what is played where some index is negative.
    """

    width: Width
    anytime: float
    noise: int
    scale: float
    over_rounds: int
    least: int
    negative: int


@kernel
def play(rng: Generator, problem: Problem, rules: Rules, checkpoints: np.ndarray) -> np.ndarray:
    """One run; returns the trace (len(checkpoints), len(OUTPUTS))."""
    means, coins, own, joins = problem.means, problem.coins, problem.own, problem.joins
    arms, horizon, half = len(means), checkpoints[-1], checkpoints[-1] // 2
    width, scale, noisy = rules.width, rules.scale, rules.noise
    nodes = levels(horizon) if noisy == TREE else 0
    noise, last = np.zeros((arms, nodes)), np.zeros((arms, nodes if rules.over_rounds else 0), np.int64)
    n, total, index = np.zeros(arms, np.int64), np.zeros(arms), np.ones(arms)
    listed = problem.kind == LISTED
    steady = listed and rules.anytime == 0.0
    shares = len(problem.common) > 0
    scores, gaps, chosen = np.empty(len(own)), np.empty(len(own)), np.empty(problem.size, np.int64)
    for s in range(len(own)):
        scores[s] = own_part(problem.reward, index, own, s)
        gaps[s] = problem.values[0] - mean_reward(problem, chosen, members(problem, s, chosen))
    common = part(problem.reward, index, problem.common)
    trace = np.zeros((len(checkpoints), 7))
    lost, early, bad, strange = 0.0, 0.0, 0, 0  # regret, regret at half of the horizon, rounds, rounds
    negatives, t, at, place, written, count = 0, 0, 0, 0, -1, 0
    while t < horizon:
        if rules.anytime > 0.0:
            log_t = math.log(t + 1)
            for i in range(arms):
                if n[i] > 0:
                    index[i] = min(total[i] / n[i] + math.sqrt(rules.anytime * log_t / n[i]), 1.0)
            for s in range(len(own)):
                scores[s] = own_part(problem.reward, index, own, s)
            common = part(problem.reward, index, problem.common)
        calm = negatives == 0
        if not calm and rules.negative != RAISED:
            lowest = np.argmin(index) if rules.negative == LOWEST else -1
            count = any_super_arm(rng, problem, lowest, chosen)
        elif not calm:
            count = choose(problem, problem.reward, np.maximum(index, 0.0), chosen)
        elif listed:
            place = largest(problem.reward, scores, common, joins)
            if place != written:
                count = members(problem, place, chosen)
        else:
            count = choose(problem, problem.reward, index, chosen)
        if listed:
            place = place if calm else place_of(own, chosen[0])
            gap, written = gaps[place], place
        else:
            gap = problem.values[0] - mean_reward(problem, chosen, count)
        worse = 1 if gap > ROUNDING else 0
        stay, second, other = True, -np.inf, -np.inf  # largest own score of those that join, and of the others
        if steady and calm:
            for s in range(len(scores)):
                if s != place and joins[s]:
                    second = max(second, scores[s])
                elif s != place:
                    other = max(other, scores[s])
        while stay and t < horizon:
            t += 1
            strange += not calm
            first, beyond = 0, count
            if rules.least:
                for k in range(1, count):
                    if n[chosen[k]] < n[chosen[first]]:
                        first = k
                beyond = first + 1
            coin, outcome = -1, 0.0
            for k in range(first, beyond):
                i = chosen[k]
                if coins[i] != coin:
                    coin, outcome = coins[i], rng.random()
                x = 1.0 if outcome < means[i] else 0.0
                n[i] += 1
                if noisy == REPORT:
                    x += laplace(rng, scale)
                total[i] += x
                if rules.anytime == 0.0:
                    estimate = total[i]
                    if noisy == TREE:
                        if rules.over_rounds:
                            estimate += advance_to(rng, noise, last, i, t, scale)
                        else:
                            estimate += advance(rng, noise, i, n[i], scale)
                    value = min(estimate / n[i] + width_of(float(n[i]), width), 1.0)
                    negatives += int(value < 0.0) - int(index[i] < 0.0)
                    index[i] = value
            lost += gap
            bad += worse
            stay = False
            if steady:
                score = own_part(problem.reward, index, own, place)
                scores[place] = score
                if joins[place] and shares:
                    common = part(problem.reward, index, problem.common)
                if calm and negatives == 0:
                    score = joined(problem.reward, score, common) if joins[place] else score
                    stay = score > other and score > joined(problem.reward, second, common)
            if t == half:
                early = lost
            if t == checkpoints[at]:
                trace[at, 0] = lost
                trace[at, 1] = lost + t * (problem.values[1] - problem.values[0])
                trace[at, 2] = lost + t * (problem.values[2] - problem.values[0])
                trace[at, 3] = bad / t
                trace[at, 4] = lost - early if t > half else 0.0
                trace[at, 5] = strange
                at += 1
    trace[:, 6] = fluid(problem, rules, horizon) if listed else np.nan
    return trace


@kernel
def place_of(own: np.ndarray, arm: int) -> int:
    """The super arm to which an arm of its own belongs."""
    for s in range(len(own)):
        for k in range(own.shape[1]):
            if own[s, k] == arm:
                return s
    return 0


@kernel
def fluid(problem: Problem, rules: Rules, horizon: int) -> float:
    """Regret of the algorithm without chance: every estimate is the mean, so that widths alone decide.

    The super arm of largest index is played on for a `BLOCK` of the reports of its least reported arm, one round at
    first. For one arm a super arm: within 3 % of the regret of the paper's widths.
    """
    means, arms = problem.means, len(problem.means)
    n, index, chosen = np.zeros(arms), np.ones(arms), np.empty(problem.size, np.int64)
    regret, t = 0.0, 0
    while t < horizon:
        if rules.anytime > 0.0:
            log_t = math.log(t + 1)
            for i in range(arms):
                if n[i] > 0.0:
                    index[i] = min(means[i] + math.sqrt(rules.anytime * log_t / n[i]), 1.0)
        count = choose(problem, problem.reward, index, chosen)
        fewest = 0
        for k in range(1, count):
            if n[chosen[k]] < n[chosen[fewest]]:
                fewest = k
        rounds = min(max(1, int(BLOCK * n[chosen[fewest]])), horizon - t)
        t += rounds
        regret += rounds * (problem.values[0] - mean_reward(problem, chosen, count))
        for k in range(fewest if rules.least else 0, fewest + 1 if rules.least else count):
            i = chosen[k]
            n[i] += rounds
            if rules.anytime == 0.0:
                index[i] = min(means[i] + width_of(n[i], rules.width), 1.0)
    return regret
