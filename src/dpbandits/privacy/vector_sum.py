"""The shuffled vector sum P_Vec of Chowdhury and Zhou (arXiv 2202.05567), Algorithms 5 to 7, and its exact privacy.

A user holds k entries in [-D, D]: phi y, and phi phi' on and above the diagonal. An entry v is shifted and scaled to
(v + D) g / D and rounded at random to one of the two adjacent integers. The user sends that many ones, and b noise
bits, which are ones with probability p = 1/4. The shuffler groups bits by entry, so the server sees only the number of
ones of each entry: the sum of all n users' rounded values and Bin(n b, p). The analyzer subtracts p b n, multiplies by
D/g and subtracts n D.

Deviation from the paper: a shifted value reaches 2g, so a user sends 2g + b bits instead of g + b. No sum changes.

Two neighboring datasets differ in one user. The other users' rounding is independent noise. Ignoring it can only
increase divergences, and changes nothing if their entries are integer multiples of D/g. More noise bits decrease every
divergence, because one more bit is additional independent noise.
"""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from dp_accounting.pld.pld_pmf import PLDPmf
    from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution

Shift = tuple[int, float, float, tuple[float, ...]]
"""For one entry: first user's floor minus the second's, their probabilities of rounding up, and the other users'."""
P = 0.25  # probability that a noise bit is one; source: Theorem C.1
CONSTANT = 24e4  # in the number of bits; source: Theorem C.1
CONSTANT_RETURNING = 1e7  # in the number of bits with returning users; source: Theorem E.5
RELEASED_FULL = math.sqrt(12.0)
"""l2 sensitivity of (phi y, phi phi' on and above the diagonal) under replacement, for the authors' features (z, 1).

|z| = 1. The unit is the sd of a diagonal entry. The noise of the matrix is (N + N')/2, which halves the variances off
the diagonal. The pair z and -z gives 4 from the vector and 8 from the matrix.
"""
RELEASED_ONCE = math.sqrt(8.0)
"""As `RELEASED_FULL` if each entry on or above the diagonal is released once with the same noise: 4 + 4."""
TAIL = 1e-14  # truncated mass of the noise, added to the bounds; source: our choice
REACH = 8.5  # noise is kept within REACH sds + REACH^2 bits of its mean, mass outside below TAIL; source: our choice
FINENESS, FINEST = 40.0, 1000.0
"""Privacy losses are rounded to multiples of the sd of their sum divided by max(40 per entry, 1000). The rounding of
all entries then moves the sum by at most 1/80 of its sd on average. Source: our choice."""
MOST_TRIALS = 1e9  # noise bits of an entry that are computed exactly; more bits only help; source: our choice


def entries(dimension: int) -> int:
    """Number k of entries that a user sends, d + d (d + 1) / 2."""
    return dimension + dimension * (dimension + 1) // 2


def granularity_released(n: int, dimension: int) -> float:
    """g = max(2 sqrt n, d, 4) of Theorem C.1, not rounded, as in the authors' code."""
    return max(2.0 * math.sqrt(n), float(dimension), 4.0)


def granularity(n: int, dimension: int) -> float:
    """g of Theorem C.1, rounded up to an integer."""
    return float(math.ceil(granularity_released(n, dimension)))


def bits_printed(eps: float, delta: float, n: int, dimension: int) -> float:
    """b of Theorem C.1, rounded up: 24e4 g^2 ln^2(4 (d^2 + 1) / delta) / (eps^2 n)."""
    log_term = math.log(4.0 * (dimension**2 + 1) / delta)
    return float(math.ceil(CONSTANT * granularity(n, dimension) ** 2 * log_term**2 / (eps**2 * n)))


def bits_released(eps: float, delta: float, n: int, dimension: int, scale: float) -> float:
    """b of the authors' code, not rounded: scale g^2 ln^2(d / delta) / (eps^2 n); they tuned `scale`, 1 or 10."""
    return scale * (granularity_released(n, dimension) * math.log(dimension / delta) / eps) ** 2 / n


