"""Epsilons of the actions of a run, from their distributions on two inputs, and distributions of noisy comparisons.

Actions are post-processing of a mechanism's output, so its epsilon bounds theirs from above. If the distributions of a
few sequences of actions on two neighboring inputs can be computed, they give a lower bound. `distributions` is
(2, outcomes): the probabilities of the same outcomes on input 0 and on input 1.
"""

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np
from scipy import integrate

from dpbandits.audits.mechanisms.laplace import ALMOST_PURE
from dpbandits.audits.release import Array, Release, Truth

LOSS_STEP = 1e-7  # discretization step of losses in dp-accounting; source: our choice
CUTOFF = 60.0  # Laplace noise beyond this many scales is ignored; source: our choice


def accounted_truth(mechanism: Release, distributions: Array, eps: float, delta: float) -> Truth:
    """Bounds from the mechanism (above) and from dp-accounting on the distributions (below)."""
    return bracket(
        *accounted_epsilon(distributions, eps, delta), mechanism.accounted(eps, delta), "distribution of the actions"
    )


def accounted_epsilon(distributions: Array, eps: float, delta: float) -> tuple[float, float]:
    """Epsilon at `delta` and delta at `eps` of two distributions by dp-accounting, with losses rounded down."""
    from dp_accounting.pld import privacy_loss_distribution as pld

    first, second = ({k: math.log(p) for k, p in enumerate(distribution) if p > 0.0} for distribution in distributions)
    found = pld.from_two_probability_mass_functions(
        first, second, pessimistic_estimate=False, value_discretization_interval=LOSS_STEP, symmetric=False
    )
    epsilon = max(0.0, float(found.get_epsilon_for_delta(delta or ALMOST_PURE)))
    return epsilon, float(found.get_delta_for_epsilon(eps))


def derived_truth(mechanism: Release, distributions: Array, eps: float, delta: float) -> Truth:
    """Bounds from the mechanism (above) and from the best set of outcomes (below)."""
    most = mechanism.derived(eps, delta)
    return bracket(
        attained_epsilon(distributions, delta),
        attained_delta(distributions, eps),
        most,
        "best set of sequences of actions",
    )


def bracket(epsilon: float, at_eps: float, most: Truth, method: str) -> Truth:
    """Bounds from the attained values (below) and the mechanism's values (above)."""
    highest, largest = most.epsilons[1], most.deltas[1]
    return Truth((min(epsilon, highest), highest), (min(at_eps, largest), largest), f"{method}; {most.method}")


def attained_epsilon(distributions: Array, delta: float) -> float:
    """Largest ln((P(S) - delta) / Q(S)) over sets S of outcomes and both orders of the inputs, at least 0."""
    largest = 0.0
    for p, q in (distributions, distributions[::-1]):
        with np.errstate(divide="ignore", invalid="ignore"):
            order = np.argsort(-np.where(p > 0.0, p / q, 0.0), kind="stable")
            gain, cost = np.cumsum(p[order]) - delta, np.cumsum(q[order])
            epsilons = np.log(gain[gain > 0.0] / cost[gain > 0.0])
        largest = max(largest, float(np.max(epsilons, initial=0.0)))
    return largest


def attained_delta(distributions: Array, eps: float) -> float:
    """Largest P(S) - e^eps Q(S) over sets S of outcomes and both orders of the inputs."""
    return max(float(np.maximum(p - math.exp(eps) * q, 0.0).sum()) for p, q in (distributions, distributions[::-1]))


def log_ratios(distributions: Array, outcomes: Array) -> Array:
    """Log-ratios (trials,) of the probabilities on input 1 and input 0, for integer outcomes (trials,)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.log(distributions[1]) - np.log(distributions[0])
    found: Array = ratios[outcomes.astype(np.int64)]
    return found


def of_events(probabilities: tuple[float, float]) -> Array:
    """Distributions of two outcomes, given the second outcome's probabilities on the two inputs."""
    happens = np.array(probabilities)
    return np.stack([1.0 - happens, happens], axis=1)


def exceeds(gap: float, scale: float) -> float:
    """P(L > gap) for L ~ Lap(scale)."""
    x = gap / scale
    return 0.5 * math.exp(-x) if x > 0.0 else 1.0 - 0.5 * math.exp(x)


def differs(gap: float, scale: float) -> float:
    """P(L - L' > gap) for independent L, L' ~ Lap(scale): (2 + x) e^-x / 4 for x = gap / scale >= 0."""
    x = abs(gap) / scale
    beyond = 0.25 * (2.0 + x) * math.exp(-x)
    return beyond if gap >= 0.0 else 1.0 - beyond


def laplace_density(x: float, scale: float) -> float:
    """Density of Lap(scale)."""
    return 0.5 * math.exp(-abs(x) / scale) / scale


def integrated_exceeds(gap: float, scale: float) -> float:
    """`exceeds`, by quadrature of the density."""
    return integral(lambda x: laplace_density(x, scale), [0.0], scale, gap)


def integrated_differs(gap: float, scale: float) -> float:
    """`differs`, by quadrature over L'."""
    return integral(lambda x: laplace_density(x, scale) * exceeds(gap + x, scale), [-gap, 0.0], scale)


def integral(density: Callable[[float], float], kinks: list[float], scale: float, low: float = -math.inf) -> float:
    """Integral from `low` of a density that decays like Lap(`scale`) and is smooth between `kinks`."""
    least, most = min(kinks) - CUTOFF * scale, max(*kinks, low) + CUTOFF * scale
    ends = sorted({max(low, least), most, *(kink for kink in kinks if kink > low)})
    return math.fsum(integrate.quad(density, *piece, epsabs=0.0, epsrel=1e-11)[0] for piece in pairwise(ends))
