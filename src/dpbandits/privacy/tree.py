"""Sensitivity of a binary tree of vector sums, and the noise that Chen et al. (arXiv 2006.00706) print for it.

Leaf t is what round t shows of the arms that were played, at most K numbers in [0, 1]; a node is the sum of its leaves.
A replaced user changes one leaf by at most K in l1, since the arms are those of earlier outputs and the same in both
worlds. The leaf lies in at most D = floor(log2 T) + 1 completed nodes, so that all nodes together move by K D, and
Lap(K D / eps) on every coordinate is eps-DP: no less is. A tree for every arm, over its own rewards, is no different:
the leaf's coordinates then lie in at most D nodes each, of K trees.

The printed scale is 2 K log T / eps, without the base of the logarithm.
"""

import math

from dpbandits.base.jit import formula


@formula
def layers(horizon: int) -> int:
    """D, most completed nodes that a leaf is in.

    Raises
    ------
    ValueError
        There is no round.
    """
    if horizon < 1:
        raise ValueError("no tree over no rounds")
    found = 0
    while horizon >> found:
        found += 1
    return found


def tree_sensitivity(size: int, horizon: int) -> float:
    """Most that one user moves all nodes together in l1, K D."""
    return float(size * layers(horizon))


def printed_scale(size: int, horizon: int, eps: float, base: float = math.e) -> float:
    """2 K log T / eps."""
    return 2.0 * size * math.log(horizon, base) / eps
