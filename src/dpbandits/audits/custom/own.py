"""The audit of anyone's mechanism: it is run on two neighboring inputs, and its runs are held against its claim.

The sampler `draw(rng, data, n)` returns n independent runs on `data`: an array (n,) of scores or (n, k) of views, bool,
integer or float. The bound is that of `evidence`. A violation counts if new runs, of other streams, show it as well.
Nothing is known of the actual epsilon.
"""

import math
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from dpbandits.audits.custom.candidates import KINDS
from dpbandits.audits.custom.evidence import Evidence, evidence
from dpbandits.audits.custom.power import Power, power_of
from dpbandits.audits.custom.views import RETURNS, Draw, drawn, probe
from dpbandits.base.own_code import Fault
from dpbandits.base.streams import generator
from dpbandits.privacy.auditing import ALPHA, verdict_of

TRIALS = 100_000  # runs on either input unless told otherwise; our choice
LEAST_TRIALS, MOST_TRIALS = 1000, 10**7  # our choice
MOST_NUMBERS = 2 * 10**7  # trials x columns of an input, for memory: about 1.5 GB with all that is learned from them
TIMEOUT, LONGEST = (
    60.0,
    86_400.0,
)  # seconds that one call of a sampler may take, unless told otherwise and at most; ours


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
            return float(share * np.exp(self.eps) * math.log(2.0 * len(KINDS) / ALPHA) / (1.0 - self.delta))

    @property
    def power(self) -> Power:
        """What this audit would have found."""
        return power_of(self.eps, self.delta, self.rounds[-1].bound.trials)

    @property
    def verdict(self) -> Literal["violated", "consistent", "no power"]:
        """As of the project's own audits, without a calculated epsilon."""
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
    """Run a mechanism on two neighboring inputs and hold its runs against the claim of (eps, delta)-privacy.

    Parameters
    ----------
    draw : the sampler. It takes all its randomness from the generator given; it gets a copy of the data at each call.
    first, second : the inputs, whatever the sampler takes for `data`. That they are neighbors is the user's word.
    eps, delta : the claim, eps > 0, 0 <= delta < 1.
    trials : runs on either input.
    seed : root seed of the streams.
    timeout : seconds that one call of the sampler may take, for up to 100,000 runs. Only the main thread keeps it. A
        call of C code that does not return to Python is stopped only when it returns.

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
        raise Fault(argument, f"got {value}; must be {allowed}")


def _same(first: Any, second: Any) -> bool:
    """Whether the inputs are equal, as far as that can be told of any two objects."""
    try:
        arrays = isinstance(first, np.ndarray) and isinstance(second, np.ndarray)
        return first is second or bool(np.array_equal(first, second) if arrays else first == second)
    except (TypeError, ValueError):  # arrays within lists, or data frames: whether they are equal has no single answer
        return False
