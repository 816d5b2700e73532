"""The bonus of the local algorithms of chen2020 against their noise: the probability that a mean exceeds it."""

import math

import numpy as np
from scipy import optimize, special

from dpbandits.claims.closed_form_types import Numbers


def local_width(horizon: float, eps: float, size: float, power: float) -> float:
    """The printed bonus times sqrt(n); `power` of K under the root, 1 as printed."""
    return 4.0 * math.sqrt(2.0 * size**power * math.log(horizon)) / eps


def failure_exponents(eps: list[float], size: list[float], power: float) -> Numbers:
    """The exponent e for which a mean of many reports exceeds the bonus with probability about T^-e (one-sided).

    Gaussian approximation: exp(-W^2 / (2 (v + 2 b^2))) with bonus W / sqrt(n), noise scale b = K / eps and reward
    variance v = 1/4. As printed, e = 64 K / (eps^2 + 8 K^2). LDP2 has K = 1.
    """
    return [
        (f"exponent of 1/T at K = {k:g}, eps = {each:g}", 64.0 * k**power / (each**2 + 8.0 * k**2))
        for each in eps
        for k in size
    ]


def exact_exponents(horizon: float, eps: list[float], size: list[float], reports: list[int], power: float) -> Numbers:
    """As `failure_exponents`, from the exact distribution of the mean of n reports with rewards of mean 1/2."""
    return [
        (
            f"exact exponent of 1/T at K = {k:g}, eps = {each:g} after {n} reports",
            -math.log(failure(n, k / each, local_width(horizon, each, k, power))) / math.log(horizon),
        )
        for each in eps
        for k in size
        for n in reports
    ]


def chernoff_exponents(
    horizon: float, eps: list[float], size: list[float], reports: list[int], power: float
) -> Numbers:
    """Lower bounds on the exponents of `exact_exponents`, by Chernoff's bound."""
    return [
        (
            f"proven exponent of 1/T at K = {k:g}, eps = {each:g} after {n} reports",
            log_failure_bound(n, k / each, local_width(horizon, each, k, power)) / -math.log(horizon),
        )
        for each in eps
        for k in size
        for n in reports
    ]


def failure(n: int, scale: float, width: float) -> float:
    """P(mean of n reports > 1/2 + `width` / sqrt(n)); reports are Bernoulli(1/2) + Lap(`scale`)."""
    ones = np.arange(n + 1)
    rest = (width * math.sqrt(n) - (ones - 0.5 * n)) / scale
    tails = laplace_sum_tail(n, np.abs(rest))
    return float(coins(n, ones) @ np.where(rest < 0.0, 1.0 - tails, tails))


def coins(n: int | np.ndarray, heads: np.ndarray) -> np.ndarray:
    """Probability of `heads` heads in n tosses of a fair coin."""
    ways = special.gammaln(np.add(n, 1)) - special.gammaln(heads + 1) - special.gammaln(n - heads + 1)
    chance: np.ndarray = np.exp(ways - math.log(2.0) * n)
    return chance


def laplace_sum_tail(n: int, x: np.ndarray) -> np.ndarray:
    """P(sum of n Lap(1) > x) for x >= 0.

    The sum is the difference of two sums of n exponentials. A fair coin decides which sum completes its next term. The
    second sum finishes first, with k terms of the first sum left, with the probability of n - k losses before n wins.
    What remains is Gamma(k).
    """
    lost = np.arange(n)
    found: np.ndarray = special.gammaincc(n - lost, x[:, None]) @ (0.5 * coins(n - 1 + lost, lost))
    return found


def log_failure_bound(n: int, scale: float, width: float) -> float:
    """Log of Chernoff's bound on `failure`; a report X has E exp(s (X - 1/2)) = cosh(s/2) / (1 - s^2 b^2)."""

    def bound(share: float) -> float:
        s = share / scale
        half = 0.5 * s
        log_cosh = half + math.log1p(math.exp(-s)) - math.log(2.0)
        return n * (log_cosh - math.log1p(-share * share)) - s * width * math.sqrt(n)

    least = optimize.minimize_scalar(bound, bounds=(0.0, 1.0), method="bounded", options={"xatol": 1e-12})
    return float(least.fun)


def bonus_in_sds(horizon: float, size: list[float]) -> Numbers:
    """The printed bonus of LDP1 in standard deviations of its noise, 4 sqrt(L / K), without the rewards' variance."""
    return [
        (
            f"bonus in standard deviations of the noise at K = {k:g}",
            local_width(horizon, 1.0, k, 1.0) / (math.sqrt(2.0) * k),
        )
        for k in size
    ]
