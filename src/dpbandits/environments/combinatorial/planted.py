"""Instances with one planted super arm: its base arms have mean 1/2, all others lie a gap below."""

import numpy as np

from dpbandits.environments.combinatorial.problem import BEST_OF, BOTTLENECK, LINEAR, PRODUCT, REWARDS, Problem, problem

HIGH = 0.5


def planted(
    kind: int,
    rewards: tuple[int, ...],
    reward: str,
    best: np.ndarray,
    arms: int,
    gap: float,
    ends: np.ndarray | None = None,
    shape: tuple[int, ...] = (),
) -> Problem:
    """The instance whose planted super arm consists of the arms `best`.

    All arms share one coin if the reward is the smallest or largest outcome. They have separate coins if it is the sum
    or the product. No super arm has a larger mean reward than the planted one.

    Parameters
    ----------
    rewards : the rewards for which the decision set has an oracle.
    reward : the name of the reward.

    Raises
    ------
    ValueError
        There is no oracle for the reward, or the gap is not in (0, 1/2].
    """
    allowed = [name for name, code in REWARDS.items() if code in rewards]
    if reward not in allowed:
        raise ValueError(f"reward {reward} is not one of {', '.join(allowed)}")
    if not 0.0 < gap <= HIGH:
        raise ValueError(f"a gap of {gap:g} does not lie in (0, {HIGH:g}]")
    size = len(best)
    means = np.full(arms, HIGH - gap)
    means[best] = HIGH
    code = REWARDS[reward]
    value = {LINEAR: size * HIGH, BOTTLENECK: HIGH, BEST_OF: HIGH, PRODUCT: HIGH**size}[code]
    coins = np.zeros(arms) if code in (BOTTLENECK, BEST_OF) else np.arange(arms)
    return problem(kind, code, size, means, coins, (value, value, value), ends=ends, shape=shape)
