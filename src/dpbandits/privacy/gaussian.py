"""Exact privacy of the Gaussian mechanism: Balle and Wang, "Improving the Gaussian mechanism" (ICML 2018), Theorem 8.

Privacy depends only on mu = Delta / sd, where Delta is the l2 sensitivity. At epsilon eps the least delta is

    delta(eps; mu) = Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu),

which increases in mu and decreases in eps. Releases with mu_1, mu_2, ... compose to mu = sqrt(mu_1^2 + mu_2^2 + ...),
even if they are chosen adaptively.
"""

import math

from scipy import optimize, special

PRECISION = 1e-13  # relative precision of the solutions for mu and eps
LEAST_MU, MOST_MU = 1e-300, 1e8  # range of the search for mu; source: our choice


def gaussian_delta(mu: float, eps: float) -> float:
    """The least delta for which a Gaussian mechanism is (eps, delta)-DP.

    Let x = eps/mu - mu/2 and y = eps/mu + mu/2. The two terms share the factor e^(-x^2/2), because y^2 - x^2 = 2 eps.
    So delta = e^(-x^2/2) (erfcx(x/sqrt 2) - erfcx(y/sqrt 2)) / 2, which neither overflows nor loses digits for positive
    x. If x <= 0 and mu is small, delta = Phi(-x) - Phi(-y) - (e^eps - 1) Phi(-y) keeps the digits.

    Parameters
    ----------
    mu : sensitivity over standard deviation, >= 0. eps : epsilon, >= 0.
    """
    if mu == 0.0:
        return 0.0
    x, y = eps / mu - 0.5 * mu, eps / mu + 0.5 * mu
    if x < 0.0 and mu < 1.0:
        between = 0.5 * float(special.erf(y / math.sqrt(2.0)) - special.erf(x / math.sqrt(2.0)))
        return between - math.expm1(eps) * float(special.ndtr(-y))
    common, second = 0.5 * math.exp(-0.5 * x * x), float(special.erfcx(y / math.sqrt(2.0)))
    if x >= 0.0:
        return common * (float(special.erfcx(x / math.sqrt(2.0))) - second)
    return float(special.ndtr(-x)) - common * second


def gaussian_mu(eps: float, delta: float) -> float:
    """The largest mu for which a Gaussian mechanism is (`eps`, `delta`)-DP.

    Raises
    ------
    ValueError
        eps is negative, delta does not lie in (0, 1), or mu lies outside [LEAST_MU, MOST_MU].
    """
    if not (0.0 <= eps < math.inf and 0.0 < delta < 1.0):
        raise ValueError(f"Gaussian noise: eps must be >= 0 and finite, delta in (0, 1); got {eps}, {delta}")

    def excess(log_mu: float) -> float:
        return gaussian_delta(math.exp(log_mu), eps) - delta

    ends = math.log(LEAST_MU), math.log(MOST_MU)
    if excess(ends[0]) > 0.0 or excess(ends[1]) < 0.0:
        raise ValueError(f"Gaussian noise: eps {eps} and delta {delta} are too extreme to scale it")
    mu = math.exp(float(optimize.brentq(excess, *ends, xtol=PRECISION, rtol=PRECISION)))
    while gaussian_delta(mu, eps) > delta:  # the solution may be too large by up to the precision
        mu *= 1.0 - PRECISION
    return mu


def gaussian_eps(mu: float, delta: float) -> float:
    """The least epsilon for which a Gaussian mechanism is (eps, `delta`)-DP; 0 if it is (0, `delta`)-DP.

    Raises
    ------
    ValueError
        mu is negative or delta does not lie in (0, 1).
    """
    if not (0.0 <= mu < math.inf and 0.0 < delta < 1.0):
        raise ValueError(f"Gaussian mechanism: mu must be >= 0 and finite, delta in (0, 1); got {mu}, {delta}")

    def excess(eps: float) -> float:
        return gaussian_delta(mu, eps) - delta

    if excess(0.0) <= 0.0:
        return 0.0
    most = 0.5 * mu * mu - mu * float(special.ndtri(delta)) + PRECISION  # here the first term alone equals delta
    eps = float(optimize.brentq(excess, 0.0, max(most, PRECISION), xtol=PRECISION, rtol=PRECISION))
    while gaussian_delta(mu, eps) > delta:
        eps = eps * (1.0 + PRECISION) + PRECISION
    return eps
