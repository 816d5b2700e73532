"""Closed forms and exact checks behind claims of Hu et al., arXiv 2102.07929, without statistics.

Every function takes the arguments listed in the claim's section of the YAML, and the calibration if the noise matters.
It returns labeled numbers; the YAML gives the range that the claim requires. Noise and indices are taken from the
algorithms' own code.
"""

import math
from dataclasses import astuple
from itertools import pairwise
from types import ModuleType

import numpy as np
from scipy import integrate

from dpbandits.algorithms.bernoulli import (
    anytime_lazy_ucb,
    dp_se,
    lazy_dp_ts,
)
from dpbandits.algorithms.bernoulli.private_means import noise_scale
from dpbandits.base.checkpoints import log_spaced
from dpbandits.claims.closed_form_types import Numbers

MEANS = np.array([0.25, 0.625, 0.75, 0.375, 0.5])
"""Arm means for the checks that run an algorithm: those of the first figure, with the best arm in the middle."""
TWO_MEANS = np.array([0.5, 0.25])
CONSTANTS = {
    **{"eps": 1.0, "exploration": 2.0, "privacy_bonus": 3.0, "beta": 0.0, "restarts": 0.0},
    **{"alpha": 3.1, "alpha_kl": 3.1, "alpha_private": 3.1},
}
ANYTIME = (anytime_lazy_ucb, lazy_dp_ts)
PER_DECADE = 20  # checkpoints at which two runs are compared, per decade


def anytime_differences(horizon: int, longer: int, runs: int) -> Numbers:
    """Corollary of Algorithms 1 and 3: number of runs whose regret up to `horizon` changes if it becomes `longer`."""
    found = {name_of(each): differences(each, horizon, longer, runs) for each in ANYTIME}
    return [(f"runs of {name} that change with the horizon", changed) for name, changed in found.items()]


def horizon_differences(horizon: int, longer: int, runs: int) -> Numbers:
    """Section 1.1: share of DP-SE runs whose regret changes with the horizon, which DP-SE takes as input."""
    changed = differences(dp_se, horizon, longer, runs)
    return [("share of runs of DP-SE that change with the horizon", changed / runs)]


def name_of(algorithm: ModuleType) -> str:
    """The name of an algorithm in the table of algorithms."""
    return algorithm.__name__.rpartition(".")[2]


def differences(algorithm: ModuleType, horizon: int, longer: int, runs: int) -> float:
    """Number of runs in which the trace up to `horizon` is not a prefix of the trace up to `longer`."""
    rounds = log_spaced(horizon, PER_DECADE)
    more = log_spaced(longer, PER_DECADE, rounds.tolist())
    changed = 0
    for run in range(runs):
        short, long = (
            algorithm.run(
                np.random.default_rng(run),
                MEANS,
                *astuple(algorithm.params("printed", {**CONSTANTS, "T": float(points[-1])}, {})),
                points,
            )
            for points in (rounds, more)
        )
        changed += not np.array_equal(short[:, 0], long[np.isin(more, rounds), 0])
    return float(changed)


def releases_beyond_batches(horizon: int, runs: int) -> Numbers:
    """Theorems 2 and 4: noisy numbers released in excess of one per batch of 1, 2, 4, ... pulls of an arm.

    If the excess is 0 in every round, each reward is in at most one released sum. With two arms the pulls of the best
    arm determine those of the other, and n pulls complete floor(log2(n + 1)) batches.
    """
    found = []
    for algorithm in (anytime_lazy_ucb, lazy_dp_ts):
        rounds = log_spaced(horizon, PER_DECADE)
        constants = astuple(algorithm.params("printed", {**CONSTANTS, "T": float(horizon)}, {}))
        most = -math.inf
        for run in range(runs):
            trace = algorithm.run(np.random.default_rng(run), TWO_MEANS, *constants, rounds)
            batches = np.floor(np.log2(trace[:, 1] + 1.0)) + np.floor(np.log2(rounds - trace[:, 1] + 1.0))
            most = max(most, float(np.max(trace[:, 2] - batches)))
        found.append((f"releases of {name_of(algorithm)} beyond its whole batches", most))
    return found


