"""All subsets of a given size: the arms of the best subset have mean 1/2, all others lie a gap below.

The best arms have random indices: ties are broken in favor of the lowest arm, and most indices are tied for long.
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
    """The problem of choosing `size` of `arms` arms; `size` arms have mean 1/2, the others 1/2 - `gap`.

    Raises
    ------
    ValueError
        There is only one subset, or the gap is not in (0, 1/2].
    """
    if not 1 <= size < arms:
        raise ValueError(f"size {size} must be at least 1 and less than the number of arms")
    best = rng.permutation(arms)[:size]
    return (planted(TOP, (LINEAR, BOTTLENECK, BEST_OF, PRODUCT), reward, best, arms, gap),)
