"""The audit of anyone's mechanism: it is run on two neighboring inputs, and its runs are held against its claim.

The sampler `draw(rng, data, n)` returns n independent runs on `data`: an array (n,) of scores or (n, k) of views, bool,
integer or float. The statistics are those of the project's own audits. One column is scored by itself, or by a learned
score where the first half of the runs says that this shows more; several columns are always scored by a learned score.
A violation counts if new runs, of other streams, show it as well. Nothing is known of the actual epsilon.
"""

import copy
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.random import Generator

from dpbandits.audits.custom.named import Fault, raised
from dpbandits.audits.learned import learned_scores
from dpbandits.audits.release import Array
from dpbandits.base.streams import generator
from dpbandits.privacy.auditing import ALPHA, EpsilonBound, epsilon_bound, verdict_of
from dpbandits.privacy.auditing_scores import DECIMALS, best_rule, halves

TRIALS = 100_000  # runs on either input unless told otherwise; our choice
LEAST_TRIALS, MOST_TRIALS = 1000, 10**7  # our choice
MOST_AT_ONCE = 100_000  # runs that a sampler is asked for in one call; our choice
MOST_NUMBERS = 2 * 10**7  # trials x columns of an input, for memory: about 1.5 GB with all that is learned from them
MOST_WHOLE = 2**53  # beyond it a float does not hold every whole number
LARGEST = 1e100  # the square of a number is a number
PROBE = 1000  # runs of a sampler that are looked at first; our choice
CHANGES = 20  # from run to run of a probe: two probes do not agree in so many by chance
VIEWS = "an array (n,) or (n, k) of finite numbers"
RETURNS = f"a function draw(rng, data, n) that returns {VIEWS}"
Draw = Callable[[Generator, Any, int], Any]
Side = Literal["above", "below"]
Scored = Literal["returned", "learned"]


@dataclass(frozen=True)
class Tail:
    """Runs whose score lies on one side of a threshold, among those that gave the bound.

    Attributes
    ----------
    side : where they lie; `threshold` is the nearest score that still counts.
    first, second : how many runs on the first and the second input.
    example : the view, rounded, of one of them, if there is any.
    """

    side: Side
    threshold: float
    first: int
    second: int
    example: tuple[float, ...]


@dataclass(frozen=True)
class Evidence:
    """A lower bound, what scores it rests on, and the tails that it counts: none, one, or two to guess in."""

    bound: EpsilonBound
    scored: Scored
    tails: tuple[Tail, ...]


@dataclass(frozen=True)
class OwnAudit:
    """What runs say of a claim.

    Attributes
    ----------
    eps, delta : the claim. trials : runs on either input in each round. columns : of a view.
    rounds : the evidence of the first runs, and of new runs where the first exceeded the claim. The last one counts.
    """

    eps: float
    delta: float
    trials: int
    seed: int
    columns: int
    rounds: tuple[Evidence, ...]

    @property
    def lower(self) -> float:
        """The epsilon is at least this, with confidence 1 - `ALPHA`."""
        return self.rounds[-1].bound.epsilon

    @property
    def cap(self) -> float:
        """What no bound from so many runs exceeds."""
        return self.rounds[-1].bound.cap

    @property
    def needed(self) -> float:
        """Runs on either input from which on a bound can reach the claim."""
        share = self.trials / self.rounds[-1].bound.trials
        with np.errstate(over="ignore"):
            return float(share * np.exp(self.eps) * math.log(2.0 / ALPHA) / (1.0 - self.delta))

    @property
    def verdict(self) -> Literal["violated", "consistent", "no power"]:
        """As of the project's own audits, without a calculated epsilon."""
        return verdict_of(self.lower, (0.0, math.inf), self.eps, self.cap)


