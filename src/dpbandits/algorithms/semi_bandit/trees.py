"""Noisy sums of base-arm outcomes for centrally private semi-bandits, with one binary tree per base arm.

There are two readings. The leaves of a tree are the outcomes of its arm, or all rounds (`over_rounds`), where an arm
that is not played has outcome 0. The noise on a node and the number of layers are equal in both.
"""

from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.shared.tree_noise import advance, advance_to
from dpbandits.base.jit import kernel, round_step
from dpbandits.privacy.tree import layers


class Trees(NamedTuple):
    """One tree per base arm.

    Attributes
    ----------
    noise : (m, layers) noise of the nodes in use, in the format of `tree_noise`.
    last : (m, layers) last leaf of these nodes; (m, 0) unless `over_rounds`.
    over_rounds : 1 if the leaves are the rounds.
    """

    noise: np.ndarray
    last: np.ndarray
    over_rounds: int


@kernel
def new_trees(m: int, T: int, over_rounds: int) -> Trees:
    """Trees for m base arms and at most T leaves, before the first leaf."""
    D = layers(T)
    return Trees(np.zeros((m, D)), np.zeros((m, D if over_rounds else 0), np.int64), over_rounds)


@round_step
def tree_noise(rng: Generator, trees: Trees, i: int, n: int, t: int, scale: float) -> float:
    """Noise on the sum of the n outcomes of base arm i after round t; every node has Lap(`scale`)."""
    if trees.over_rounds:
        return advance_to(rng, trees.noise, trees.last, i, t, scale)
    return advance(rng, trees.noise, i, n, scale)
