"""Oracle for the best spanning tree of a connected graph.

Kruskal's algorithm takes edges in decreasing order of their entries, unless they close a cycle. The tree has the
largest sum. It also has the largest minimum: for any threshold, the edges taken above it connect the same vertices as
all edges above it. If some tree has no entry below a threshold, neither has this one.
"""

import numpy as np

from dpbandits.base.jit import formula, kernel


@formula
def root_of(parent: np.ndarray, vertex: int) -> int:
    """The root of the tree that contains `vertex`, with path compression."""
    while parent[vertex] != vertex:
        parent[vertex] = parent[parent[vertex]]
        vertex = parent[vertex]
    return vertex


@kernel
def choose(index: np.ndarray, ends: np.ndarray, vertices: int, chosen: np.ndarray) -> int:
    """The spanning tree with the largest sum of entries of `index` (m,); edge i joins the vertices `ends[i]`, (m, 2).

    Ties go to the lowest arm. Arms are in the order in which they are taken, by decreasing entry.
    The rank of every edge is counted in m (m - 1) / 2 branch-free comparisons. For about a hundred edges, this takes
    half the time of sorting.
    """
    m = index.shape[0]
    place = np.zeros(m, np.int64)
    for arm in range(m):
        own = index[arm]
        ahead = 0
        for other in range(arm):
            first = int(index[other] >= own)
            ahead += first
            place[other] += 1 - first
        place[arm] = ahead
    order = np.empty(m, np.int64)
    for arm in range(m):
        order[place[arm]] = arm
    parent = np.arange(vertices)
    count = 0
    for edge in order:
        one, two = root_of(parent, ends[edge, 0]), root_of(parent, ends[edge, 1])
        if one != two:
            parent[one] = two
            chosen[count] = edge
            count += 1
            if count == vertices - 1:
                break
    return count
