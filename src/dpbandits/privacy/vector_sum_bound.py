"""An upper bound on the epsilon of the shuffled vector sum (`vector_sum`) that holds for all neighbors.

The server sees, of every entry, B and the rounded value of one user, B ~ Bin(trials, p). Two users' values x and x + D
lie D = m + u apart, m whole and 0 <= u <= 1. Whatever the fraction of x, the two distributions are mixtures of these

    (B, B + m + Ber(u))  and  (B + Ber(1 - u), B + m + 1),

and so no farther apart than the farther of them. Their likelihood ratios increase, as B is log-concave: the best tests
are thresholds. A pair is dominated by a Gaussian pair with mean `mu` and, beside it, a mass `slack` that tells the
users apart, if no threshold has fewer errors than the Gaussian pair allows. `least_mu` is the least such mean.

Dominating pairs of entries make one of all entries [1]_. Gaussian pairs add up: mu^2 is the sum of those of the
entries, with `squared_mu` the most that it can be for entries whose distances have a bounded sum of squares.

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
DISTANCES, ROUGH = 2000, 300  # distances between entries that are followed, and those of a first look; our choice
BEST = 3  # of the first look, that are followed with all distances; our choice
SLACKS = (0.1, 0.03, 0.01, 3e-3, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8, 1e-10, 1e-12)  # the best one counts; our choice
SHARES = (0.3, 0.1, 0.03, 0.01, 0.003, 0.001, 0.0001)  # of delta, spent on slack: the best one counts; our choice
WORK = 1.5e6  # distances times thresholds that are followed, unless the distances are ROUGH; our choice
FOLLOWED = 1e7  # noise bits of an entry of which an epsilon or delta counts; more bits only help; our choice
MATRIX = 30_000  # parts times thresholds that are followed at once
ALMOST = 1e-9  # rounding of what a threshold asks for, of itself and beyond one
LOWEST = 5.0  # quantiles of the normal distribution below minus this one may be rounded by more
MOST_TRIALS = 1e10  # noise bits of an entry that are tried; our choice
FARTHEST = 1e9  # a mean that tells everything apart
ROUNDING = 1e-13  # by which probabilities of up to `FOLLOWED` bits may be too large: cut ends of the noise, and sums


@dataclass(frozen=True)
class Neighbors:
    """Which users are neighbors, as far as their entries go.

    Attributes
    ----------
    entries : that a user sends, k.
    distance : most by which two users' entries differ, l2, in units of the counts.
    most : most by which an entry differs.
    batches : in which a user takes part.
    """

    entries: int
    distance: float
    most: float
    batches: int = 1


def neighbors_of(
    dimension: int, sensitivity: float, granularity: float, bound: float = 1.0, batches: int = 1
) -> Neighbors:
    """Users whose features have this dimension and whose entries differ by at most `sensitivity`, l2.

    Parameters
    ----------
    granularity, bound : g and D.

    Raises
    ------
    ValueError
        `batches` is less than 1.
    """
    if batches < 1:
        raise ValueError(f"no bits for {batches} batches")
    scale = granularity / bound
    return Neighbors(entries(dimension), sensitivity * scale, 2.0 * granularity, batches)


def proven_delta(neighbors: Neighbors, trials: float, eps: float) -> float:
    """A delta with which the counts are (`eps`, delta)-DP: the least over `SLACKS`.

    Parameters
    ----------
    trials : noise bits of an entry and batch, n b.
    """

    def proven(slack: float, distances: int) -> float:
        mu = math.sqrt(squared_mu(neighbors, min(trials, FOLLOWED), slack, distances))
        return slack + (1.0 - slack) * gaussian_delta(mu, eps)

    return _least(proven, SLACKS)


def proven_eps(neighbors: Neighbors, trials: float, delta: float) -> float:
    """An epsilon with which the counts are (epsilon, `delta`)-DP: the least over `SHARES`; infinite without."""

    def proven(share: float, distances: int) -> float:
        slack = share * delta
        mu = math.sqrt(squared_mu(neighbors, min(trials, FOLLOWED), slack, distances))
        return gaussian_eps(mu, (delta - slack) / (1.0 - slack)) if mu < FARTHEST else math.inf

    return _least(proven, SHARES)


def _least(proven: Callable[[float, int], float], among: Sequence[float]) -> float:
    """The least that is proven, with all distances where few of them say that it may be the least.

    Nothing is less than 0, which ends the search.
    """
    rough: dict[float, float] = {}
    for each in among:
        rough[each] = proven(each, ROUGH)
        if rough[each] == 0.0:
            return 0.0
    return min(proven(each, DISTANCES) for each in sorted(rough, key=rough.__getitem__)[:BEST])


def proven_bits(neighbors: Neighbors, users: int, eps: float, delta: float) -> int:
    """The least number of noise bits of a user for an entry with which (`eps`, `delta`)-DP is proven.

    The best share of delta is found with few distances, the bits then with all of them. A share of which one bit less
    than the fewest so far is not enough is not the best.

    Raises
    ------
    ValueError
        eps is negative, delta is not in (0, 1), `users` is less than 1, or `MOST_TRIALS` are not enough.
    """
    if users < 1:
        raise ValueError(f"no bits for {users} users")
    spread = math.sqrt(neighbors.batches) * neighbors.distance / gaussian_mu(eps, delta)
    least = max(1, math.floor(spread**2 / (users * P * (1.0 - P))))

    def enough(bits: int, share: float, distances: int) -> bool:
        if users * bits > MOST_TRIALS:
            raise ValueError(f"no bits for eps {eps}, delta {delta}: more than {MOST_TRIALS:g} would be needed")
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
    """The least whole number from `start` on that is enough, found by growing steps and bisection."""
    low, high = start - 1, start
    while not enough(high):
        low, high = high, high + 2 * (high - low) + high // 50
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def squared_mu(neighbors: Neighbors, trials: float, slack: float, distances: int = DISTANCES) -> float:
    """mu^2 of a Gaussian pair that, with a mass `slack` beside it, dominates the counts of all neighbors.

    Every entry has its part of the slack. Entries D_1, ..., D_k with a sum of squares of at most `distance`^2 have at
    most k times what the least concave majorant of mu^2, as a function of D^2, has at the mean of the squares.
    """
    parts = neighbors.entries * neighbors.batches
    each = -math.expm1(math.log1p(-slack) / parts)
    squares, found = _by_distance(math.ceil(neighbors.most), trials, each, distances)
    mean = neighbors.distance**2 / neighbors.entries
    return parts * _concave_majorant(squares, found, mean)


def _by_distance(most: int, trials: float, slack: float, distances: int) -> tuple[Array, Array]:
    """Squares of distances from 0 on, and mu^2 for all distances between one and the next."""
    thresholds = len(_tails(trials, most + 2, slack).below)
    steps = math.ceil(min(distances, max(ROUGH, WORK / thresholds)) / most)
    return _by_steps(most, trials, slack, steps)


@functools.lru_cache(maxsize=1024)
def _by_steps(most: int, trials: float, slack: float, steps: int) -> tuple[Array, Array]:
    """As `_by_distance`, with so many steps between whole distances."""
    tails = _tails(trials, most + 2, slack)
    mus = np.concatenate([[0.0], *(least_mus(tails, m, steps) for m in range(most))])
    places = np.arange(most * steps) / steps
    return places**2, np.maximum(mus[1:], mus[:-1]) ** 2


@dataclass(frozen=True)
class _Tails:
    """Errors of thresholds t, whole numbers, for B and a `slack`, each over 1 - slack.

    Attributes
    ----------
    at_least, below : P(B >= t) and P(B < t), a few places beyond both ends of B as well.
    needs_at_least, needs_below : what they ask of the mean of a Gaussian pair, minus infinity where it is nothing.
    curves_at_least, curves_below : how what they ask for falls where the other user is nearer, (2, thresholds).
    rounding : by which the errors may be too large.
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
        """With so many places beyond; thresholds at which neither error can matter are left out."""
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
    """Quantiles of the normal distribution at 1 - errors, rounded up; minus infinity from 1 on."""
    needed = np.minimum(-special.ndtri(np.clip(errors - rounding, 0.0, 1.0)), FARTHEST)
    return np.where(errors < 1.0, needed, -math.inf)


