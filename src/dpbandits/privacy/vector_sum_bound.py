"""An upper bound on the epsilon of the shuffled vector sum (`vector_sum`) that holds for all neighbors.

For every entry the server sees the sum of B ~ Bin(trials, p) and one user's rounded value. Let two users' values x and
x + D differ by D = m + u, with m an integer and 0 <= u <= 1. For any fractional part of x, the two distributions are
mixtures of the pairs

    (B, B + m + Ber(u))  and  (B + Ber(1 - u), B + m + 1),

so their divergence is at most the larger divergence of these pairs. The likelihood ratios of the pairs increase, as B
is log-concave, so the best tests are thresholds. Consider a Gaussian pair with mean `mu`, mixed with a mass `slack` on
outputs that reveal the user. It dominates a pair if no threshold has smaller errors than it allows. `least_mu` is the
least such mean.

Dominating pairs of single entries compose to a dominating pair of all entries [1]_. For Gaussian pairs, mu^2 is the
sum over the entries. `squared_mu` is its maximum for entries whose squared distances have a bounded sum.

`docs/proofs/vector_sum.md` has the proof.

.. [1] Zhu, Dong and Wang, Optimal accounting of differential privacy via characteristic function, AISTATS 2022,
   Theorem 10.
"""

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from dpbandits.privacy.gaussian import gaussian_delta, gaussian_eps, gaussian_mu
from dpbandits.privacy.vector_sum import P, binomial, entries

Array = np.ndarray
DISTANCES, ROUGH = 2000, 300  # distances between entries in the full and in the rough search; our choice
BEST = 3  # candidates of the rough search that the full search refines; our choice
SLACKS = (0.1, 0.03, 0.01, 3e-3, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8, 1e-10, 1e-12)  # candidates, the best is used; our choice
SHARES = (0.3, 0.1, 0.03, 0.01, 0.003, 0.001, 0.0001)  # shares of delta for the slack, the best is used; our choice
WORK = 1.5e6  # limit on distances times thresholds in the full search; our choice
FOLLOWED = 1e7  # noise bits of an entry used for an epsilon or delta; more bits only help; our choice
MATRIX = 30_000  # parts times thresholds that are computed at once
ALMOST = 1e-9  # rounding error of a required mean, absolute and relative
LOWEST = 5.0  # normal quantiles below its negative may have larger rounding errors
MOST_TRIALS = 1e10  # largest number of noise bits of an entry in the search; our choice
FARTHEST = 1e9  # a mean that stands for perfect distinguishability
ROUNDING = 1e-13  # most that probabilities of up to `FOLLOWED` bits are too large, by truncated noise and summation


@dataclass(frozen=True)
class Neighbors:
    """Bounds on the entries of two neighboring users.

    Attributes
    ----------
    entries : k, the number of entries that a user sends.
    distance : largest l2 distance between two users' entries, in units of the counts.
    most : largest difference in one entry.
    batches : number of batches that a user takes part in.
    """

    entries: int
    distance: float
    most: float
    batches: int = 1


def neighbors_of(
    dimension: int, sensitivity: float, granularity: float, bound: float = 1.0, batches: int = 1
) -> Neighbors:
    """Neighbors with features of this dimension and entries at l2 distance at most `sensitivity`.

    Parameters
    ----------
    granularity, bound : g and D.

    Raises
    ------
    ValueError
        `batches` is less than 1.
    """
    if batches < 1:
        raise ValueError(f"noise bits: batches must be >= 1; got {batches}")
    scale = granularity / bound
    return Neighbors(entries(dimension), sensitivity * scale, 2.0 * granularity, batches)


def proven_delta(neighbors: Neighbors, trials: float, eps: float) -> float:
    """A delta for which the counts are (`eps`, delta)-DP, the least over `SLACKS`.

    Parameters
    ----------
    trials : n b, the noise bits per entry and batch.
    """

    def proven(slack: float, distances: int) -> float:
        mu = math.sqrt(squared_mu(neighbors, min(trials, FOLLOWED), slack, distances))
        return slack + (1.0 - slack) * gaussian_delta(mu, eps)

    return _least(proven, SLACKS)


def proven_eps(neighbors: Neighbors, trials: float, delta: float) -> float:
    """An epsilon for which the counts are (epsilon, `delta`)-DP, the least over `SHARES`; infinite if none."""

    def proven(share: float, distances: int) -> float:
        slack = share * delta
        mu = math.sqrt(squared_mu(neighbors, min(trials, FOLLOWED), slack, distances))
        return gaussian_eps(mu, (delta - slack) / (1.0 - slack)) if mu < FARTHEST else math.inf

    return _least(proven, SHARES)


def _least(proven: Callable[[float, int], float], among: Sequence[float]) -> float:
    """The least proven value: a rough search over all candidates, then a full search over the best ones.

    A value of 0 ends the search.
    """
    rough: dict[float, float] = {}
    for each in among:
        rough[each] = proven(each, ROUGH)
        if rough[each] == 0.0:
            return 0.0
    return min(proven(each, DISTANCES) for each in sorted(rough, key=rough.__getitem__)[:BEST])