def bits_returning(eps: float, delta: float, n: int, dimension: int, horizon: float) -> float:
    """b of Theorem E.5, rounded up, if a user takes part in every batch of n rounds up to the horizon T.

    10^7 ln(2/delta) g^2 T ln^2(8 T (d^2 + 1) / (n delta)) / (eps^2 n^2).
    """
    log_term = math.log(8.0 * horizon * (dimension**2 + 1) / (n * delta))
    squares = (granularity(n, dimension) * log_term / (eps * n)) ** 2
    return float(math.ceil(CONSTANT_RETURNING * math.log(2.0 / delta) * squares * horizon))


def moments(values: np.ndarray, bits: float, granularity: float, bound: float = 1.0) -> tuple[float, float]:
    """Exact bias and variance of the analyzer's output for one entry.

    numpy truncates b to an integer when drawing Bin(b, p), but the analyzer subtracts p b n with the unrounded b.

    Parameters
    ----------
    values : (n,) the users' entries, in [-bound, bound].
    bits, granularity : b and g, not necessarily integers. bound : D.
    """
    n, sampled = len(values), math.floor(bits)
    scaled = (values + bound) * (granularity / bound)
    fractions = scaled - np.floor(scaled)
    unit = bound / granularity
    bias = unit * n * P * (sampled - bits)
    variance = unit**2 * (float(np.sum(fractions * (1.0 - fractions))) + n * sampled * P * (1.0 - P))
    return bias, variance


def variance_printed(n: int, bits: float, granularity: float, bound: float = 1.0) -> float:
    """Bound on the variance of an entry in the proof of Theorem C.1, (D/g)^2 (n + n b / 4)."""
    return (bound / granularity) ** 2 * (n + 0.25 * n * bits)


def user_entries(feature: np.ndarray, reward: float) -> np.ndarray:
    """The (k,) entries that a user sends: phi y, then phi phi' on and above the diagonal, row by row."""
    return np.concatenate([feature * reward, np.outer(feature, feature)[np.triu_indices(len(feature))]])


def worst_pair(dimension: int) -> tuple[np.ndarray, np.ndarray]:
    """Entries (k,) of two users at distance `sensitivities.JOINT_SENSITIVITY`, with rewards 1.

    The features are unit vectors at -15 and 105 degrees in a plane. Their cosine is -1/2, and their off-diagonal
    entries are equal.

    Raises
    ------
    ValueError
        The dimension is less than 2.
    """
    if dimension < 2:
        raise ValueError(f"vector sum: the dimension must be >= 2; got {dimension}")
    first, second = np.zeros(dimension), np.zeros(dimension)
    first[:2] = math.cos(math.pi / 12), -math.sin(math.pi / 12)
    second[:2] = first[1], first[0]
    return user_entries(first, 1.0), user_entries(second, 1.0)


def binomial(trials: float) -> np.ndarray:
    """Probabilities of Bin(trials, p) at all counts within reach of its mean, normalized; their ratios are exact."""
    mean = trials * P
    reach = REACH * math.sqrt(mean * (1.0 - P)) + REACH**2
    low, high = max(0, math.floor(mean - reach)), min(int(trials), math.ceil(mean + reach))
    x = np.arange(low, high, dtype=float)
    logs = np.concatenate([[0.0], np.cumsum(np.log((trials - x) / (x + 1.0) * (P / (1.0 - P))))])
    masses = np.exp(logs - logs.max())
    return masses / masses.sum()


def _directed(p: np.ndarray, q: np.ndarray, interval: float, upwards: bool) -> "PLDPmf":
    """Distribution of the losses ln(p/q) under p, rounded to multiples of `interval`; infinite where q is 0.

    The ends of p, with mass below TAIL, where the noise is truncated, count as infinite losses (upwards) or are
    ignored.
    """
    from dp_accounting.pld import pld_pmf

    both, infinite = (p > TAIL / len(p)) & (q > 0.0), float(p[q == 0.0].sum())
    steps = np.log(p[both] / q[both]) / interval
    steps = np.ceil(steps - 1e-9) if upwards else np.floor(steps + 1e-9)
    least = int(steps.min(initial=0.0))
    masses = np.bincount(steps.astype(int) - least, weights=p[both], minlength=1)
    infinite = min(1.0, infinite + 2.0 * TAIL) if upwards else max(0.0, infinite - TAIL)
    return pld_pmf.DensePLDPmf(interval, least, masses, infinite, upwards)


