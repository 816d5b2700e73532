"""Oracle for the best subset of a given size.

The `size` largest entries are optimal for every reward here. Sum, minimum, maximum and product of entries >= 0 are
symmetric and nondecreasing in each entry. Replacing an arm by one with a larger entry therefore never lowers the
reward.
"""

import numpy as np

from dpbandits.base.jit import kernel


@kernel
def choose(index: np.ndarray, size: int, chosen: np.ndarray) -> int:
    """The arms with the `size` largest entries of `index` (m,); ties go to the lowest arms. Arms in increasing order.

    One pass keeps the best arms seen so far in `chosen`, largest entry first. A second pass takes all arms above the
    last of these entries, and fills the remaining places with arms equal to it.
    """
    m = index.shape[0]
    for arm in range(m):
        place = min(arm, size - 1)
        if arm >= size and index[arm] <= index[chosen[place]]:
            continue
        while place > 0 and index[chosen[place - 1]] < index[arm]:
            chosen[place] = chosen[place - 1]
            place -= 1
        chosen[place] = arm
    least = index[chosen[size - 1]]
    room = 0
    for place in range(size):
        if index[chosen[place]] == least:
            room += 1
    count = 0
    for arm in range(m):
        if index[arm] < least:
            continue
        if index[arm] == least:
            if room == 0:
                continue
            room -= 1
        chosen[count] = arm
        count += 1
    return count
