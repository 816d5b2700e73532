"""Lower bounds on the epsilon of a mechanism, from its runs alone.

The mechanism runs equally often on two neighboring inputs, first and second, and each run gives one score. The first
half of the runs on each input selects a test, its order and its thresholds. Only the second half gives the bound.
Whatever was selected, the bound exceeds the actual epsilon with probability at most alpha.

threshold  Let S be the scores beyond a threshold. Then epsilon >= ln((P(S) - delta) / P'(S)), where each probability
           has a Clopper-Pearson limit at alpha / 2 [1]_. The order names the input that P belongs to.
guesses    Only for delta = 0. A fair coin picks the input of each run. The input is guessed from scores in either
           tail; scores in between give no guess. Given all others, a guess is right with probability at most
           e^eps / (1 + e^eps) [2]_. The number of right guesses among r is dominated by a binomial distribution,
           whose parameter is bounded once, at alpha. The order names the input that is guessed in the upper tail.

Thresholds are scores, and equal scores lie on the same side. Scores are rounded first, because the last bits of a
float could tell the two inputs apart.

.. [1] Clopper and Pearson, Biometrika 26, 1934, 404-413. Jagielski, Ullman and Oprea, "Auditing differentially private
   machine learning", NeurIPS 2020.
.. [2] Steinke, Nasr and Jagielski, "Privacy auditing with one (1) training run", NeurIPS 2023.
.. [3] Nasr et al., "Tight auditing of differentially private machine learning", USENIX Security 2023.
"""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from dpbandits.privacy.auditing_scores import (
    Array,
    Order,
    best_event,
    best_rule,
    event_epsilon,
    guessed_epsilon,
    halves,
    labeled,
    least,
    tails,
    wilson,
)
from dpbandits.privacy.gaussian import gaussian_eps

ALPHA = 0.001  # probability that the bound of one cell exceeds the actual epsilon; our choice
AGREEMENT = 1e-3  # relative agreement of two calculations of an epsilon; a smaller excess is no violation


@dataclass(frozen=True)
class EpsilonBound:
    """A lower bound on the epsilon of a mechanism.

    Attributes
    ----------
    epsilon : the bound, between 0 and `cap`; a larger bound from guesses is cut at `cap`.
    test : the test that gave the bound; "none" if the first half shows nothing.
    order : the input that the event, or the upper tail, points to; meaningless without a test.
    trials : number of runs per input that gave the bound.
    cap : the largest possible bound from this number of runs.
    """

    epsilon: float
    test: Literal["threshold", "guesses", "none"]
    order: Order
    trials: int
    cap: float


def cap(trials: int, delta: float, alpha: float) -> float:
    """The largest possible bound, max(0, ln((1 - delta) n / ln(2/alpha))); a threshold test without errors stays below.

    Parameters
    ----------
    trials : n, the number of runs per input that give the bound.
    """
    _check(delta, alpha)
    return max(0.0, math.log((1.0 - delta) * trials / math.log(2.0 / alpha)))


def epsilon_bound(first: ArrayLike, second: ArrayLike, delta: float, alpha: float) -> EpsilonBound:
    """The lower bound on epsilon from scores (n,) of n runs on each input.

    Parameters
    ----------
    first, second : scores, any function of the observed output; an increasing function of the likelihood ratio is
        best. They may be infinite.
    delta : delta of the guarantee, in [0, 1). alpha : error probability, in (0, 1).

    Raises
    ------
    ValueError
        The rows of scores have unequal lengths, fewer than four scores, or NaN; delta or alpha is out of range.
    """
    _check(delta, alpha)
    chooses, bounds = halves(first, second)
    trials = len(bounds[0])
    most = cap(trials, delta, alpha)
    rule = best_rule(*chooses, delta, alpha)
    if rule is None:
        return EpsilonBound(0.0, "none", "second", trials, most)
    other, one = bounds if rule.order == "second" else bounds[::-1]
    if rule.test == "threshold":
        hits, errors = (rule.upper(scores) + rule.lower(scores) for scores in (one, other))
        epsilon = float(event_epsilon(hits, errors, trials, delta, alpha))
    else:
        of_one, of_other = labels(chooses, trials)
        right = rule.upper(one[:of_one]) + rule.lower(other[:of_other])
        wrong = rule.upper(other[:of_other]) + rule.lower(one[:of_one])
        enough = max(of_one, of_other) <= trials
        epsilon = float(guessed_epsilon(right, right + wrong, alpha)) if enough else 0.0
    return EpsilonBound(min(max(epsilon, 0.0), most), rule.test, rule.order, trials, most)


