"""Upper bounds on the privacy of n shuffled reports, each eps0-LDP. docs/proofs/shuffling.md has the proofs.

By the stronger clones of Feldman, McMillan and Talwar, "Stronger privacy amplification by shuffling for Renyi and
approximate differential privacy" (SODA 2023), summed numerically. C of the other n - 1 users, C ~ Bin(n - 1, q) with
q = 2 / (e^eps0 + 1), send what the user could have sent. The views of two neighbors are then no further apart than the
counts

    (A + 1, C - A) or (A, C - A + 1),  A ~ Bin(C, 1/2), the first with odds e^eps0, against the same with odds e^-eps0.
"""

import functools
import math
from collections.abc import Callable

import numpy as np
from scipy import optimize, special

from dpbandits.privacy.amplification import local_budget
from dpbandits.privacy.gaussian import gaussian_delta, gaussian_eps, gaussian_mu

TAIL = 1e-13  # mass of C left out on either side, added to the bound; source: our choice
MOST_GROUPS = 1000  # values of C that are bounded one by one; more are grouped, each group bounded by its first value
LARGEST_EPSILON = 300.0  # beyond it shuffling proves nothing for any number of reports that there could be
PRECISION = 1e-10  # to which epsilons are solved for
SMALLEST_STEP, LARGEST_STEP, STEPS = 1e-2, 30.0, 60  # of epsilons of Gaussian reports above eps; source: our choice
EVERY = 8  # step of the grid that is tried first: for speed alone
TINY = 1e-12  # computed differences of probabilities below this are rounding


def valid_range(n: int, delta: float) -> float:
    """Largest eps0 that the closed form's theorem covers, ln(n / (16 ln(2/delta))); negative where it covers none."""
    return math.log(n / (16.0 * math.log(2.0 / delta)))


def clone_share(local_eps: float) -> float:
    """Probability that the report of another user is a clone, q = 2 / (e^eps0 + 1)."""
    return 2.0 * math.exp(-local_eps) / (1.0 + math.exp(-local_eps))


def clone_delta(eps: float, local_eps: float, n: int) -> float:
    """The least delta that the clones prove at epsilon `eps`, rounded upwards.

    Given C = c the hockey-stick divergence is attained where the likelihood ratio exceeds e^eps, at all counts from a
    threshold on; it does not grow with c, as one more clone is post-processing, so that a group of values of C is
    bounded by its smallest.

    Parameters
    ----------
    eps : epsilon after shuffling, >= 0. local_eps : of each report, > 0. n : reports, >= 1.
    """
    if local_eps <= eps:
        return 0.0
    clones, ends = _clone_groups(local_eps, n)
    mass = np.diff(1.0 - _tail(ends + 1.0, n - 1, clone_share(local_eps)), prepend=0.0)
    up = 1.0 / (1.0 + math.exp(-local_eps))
    down = math.exp(-local_eps) * up
    both = -math.expm1(-local_eps - eps)
    share = both / (both + math.exp(-eps) - math.exp(-local_eps))  # of the counts, where the ratio is e^eps
    counts = np.ceil((clones + 1) * share)  # one off by rounding: its ratio is e^eps, and it adds nothing
    above = _tail(counts, clones, 0.5)  # P(A >= k)
    one_below = _tail(counts - 1, clones, 0.5)
    sticks = (up - math.exp(eps) * down) * one_below - (math.exp(eps) * up - down) * above
    return float(mass @ np.maximum(sticks, 0.0)) + 2.0 * TAIL + TINY


