"""How far apart two users can be in what they release for least squares, l2, one user replaced by any other.

A user with a context x, |x| <= 1, and a reward r, |r| <= 1, releases x x' on and above the diagonal, each entry once,
and r x. With c the cosine of two unit vectors the squares are at most 2 - 2c^2 and 2 - 2c. Rewards in [0, 1] come to
the same: (x, r) and (-x, -r) differ in nothing.
"""

import math

JOINT_SENSITIVITY = math.sqrt(4.5)
"""Of both parts with the same noise: the sum of the squares is largest at c = -1/2; `vector_sum.worst_pair` attains it.

That of as many such releases as there are arms, all but one of them of x = 0, too: where the data move to another arm
the squares are 1 + 1 for each of two arms, together 4.
"""
GLOC_LINEAR, GLOC_LOGISTIC = math.sqrt(9.3185), math.sqrt(3.9334)
"""Of x x', (x' theta) x and the gradient (mu(x' theta) - r) x with the same noise, |theta| <= 1, theta known to all.

Rewards of the logistic link lie in [0, 1]. Proven for all pairs in `docs/proofs/gloc.md`: the largest square is that of
4 (1 - c^2) (3 c^2 + rho(c)^2) over c in [0, 1], with rho(c) = 1 + c for the linear link and 1 / (1 + e^-c) for the
logistic one. The constants are these maxima, 9.31842774 and 3.93330647, rounded up.
"""
GLOC_BY_ARM = math.sqrt(12.0)
"""As GLOC_LINEAR, every arm with theta of its own, |theta| <= 1, and a block of its own in each of the three parts.

Largest where the two users play two arms, each along its theta, with the reward -x' theta: for either user the squares
are |x|^4 <= 1, (x' theta)^2 |x|^2 <= 1 and (x' theta - r)^2 |x|^2 <= 4. With the same arm it is GLOC_LINEAR, less.
Proven for all pairs in `docs/proofs/gloc.md`.
"""


def message_sensitivity(weight: float) -> float:
    """Of both parts in units of the vector's sd, the matrix's squares times `weight`; `JOINT_SENSITIVITY` at 1.

    2 - 2c + weight (2 - 2c^2) is largest at c = -1 / (2 weight), or at -1 where that lies beyond.

    Parameters
    ----------
    weight : the vector's variance over the matrix's, >= 0.
    """
    return 2.0 if weight <= 0.5 else math.sqrt(2.0 + 2.0 * weight + 0.5 / weight)