def _entry(shift: Shift, noise: np.ndarray, interval: float, upwards: bool) -> "PrivacyLossDistribution":
    """Privacy loss of one entry."""
    from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution

    whole, first, second, others = shift
    for chance in others:
        noise = np.convolve(noise, (1.0 - chance, chance))
    distributions = np.zeros((2, len(noise) + abs(whole) + 1))
    for distribution, start, chance in zip(
        distributions, (max(whole, 0), max(-whole, 0)), (first, second), strict=True
    ):
        distribution[start : start + len(noise)] += (1.0 - chance) * noise
        distribution[start + 1 : start + 1 + len(noise)] += chance * noise
    return PrivacyLossDistribution(
        *(_directed(p, q, interval, upwards) for p, q in (distributions, distributions[::-1]))
    )


def _rounding(values: np.ndarray, granularity: float, bound: float) -> tuple[np.ndarray, np.ndarray]:
    """The floor of each shifted and scaled entry, and the probability of rounding it up."""
    scaled = (values + bound) * (granularity / bound)
    floors = np.floor(scaled + 1e-9)
    return floors, np.round(np.maximum(scaled - floors, 0.0), 9)


def sums_loss(
    first: np.ndarray,
    second: np.ndarray,
    trials: float,
    granularity: float,
    bound: float = 1.0,
    others: np.ndarray | None = None,
    upwards: bool = True,
) -> "PrivacyLossDistribution":
    """Privacy loss distribution of the numbers of ones if one user holds `first` or `second`.

    Parameters
    ----------
    first, second : (k,) entries in [-bound, bound].
    trials : number of noise bits of an entry, an integer: n b after the shuffler, b for a single user.
    granularity, bound : g and D.
    others : (m, k) entries of other users whose rounding is included; None for the worst case.
    upwards : round losses up, which makes every divergence an upper bound; otherwise a lower bound.
    """
    from dp_accounting.pld import privacy_loss_distribution

    (a, f), (b, h) = (_rounding(values, granularity, bound) for values in (first, second))
    crowd = _rounding(np.zeros((0, len(first))) if others is None else others, granularity, bound)[1]
    moved = [
        (int(a[j] - b[j]), float(f[j]), float(h[j]), tuple(sorted(float(c) for c in crowd[:, j] if c > 0.0)))
        for j in range(len(first))
        if a[j] != b[j] or f[j] != h[j]
    ]
    if not moved:
        return privacy_loss_distribution.identity()
    trials = min(trials, MOST_TRIALS) if upwards else trials
    spread = math.sqrt(max(1.0, trials * P * (1.0 - P)))
    size = math.sqrt(sum((shift[0] + shift[1] - shift[2]) ** 2 + (shift[1] - shift[2]) ** 2 for shift in moved))
    interval, noise = size / spread / max(FINENESS * len(moved), FINEST), binomial(trials)
    total = None
    for shift in sorted(set(moved)):
        part = _entry(shift, noise, interval, upwards)
        if (
            part.get_delta_for_epsilon(math.inf) >= 1.0 - 4.0 * TAIL
        ):  # disjoint supports: more entries cannot increase the divergence
            return part
        part = part.self_compose(moved.count(shift), tail_mass_truncation=0.0)
        total = part if total is None else total.compose(part)
    assert total is not None
    return total


def sums_delta(
    first: np.ndarray, second: np.ndarray, eps: float, trials: float, granularity: float, **more: Any
) -> float:
    """The least delta at epsilon `eps` for two users, the larger of both orders; arguments as for `sums_loss`."""
    found = float(sums_loss(first, second, trials, granularity, **more).get_delta_for_epsilon(eps))
    return min(1.0, found) if more.get("upwards", True) else max(0.0, found - 4.0 * TAIL * len(first))


def sums_eps(
    first: np.ndarray, second: np.ndarray, delta: float, trials: float, granularity: float, **more: Any
) -> float:
    """The least epsilon at `delta` for two users, infinite if there is none; arguments as for `sums_loss`."""
    return float(sums_loss(first, second, trials, granularity, **more).get_epsilon_for_delta(delta))