def proven_bits(neighbors: Neighbors, users: int, eps: float, delta: float) -> int:
    """The least number of noise bits per user and entry for which (`eps`, `delta`)-DP is proven.

    The rough search finds the best share of delta, then the full search finds the bits. A share is skipped if it needs
    at least as many bits as the best share so far.

    Raises
    ------
    ValueError
        eps is negative, delta is not in (0, 1), `users` is less than 1, or `MOST_TRIALS` noise bits are not enough.
    """
    if users < 1:
        raise ValueError(f"noise bits: users must be >= 1; got {users}")
    spread = math.sqrt(neighbors.batches) * neighbors.distance / gaussian_mu(eps, delta)
    least = max(1, math.floor(spread**2 / (users * P * (1.0 - P))))

    def enough(bits: int, share: float, distances: int) -> bool:
        if users * bits > MOST_TRIALS:
            raise ValueError(f"noise bits: eps {eps} and delta {delta} need more than {MOST_TRIALS:g}")
        slack = share * delta
        allowed = gaussian_mu(eps, (delta - slack) / (1.0 - slack)) ** 2
        return squared_mu(neighbors, float(users * bits), slack, distances) <= allowed

    best, fewest = SHARES[0], math.inf
    for share in SHARES:
        rough = functools.partial(enough, share=share, distances=ROUGH)
        if fewest == math.inf or (fewest > least and rough(int(fewest) - 1)):
            best, fewest = share, _least_whole(rough, least)
    return _least_whole(functools.partial(enough, share=best, distances=DISTANCES), least)


def _least_whole(enough: Callable[[int], bool], start: int) -> int:
    """The least integer from `start` on that is enough, found by growing steps and bisection."""
    low, high = start - 1, start
    while not enough(high):
        low, high = high, high + 2 * (high - low) + high // 50
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def squared_mu(neighbors: Neighbors, trials: float, slack: float, distances: int = DISTANCES) -> float:
    """mu^2 of a Gaussian pair that, mixed with a mass `slack`, dominates the counts of all neighbors.

    Every entry gets its part of the slack. For entries D_1, ..., D_k with a sum of squares of at most `distance`^2,
    mu^2 is at most k times the least concave majorant of mu^2, as a function of D^2, at the mean square.
    """
    parts = neighbors.entries * neighbors.batches
    each = -math.expm1(math.log1p(-slack) / parts)
    squares, found = _by_distance(math.ceil(neighbors.most), trials, each, distances)
    mean = neighbors.distance**2 / neighbors.entries
    return parts * _concave_majorant(squares, found, mean)


def _by_distance(most: int, trials: float, slack: float, distances: int) -> tuple[Array, Array]:
    """Squares of distances, from 0 on, and the largest mu^2 between each distance and the next."""
    thresholds = len(_tails(trials, most + 2, slack).below)
    steps = math.ceil(min(distances, max(ROUGH, WORK / thresholds)) / most)
    return _by_steps(most, trials, slack, steps)


@functools.lru_cache(maxsize=1024)
def _by_steps(most: int, trials: float, slack: float, steps: int) -> tuple[Array, Array]:
    """As `_by_distance`, with `steps` steps between integer distances."""
    tails = _tails(trials, most + 2, slack)
    mus = np.concatenate([[0.0], *(least_mus(tails, m, steps) for m in range(most))])
    places = np.arange(most * steps) / steps
    return places**2, np.maximum(mus[1:], mus[:-1]) ** 2


@dataclass(frozen=True)
class _Tails:
    """Error probabilities of integer thresholds t for B and a `slack`, each divided by 1 - slack.

    Attributes
    ----------
    at_least, below : P(B >= t) and P(B < t), including a few thresholds beyond both ends of B.
    needs_at_least, needs_below : their terms in the required mean of a Gaussian pair; minus infinity if none is
        required.
    curves_at_least, curves_below : how these terms decrease as the other user comes nearer, (2, thresholds).
    rounding : most that the errors are too large.
    """

    at_least: Array
    below: Array
    needs_at_least: Array
    needs_below: Array
    curves_at_least: Array
    curves_below: Array
    rounding: float

    @classmethod
    def of(cls, trials: float, margin: int, slack: float) -> "_Tails":
        """Tails with `margin` thresholds beyond each end; thresholds that cannot matter are left out."""
        masses = binomial(trials)
        at_least = np.pad(np.cumsum(masses[::-1])[::-1], margin, constant_values=(1.0, 0.0))
        below = np.pad(np.append(0.0, np.cumsum(masses[:-1])), margin, constant_values=(0.0, 1.0))
        start, last = np.argmax(at_least < 1.0 - slack), np.flatnonzero(below < 1.0 - slack)[-1]
        kept = slice(max(0, start - margin), min(len(below), last + margin + 1))
        first, second = at_least[kept] / (1.0 - slack), below[kept] / (1.0 - slack)
        rounding = ROUNDING * max(1.0, math.sqrt(trials / FOLLOWED))
        needs = _needs(first, rounding), _needs(second, rounding)
        curves = _curves(first[::-1], needs[0][::-1])[:, ::-1], _curves(second, needs[1])
        return cls(first, second, *needs, *curves, rounding)


