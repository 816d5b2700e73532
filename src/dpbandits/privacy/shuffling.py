"""Upper bounds on the privacy loss of n shuffled reports, each eps0-LDP. docs/proofs/shuffling.md has the proofs.

They use the stronger clones of Feldman, McMillan and Talwar, "Stronger privacy amplification by shuffling for Renyi
and approximate differential privacy" (SODA 2023), summed numerically. C of the other n - 1 users send a clone of the
user's report: C ~ Bin(n - 1, q) with q = 2 / (e^eps0 + 1). The views of two neighbors are then no further apart than
the counts

    (A + 1, C - A) or (A, C - A + 1),  A ~ Bin(C, 1/2).

The odds of the first against the second are e^eps0 for one neighbor and e^-eps0 for the other.
"""

import functools
import math
from collections.abc import Callable

import numpy as np
from scipy import optimize, special

from dpbandits.privacy.amplification import local_budget
from dpbandits.privacy.gaussian import gaussian_delta, gaussian_eps, gaussian_mu

TAIL = 1e-13  # mass of C truncated on each side and added to the bound; source: our choice
MOST_GROUPS = 1000  # values of C bounded one by one; more are grouped, and a group's first value bounds the group
LARGEST_EPSILON = 300.0  # above it, shuffling proves nothing for any realistic number of reports
PRECISION = 1e-10  # of the solutions for epsilon
SMALLEST_STEP, LARGEST_STEP, STEPS = 1e-2, 30.0, 60  # grid of eps0 - eps, Gaussian reports; source: our choice
EVERY = 8  # step of the first pass over the grid; affects speed only
TINY = 1e-12  # computed differences of probabilities below this are rounding errors


def valid_range(n: int, delta: float) -> float:
    """Largest eps0 covered by the closed form's theorem, ln(n / (16 ln(2/delta))); negative if it covers none."""
    return math.log(n / (16.0 * math.log(2.0 / delta)))


def clone_share(local_eps: float) -> float:
    """Probability that another user's report is a clone, q = 2 / (e^eps0 + 1)."""
    return 2.0 * math.exp(-local_eps) / (1.0 + math.exp(-local_eps))


def clone_delta(eps: float, local_eps: float, n: int) -> float:
    """The least delta that the clones prove at epsilon `eps`, rounded up.

    Given C = c, the hockey-stick divergence is attained by all counts whose likelihood ratio exceeds e^eps, which are
    those from a threshold on. It does not increase with c, because one more clone is post-processing. Hence the
    smallest value of C bounds its group.

    Parameters
    ----------
    eps : epsilon after shuffling, >= 0. local_eps : epsilon of each report, > 0. n : number of reports, >= 1.
    """
    if local_eps <= eps:
        return 0.0
    clones, ends = _clone_groups(local_eps, n)
    mass = np.diff(1.0 - _tail(ends + 1.0, n - 1, clone_share(local_eps)), prepend=0.0)
    up = 1.0 / (1.0 + math.exp(-local_eps))
    down = math.exp(-local_eps) * up
    both = -math.expm1(-local_eps - eps)
    share = both / (both + math.exp(-eps) - math.exp(-local_eps))  # share of the counts at which the ratio is e^eps
    counts = np.ceil((clones + 1) * share)  # off by one through rounding at a ratio of e^eps, which adds nothing
    above = _tail(counts, clones, 0.5)  # P(A >= k)
    one_below = _tail(counts - 1, clones, 0.5)
    sticks = (up - math.exp(eps) * down) * one_below - (math.exp(eps) * up - down) * above
    return float(mass @ np.maximum(sticks, 0.0)) + 2.0 * TAIL + TINY


