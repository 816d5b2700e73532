"""Exact skipping of rounds of lazy Thompson sampling in which the leader wins.

Between two releases, rounds are independent. Let arm i lead, and let a cut c lie between its p and those of its rivals.
A round is plain if theta_i >= c and theta_j < c for every rival j; then arm i is pulled. Any other round is of exactly
one of K ways: way i, theta_i < c; or way j, theta_i >= c, and j is the first rival with theta_j >= c.

In a stretch of rounds every p_j only grows. One exponential function therefore bounds the density of theta_i below c,
and that of theta_j above c, in all rounds of the stretch. It is the bound of `beta_distribution` with the p nearest to
c: p_i of the first round and p_j of the last. It uses the larger C of both rounds, as C has no maximum inside. Let r_j
be the mass of this bound beyond c, and r the sum of all r_j. Then

    1.  candidates occur with probability r per round, independently; rounds that are not candidates are plain;
    2.  a candidate is of way j with probability r_j / r, and x, the value of theta_j, is drawn from the exponential
    distribution;
    3.  it is accepted with probability (density of theta_j at x in this round) / (exponential function at x);
    4.  then the other arms are drawn as usual; if theta_i < c or theta_k >= c for a rival k < j, it is not of way j;
    5.  if it is, the largest theta wins; a candidate rejected in 3 or 4 is a plain round.

Way j with theta_j in dx thus has its exact probability. The only thing that is used about a plain round is that arm i
is pulled. `docs/proofs/thinning.md` derives how many rounds have to be drawn.

Line marks refer to `lazy_dp_ts`.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.shared.play import Play, decided, pull
from dpbandits.base.jit import formula, kernel
from dpbandits.numerics.beta import draw, log_density, log_peak, log_slope, standard_deviation
from dpbandits.numerics.kl import bernoulli_kl

# These constants affect only the time, not the distribution; all were found by timing.
OFTEN = 0.6  # candidates per round above which it is cheaper to draw every round
APART = 0.9  # standard deviations between p and the cut below which normal tails give more candidates than that
SHORT = 16  # for a stretch with fewer rounds the bounds are not worth computing
SLOW = 16  # a stretch after round t has t / SLOW rounds, in which ln t changes little; independent of the horizon


class Beliefs(NamedTuple):
    """State of the arms, each (arms,): m_j, c / (eps n_j), n_j, and the pulls left in the current batch."""

    noisy: np.ndarray
    bonus: np.ndarray
    n: np.ndarray
    left: np.ndarray


class Ways(NamedTuple):
    """The K ways in which a round of a stretch is not plain.

    Attributes
    ----------
    leader, cut, end : arm i, c, and the last round of the stretch.
    height, slope : (arms,) logarithm of the exponential function at c, and its slope.
    rate, total : (arms,) r_j, and r; infinite if skipping does not pay.
    """

    leader: int
    cut: float
    end: int
    height: np.ndarray
    slope: np.ndarray
    rate: np.ndarray
    total: float


@formula
def believed(beliefs: Beliefs, j: int, log_t: float) -> float:
    """p_j in the round with this ln t, L3 of `lazy_dp_ts`."""
    return min(1.0, max(0.0, beliefs.noisy[j] + beliefs.bonus[j] * log_t))  # L3


@kernel
def leader_and_cut(beliefs: Beliefs, first: float, last: float) -> tuple[int, float, float]:
    """The arm with the largest p, the cut, and the distance of the cut from its p in standard deviations.

    The cut is equally far, in their standard deviations, from the leader and its closest rival. `first` and `last` are
    ln t at the ends of the stretch.
    """
    n = beliefs.n
    i = 0
    for j in range(len(n)):
        if believed(beliefs, j, first) > believed(beliefs, i, first):
            i = j
    top = believed(beliefs, i, first)
    deviation, apart = standard_deviation(top, n[i]), math.inf
    for j in range(len(n)):
        if j != i:
            p = believed(beliefs, j, last)
            apart = min(apart, (top - p) / (deviation + standard_deviation(p, n[j])))
    return i, top - apart * deviation, apart


@kernel
def ways_of(beliefs: Beliefs, now: int) -> Ways:
    """The stretch that follows round `now`, with its ways."""
    n = beliefs.n
    arms = len(n)
    height, slope, rate = np.empty(arms), np.empty(arms), np.empty(arms)
    end = now + max(SHORT, now // SLOW)
    first, last = math.log(now + 1), math.log(end)
    i, cut, apart = leader_and_cut(beliefs, first, last)
    if apart < APART or beliefs.left[i] < SHORT:
        return Ways(i, cut, end, height, slope, rate, math.inf)
    end = min(end, now + beliefs.left[i])
    total = 0.0
    for j in range(arms):
        low, high = believed(beliefs, j, first), believed(beliefs, j, last)
        near = low if j == i else high
        height[j] = max(log_peak(low, n[j]), log_peak(high, n[j])) - n[j] * bernoulli_kl(near, cut)
        slope[j] = log_slope(cut, near, n[j])
        rate[j] = math.exp(height[j]) / abs(slope[j])
        total += rate[j]
    return Ways(i, cut, end, height, slope, rate, total if total < OFTEN else math.inf)


@kernel
def chosen(rng: Generator, rate: np.ndarray, total: float) -> int:
    """An arm with probability proportional to its rate."""
    rest, j = rng.random() * total, 0
    while j < len(rate) - 1 and rest >= rate[j]:
        rest -= rate[j]
        j += 1
    return j


@kernel
def winner(rng: Generator, beliefs: Beliefs, ways: Ways, j: int, x: float, log_t: float) -> int:
    """The arm pulled in a round whose candidate is of way j with theta_j = x, steps 4 and 5."""
    i, cut, n = ways.leader, ways.cut, beliefs.n
    best, largest, stands = j, x, True
    for k in range(len(n)):
        if k != j:
            theta = draw(rng, believed(beliefs, k, log_t), n[k])  # L3, L4
            if j != i and ((k == i and theta < cut) or (k != i and k < j and theta >= cut)):
                stands = False
                break
            if theta > largest:
                best, largest = k, theta
    return best if stands else i


@kernel
def candidate(rng: Generator, beliefs: Beliefs, ways: Ways, t: int) -> int:
    """The arm pulled in round t, which has a candidate, steps 2 to 5."""
    j, log_t = chosen(rng, ways.rate, ways.total), math.log(t)
    fallen = rng.standard_exponential()  # log-ratio of the exponential function at c to that at x
    x = ways.cut - fallen / ways.slope[j]
    if x <= 0.0 or x >= 1.0:
        return ways.leader
    bound = ways.height[j] - fallen
    if bound - rng.standard_exponential() > log_density(x, believed(beliefs, j, log_t), beliefs.n[j]):  # L3, L4
        return ways.leader
    return winner(rng, beliefs, ways, j, x, log_t)  # L5


@kernel
def skip_plain_rounds(rng: Generator, play: Play, beliefs: Beliefs, ways: Ways, now: int) -> tuple[int, int]:
    """Play the stretch, at most to the end of a batch or the horizon; return the last round played and its arm."""
    i, left, end = ways.leader, beliefs.left, min(ways.end, play.checkpoints[-1])
    each = -math.log1p(-ways.total)
    while now < end:
        decided(play)
        plain = end - now  # rounds before the next candidate, step 1
        if each > 0.0:
            plain = int(min(plain, rng.standard_exponential() / each))
        now = pull(play, i, plain, now)  # L5
        left[i] -= plain
        if now < end:
            arm = candidate(rng, beliefs, ways, now + 1)  # L3, L4, L5
            now = pull(play, arm, 1, now)
            left[arm] -= 1
            if left[arm] == 0:
                return now, arm
    return now, i