def pulls_over_needed(most: int) -> Numbers:
    """Proofs of Theorems 3 and 5: pulls of an arm until a batch of at least N is released, over N.

    The maximum over N = 1 .. `most`. The batches come from runs of the algorithms with a single arm, which is pulled in
    every round.
    """
    found = []
    for algorithm in (anytime_lazy_ucb, lazy_dp_ts):
        rounds = np.arange(1, 8 * most + 1)
        constants = astuple(algorithm.params("printed", {**CONSTANTS, "T": float(rounds[-1])}, {}))
        released = algorithm.run(np.random.default_rng(0), TWO_MEANS[:1], *constants, rounds)[:, 2]
        later = rounds[:-1][np.diff(released) > 0.0]  # a release after round t counts from round t + 1
        ends = np.concatenate([rounds[:1], later])
        needed = np.arange(1, most + 1)
        pulls = ends[np.searchsorted(np.diff(ends, prepend=0), needed)]
        found.append((f"pulls over needed pulls of {name_of(algorithm)}", float(np.max(pulls / needed))))
    return found


def arms_epsilon_over_eps(eps: list[float]) -> Numbers:
    """Theorem 2: exact epsilon of the arms that Anytime-Lazy-UCB plays in five rounds with two arms, over eps.

    Rounds 1 and 2 pull both arms. Rounds 3 and 4 pull the arm with the larger noisy reward; the noisy mean of these two
    rewards then replaces its mean. Round 5 compares again. The result is the largest ratio of probabilities over the
    four sequences of arms, all rewards and all replaced reward vectors.
    """
    return [(f"epsilon / eps of five rounds of arms at eps = {each:g}", epsilon_of_arms(each) / each) for each in eps]


def epsilon_of_arms(eps: float) -> float:
    """Largest log-ratio of a sequence's probabilities under two reward tables that differ in one round.

    The distribution depends on the first two rewards and on the sum of the leading arm's next two rewards.
    """
    distributions = {
        (first, second, total): sequence_distribution(first, second, total, eps)
        for first in (0, 1)
        for second in (0, 1)
        for total in (0, 1, 2)
    }
    largest = 0.0
    for (first, second, total), distribution in distributions.items():
        replaced = [(1 - first, second, total), (first, 1 - second, total), (first, second, min(2, total + 1))]
        largest = max(
            [
                largest,
                *(
                    abs(math.log(p / q))
                    for each in replaced
                    for p, q in zip(distribution, distributions[each], strict=True)
                ),
            ]
        )
    return largest


def sequence_distribution(first: int, second: int, total: int, eps: float) -> tuple[float, float]:
    """P(arm 1 leads and is kept), P(it leads and is dropped); its rewards: `first`, then `total` in rounds 3 and 4."""
    bonus = [
        anytime_lazy_ucb.index.py_func(0.0, n, 5, eps, CONSTANTS["exploration"], CONSTANTS["privacy_bonus"])
        for n in (1, 2)
    ]
    margin = bonus[0] - bonus[1]

    rate = 1.0 / noise_scale(eps)

    def density(rival: float, stays: bool) -> float:
        leads = tail(rate * (rival - first))
        ahead = tail(rate * (2.0 * (rival + margin) - total))
        return 0.5 * rate * math.exp(-rate * abs(rival - second)) * leads * (ahead if stays else 1.0 - ahead)

    kinks = sorted({float(first), float(second), 0.5 * total - margin})
    pieces = list(pairwise([-math.inf, *kinks, math.inf]))

    def probability(stays: bool) -> float:
        parts = (integrate.quad(density, *ends, args=(stays,), epsabs=0.0, epsrel=1e-10)[0] for ends in pieces)
        return math.fsum(parts)

    return probability(True), probability(False)


def tail(x: float) -> float:
    """P(L > x) for L ~ Lap(1)."""
    return 0.5 * math.exp(-x) if x > 0.0 else 1.0 - 0.5 * math.exp(x)