def _curves(errors: Array, needs: Array) -> Array:
    """Fall and curvature of what each error asks for, on the way to the next error, which is larger.

    With a share 1 - u of the next error it asks for at most its need less (1 - u) (fall + u / 2 curvature), by Taylor:
    the second derivative of the quantile in the error, 2 pi z exp(z^2), grows with the quantile z, and counts where it
    is least, at the next error. Fall and curvature are 0 where that says nothing, or rounding may say anything.
    """
    needed, least = needs[:-1], np.maximum(needs[1:], -LOWEST)
    curvature = np.diff(errors) ** 2 * 2.0 * math.pi * least * np.exp(np.minimum(least, LOWEST) ** 2)
    falls = needed - least
    told = (needs[1:] > -LOWEST) & (needed < FARTHEST) & (curvature > -falls)
    return np.pad(np.where(told, [falls, curvature], 0.0), ((0, 0), (0, 1)))


def least_mu(tails: _Tails, whole: int, part: float) -> float:
    """The least mean of a Gaussian pair that, with a mass `slack`, dominates entries `whole` + `part` apart.

    A threshold with errors a and b of the two kinds asks for mu >= q(1 - a / (1 - slack)) + q(1 - b / (1 - slack)), q
    the quantile of the normal distribution, and for nothing where one error is 1 - slack or more. Between thresholds
    errors are linear, and what the pair allows is convex.

    Parameters
    ----------
    whole, part : m >= 0 and u in [0, 1].
    """
    return float(_asked(tails, whole, part, _shifts(tails, whole)).max(initial=0.0))


