"""The entry of an environment, a family of problem instances: its arguments and what it tells an algorithm.

An environment is a module in a package of this folder. The module has the entry `FAMILY` and `draw`, which draws an
instance from a random stream and the arguments. Where a draw takes long, it also has `check_arguments`, which
raises what `draw` would raise.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from dpbandits.base.entries import Domain

SIGNED, BINARY, MEANS = "features, rewards in [-1, 1]", "features, rewards 0 or 1", "means of 0 or 1"
SETS = "semi-bandit feedback of super arms"
CONTEXTS, SHARED = "contexts, one parameter", "one context, a parameter an arm"


@dataclass(frozen=True)
class Family:
    """One family of problem instances.

    Attributes
    ----------
    arms : what an instance tells an algorithm about its arms; algorithms play families of their own kind.
    arguments : names of the arguments of `draw`.
    refuses : whether `draw` raises ValueError for some combinations of arguments that are each in their own range.
    words : the arguments that are words and not numbers, each with its allowed words.
    files : words that stand for a file, each with its place below the folder of the project.
    holds : number of floats in an instance, or in what an algorithm keeps of it, as a function of the arguments; given
        where arguments that are each in their range may make too many.
    one_instance : whether all draws with these arguments are the same instance, but for the order of its arms.
    ranges : where arguments may lie that the configuration does not know.
    ahead : the instance with what so many rounds offer drawn ahead, for families whose instances have a stream.
    """

    arms: str
    arguments: tuple[str, ...]
    refuses: bool = False
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    holds: Callable[[Mapping[str, float]], float] | None = None
    one_instance: Callable[[Mapping[str, float]], bool] = lambda given: False
    ahead: Callable[[Any, int], Any] | None = None
    ranges: Mapping[str, Domain] = field(default_factory=dict)


def listed_base_arms(given: Mapping[str, float]) -> float:
    """Base arms in all super arms of an environment that lists them."""
    return (given["bad"] + 1) * given["size"]


def matrices_of_arms(given: Mapping[str, float]) -> float:
    """Floats in one d x d matrix per arm."""
    return given["arms"] * given["dimension"] ** 2