def _clone_groups(local_eps: float, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Smallest and largest value of every group of values of C; the first group reaches down to 0."""
    p = clone_share(local_eps)
    spread = math.sqrt((n - 1) * p * (1.0 - p))
    reach = math.sqrt(-2.0 * math.log(TAIL))  # Chernoff: sub-Gaussian in units of the larger of the spreads
    low = max(0, math.floor((n - 1) * p - reach * spread - reach**2))
    high = min(n - 1, math.ceil((n - 1) * p + reach * spread + reach**2))
    groups = min(MOST_GROUPS, high - low + 1)
    starts = low + np.floor(np.arange(groups) * ((high - low + 1) / groups))
    return starts, np.append(starts[1:] - 1.0, n - 1.0)


def _tail(count: np.ndarray, n: np.ndarray | int, p: float) -> np.ndarray:
    """P(Bin(n, p) >= count), for counts below 0 and above n as well; `bdtrc` loses its digits beyond n = 1e6."""
    inside = (count > 0) & (count <= n)
    k, m = np.where(inside, count, 1.0), np.where(inside, n, 1.0)
    return np.where(inside, special.betainc(k, m - k + 1.0, p), np.where(count <= 0, 1.0, 0.0))


@functools.cache
def largest_local_budget(eps: float, n: int, delta: float) -> float:
    """The largest local epsilon that n shuffled reports may have for (`eps`, `delta`)-DP to be proven.

    Proven without the shuffler (the local epsilon is `eps`), by the clones, or by their closed form in its range.

    Raises
    ------
    ValueError
        A budget is not positive, delta does not lie in (0, 1), or there is no report.
    """
    if not (eps > 0.0 and 0.0 < delta < 1.0 and n >= 1):
        raise ValueError(f"no local budget for eps {eps}, delta {delta}, {n} reports")

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
    """The least delta that is proven at epsilon `eps` for n shuffled reports, each (`local_eps`, `local_delta`)-DP.

    delta = clone_delta + (e^eps + 1) (1 + 2 (n - 1) e^-eps0 tanh(eps0 / 2)) delta0 (docs/proofs/shuffling.md, Theorem
    2). The factor of delta0 is smaller than (e^eps + 1) (1 + e^-eps0 / 2) n of Feldman et al. (FOCS 2021, Theorem 3.8).
    """
    if local_eps <= eps:
        return local_delta
    return clone_delta(eps, local_eps, n) + _cost(eps, local_eps, n) * local_delta


def shuffled_gaussian_delta(mu: float, eps: float, n: int) -> float:
    """The least delta that is proven at epsilon `eps` for n shuffled reports, each of a Gaussian mechanism with `mu`.

    Proven without the shuffler, or for any eps0 > eps by `failing_clone_delta`: a report is (eps0, delta0)-DP.
    """

    def proven(local_eps: float) -> float:
        return failing_clone_delta(eps, local_eps, gaussian_delta(mu, local_eps), n)

    def failing(local_eps: float) -> float:
        return _cost(eps, local_eps, n) * gaussian_delta(mu, local_eps)

    alone = gaussian_delta(mu, eps)
    return alone if eps > LARGEST_EPSILON else min(alone, _least(proven, eps, failing))


@functools.cache
def shuffled_gaussian_mu(eps: float, delta: float, n: int) -> float:
    """The largest mu that n shuffled reports of a Gaussian mechanism may have for (`eps`, `delta`)-DP to be proven.

    Every eps0 > eps proves one mu, as in `shuffled_gaussian_delta`; the best of a grid is refined. Never less than what
    a single report may have, `gaussian_mu`.

    Raises
    ------
    ValueError
        eps is not positive, delta does not lie in (0, 1), or there is no report.
    """
    if not (0.0 < eps < math.inf and 0.0 < delta < 1.0 and n >= 1):
        raise ValueError(f"no shuffled Gaussian noise for eps {eps}, delta {delta}, {n} reports")

    def proven(local_eps: float) -> float:
        left = (delta - clone_delta(eps, local_eps, n)) / _cost(eps, local_eps, n)
        return gaussian_mu(local_eps, left) if left > TINY * delta else 0.0

    alone = gaussian_mu(eps, delta)
    return alone if eps > LARGEST_EPSILON else max(alone, -_least(lambda local_eps: -proven(local_eps), eps))


def shuffled_gaussian_eps(mu: float, delta: float, n: int) -> float:
    """The least epsilon that is proven at `delta` for n shuffled reports of a Gaussian mechanism with `mu`."""

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
    """The least value of a function of a local epsilon above `eps`: the best of a grid, refined around it.

    It may be the sum of a `falling` part, which costs little, and a part that does not fall.
    """
    logs = np.log(np.geomspace(SMALLEST_STEP, LARGEST_STEP, STEPS))
    places = [eps + math.exp(each) for each in logs]
    values = _lowest(function, falling, places) if falling else np.array([function(each) for each in places])
    best = int(np.argmin(values))
    ends = logs[max(best - 1, 0)], logs[min(best + 1, STEPS - 1)]
    refined = optimize.minimize_scalar(lambda log_step: function(eps + math.exp(log_step)), bounds=ends)
    return float(min(values[best], refined.fun))


def _lowest(function: Callable[[float], float], falling: Callable[[float], float], places: list[float]) -> np.ndarray:
    """Values at places, and infinity where the falling part there and the rest at a lower place exceed the least."""
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
    """Factor of delta0 in `failing_clone_delta`."""
    return (math.exp(eps) + 1.0) * (1.0 + 2.0 * (n - 1) * math.exp(-local_eps) * math.tanh(0.5 * local_eps))
