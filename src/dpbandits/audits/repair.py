"""The least repair of a release that breaks its claim: how many times its noise keeps the claim.

What the noise is a release says by `halved`: whatever differs between a release and the same with half the noise is
scaled, a standard deviation as the factor, a number of bits as its square, a distance in standard deviations as its
inverse.
"""

import math
from dataclasses import fields, is_dataclass, replace
from typing import Any, Protocol, runtime_checkable

from dpbandits.audits.release import Release

TOLERANCE = 1e-4  # relative, of the factor; source: our choice
FAR = 50.0  # of the log of a bound over the claim: bounds are infinite where nothing is proven; source: our choice
MOST = 2.0**12  # factor beyond which none is looked for; source: our choice


@runtime_checkable
class BoundsDelta(Protocol):
    """A release whose upper bound on delta at one epsilon costs far less than that on epsilon."""

    def upper_delta(self, eps: float) -> float:
        """What `derived` says of the delta at `eps` at most."""


def scaled(release: Release, factor: float) -> Release:
    """The release with `factor` times its noise; whole numbers are rounded up. What has no noise stays as it is."""
    found: Release = _scaled(release, release.halved(), math.log2(factor))
    return found


def _scaled(value: Any, half: Any, doublings: float) -> Any:
    """As far from `value` as `half` is in one halving, so many times the other way."""
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
    """The least factor on the noise with which the upper bound on epsilon at `delta` is at most `eps`.

    The factor holds for all neighbors if the upper bound does. Returns None if no factor up to `MOST` suffices: the
    data are unbounded, or the release adds no noise.
    """

    def excess(factor: float) -> float:
        """Log of the upper bound over the claim: at most 0 where the claim is kept."""
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
        # Where a line through both ends crosses 0, in logarithms, and a little to either side; then the middle.
        guess = low * (high / low) ** (above / (above - below))
        for middle in (guess / (1.0 + TOLERANCE / 3.0), guess * (1.0 + TOLERANCE / 3.0), math.sqrt(low * high)):
            if low < middle < high and high > low * (1.0 + TOLERANCE):
                found = excess(middle)
                low, above, high, below = (low, above, middle, found) if found <= 0.0 else (middle, found, high, below)
    return high


def moves(release: Release) -> dict[str, float] | None:
    """How many of the released numbers move between the two inputs, and the farthest by how much.

    Returns None if the release is not a list of numbers with noise.
    """
    shifts = [abs(shift) for shift in getattr(release, "shifts", ()) if shift]
    return {"numbers": len(shifts), "largest": max(shifts)} if shifts else None
