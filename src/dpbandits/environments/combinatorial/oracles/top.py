"""The best subset of a given size, among all of them.

The `size` largest entries are right for every reward here: the sum, the least, the largest and the product of entries
>= 0 are symmetric and decrease in none of them, so that a super arm never loses when an arm gives way to one with a
larger entry outside of it.
"""

import numpy as np

from dpbandits.base.jit import kernel


@kernel
def choose(index: np.ndarray, size: int, chosen: np.ndarray) -> int:
    """The `size` largest entries of `index` (m,); of equal ones the lowest arms. Arms in increasing order.

    One pass keeps the best arms seen so far in `chosen`, largest entry first; a second one takes all arms above the
    last of these entries, and as many as there is room for at it.
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
