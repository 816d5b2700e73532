"""The regret of CUCB-LDP2 against the lower bounds of chen2020, to leading order in ln T."""

import math

from dpbandits.claims.closed_form_types import Numbers
from dpbandits.theory.semi_bandit_lower_bounds import bernoulli_lower_bound, channel_lower_bound, local_lower_bound


def squared_loss_over_eps(eps: list[float]) -> Numbers:
    """Theorems 5 and 6: (e^eps - 1)^2 / eps^2. The weaker form needs at most 2 for eps <= 1/2."""
    return [(f"(e^eps - 1)^2 / eps^2 at eps = {each:g}", (math.expm1(each) / each) ** 2) for each in eps]


def local_regret_over_printed_lower_bound(eps: list[float]) -> Numbers:
    """Theorem 5: leading regret of an arm under LDP2, 32 / (eps^2 delta), over the theorem's lower bound."""
    return [
        (
            f"leading regret over the printed lower bound at eps = {each:g}",
            local_regret(each) / local_lower_bound(each, 1, 2, 1, 1),
        )
        for each in eps
    ]


def local_regret_over_channel_lower_bound(mean: float, best: float, eps: list[float]) -> Numbers:
    """Leading regret under LDP2 over the lower bound for rewards observed through Lap(1/eps) noise."""
    return [
        (
            f"leading regret over the lower bound of the channel at eps = {each:g}",
            local_regret(each) / (best - mean) / channel_lower_bound(mean, best, each),
        )
        for each in eps
    ]


def local_regret_over_nonprivate_lower_bound(mean: float, best: float, eps: list[float]) -> Numbers:
    """Leading regret under LDP2 over the lower bound for noiseless rewards; below 1 the algorithm is inconsistent."""
    return [
        (
            f"leading regret over the lower bound without privacy at eps = {each:g}",
            local_regret(each) / (best - mean) / bernoulli_lower_bound(mean, best),
        )
        for each in eps
    ]


def local_regret(eps: float) -> float:
    """Leading term of an arm's regret / ln T under LDP2, times its gap: (4 sqrt 2 / eps)^2."""
    return 32.0 / eps**2