def audit_own(
    draw: Draw, first: Any, second: Any, eps: float, delta: float = 0.0, trials: int = TRIALS, seed: int = 0
) -> OwnAudit:
    """Run a mechanism on two neighboring inputs and hold its runs against the claim of (eps, delta)-privacy.

    Parameters
    ----------
    draw : the sampler. It takes all its randomness from the generator given; it gets a copy of the data at each call.
    first, second : the inputs, whatever the sampler takes for `data`. That they are neighbors is the user's word.
    eps, delta : the claim, eps > 0, 0 <= delta < 1.
    trials : runs on either input.
    seed : root seed of the streams.

    Raises
    ------
    Fault
        An argument is out of range, or the sampler fails or returns something else than finite numbers.

    Examples
    --------
    >>> from dpbandits.audits.custom.examples import HALF_NOISE_PAIR, half_noise
    >>> audit_own(half_noise, *HALF_NOISE_PAIR, eps=1.0).verdict
    'violated'
    """
    if not callable(draw):
        raise Fault("draw", f"got a value of type {type(draw).__name__}; must be {RETURNS}")
    _check("eps", eps, 0.0 < eps < math.inf, "a number above 0")
    _check("delta", delta, 0.0 <= delta < 1.0, "a number from 0 to below 1")
    in_range = LEAST_TRIALS <= trials <= MOST_TRIALS and trials == int(trials)
    _check("trials", trials, in_range, f"a whole number from {LEAST_TRIALS} to {MOST_TRIALS}")
    _check("seed", seed, 0 <= seed < math.inf and seed == int(seed), "a whole number, at least 0")
    if _same(first, second):
        raise Fault("second", "got two equal inputs; must be two that differ in one user's data")
    columns, _ = (
        _probe(draw, data, f"the {name} input", [generator(int(seed), "audit", "own, probe", i) for i in streams])
        for name, data, streams in (("first", first, (0, 1)), ("second", second, (2, 3)))
    )
    affordable = MOST_NUMBERS // columns
    _check("trials", trials, trials <= affordable, f"at most {affordable} for views of width {columns}")
    rounds: list[Evidence] = []
    while not rounds or (len(rounds) == 1 and rounds[0].bound.epsilon > eps):
        streams = [partial(generator, int(seed), "audit", "own", len(rounds), side) for side in range(2)]
        one = _views(draw, first, "the first input", streams[0], int(trials), columns)
        other = _views(draw, second, "the second input", streams[1], int(trials), columns)
        rounds.append(evidence(one, other, delta))
    return OwnAudit(float(eps), float(delta), int(trials), int(seed), columns, tuple(rounds))


def evidence(first: Array, second: Array, delta: float) -> Evidence:
    """The lower bound from views (n, k) of either input, at most `ALPHA` likely to exceed the actual epsilon."""
    scored: Scored = "learned"
    if first.shape[1] == 1:
        half = len(first) // 2  # no run of it gives the bound, whichever is chosen
        returned, learned = (
            epsilon_bound(*_scores(name, first[:half], second[:half]), delta, ALPHA).epsilon
            for name in ("returned", "learned")
        )
        scored = "learned" if learned > returned else "returned"
    scores = _scores(scored, first, second)
    bound = epsilon_bound(*scores, delta, ALPHA)
    return Evidence(bound, scored, _tails(scores, (first, second), delta, bound.trials))


def _scores(scored: str, first: Array, second: Array) -> tuple[Array, Array]:
    return (first[:, 0], second[:, 0]) if scored == "returned" else learned_scores(first, second)


def _tails(scores: tuple[Array, Array], views: tuple[Array, Array], delta: float, trials: int) -> tuple[Tail, ...]:
    """The tails of the rule that the bound rests on, counted in the last `trials` runs."""
    chooses, bounds = halves(*scores)
    rule = best_rule(*chooses, delta, ALPHA)
    sides: list[tuple[Side, float | None]] = [("above", rule.above), ("below", rule.below)] if rule else []
    found = []
    for side, threshold in sides:
        if threshold is None:
            continue
        inside = [row >= threshold if side == "above" else row <= threshold for row in bounds]
        shown = np.concatenate([table[-trials:][rows][:1] for table, rows in zip(views, inside, strict=True)])
        example = tuple(map(float, shown[0])) if len(shown) else ()
        of_first, of_second = (int(np.count_nonzero(rows)) for rows in inside)
        found.append(Tail(side, threshold, of_first, of_second, example))
    return tuple(found)


