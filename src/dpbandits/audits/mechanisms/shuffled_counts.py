"""Privacy lower bounds from the number of n shuffled reports above a threshold; the user's reward is 1 or -1.

All other rewards are -1. The number of reports of at least 1 - x scale is N = Bin(n - 1, p0) + Bern(p0 or p1), with
p0 = e^(x - 2/scale) / 2 and p1 = 1 - e^-x / 2. The events N >= k point to 1 and the events N < k to -1: if reports near
1 are rare, seeing none is about e^x times as likely without the user's report. These events are the best, because the
likelihood ratio increases with N.
"""

import functools
import math
from collections.abc import Callable

import numpy as np
from scipy import optimize, special

from dpbandits.audits.release import Array

RANGE = 2.0  # largest difference of two rewards in [-1, 1]
NEAR, STEP = 0.125, 0.5  # between thresholds, in scales: within 1 scale below 1, and further down; source: our choice
FEW = 30.0  # mean number of others above the lowest threshold; with more, seeing none has negligible probability
SPREADS = 9.0  # counts beyond this many standard deviations have negligible mass
PRECISION = 1e-10  # of the solutions for epsilon
ROUNDING = 1e-12  # computed differences of probabilities below this are set to 0


def thresholds(scale: float, n: int) -> Array:
    """The thresholds that are tried, as x in scales below 1; never below -1."""
    deepest = min(0.0, math.log(2.0 * FEW / n)) + RANGE / scale
    x = np.concatenate([np.arange(0.0, 1.0, NEAR), np.arange(1.0, max(1.0, deepest), STEP)])
    return x[x < RANGE / scale]


def crowd_share(scale: float, x: float) -> float:
    """p0, the probability that another user's report exceeds the threshold."""
    return 0.5 * math.exp(x - RANGE / scale)


def user_share(x: float) -> float:
    """p1, the probability that the report of reward 1 exceeds the threshold."""
    return 1.0 - 0.5 * math.exp(-x)


def reach(scale: float, n: int, x: float) -> Array:
    """The numbers of others above the threshold with non-negligible mass."""
    mean = (n - 1) * crowd_share(scale, x)
    spread = SPREADS * (math.sqrt(mean) + 1.0)
    return np.arange(max(0, math.floor(mean - spread)), min(n - 1, math.ceil(mean + spread)) + 1)


@functools.lru_cache(maxsize=32)
def events(scale: float, n: int) -> tuple[Array, Array, Array]:
    """Events of all thresholds: probability on the input they point to and on the other input, and the threshold."""
    found = []
    for x in thresholds(scale, n):
        p0, p1, others = crowd_share(scale, x), user_share(x), reach(scale, n, x)
        above, below = tails(n - 1, p0, np.append(others, others[-1] + 1.0))  # at k - 1, k, ...
        places = np.full(len(others), x)
        at_least = [p * above[:-1] + (1.0 - p) * above[1:] for p in (p1, p0)]
        fewer = [p * below[:-1] + (1.0 - p) * below[1:] for p in (p0, p1)]
        found += [(*at_least, places), (*fewer, places)]
    likely, unlikely, where = (np.concatenate(each) for each in zip(*found, strict=True))
    return likely, unlikely, where


def tails(n: int, p: float, k: Array) -> tuple[Array, Array]:
    """P(Bin(n, p) >= k) and P(Bin(n, p) < k) for k = 0 .. n + 1."""
    inside = (k > 0) & (k <= n)
    a, b = np.where(inside, k, 1.0), np.where(inside, n - k + 1.0, 1.0)
    above, below = special.betainc(a, b, p), special.betaincc(a, b, p)
    return np.where(inside, above, k <= 0), np.where(inside, below, k > n)


def epsilons(scale: float, n: int, delta: float) -> tuple[Array, Array]:
    """The epsilon that every event shows at `delta`, and its threshold."""
    likely, unlikely, places = events(scale, n)
    usable = (likely > delta + ROUNDING) & (unlikely > 0.0)
    return np.log((likely[usable] - delta) / unlikely[usable]), places[usable]


def epsilon(scale: float, n: int, delta: float) -> float:
    """The largest epsilon at `delta` that a count shows."""
    return max(0.0, float(np.max(epsilons(scale, n, delta)[0], initial=0.0)))


def best_threshold(scale: float, n: int, delta: float) -> float:
    """The threshold whose count shows the largest epsilon at `delta`."""
    found, places = epsilons(scale, n, delta)
    return float(places[np.argmax(found)])


def excess(scale: float, n: int, eps: float) -> float:
    """The largest delta at `eps` that a count shows; 0 if below 1e-12."""
    likely, unlikely, _ = events(scale, n)
    found = float(np.max(likely - math.exp(eps) * unlikely))
    return found if found > ROUNDING else 0.0


@functools.lru_cache(maxsize=32)
def distributions(scale: float, n: int) -> tuple[tuple[Array, Array], ...]:
    """Distributions of the count of every threshold, on input 1 and input 0."""
    found = []
    for x in thresholds(scale, n):
        k, p0 = reach(scale, n, x), crowd_share(scale, x)
        ways = special.gammaln(n) - special.gammaln(k + 1.0) - special.gammaln(n - k)
        others = np.exp(ways + k * math.log(p0) + (n - 1 - k) * math.log1p(-p0))
        same, more = np.append(others, 0.0), np.append(0.0, others)
        found.append((user_share(x) * more + (1.0 - user_share(x)) * same, p0 * more + (1.0 - p0) * same))
    return tuple(found)


def excess_of_distributions(scale: float, n: int, eps: float) -> float:
    """As `excess`, by the largest hockey-stick divergence of the count distributions, in both orders."""
    found = max(divergence(p, q, eps) for pair in distributions(scale, n) for p, q in (pair, pair[::-1]))
    return found if found > ROUNDING else 0.0


def epsilon_of_distributions(scale: float, n: int, delta: float) -> float:
    """As `epsilon`, by solving for the epsilon at which that divergence equals `delta`."""
    found = 0.0
    for pair in distributions(scale, n):
        for p, q in (pair, pair[::-1]):
            if divergence(p, q, found) > delta + ROUNDING:
                found = solved(functools.partial(divergence, p, q), delta, found, RANGE / scale)
    return found


def divergence(first: Array, second: Array, eps: float) -> float:
    """Hockey-stick divergence of two distributions."""
    return float(np.maximum(first - math.exp(eps) * second, 0.0).sum())


def solved(excess: Callable[[float], float], delta: float, least: float, most: float) -> float:
    """The epsilon between `least` and `most` at which a decreasing divergence equals `delta`."""
    if excess(least) <= delta:
        return least
    if excess(most * (1.0 - PRECISION)) >= delta:
        return most
    return float(optimize.brentq(lambda eps: excess(eps) - delta, least, most, xtol=PRECISION))
