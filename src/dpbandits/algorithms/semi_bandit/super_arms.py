"""Choose the super arm of a semi-bandit algorithm, and decide whether it stays the same.

The oracle call is skipped while the super arm S of the last round is certain to be its answer. This is the case if
super arms are listed, no index is negative, and S has the strictly largest score. A round changes only the indices of
S; of the other scores, only the part of the common arms changes. Results equal those of a call in every round.

If an index is negative, the paper plays "any" super arm. There are three readings: RANDOM, a random super arm; LOWEST,
a random super arm that contains the arm with the lowest index; and RAISED, the oracle's answer for indices raised to 0.
Ties go to the first arm; environments list arms in random order.
"""

from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from dpbandits.base.jit import formula, kernel, round_step
from dpbandits.environments.combinatorial.oracles.listed import joined, largest, members, own_part, part
from dpbandits.environments.combinatorial.oracles.oracle import any_super_arm, choose, mean_reward
from dpbandits.environments.combinatorial.problem import LISTED, Problem

RANDOM, LOWEST, RAISED = range(3)


class Scores(NamedTuple):
    """Scores of listed super arms at the current indices; arrays are empty for other decision sets.

    Attributes
    ----------
    own : (super arms,) score of the base arms that only this super arm contains.
    common : (1,) score of the common base arms.
    gaps : (super arms,) regret of one round.
    """

    own: np.ndarray
    common: np.ndarray
    gaps: np.ndarray


class Choice(NamedTuple):
    """The super arm of a round.

    Attributes
    ----------
    size : number of base arms.
    place : position in the list, -1 if super arms are not listed.
    gap : regret of one round.
    by_oracle : whether no index was negative.
    rival, outsider : largest own score among the other super arms with the common arms, and among those without.
    """

    size: int
    place: int
    gap: float
    by_oracle: bool
    rival: float
    outsider: float


class Coin(NamedTuple):
    """A coin and its uniform draw in this round; base arms with the same coin share the draw."""

    name: int
    draw: float


NO_CHOICE = Choice(0, -1, 0.0, True, -np.inf, -np.inf)
NO_COIN = Coin(-1, 0.0)


@kernel
def first_scores(problem: Problem, mu_bar: np.ndarray) -> Scores:
    """The scores of all listed super arms."""
    S = np.empty(problem.size, np.int64)
    scores = Scores(np.empty(len(problem.own)), np.empty(1), np.empty(len(problem.own)))
    for s in range(len(problem.own)):
        scores.gaps[s] = problem.values[0] - mean_reward(problem, S, members(problem, s, S))
    rescore(problem, mu_bar, scores)
    return scores


@round_step
def rescore(problem: Problem, mu_bar: np.ndarray, scores: Scores) -> None:
    """Recompute the scores of all listed super arms."""
    for s in range(len(problem.own)):
        scores.own[s] = own_part(problem.reward, mu_bar, problem.own, s)
    scores.common[0] = part(problem.reward, mu_bar, problem.common)


@round_step
def oracle_choice(problem: Problem, mu_bar: np.ndarray, scores: Scores, before: Choice, S: np.ndarray) -> Choice:
    """Write the base arms of Oracle(mu_bar) to S and return the choice without rivals; S holds the choice `before`."""
    if problem.kind == LISTED:
        place = largest(problem.reward, scores.own, scores.common[0], problem.joins)
        count = before.size if place == before.place else members(problem, place, S)
        return Choice(count, place, scores.gaps[place], True, -np.inf, -np.inf)
    count = choose(problem, problem.reward, mu_bar, S)
    return Choice(count, -1, problem.values[0] - mean_reward(problem, S, count), True, -np.inf, -np.inf)


@round_step
def with_rivals(problem: Problem, scores: Scores, choice: Choice) -> Choice:
    """The choice with the largest scores of the other listed super arms filled in."""
    rival, outsider = -np.inf, -np.inf
    for s in range(len(scores.own)):
        if s != choice.place and problem.joins[s]:
            rival = max(rival, scores.own[s])
        elif s != choice.place:
            outsider = max(outsider, scores.own[s])
    return Choice(choice.size, choice.place, choice.gap, choice.by_oracle, rival, outsider)