_tails = functools.lru_cache(maxsize=16)(_Tails.of)


def _needs(errors: Array, rounding: float) -> Array:
    """Normal quantiles at 1 - errors, rounded up; minus infinity for errors of 1 or more."""
    needed = np.minimum(-special.ndtri(np.clip(errors - rounding, 0.0, 1.0)), FARTHEST)
    return np.where(errors < 1.0, needed, -math.inf)


def _curves(errors: Array, needs: Array) -> Array:
    """Fall and curvature of the term of each error, on the way to the next, larger error.

    With a share 1 - u of the next error, the term is at most its value less (1 - u) (fall + u / 2 curvature). This
    follows from Taylor's theorem: the second derivative of the quantile in the error, 2 pi z exp(z^2), increases in the
    quantile z and is used where it is least, at the next error. Fall and curvature are 0 where the bound is void or
    unreliable by rounding.
    """
    needed, least = needs[:-1], np.maximum(needs[1:], -LOWEST)
    curvature = np.diff(errors) ** 2 * 2.0 * math.pi * least * np.exp(np.minimum(least, LOWEST) ** 2)
    falls = needed - least
    told = (needs[1:] > -LOWEST) & (needed < FARTHEST) & (curvature > -falls)
    return np.pad(np.where(told, [falls, curvature], 0.0), ((0, 0), (0, 1)))


def least_mu(tails: _Tails, whole: int, part: float) -> float:
    """The least mean of a Gaussian pair that, with a mass `slack`, dominates entries at distance `whole` + `part`.

    A threshold with error probabilities a and b requires mu >= q(1 - a / (1 - slack)) + q(1 - b / (1 - slack)), where q
    is the normal quantile, and nothing if a or b is at least 1 - slack. Between thresholds the errors are linear and
    the Gaussian pair's trade-off curve is convex, so thresholds suffice.

    Parameters
    ----------
    whole, part : m >= 0 and u in [0, 1].
    """
    return float(_asked(tails, whole, part, _shifts(tails, whole)).max(initial=0.0))


def least_mus(tails: _Tails, whole: int, steps: int) -> Array:
    """`least_mu` at the parts 1 / steps, 2 / steps, .., 1, (steps,).

    A threshold is skipped at a part if `_curves` shows that it requires less there than the two thresholds that require
    most at the parts 0 and 1.
    """
    shifts, found = _shifts(tails, whole), np.zeros(steps)
    last = tails.needs_at_least[whole + 1 :] + tails.needs_below[: shifts.size]
    found[-1] = last.max(initial=0.0)
    if steps == 1:
        return found
    curves = tails.curves_at_least[:, whole + 1 :], tails.curves_below[:, : shifts.size]
    falls = np.minimum(curves[0][0], curves[1][0])
    largest = [int(np.argmax(np.where(falls > 0.0, asked, -math.inf))) for asked in (last - falls, last)]
    for some in np.array_split(np.arange(steps - 1), math.ceil(steps * shifts.size / MATRIX)):
        u = (some[:, np.newaxis] + 1) / steps
        known = _asked(tails, whole, u, shifts[largest]).max(axis=1, keepdims=True, initial=0.0)
        less = np.minimum(*((1.0 - u) * (fall + u / 2.0 * curvature) for fall, curvature in curves))
        rows, places = np.nonzero(last - less >= known - ALMOST * (1.0 + known))
        np.maximum.at(known[:, 0], rows, _asked(tails, whole, u[rows, 0], shifts[places]))
        found[some] = known[:, 0]
    return found


def _shifts(tails: _Tails, whole: int) -> Array:
    """The indices of all thresholds for entries at this distance."""
    return np.arange(len(tails.below) - whole - 1)


def _asked(tails: _Tails, whole: int, part: Array | float, shifts: Array) -> Array:
    """The mean that each threshold requires at its part, shaped as `shifts`."""
    t = shifts + whole + 1
    second = _needs((1.0 - part) * tails.below[shifts + 1] + part * tails.below[shifts], tails.rounding)
    first = _needs(part * tails.at_least[t] + (1.0 - part) * tails.at_least[t - 1], tails.rounding)
    asked: Array = np.maximum(tails.needs_at_least[t] + second, first + tails.needs_below[shifts])
    return asked


def _concave_majorant(x: Array, y: Array, at: float) -> float:
    """The least nondecreasing concave function above the points and (0, 0), evaluated at `at`."""
    hull = [(0.0, 0.0)]
    for point in zip(x.tolist(), np.maximum.accumulate(y).tolist(), strict=True):
        while len(hull) > 1 and _turns_up(hull[-2], hull[-1], point):
            hull.pop()
        hull.append(point)
    places, values = np.array(hull).T
    return float(np.interp(at, places, values))


def _turns_up(first: tuple[float, float], second: tuple[float, float], third: tuple[float, float]) -> bool:
    """Whether the line from the first to the third point passes on or above the second."""
    (x, y), (x2, y2), (x3, y3) = first, second, third
    return (y2 - y) * (x3 - x) <= (y3 - y) * (x2 - x)
