"""Leaders in epochs with full information: the part that Algorithm 4 of Hu et al., arXiv 2102.07929, has in common.

    L1  epoch 0, one round: play an action drawn uniformly
    L2  for r = 0, 1, 2, ...:
    L3      at the end of epoch r, of 2^r rounds: S_j = sum of the rewards of action j over epoch r alone
    L4      play argmax_j S_j + Lap(b) in all of epoch r + 1, fresh independent noise for every action, ties at random

A scale of b = 0 is no noise. The paper lets epoch 0 play any fixed action; a drawn one makes the place of the best
action of no account.

Cost: K binomial and K Laplace draws an epoch, O(K ln T) in all. Exact: nothing reads a sum before its epoch ends.
"""

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.play import decided, open_play, pull, released
from dpbandits.algorithms.ties import largest_of
from dpbandits.jit import kernel
from dpbandits.privacy.mechanisms import laplace


@kernel
def play_in_epochs(
    rng: Generator, means: np.ndarray, noise_scale: float, numbers: int, checkpoints: np.ndarray
) -> np.ndarray:
    """One run with noise of scale b, and so many noisy numbers released an epoch. Returns the trace."""
    arms, horizon = len(means), checkpoints[-1]
    play = open_play(means, checkpoints)
    sums = np.empty(arms)
    i, length = rng.integers(0, arms), 1  # L1
    decided(play)
    now = pull(play, i, length, 0)
    while now < horizon:
        for j in range(arms):
            sums[j] = rng.binomial(length, means[j])  # L3
            if noise_scale > 0.0:
                sums[j] += laplace(rng, noise_scale)
        i = largest_of(rng, sums)  # L4
        released(play, numbers)
        decided(play)
        length *= 2
        now = pull(play, i, length, now)
    return play.trace


def play_in_epochs_literal(
    rng: Generator, means: np.ndarray, noise_scale: float, checkpoints: np.ndarray
) -> np.ndarray:
    """The same, round by round; returns the regret at the checkpoints, (len(checkpoints),)."""
    arms = len(means)
    epoch, total, i = 0, np.zeros(arms), int(rng.integers(arms))  # L1
    regret, found = 0.0, []
    for t in range(1, int(checkpoints[-1]) + 1):
        regret += means.max() - means[i]
        total += rng.random(arms) < means
        if t in checkpoints:
            found.append(regret)
        if t == 2 ** (epoch + 1) - 1:  # L3
            noisy = total + np.array([laplace(rng, noise_scale) for _ in range(arms)])
            i = int(rng.choice(np.flatnonzero(noisy == noisy.max())))  # L4
            epoch, total = epoch + 1, np.zeros(arms)
    return np.array(found)