def gaussian_bound(first: ArrayLike, second: ArrayLike, delta: float, alpha: float) -> float:
    """The lower bound on epsilon at `delta`, assuming normal scores with equal variances on both inputs [3]_.

    It uses one threshold: mu >= Phi^-1(1 - a) - Phi^-1(b), where a and b, the two error rates, are bounded at alpha / 2
    each.

    Raises
    ------
    ValueError
        As `epsilon_bound`; also for delta = 0, where a Gaussian mechanism has no epsilon.
    """
    _check(delta, alpha)
    if delta == 0.0:
        raise ValueError("a Gaussian mechanism has no epsilon at delta 0")
    chooses, bounds = halves(first, second)
    runs, z = len(chooses[0]), float(special.ndtri(1.0 - alpha / 2))

    def shown(hits: Array, errors: Array) -> Array:
        found: Array = special.ndtri(wilson(hits, runs, z)) + special.ndtri(wilson(runs - errors, runs, z))
        return found

    rule, _, _ = best_event(*tails(*chooses), shown)
    other, one = bounds if rule.order == "second" else bounds[::-1]
    hits, errors = (rule.upper(scores) + rule.lower(scores) for scores in (one, other))
    caught, passed = (float(least(number, len(one), alpha / 2)) for number in (hits, len(one) - errors))
    return gaussian_eps(max(float(special.ndtri(caught) + special.ndtri(passed)), 0.0), delta)


def power_curve(
    first: ArrayLike, second: ArrayLike, delta: float, alpha: float, sizes: Sequence[int]
) -> list[EpsilonBound]:
    """The lower bounds from the first runs on each input, for each number of runs in `sizes`.

    Raises
    ------
    ValueError
        As `epsilon_bound`; also if a size exceeds the number of runs.
    """
    rows = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    runs = min(row.size for row in rows)
    if any(size > runs for size in sizes):
        raise ValueError(f"sizes {list(sizes)} exceed the {runs} runs of an input")
    return [epsilon_bound(rows[0][:size], rows[1][:size], delta, alpha) for size in sizes]


def verdict_of(
    lower: float, epsilons: tuple[float, float], claimed_eps: float, cap: float
) -> Literal["violated", "consistent", "no power"]:
    """The verdict of an audit on a claimed epsilon.

    Parameters
    ----------
    lower : the lower bound from runs. epsilons : calculated bounds on the actual epsilon, (0, inf) if there are none.
    claimed_eps : the claimed epsilon. cap : the cap of `lower`.

    Returns
    -------
    "violated" if `lower` exceeds the claim, or if the calculated lower bound exceeds it by more than `AGREEMENT`. "no
    power" if neither does, the runs are too few for a bound above the claim, and no calculation proves the claim.
    Otherwise "consistent".
    """
    if any(map(math.isnan, (lower, *epsilons, claimed_eps, cap))):
        raise ValueError(f"the numbers of a verdict must not be NaN; got {lower}, {epsilons}, {claimed_eps}, {cap}")
    claimed = claimed_eps * (1.0 + AGREEMENT)
    if lower > claimed_eps or epsilons[0] > claimed:
        return "violated"
    return "no power" if cap <= claimed_eps and epsilons[1] > claimed else "consistent"


def labels(scores: tuple[Array, Array], trials: int) -> tuple[int, int]:
    """How many of the `labeled` runs fair coins assign to each input; the coins are the bits of a digest of `scores`.

    `scores` is the half that selects the test. The coins need no further seed and are independent of the other half,
    which gives the bound.
    """
    number = labeled(trials)
    digest = hashlib.shake_256(b"".join(row.tobytes() for row in scores)).digest(-(-number // 8))
    heads = int(np.unpackbits(np.frombuffer(digest, np.uint8))[:number].sum())
    return heads, number - heads


def _check(delta: float, alpha: float) -> None:
    if not (0.0 <= delta < 1.0 and 0.0 < alpha < 1.0):
        raise ValueError(f"delta must lie in [0, 1) and alpha in (0, 1); got {delta}, {alpha}")
