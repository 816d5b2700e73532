"""The Gaussian mechanism, exactly: Balle and Wang, "Improving the Gaussian mechanism" (ICML 2018), Theorem 8.

Only mu = Delta / sd counts, Delta the l2 sensitivity. At epsilon eps the least delta is

    delta(eps; mu) = Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu),

increasing in mu and decreasing in eps. Releases with mu_1, mu_2, ... have together mu = sqrt(mu_1^2 + mu_2^2 + ...),
even where each is chosen after the others were seen.
"""

import math

from scipy import optimize, special

PRECISION = 1e-13  # relative, to which mu and eps are solved for
LEAST_MU, MOST_MU = 1e-300, 1e8  # between which mu is looked for; source: our choice


def gaussian_delta(mu: float, eps: float) -> float:
    """The least delta with which a Gaussian mechanism is (eps, delta)-DP.

    With x = eps/mu - mu/2 and y = eps/mu + mu/2 the two terms share the factor e^(-x^2/2), as y^2 - x^2 = 2 eps: so
    delta = e^(-x^2/2) (erfcx(x/sqrt 2) - erfcx(y/sqrt 2)) / 2, which neither overflows nor loses its digits where x is
    positive. Where it is not and mu is small, delta = Phi(-x) - Phi(-y) - (e^eps - 1) Phi(-y) keeps them.

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
    """The largest mu with which a Gaussian mechanism is (`eps`, `delta`)-DP.

    Raises
    ------
    ValueError
        eps is negative, delta does not lie in (0, 1), or mu lies outside of what is looked for.
    """
    if not (0.0 <= eps < math.inf and 0.0 < delta < 1.0):
        raise ValueError(f"no Gaussian noise for eps {eps}, delta {delta}")

    def excess(log_mu: float) -> float:
        return gaussian_delta(math.exp(log_mu), eps) - delta

    ends = math.log(LEAST_MU), math.log(MOST_MU)
    if excess(ends[0]) > 0.0 or excess(ends[1]) < 0.0:
        raise ValueError(f"no Gaussian noise for eps {eps}, delta {delta}")
    mu = math.exp(float(optimize.brentq(excess, *ends, xtol=PRECISION, rtol=PRECISION)))
    while gaussian_delta(mu, eps) > delta:  # the solution may lie on the wrong side by the precision
        mu *= 1.0 - PRECISION
    return mu


def gaussian_eps(mu: float, delta: float) -> float:
    """The least epsilon at which a Gaussian mechanism is (eps, `delta`)-DP; 0 where delta alone covers it.

    Raises
    ------
    ValueError
        mu is negative or delta does not lie in (0, 1).
    """
    if not (0.0 <= mu < math.inf and 0.0 < delta < 1.0):
        raise ValueError(f"no epsilon for mu {mu}, delta {delta}")

    def excess(eps: float) -> float:
        return gaussian_delta(mu, eps) - delta

    if excess(0.0) <= 0.0:
        return 0.0
    most = 0.5 * mu * mu - mu * float(special.ndtri(delta)) + PRECISION  # there the first term alone is delta
    eps = float(optimize.brentq(excess, 0.0, max(most, PRECISION), xtol=PRECISION, rtol=PRECISION))
    while gaussian_delta(mu, eps) > delta:
        eps = eps * (1.0 + PRECISION) + PRECISION
    return eps
