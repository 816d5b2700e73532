"""The best of the paths through a grid that go right and down from the top left corner to the bottom right one.

A grid of `side` by `side` squares has (side + 1)^2 vertices and m = 2 side (side + 1) edges; every path has 2 side of
them. Vertex (row, column) has the number row (side + 1) + column. Edges to the right come first, row by row: the one
from (row, column) has the number row side + column. Then those downwards, row by row: the one from (row, column) has
the number side (side + 1) + row (side + 1) + column.

Dynamic program from the last vertex back to the first: the best way from a vertex to the end goes on over one of its
two edges. That holds for the sum of entries and for the least one, which are both monotone in the rest of the way.
"""

import math

import numpy as np

from dpbandits.base.jit import kernel


@kernel
def choose(index: np.ndarray, side: int, bottleneck: int, chosen: np.ndarray) -> int:
    """The path with the largest sum of entries of `index` (m,), or with the largest least entry where `bottleneck`.

    Where both edges of a vertex are as good, the path goes right. Arms in the order of the path.
    """
    width = side + 1
    first_down = side * width
    best = np.empty(width)  # of the ways to the end, from the row at hand; right of the column at hand, else one below
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
    """Numbers of the two vertices of every edge, (m, 2), in the direction of the paths."""
    width = side + 1
    right = [(row * width + column, row * width + column + 1) for row in range(width) for column in range(side)]
    down = [(row * width + column, (row + 1) * width + column) for row in range(side) for column in range(width)]
    return np.array(right + down, np.int64)
