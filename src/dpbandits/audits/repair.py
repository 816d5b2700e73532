"""The least repair of a release that violates its claim: the least factor on its noise that satisfies the claim.

`halved` of a release defines its noise: everything that differs between a release and its copy with half the noise is
scaled. A standard deviation scales as the factor, a number of bits as its square, and a distance in standard deviations
as its inverse.
"""

import math
from dataclasses import fields, is_dataclass, replace
from typing import Any, Protocol, runtime_checkable

from dpbandits.audits.release import Release

TOLERANCE = 1e-4  # relative tolerance of the factor; source: our choice
FAR = 50.0  # cap on the log of a bound over the claim, as unproven bounds are infinite; source: our choice
MOST = 2.0**12  # largest factor in the search; source: our choice


@runtime_checkable
class BoundsDelta(Protocol):
    """A release whose upper bound on delta at one epsilon is much cheaper than its upper bound on epsilon."""

    def upper_delta(self, eps: float) -> float:
        """The upper bound of `derived` on delta at `eps`."""


def scaled(release: Release, factor: float) -> Release:
    """The release with `factor` times its noise; integers are rounded up. Numbers without noise do not change."""
    found: Release = _scaled(release, release.halved(), math.log2(factor))
    return found


def _scaled(value: Any, half: Any, doublings: float) -> Any:
    """`value` after `doublings` steps in the direction opposite to its change to `half`."""
    if is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in fields(value)]
        return replace(value, **{name: _scaled(getattr(value, name), getattr(half, name), doublings) for name in names})
    if isinstance(value, tuple):
        found = [_scaled(*each, doublings) for each in zip(value, half, strict=True)]
        return type(value)(*found) if hasattr(value, "_fields") else tuple(found)
    if value == half or not half:
        return value
    number = value * (value / half) ** doublings
    return math.ceil(number) if isinstance(value, int) else number


def least_factor(release: Release, eps: float, delta: float) -> float | None:
    """The least factor on the noise for which the upper bound on epsilon at `delta` is at most `eps`.

    The factor holds for all neighbors if the upper bound does. Returns None if no factor up to `MOST` suffices: the
    data are unbounded, or the release adds no noise.
    """

    def excess(factor: float) -> float:
        """Log of the upper bound over the claim: at most 0 if the claim is satisfied."""
        there = scaled(release, factor)
        if isinstance(there, BoundsDelta):
            over = there.upper_delta(eps) / delta
        else:
            over = there.derived(eps, delta).epsilons[1] / eps
        if math.isnan(over):
            return FAR
        return min(max(math.log(over), -FAR), FAR) if over > 0.0 else -FAR

    high, below = 1.0, excess(1.0)
    above = FAR
    while below > 0.0:
        high, above = 2.0 * high, below
        if high > MOST:
            return None
        below = excess(high)
    low = 0.5 * high
    while high > low * (1.0 + TOLERANCE):
        # Try both sides of the zero of a line through both ends, in logarithms; then the middle.
        guess = low * (high / low) ** (above / (above - below))
        for middle in (guess / (1.0 + TOLERANCE / 3.0), guess * (1.0 + TOLERANCE / 3.0), math.sqrt(low * high)):
            if low < middle < high and high > low * (1.0 + TOLERANCE):
                found = excess(middle)
                low, above, high, below = (low, above, middle, found) if found <= 0.0 else (middle, found, high, below)
    return high


def moves(release: Release) -> dict[str, float] | None:
    """The number of released numbers that differ between the two inputs, and the largest difference.

    Returns None if the release is not a list of numbers with noise.
    """
    shifts = [abs(shift) for shift in getattr(release, "shifts", ()) if shift]
    return {"numbers": len(shifts), "largest": max(shifts)} if shifts else None