def least_mus(tails: _Tails, whole: int, steps: int) -> Array:
    """As `least_mu`, at the parts 1 / steps, 2 / steps, .., 1 at once, (steps,).

    At a part only those thresholds are tried of which `_curves` does not say that they ask for less than the two that
    ask for most at the parts 0 and 1.
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
    """The places of all thresholds for entries so far apart."""
    return np.arange(len(tails.below) - whole - 1)


def _asked(tails: _Tails, whole: int, part: Array | float, shifts: Array) -> Array:
    """What each threshold asks of the mean at its part, as `shifts`."""
    t = shifts + whole + 1
    second = _needs((1.0 - part) * tails.below[shifts + 1] + part * tails.below[shifts], tails.rounding)
    first = _needs(part * tails.at_least[t] + (1.0 - part) * tails.at_least[t - 1], tails.rounding)
    asked: Array = np.maximum(tails.needs_at_least[t] + second, first + tails.needs_below[shifts])
    return asked


def _concave_majorant(x: Array, y: Array, at: float) -> float:
    """The least concave function that is nowhere below the points and does not fall, at a place; 0 at 0 is a point."""
    hull = [(0.0, 0.0)]
    for point in zip(x.tolist(), np.maximum.accumulate(y).tolist(), strict=True):
        while len(hull) > 1 and _turns_up(hull[-2], hull[-1], point):
            hull.pop()
        hull.append(point)
    places, values = np.array(hull).T
    return float(np.interp(at, places, values))


def _turns_up(first: tuple[float, float], second: tuple[float, float], third: tuple[float, float]) -> bool:
    """Whether the way from the first to the third point does not pass below the second."""
    (x, y), (x2, y2), (x3, y3) = first, second, third
    return (y2 - y) * (x3 - x) <= (y3 - y) * (x2 - x)
