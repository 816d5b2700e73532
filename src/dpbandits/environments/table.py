"""The one table of all environments.

The name of a family is the name of its module in this folder, whose `draw` makes an instance from a random stream and
the family's arguments.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Family:
    """One family of instances.

    Attributes
    ----------
    arms : what an instance tells an algorithm about its arms; algorithms play families of their own kind.
    arguments : names of the arguments of `draw`.
    refuses : whether `draw` raises ValueError for some arguments that lie each in its own range.
    words : of the arguments those that are words and not numbers, each with the words that it may be.
    """

    arms: str
    arguments: tuple[str, ...]
    refuses: bool = False
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


SIGNED, BINARY, MEANS = "features, rewards in [-1, 1]", "features, rewards 0 or 1", "means of 0 or 1"

TABLE: Mapping[str, Family] = {
    "linear": Family(SIGNED, ("arms", "dimension")),
    "bernoulli_linear": Family(BINARY, ("arms", "dimension")),
    "bernoulli_linear_released": Family(BINARY, ("arms", "dimension")),
    "bernoulli_linear_circle": Family(BINARY, ("arms", "dimension")),
    "bernoulli_spread": Family(MEANS, ("arms", "best", "gap", "spread"), refuses=True),
    "bernoulli_one_gap": Family(MEANS, ("arms", "gap", "middle", "octave"), refuses=True),
    "bernoulli_doubling_gaps": Family(MEANS, ("brackets", "fewest", "growth")),
}
