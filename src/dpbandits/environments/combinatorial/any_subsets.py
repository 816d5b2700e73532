"""All subsets of a size: the best ones have mean 1/2, all other arms lie a gap below.

The best arms stand at random places: rules for ties take the lowest arm, and for a long time most indices are equal.
"""

from numpy.random import Generator

from dpbandits.environments.base import SETS, Family
from dpbandits.environments.combinatorial.planted import planted
from dpbandits.environments.combinatorial.problem import BEST_OF, BOTTLENECK, LINEAR, PRODUCT, TOP, Problem

FAMILY = Family(
    SETS,
    ("arms", "size", "gap", "reward"),
    refuses=True,
    words={"reward": ("linear", "bottleneck", "best_of", "product")},
)


def draw(rng: Generator, arms: int, size: int, gap: float, reward: str) -> tuple[Problem]:
    """The problem of subsets of `size` of `arms` arms, `size` of them of mean 1/2, the others of mean 1/2 - `gap`.

    Raises
    ------
    ValueError
        The subsets are all there is, or the gap is not in (0, 1/2].
    """
    if not 1 <= size < arms:
        raise ValueError(f"size {size} is not between 1 and the number of arms less one")
    best = rng.permutation(arms)[:size]
    return (planted(TOP, (LINEAR, BOTTLENECK, BEST_OF, PRODUCT), reward, best, arms, gap),)