def _probe(draw: Draw, data: Any, where: str, streams: list[Generator]) -> int:
    """Number of columns of a view; raises `Fault` if runs share their randomness.

    Independent runs that are all equal under one generator are not all equal to something else under another: the
    probability is at most 4**-`PROBE`.
    """
    one, other = (_called(draw, data, where, rng, PROBE) for rng in streams)
    changes = [int(np.count_nonzero((views[1:] != views[:-1]).any(axis=1))) for views in (one, other)]
    equal = np.array_equal(one, other)
    if changes[0] >= CHANGES and equal:
        raise Fault(
            "draw", "returned the same numbers for two generators; must depend on rng. Draw all randomness from rng."
        )
    if changes == [0, 0] and not equal and one.shape == other.shape:
        raise Fault(
            "draw", f"returned {PROBE} copies of one draw on {where}; must be independent runs. Draw each run anew."
        )
    return one.shape[1]


def _views(draw: Draw, data: Any, where: str, stream: Callable[[int], Generator], trials: int, columns: int) -> Array:
    """(trials, columns) views of one input, asked for in parts, each from a stream of its own."""
    views = np.empty((trials, columns))
    for part, start in enumerate(range(0, trials, MOST_AT_ONCE)):
        rows = views[start : start + MOST_AT_ONCE]
        drawn = _called(draw, data, where, stream(part), len(rows))
        if drawn.shape != rows.shape:
            has = f"width {drawn.shape[1]} on {where}, after width {columns}"
            raise Fault("draw", f"returned {has}; must always be the same width")
        rows[:] = drawn
    return views


def _called(draw: Draw, data: Any, where: str, rng: Generator, count: int) -> Array:
    """(count, k) float64 of one call, rounded to `DECIMALS`."""
    try:
        views = np.asarray(draw(rng, copy.deepcopy(data), count))
    except (Exception, SystemExit) as fault:
        raise Fault("draw", f"failed on {where} with {raised(fault)}; must return {VIEWS}") from fault
    if views.dtype.kind not in "biuf":
        raise Fault("draw", f"returned dtype {views.dtype} on {where}; must be bool, integer or float")
    if views.ndim not in (1, 2) or len(views) != count or 0 in views.shape:
        raise Fault(
            "draw", f"returned shape {views.shape} on {where} for n = {count}; must be ({count},) or ({count}, k)"
        )
    if views.dtype.kind in "iu" and (views.max() > MOST_WHOLE or views.min() < -MOST_WHOLE):
        raise Fault(
            "draw", f"returned whole numbers beyond 2**53 on {where}; must be smaller. Split large ones into columns."
        )
    with np.errstate(over="ignore"):
        table = views.reshape(count, -1).astype(np.float64)
    beyond = ~(np.abs(table) <= LARGEST)
    if beyond.any():
        raise Fault(
            "draw", f"returned {table[beyond][0]} on {where}; must be a number from -{LARGEST:g} to {LARGEST:g}"
        )
    fine = np.abs(table) < MOST_WHOLE  # above, floats have no decimals
    table[fine] = np.round(table[fine], DECIMALS)
    return table


def _check(argument: str, value: Any, fine: bool, allowed: str) -> None:
    if not fine:
        raise Fault(argument, f"got {value}; must be {allowed}")


def _same(first: Any, second: Any) -> bool:
    """Whether the inputs are equal, as far as that can be told of any two objects."""
    try:
        arrays = isinstance(first, np.ndarray) and isinstance(second, np.ndarray)
        return first is second or bool(np.array_equal(first, second) if arrays else first == second)
    except (TypeError, ValueError):  # arrays within lists, or data frames: whether they are equal has no single answer
        return False
