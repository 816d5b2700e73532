"""How the entry of an algorithm names a function that adds its noise. Nothing is compiled here."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


def half(amount: float) -> float:
    """Return half of a scale or of a standard deviation."""
    return 0.5 * amount


@dataclass(frozen=True)
class Noise:
    """The one function that makes an algorithm private: its kernel calls it, and its audit draws from it.

    Attributes
    ----------
    kind : what an audit asks for: laplace, laplace sum, gaussian, tree, tree over rounds, l2 ball or bits.
    add : kernel that adds the noise; its first argument is the random stream.
    amount : name of the argument of `add` that says how much noise is added to one message.
    halved : the amount that gives noise of half the standard deviation.
    """

    kind: str
    add: Callable[..., Any]
    amount: str
    halved: Callable[[float], float] = half