def _clone_groups(local_eps: float, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Smallest and largest value of each group of values of C; the first group also covers all smaller values."""
    p = clone_share(local_eps)
    spread = math.sqrt((n - 1) * p * (1.0 - p))
    reach = math.sqrt(-2.0 * math.log(TAIL))  # Chernoff bound
    low = max(0, math.floor((n - 1) * p - reach * spread - reach**2))
    high = min(n - 1, math.ceil((n - 1) * p + reach * spread + reach**2))
    groups = min(MOST_GROUPS, high - low + 1)
    starts = low + np.floor(np.arange(groups) * ((high - low + 1) / groups))
    return starts, np.append(starts[1:] - 1.0, n - 1.0)


def _tail(count: np.ndarray, n: np.ndarray | int, p: float) -> np.ndarray:
    """P(Bin(n, p) >= count), also for counts below 0 or above n; `bdtrc` loses digits beyond n = 1e6."""
    inside = (count > 0) & (count <= n)
    k, m = np.where(inside, count, 1.0), np.where(inside, n, 1.0)
    return np.where(inside, special.betainc(k, m - k + 1.0, p), np.where(count <= 0, 1.0, 0.0))


@functools.cache
def largest_local_budget(eps: float, n: int, delta: float) -> float:
    """The largest local epsilon of n shuffled reports for which (`eps`, `delta`)-DP is proven.

    The proof is without the shuffler (local epsilon `eps`), by the clones, or by their closed form within its range.

    Raises
    ------
    ValueError
        A budget is not positive, delta does not lie in (0, 1), or there is no report.
    """
    if not (eps > 0.0 and 0.0 < delta < 1.0 and n >= 1):
        raise ValueError(f"local epsilon: eps must be > 0, delta in (0, 1), n >= 1; got {eps}, {delta}, {n}")

    @functools.cache
    def excess(local_eps: float) -> float:
        return math.log1p((clone_delta(eps, local_eps, n) - delta) / delta)  # the sign is exact

    if eps > LARGEST_EPSILON:
        return eps
    closed_form = max(eps, min(local_budget(eps, n, delta), valid_range(n, delta)))
    low, high = closed_form * (1.0 + PRECISION), 2.0 * closed_form
    if excess(low) > 0.0:
        return closed_form
    while excess(high) <= 0.0:
        low, high = high, 2.0 * high
    found = float(optimize.brentq(excess, low, high, xtol=PRECISION, rtol=PRECISION))
    while excess(found) > 0.0:  # the solution may lie on the wrong side by the precision
        found = max(closed_form, found * (1.0 - PRECISION))
    return found


def failing_clone_delta(eps: float, local_eps: float, local_delta: float, n: int) -> float:
    """The least delta proven at epsilon `eps` for n shuffled reports, each (`local_eps`, `local_delta`)-DP.

    delta = clone_delta + (e^eps + 1) (1 + 2 (n - 1) e^-eps0 tanh(eps0 / 2)) delta0 (docs/proofs/shuffling.md, Theorem
    2). The factor of delta0 is smaller than (e^eps + 1) (1 + e^-eps0 / 2) n of Feldman et al. (FOCS 2021, Theorem 3.8).
    """
    if local_eps <= eps:
        return local_delta
    return clone_delta(eps, local_eps, n) + _cost(eps, local_eps, n) * local_delta


def shuffled_gaussian_delta(mu: float, eps: float, n: int) -> float:
    """The least delta proven at epsilon `eps` for n shuffled reports, each of a Gaussian mechanism with `mu`.

    The proof is without the shuffler, or by `failing_clone_delta` for any eps0 > eps, as a report is (eps0, delta0)-DP.
    """

    def proven(local_eps: float) -> float:
        return failing_clone_delta(eps, local_eps, gaussian_delta(mu, local_eps), n)

    def failing(local_eps: float) -> float:
        return _cost(eps, local_eps, n) * gaussian_delta(mu, local_eps)

    alone = gaussian_delta(mu, eps)
    return alone if eps > LARGEST_EPSILON else min(alone, _least(proven, eps, failing))


@functools.cache
def shuffled_gaussian_mu(eps: float, delta: float, n: int) -> float:
    """The largest mu of n shuffled reports of a Gaussian mechanism for which (`eps`, `delta`)-DP is proven.

    Every eps0 > eps proves one mu, as in `shuffled_gaussian_delta`; the best one of a grid is refined. The result is at
    least `gaussian_mu`, the value for a single report.

    Raises
    ------
    ValueError
        eps is not positive, delta does not lie in (0, 1), or there is no report.
    """
    if not (0.0 < eps < math.inf and 0.0 < delta < 1.0 and n >= 1):
        raise ValueError(
            f"shuffled Gaussian noise: eps must be finite and > 0, delta in (0, 1), n >= 1; got {eps}, {delta}, {n}"
        )

    def proven(local_eps: float) -> float:
        left = (delta - clone_delta(eps, local_eps, n)) / _cost(eps, local_eps, n)
        return gaussian_mu(local_eps, left) if left > TINY * delta else 0.0

    alone = gaussian_mu(eps, delta)
    return alone if eps > LARGEST_EPSILON else max(alone, -_least(lambda local_eps: -proven(local_eps), eps))


def shuffled_gaussian_eps(mu: float, delta: float, n: int) -> float:
    """The least epsilon proven at `delta` for n shuffled reports of a Gaussian mechanism with `mu`."""

    def excess(eps: float) -> float:
        return shuffled_gaussian_delta(mu, eps, n) - delta

    alone = gaussian_eps(mu, delta)
    if alone == 0.0 or excess(0.0) <= 0.0:
        return 0.0
    if excess(alone * (1.0 - PRECISION)) > 0.0:
        return alone
    eps = float(optimize.brentq(excess, 0.0, alone * (1.0 - PRECISION), xtol=PRECISION, rtol=PRECISION))
    while excess(eps) > 0.0:  # the solution may lie on the wrong side by the precision
        eps = min(alone, eps * (1.0 + PRECISION) + PRECISION)
    return eps


def _least(function: Callable[[float], float], eps: float, falling: Callable[[float], float] | None = None) -> float:
    """The minimum of a function of the local epsilon above `eps`: the best point of a grid, refined.

    The function may be the sum of a decreasing part, `falling`, which is cheap, and a part that does not decrease.
    """
    logs = np.log(np.geomspace(SMALLEST_STEP, LARGEST_STEP, STEPS))
    places = [eps + math.exp(each) for each in logs]
    values = _lowest(function, falling, places) if falling else np.array([function(each) for each in places])
    best = int(np.argmin(values))
    ends = logs[max(best - 1, 0)], logs[min(best + 1, STEPS - 1)]
    refined = optimize.minimize_scalar(lambda log_step: function(eps + math.exp(log_step)), bounds=ends)
    return float(min(values[best], refined.fun))


def _lowest(function: Callable[[float], float], falling: Callable[[float], float], places: list[float]) -> np.ndarray:
    """Values at the places; infinity where a lower bound, from the falling part there, already exceeds the minimum."""
    falls = np.array([falling(each) for each in places])
    values, rest = np.full(len(places), math.inf), np.zeros(len(places))
    untried, some = np.ones(len(places), dtype=bool), list(range(0, len(places), EVERY))
    while some:
        for k in some:
            values[k], untried[k] = function(places[k]), False
            rest[k] = values[k] - falls[k]
        beneath = np.where(untried, falls + np.maximum.accumulate(rest), math.inf)
        k = int(np.argmin(beneath))
        some = [k] if untried[k] and beneath[k] <= values.min() else []
    return values


def _cost(eps: float, local_eps: float, n: int) -> float:
    """The factor of delta0 in `failing_clone_delta`."""
    return (math.exp(eps) + 1.0) * (1.0 + 2.0 * (n - 1) * math.exp(-local_eps) * math.tanh(0.5 * local_eps))
