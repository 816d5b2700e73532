"""Oracle of probabilistic maximum coverage: pick left vertices, whose edges reach their right ends at random.

The expected number of reached right vertices is sum_v 1 - prod (1 - p_uv) over the picked u. It is submodular in the
picks, so that the greedy choice has at least ALPHA times the largest value (Nemhauser, Wolsey and Fisher 1978). Base
arms are the edges, without parallel edges. A super arm consists of all edges of the picked vertices.
"""

import math

import numpy as np

from dpbandits.base.jit import kernel

ALPHA = 1.0 - 1.0 / math.e


@kernel
def choose(
    index: np.ndarray, ends: np.ndarray, left: int, right: int, picks: int, linear: int, chosen: np.ndarray
) -> int:
    """The edges of `picks` left vertices, picked greedily by the gain of the value at `index` (m,).

    `ends` (m, 2) are the left and right vertices of the edges. If `linear`, the gain of a vertex is the sum of its
    entries, regardless of earlier picks. Ties, including gains of 0, go to the lowest vertex. Arms are grouped by
    vertex, in the order of the picks.
    """
    m = index.shape[0]
    missed = np.ones(right)  # probability that no picked vertex reaches the right vertex
    gain = np.empty(left)
    picked = np.zeros(left, np.bool_)
    count = 0
    for _ in range(picks):
        gain[:] = 0.0
        for arm in range(m):
            gain[ends[arm, 0]] += index[arm] * missed[ends[arm, 1]]
        best = -1
        for u in range(left):
            if not picked[u] and (best < 0 or gain[u] > gain[best]):
                best = u
        picked[best] = True
        for arm in range(m):
            if ends[arm, 0] == best:
                chosen[count] = arm
                count += 1
                if not linear:
                    missed[ends[arm, 1]] *= 1.0 - index[arm]
    return count


@kernel
def value(vector: np.ndarray, ends: np.ndarray, right: int, chosen: np.ndarray, count: int) -> float:
    """Expected number of right vertices reached by the first `count` edges of `chosen`, with probabilities `vector`."""
    missed = np.ones(right)
    for k in range(count):
        missed[ends[chosen[k], 1]] *= 1.0 - vector[chosen[k]]
    total = 0.0
    for v in range(right):
        total += 1.0 - missed[v]
    return total
