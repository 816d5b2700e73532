"""Privacy amplification by shuffling.

The closed form of Feldman, McMillan and Talwar, "Hiding among the clones" (FOCS 2021), as printed by Hanna et al.
(arXiv 2207.03445, Section 5): n reports, each eps0-LDP and permuted at random, are (f(eps0), delta)-DP with

    f(x) = ln( 1 + (e^x - 1)/(e^x + 1) * ( 8 sqrt(e^x ln(4/delta)) / sqrt(n) + 8 e^x / n ) ).

The theorem covers only eps0 <= ln(n / (16 ln(2/delta))); these functions evaluate the formula for every x.
"""

import math

from dpbandits.base.jit import formula

HALVINGS = 100


@formula
def amplified(local_eps: float, n: int, delta: float) -> float:
    """f(local_eps), computed in logarithms so that no local_eps overflows.

    Parameters
    ----------
    local_eps : epsilon of each report, >= 0.
    n : number of reports, >= 1.
    delta : in (0, 1).
    """
    if local_eps == 0.0:
        return 0.0
    root = math.log(8.0) + 0.5 * (local_eps + math.log(math.log(4.0 / delta)) - math.log(n))
    linear = math.log(8.0) + local_eps - math.log(n)
    s = max(root, linear) + math.log1p(math.exp(-abs(root - linear))) + math.log(math.tanh(0.5 * local_eps))
    return s + math.log1p(math.exp(-s)) if s > 0.0 else math.log1p(math.exp(s))


@formula
def local_budget(eps: float, n: int, delta: float) -> float:
    """The local epsilon x with f(x) = `eps`, found by doubling and bisection, as f is increasing.

    Parameters
    ----------
    eps : epsilon after shuffling, > 0.
    n, delta : as in `amplified`.
    """
    low, high = 0.0, 1.0
    while amplified(high, n, delta) < eps:
        low, high = high, 2.0 * high
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if middle <= low or middle >= high:
            break
        if amplified(middle, n, delta) < eps:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)
