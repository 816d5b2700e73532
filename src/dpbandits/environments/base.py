"""The entry of an environment, a family of problem instances: its arguments and what algorithms are told.

An environment is a module in a package of this folder. It has an entry `FAMILY` and a function `draw`, which draws an
instance from a random stream and the arguments. If `draw` is slow, the module also has `check_arguments`, which raises
the same errors as `draw`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from dpbandits.base.entries import Domain

SIGNED, BINARY, MEANS = "features, rewards in [-1, 1]", "features, rewards 0 or 1", "means of 0 or 1"
SETS = "semi-bandit feedback of super arms"
CONTEXTS, SHARED = "contexts, one parameter", "one context, one parameter per arm"


@dataclass(frozen=True)
class Family:
    """One family of problem instances.

    Attributes
    ----------
    arms : what an instance tells an algorithm about its arms; algorithms play only families of their own kind.
    arguments : names of the arguments of `draw`.
    refuses : whether `draw` raises ValueError for some combinations of individually valid arguments.
    words : arguments that are words, not numbers, each with its allowed words.
    files : words that stand for a file, each with the file's path below the project folder.
    holds : number of floats in an instance, or in what an algorithm keeps of it, as a function of the arguments. Given
        if individually valid arguments may require too much memory.
    one_instance : whether all draws with the same arguments give the same instance up to the order of its arms.
    ranges : allowed ranges of arguments that the configuration does not know.
    ahead : function that draws what the given number of rounds offer in advance, for instances with their own stream.
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
    """Total number of base arms in all super arms of an environment that lists its super arms."""
    return (given["bad"] + 1) * given["size"]


def matrices_of_arms(given: Mapping[str, float]) -> float:
    """Number of floats in one d x d matrix per arm."""
    return given["arms"] * given["dimension"] ** 2
