"""The audit of a user's own mechanism: it runs on two neighboring inputs, and its runs test the claim.

The sampler `draw(rng, data, n)` returns n independent runs on `data`: an array (n,) of scores or (n, k) of views, bool,
integer or float. The bound is from `evidence`. A violation counts only if new runs, from other random streams, show it
as well. The actual epsilon is unknown.
"""

import math
from dataclasses import dataclass
from functools import partial
from numbers import Real
from typing import Any, Literal

import numpy as np

from dpbandits.audits.custom.candidates import KINDS
from dpbandits.audits.custom.evidence import Evidence, evidence
from dpbandits.audits.custom.power import Power, power_of
from dpbandits.audits.custom.views import RETURNS, Draw, drawn, probe
from dpbandits.base.own_code import Fault
from dpbandits.base.streams import generator
from dpbandits.privacy.auditing import ALPHA, verdict_of

TRIALS = 100_000  # default number of runs on each input; our choice
LEAST_TRIALS, MOST_TRIALS = 1000, 10**7  # our choice
MOST_NUMBERS = 2 * 10**7  # trials x columns of an input; uses about 1.5 GB of memory with everything learned
TIMEOUT, LONGEST = (
    60.0,
    86_400.0,
)  # default and largest time limit of one call of a sampler, in seconds; ours


@dataclass(frozen=True)
class OwnAudit:
    """The result of an audit of a claim.

    Attributes
    ----------
    eps, delta : the claim. trials : runs on each input in each round. columns : columns of a view.
    rounds : the evidence of the first runs, and of new runs if the first exceeded the claim. The last round counts.
    """

    eps: float
    delta: float
    trials: int
    seed: int
    columns: int
    rounds: tuple[Evidence, ...]

    @property
    def lower(self) -> float:
        """Lower bound on epsilon at confidence level 1 - `ALPHA`."""
        return self.rounds[-1].bound.epsilon

    @property
    def cap(self) -> float:
        """The largest possible bound from this number of runs."""
        return self.rounds[-1].bound.cap

    @property
    def needed(self) -> float:
        """The number of runs on each input from which a bound can reach the claim."""
        share = self.trials / self.rounds[-1].bound.trials
        with np.errstate(over="ignore"):
            return float(share * np.exp(self.eps) * math.log(2.0 * len(KINDS) / ALPHA) / (1.0 - self.delta))

    @property
    def power(self) -> Power:
        """The violations that this audit would have found."""
        return power_of(self.eps, self.delta, self.rounds[-1].bound.trials)

    @property
    def verdict(self) -> Literal["violated", "consistent", "no power"]:
        """The verdict, as in the project's own audits, without a calculated epsilon."""
        return verdict_of(self.lower, (0.0, math.inf), self.eps, self.cap)


def audit_own(
    draw: Draw,
    first: Any,
    second: Any,
    eps: float,
    delta: float = 0.0,
    trials: int = TRIALS,
    seed: int = 0,
    timeout: float = TIMEOUT,
) -> OwnAudit:
    """Run a mechanism on two neighboring inputs and test the claim of (eps, delta)-privacy.

    Parameters
    ----------
    draw : the sampler. It takes all its randomness from the given generator and gets a copy of the data at each call.
    first, second : the inputs, of any type that the sampler accepts. The user asserts that they are neighbors.
    eps, delta : the claim, eps > 0, 0 <= delta < 1.
    trials : runs on each input.
    seed : root seed of the streams.
    timeout : time limit in seconds for one call of the sampler, for up to 100,000 runs. It works only in the main
        thread. C code that does not return to Python is stopped only when it returns.

    Raises
    ------
    Fault
        An argument is out of range, or the sampler fails or does not return finite numbers.

    Examples
    --------
    >>> from dpbandits.audits.custom.examples import HALF_NOISE_PAIR, half_noise
    >>> audit_own(half_noise, *HALF_NOISE_PAIR, eps=1.0).verdict
    'violated'
    """
    if not callable(draw):
        raise Fault("draw", f"got a value of type {type(draw).__name__}; must be {RETURNS}")
    given = {"eps": eps, "delta": delta, "trials": trials, "seed": seed, "timeout": timeout}
    for name, value in given.items():
        _check(name, value, isinstance(value, Real) and not isinstance(value, bool), "a number")
    _check("eps", eps, 0.0 < eps < math.inf, "a number above 0")
    _check("delta", delta, 0.0 <= delta < 1.0, "a number from 0 to below 1")
    in_range = LEAST_TRIALS <= trials <= MOST_TRIALS and trials == int(trials)
    _check("trials", trials, in_range, f"a whole number from {LEAST_TRIALS} to {MOST_TRIALS}")
    _check("seed", seed, 0 <= seed < math.inf and seed == int(seed), "a whole number, at least 0")
    _check("timeout", timeout, 0.0 < timeout <= LONGEST, f"a number of seconds above 0, at most {LONGEST:g}")
    if _same(first, second):
        raise Fault("second", "got two equal inputs; must be two that differ in one user's data")
    columns, _ = (
        probe(
            *(draw, data, f"the {name} input"),
            [partial(generator, int(seed), "audit", "own, probe", i) for i in streams],
            timeout,
        )
        for name, data, streams in (("first", first, (0, 1)), ("second", second, (2, 3)))
    )
    affordable = MOST_NUMBERS // columns
    _check("trials", trials, trials <= affordable, f"at most {affordable} for views of width {columns}")
    rounds: list[Evidence] = []
    while not rounds or (len(rounds) == 1 and rounds[0].bound.epsilon > eps):
        sides = [partial(generator, int(seed), "audit", "own", len(rounds), side) for side in range(2)]
        one = drawn(draw, first, "the first input", sides[0], int(trials), columns, timeout)
        other = drawn(draw, second, "the second input", sides[1], int(trials), columns, timeout)
        rounds.append(evidence(one, other, eps, delta, (int(seed), len(rounds))))
    return OwnAudit(float(eps), float(delta), int(trials), int(seed), columns, tuple(rounds))


def _check(argument: str, value: Any, fine: bool, allowed: str) -> None:
    if not fine:
        raise Fault(argument, f"got {value!r}; must be {allowed}")


def _same(first: Any, second: Any) -> bool:
    """Whether the inputs are equal, as far as this can be decided for arbitrary objects."""
    try:
        arrays = isinstance(first, np.ndarray) and isinstance(second, np.ndarray)
        return first is second or bool(np.array_equal(first, second) if arrays else first == second)
    except (TypeError, ValueError):  # nested arrays or data frames, whose comparison has no single truth value
        return False
