"""Probabilistic maximum coverage: left vertices are picked, and each of their edges reaches its right end by chance.

The mean number of right vertices that are reached is sum_v 1 - prod (1 - p_uv) over the picked u, submodular in the
picks: the greedy choice has at least ALPHA times the largest value (Nemhauser, Wolsey and Fisher 1978). Base arms are
the edges, no two of them between the same vertices; a super arm is all edges of the picked vertices.
"""

import math

import numpy as np

from dpbandits.base.jit import kernel

ALPHA = 1.0 - 1.0 / math.e


@kernel
def choose(
    index: np.ndarray, ends: np.ndarray, left: int, right: int, picks: int, linear: int, chosen: np.ndarray
) -> int:
    """The edges of `picks` left vertices, picked one after the other for the largest gain of the value at `index` (m,).

    `ends` (m, 2) are the left and right vertices of the edges. Where `linear`, the gain of a vertex is the sum of its
    entries, whatever is picked. Of equal gains, also of 0, the lowest vertex wins. Arms stand together by vertex, in
    the order of the picks.
    """
    m = index.shape[0]
    missed = np.ones(right)  # chance that no picked vertex reaches it
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
    """Mean number of right vertices that `count` edges reach, those of `chosen`, each with its chance in `vector`."""
    missed = np.ones(right)
    for k in range(count):
        missed[ends[chosen[k], 1]] *= 1.0 - vector[chosen[k]]
    total = 0.0
    for v in range(right):
        total += 1.0 - missed[v]
    return total