@kernel
def choose_raised(problem: Problem, mu_bar: np.ndarray, S: np.ndarray) -> int:
    """Write the base arms of Oracle(max(mu_bar, 0)) to S; return their number."""
    return choose(problem, problem.reward, np.maximum(mu_bar, 0.0), S)


@round_step
def any_choice(
    rng: Generator, problem: Problem, mu_bar: np.ndarray, fallback: int, scores: Scores, S: np.ndarray
) -> Choice:
    """Write the base arms to play when an index is negative to S; `fallback` is RANDOM, LOWEST or RAISED."""
    if fallback == RAISED:
        count = choose_raised(problem, mu_bar, S)
    else:
        count = any_super_arm(rng, problem, np.argmin(mu_bar) if fallback == LOWEST else -1, S)
    if problem.kind == LISTED:
        place = place_of(problem.own, S[0])
        return Choice(count, place, scores.gaps[place], False, -np.inf, -np.inf)
    return Choice(count, -1, problem.values[0] - mean_reward(problem, S, count), False, -np.inf, -np.inf)


@round_step
def choose_super_arm(
    rng: Generator,
    problem: Problem,
    mu_bar: np.ndarray,
    negatives: int,
    fallback: int,
    scores: Scores,
    before: Choice,
    S: np.ndarray,
) -> Choice:
    """Write the base arms of Oracle(mu_bar) to S, or those of any super arm if an index is negative."""
    if negatives > 0:
        return any_choice(rng, problem, mu_bar, fallback, scores, S)
    return with_rivals(problem, scores, oracle_choice(problem, mu_bar, scores, before, S))


@round_step
def stays(problem: Problem, mu_bar: np.ndarray, negatives: int, scores: Scores, choice: Choice) -> bool:
    """Update the scores that a round has changed; return whether the oracle's answer certainly stays the same."""
    if problem.kind != LISTED:
        return False
    joins = problem.joins[choice.place]
    score = own_part(problem.reward, mu_bar, problem.own, choice.place)
    scores.own[choice.place] = score
    if joins and len(problem.common) > 0:
        scores.common[0] = part(problem.reward, mu_bar, problem.common)
    if negatives > 0 or not choice.by_oracle:
        return False
    common = scores.common[0]
    if joins:
        score = joined(problem.reward, score, common)
    return score > choice.outsider and score > joined(problem.reward, choice.rival, common)


@kernel
def place_of(own: np.ndarray, arm: int) -> int:
    """Position in the list of the super arm that alone contains this base arm."""
    for s in range(len(own)):
        for k in range(own.shape[1]):
            if own[s, k] == arm:
                return s
    return 0


@formula
def least_updated(n: np.ndarray, S: np.ndarray, count: int) -> int:
    """The first base arm of S with the fewest updates."""
    least = S[0]
    for k in range(1, count):
        if n[S[k]] < n[least]:
            least = S[k]
    return least


@round_step
def toss(rng: Generator, problem: Problem, i: int, coin: Coin) -> Coin:
    """The coin of base arm i; it is drawn unless the previous arm has the same coin."""
    return coin if problem.coins[i] == coin.name else Coin(problem.coins[i], rng.random())


@round_step
def outcome(problem: Problem, i: int, coin: Coin) -> float:
    """Outcome of base arm i, 0 or 1, with mean mu_i."""
    return 1.0 if coin.draw < problem.means[i] else 0.0


@round_step
def renew(mu_bar: np.ndarray, i: int, value: float) -> int:
    """Set mu_bar_i to min(`value`, 1); return the change in the number of negative indices."""
    clipped = min(value, 1.0)
    change = int(clipped < 0.0) - int(mu_bar[i] < 0.0)
    mu_bar[i] = clipped
    return change
