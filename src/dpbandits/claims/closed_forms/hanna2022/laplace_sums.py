"""Lemma 4 of Hanna et al.: sums of n Laplace variables with scale 1/b and coefficients of at most c.

All coefficients are set to c, which the lemma allows; b = c = 1 without loss of generality.
"""

import math

from scipy.special import gammaincc

from dpbandits.claims.closed_form_types import Numbers


def moment(rate: float) -> float:
    """E exp(rate z) for z ~ Lap(1)."""
    return 1.0 / (1.0 - rate * rate)


def tail(terms: int, deviation: float) -> float:
    """Exact P(z_1 + .. + z_n >= t) for independent z ~ Lap(1).

    The sum is the difference of two waiting times for n events each. If k events of the first kind have occurred when
    the second kind is complete, n - k events remain.
    """
    logs = [
        math.lgamma(terms + k) - math.lgamma(k + 1) - math.lgamma(terms) - (terms + k) * math.log(2.0)
        for k in range(terms)
    ]
    return math.fsum(math.exp(each) * float(gammaincc(terms - k, deviation)) for k, each in enumerate(logs))


def printed_tail(terms: int, deviation: float) -> float:
    """Bound of Lemma 4 on the probability of `tail`."""
    if deviation <= terms:
        return math.exp(-(deviation**2) / (2.0 * terms))
    return math.exp(0.5 * terms - deviation)


def moment_over_printed(rates: list[float]) -> Numbers:
    """Step (c): the moment generating function over its printed bound exp(rate^2 / 2), at rates in units of b/c."""
    return [
        (f"moment over its printed bound at rate {each:g} b/c", moment(each) / math.exp(0.5 * each**2))
        for each in rates
    ]


def tail_over_printed(terms: list[float], roots: list[float]) -> Numbers:
    """The tail at t = root sqrt(n) c/b over its printed bound."""
    return [
        (
            f"tail over its printed bound, n = {n:g}, t = {root:g} sqrt(n) c/b",
            tail(int(n), root * math.sqrt(n)) / printed_tail(int(n), root * math.sqrt(n)),
        )
        for n in terms
        for root in roots
    ]
