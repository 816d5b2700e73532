"""Lower bounds on the epsilon of a mechanism from its runs alone.

Of two neighboring inputs, first and second, there are as many runs each, and of a run one score. The first half of
either input's runs chooses a test, its order and its thresholds; the second half alone gives the bound, which exceeds
the actual epsilon with probability at most alpha, whatever was chosen.

threshold  S, the scores beyond a threshold: epsilon >= ln((P(S) - delta) / P'(S)), each probability bounded at alpha /
           2 as Clopper and Pearson do [1]_. P is that of the input after which the order is named.
guesses    At delta = 0. A fair coin picks the input of each run; the input is guessed from scores in either tail, and
           between them not at all. A guess is right with probability at most e^eps / (1 + e^eps), given all others
           [2]_: the right ones of r are dominated by a binomial distribution, whose parameter is bounded once, at
           alpha. The order is named after the input that is guessed above.

A threshold is a score: those equal to it lie on one side together. Scores are rounded first, so that the last bits of
a float, which can tell two inputs apart, count for nothing.

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

ALPHA = 0.001  # probability with which the bound of one cell may exceed the actual epsilon; our choice
AGREEMENT = 1e-3  # relative, to which two calculations of an epsilon agree: less above a claim does not break it


@dataclass(frozen=True)
class EpsilonBound:
    """A lower bound on the epsilon of a mechanism.

    Attributes
    ----------
    epsilon : the bound, between 0 and `cap`; guesses that suggest more are cut there.
    test : what gave it; "none" where the first half shows nothing.
    order : the input to which the event, or the upper tail, points; without meaning if there is no test.
    trials : runs of either input that gave the bound.
    cap : what no bound from so many runs exceeds.
    """

    epsilon: float
    test: Literal["threshold", "guesses", "none"]
    order: Order
    trials: int
    cap: float


def cap(trials: int, delta: float, alpha: float) -> float:
    """ln((1 - delta) n / ln(2/alpha)), at least 0: the threshold test without a single error stays below it.

    Parameters
    ----------
    trials : n, runs of either input that give the bound.
    """
    _check(delta, alpha)
    return max(0.0, math.log((1.0 - delta) * trials / math.log(2.0 / alpha)))


def epsilon_bound(first: ArrayLike, second: ArrayLike, delta: float, alpha: float) -> EpsilonBound:
    """The lower bound from scores (n,) of n runs of either input.

    Parameters
    ----------
    first, second : any function of what is seen; best an increasing one of the likelihood ratio. May be infinite.
    delta : that of the epsilon, in [0, 1). alpha : probability of error, in (0, 1).

    Raises
    ------
    ValueError
        Scores are not two rows of equal length, fewer than four a row, or NaN; delta or alpha is out of range.
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
    """The lower bound on the epsilon at `delta` if the scores of either input are normal with one variance [3]_.

    From one threshold: mu >= Phi^-1(1 - a) - Phi^-1(b), the two kinds of error bounded at alpha / 2 each.

    Raises
    ------
    ValueError
        As `epsilon_bound`; also at delta 0, where no Gaussian mechanism has an epsilon.
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
    """The bounds from the first runs of either input, as many as each of `sizes` says.

    Raises
    ------
    ValueError
        As `epsilon_bound`; also for a size above the number of runs.
    """
    rows = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    runs = min(row.size for row in rows)
    if any(size > runs for size in sizes):
        raise ValueError(f"sizes {list(sizes)} exceed the {runs} runs of an input")
    return [epsilon_bound(rows[0][:size], rows[1][:size], delta, alpha) for size in sizes]


def verdict_of(
    lower: float, epsilons: tuple[float, float], claimed_eps: float, cap: float
) -> Literal["violated", "consistent", "no power"]:
    """What an audit says of a claim.

    Parameters
    ----------
    lower : the bound from runs. epsilons : bounds on the actual epsilon by calculation, (0, inf) if there is none.
    claimed_eps : the epsilon claimed. cap : that of `lower`.

    Returns
    -------
    "violated" where `lower` exceeds the claim, or the calculated lower bound does by more than `AGREEMENT`. "no power"
    where neither does, the runs are too few for any bound above the claim, and no calculation proves it. Else
    "consistent".
    """
    if any(map(math.isnan, (lower, *epsilons, claimed_eps, cap))):
        raise ValueError(f"no verdict on NaN: {lower}, {epsilons}, {claimed_eps}, {cap}")
    claimed = claimed_eps * (1.0 + AGREEMENT)
    if lower > claimed_eps or epsilons[0] > claimed:
        return "violated"
    return "no power" if cap <= claimed_eps and epsilons[1] > claimed else "consistent"


def labels(scores: tuple[Array, Array], trials: int) -> tuple[int, int]:
    """How many of the `labeled` runs fair coins give to an input and to the other: the bits of a digest of `scores`.

    The coins come from the half that chooses: they need no further seed, and are independent of the half that bounds.
    """
    number = labeled(trials)
    digest = hashlib.shake_256(b"".join(row.tobytes() for row in scores)).digest(-(-number // 8))
    heads = int(np.unpackbits(np.frombuffer(digest, np.uint8))[:number].sum())
    return heads, number - heads


def _check(delta: float, alpha: float) -> None:
    if not (0.0 <= delta < 1.0 and 0.0 < alpha < 1.0):
        raise ValueError(f"delta must lie in [0, 1) and alpha in (0, 1); got {delta}, {alpha}")
