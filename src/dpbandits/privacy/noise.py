"""Names the noise function of an algorithm in its entry, without compiling it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


def half(amount: float) -> float:
    """Return half of a scale or of a standard deviation."""
    return 0.5 * amount


@dataclass(frozen=True)
class Noise:
    """The function that makes an algorithm private. Its kernel calls it, and its audit draws from it.

    Attributes
    ----------
    kind : the kind of noise, which the audit checks: laplace, laplace sum, gaussian, tree, tree over rounds, l2 ball or
        bits.
    add : kernel that adds the noise; its first argument is the random generator.
    amount : name of the argument of `add` that sets the amount of noise on one message.
    halved : maps an amount to the amount that halves the standard deviation.
    """

    kind: str
    add: Callable[..., Any]
    amount: str
    halved: Callable[[float], float] = half
