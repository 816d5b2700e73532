"""Oracle for grid paths that go right and down from the top left corner to the bottom right corner.

A grid of `side` by `side` squares has (side + 1)^2 vertices and m = 2 side (side + 1) edges; each path has 2 side
edges. Vertex (row, column) has index row (side + 1) + column. Edges to the right come first, row by row: the edge that
starts at (row, column) has index row side + column. Then come the downward edges, row by row: the edge that starts at
(row, column) has index side (side + 1) + row (side + 1) + column.

Dynamic programming from the last vertex back to the first: the best path from a vertex to the end starts with one of
its two edges. This holds for the sum and for the minimum of the entries, since both are monotone in the value of the
remaining path.
"""

import math

import numpy as np

from dpbandits.base.jit import kernel


@kernel
def choose(index: np.ndarray, side: int, bottleneck: int, chosen: np.ndarray) -> int:
    """The path with the largest sum of entries of `index` (m,), or with the largest minimum if `bottleneck`.

    Ties at a vertex go right. Arms are in the order of the path.
    """
    width = side + 1
    first_down = side * width
    best = np.empty(width)  # best values to the end: right of this column from this row, others from the row below
    goes_down = np.empty(width * width, np.bool_)
    for row in range(side, -1, -1):
        for column in range(side, -1, -1):
            right, down = -math.inf, -math.inf
            if column < side:
                step = index[row * side + column]
                right = min(step, best[column + 1]) if bottleneck else step + best[column + 1]
            if row < side:
                step = index[first_down + row * width + column]
                down = min(step, best[column]) if bottleneck else step + best[column]
            goes_down[row * width + column] = down > right
            best[column] = max(right, down)
            if row == side and column == side:
                best[column] = math.inf if bottleneck else 0.0
    row, column = 0, 0
    for step_number in range(2 * side):
        if goes_down[row * width + column]:
            chosen[step_number] = first_down + row * width + column
            row += 1
        else:
            chosen[step_number] = row * side + column
            column += 1
    return 2 * side


def ends_of(side: int) -> np.ndarray:
    """The two vertices of every edge, (m, 2), in the direction of the paths."""
    width = side + 1
    right = [(row * width + column, row * width + column + 1) for row in range(width) for column in range(side)]
    down = [(row * width + column, (row + 1) * width + column) for row in range(side) for column in range(width)]
    return np.array(right + down, np.int64)
