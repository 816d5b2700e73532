"""Sensitivity of a binary tree of vector sums, and the noise that Chen et al. (arXiv 2006.00706) print for it.

Leaf t holds the feedback of round t from the arms played, at most K numbers in [0, 1]; a node is the sum of its
leaves. Replacing one user changes one leaf by at most K in l1, because the arms depend only on earlier outputs and are
equal for both inputs. The leaf lies in at most D = floor(log2 T) + 1 completed nodes. All nodes together therefore move
by at most K D, and Lap(K D / eps) on every coordinate is eps-DP; a smaller scale is not. With one tree per arm over
its own rewards the result is the same: each of the leaf's coordinates lies in at most D nodes of its tree.

The printed scale is 2 K log T / eps; the paper does not state the base of the logarithm.
"""

import math

from dpbandits.base.jit import formula


@formula
def layers(horizon: int) -> int:
    """D, the largest number of completed nodes that contain a leaf.

    Raises
    ------
    ValueError
        `horizon` is less than 1.
    """
    if horizon < 1:
        raise ValueError(f"tree: the horizon must be >= 1; got {horizon}")
    found = 0
    while horizon >> found:
        found += 1
    return found


def tree_sensitivity(size: int, horizon: int) -> float:
    """l1 sensitivity of all nodes together, K D."""
    return float(size * layers(horizon))


def printed_scale(size: int, horizon: int, eps: float, base: float = math.e) -> float:
    """The printed scale, 2 K log T / eps."""
    return 2.0 * size * math.log(horizon, base) / eps
