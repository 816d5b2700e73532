"""Oracle for the best matching of a complete bipartite graph that covers all left vertices.

The Hungarian method (Kuhn 1955) by shortest augmenting paths (Jonker and Volgenant 1987), O(left^2 right). Left
vertices are added one by one. Costs are -index. Prices of left and right vertices keep every reduced cost
cost - price - price >= 0, with equality on the matching. A path of least reduced cost leads from the new vertex to a
free right vertex and swaps partners along its way.
"""

import math

import numpy as np

from dpbandits.base.jit import kernel


@kernel
def choose(index: np.ndarray, left: int, right: int, chosen: np.ndarray) -> int:
    """The matching with the largest sum of entries of `index` (left * right,), arm l * right + r; left <= right.

    Equally short steps go to the lowest right vertex. Arms are ordered by left vertex.
    """
    left_price, right_price = np.zeros(left), np.zeros(right)
    partner = np.full(right, -1)  # left vertex matched to each right vertex
    distance, through, reached = np.empty(right), np.empty(right, np.int64), np.empty(right, np.bool_)
    for newcomer in range(left):
        distance[:] = math.inf
        reached[:] = False
        vertex, last = newcomer, -1
        while True:  # `vertex` is the left vertex reached last, by way of the right vertex `last`
            nearest, step = -1, math.inf
            for r in range(right):
                if reached[r]:
                    continue
                reduced = -index[vertex * right + r] - left_price[vertex] - right_price[r]
                if reduced < distance[r]:
                    distance[r] = reduced
                    through[r] = last
                if distance[r] < step:
                    nearest, step = r, distance[r]
            left_price[newcomer] += step
            for r in range(right):
                if reached[r]:
                    left_price[partner[r]] += step
                    right_price[r] -= step
                else:
                    distance[r] -= step
            last = nearest
            if partner[last] < 0:
                break
            reached[last] = True
            vertex = partner[last]
        while through[last] >= 0:
            partner[last] = partner[through[last]]
            last = through[last]
        partner[last] = newcomer
    for r in range(right):
        if partner[r] >= 0:
            chosen[partner[r]] = partner[r] * right + r
    return left
