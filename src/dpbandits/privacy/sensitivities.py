"""l2 sensitivities of the statistics that a user releases for least squares, under replacement of one user.

A user with a context x, |x| <= 1, and a reward r, |r| <= 1, releases r x and the entries of x x' on and above the
diagonal, each once. With c the cosine of two unit vectors, the squared distances are at most 2 - 2c^2 for x x' and
2 - 2c for r x. Rewards in [0, 1] give the same bounds, because (x, r) and (-x, -r) release the same values.
"""

import math

JOINT_SENSITIVITY = math.sqrt(4.5)
"""Sensitivity of both parts with the same noise, attained by `vector_sum.worst_pair`: the sum is largest at c = -1/2.

It also holds for one such release per arm, where all arms but the played one release x = 0. If the replaced user plays
another arm, the squared distance is 1 + 1 for each of two arms, 4 in total.
"""
GLOC_LINEAR, GLOC_LOGISTIC = math.sqrt(9.3185), math.sqrt(3.9334)
"""Sensitivity of x x', (x' theta) x and the gradient (mu(x' theta) - r) x with equal noise; theta public, |theta| <= 1.

Rewards lie in [0, 1] for the logistic link. `docs/proofs/gloc.md` has the proof for all pairs. The largest squared
distance is the maximum of 4 (1 - c^2) (3 c^2 + rho(c)^2) over c in [0, 1], with rho(c) = 1 + c for the linear link and
1 / (1 + e^-c) for the logistic link. The constants are these maxima, 9.31842774 and 3.93330647, rounded up.
"""
GLOC_BY_ARM = math.sqrt(12.0)
"""As GLOC_LINEAR, but every arm has its own theta, |theta| <= 1, and its own block in each of the three parts.

The maximum is attained if the two users play different arms, each along its theta, with reward -x' theta. The squares
of each user are then |x|^4 <= 1, (x' theta)^2 |x|^2 <= 1 and (x' theta - r)^2 |x|^2 <= 4. With the same arm the
sensitivity is GLOC_LINEAR, which is smaller. `docs/proofs/gloc.md` has the proof for all pairs.
"""


def message_sensitivity(weight: float) -> float:
    """Sensitivity of both parts in units of the vector's sd; `JOINT_SENSITIVITY` if `weight` is 1.

    The squared distance 2 - 2c + weight (2 - 2c^2) is largest at c = -1 / (2 weight), or at -1 if that is below -1.

    Parameters
    ----------
    weight : ratio of the vector's noise variance to the matrix's, >= 0.
    """
    return 2.0 if weight <= 0.5 else math.sqrt(2.0 + 2.0 * weight + 0.5 / weight)
