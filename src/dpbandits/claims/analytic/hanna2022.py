"""Closed forms behind claims of Hanna et al., arXiv 2207.03445: what follows from its formulas without a simulation.

Every function returns findings: a value, and the range in which the claim wants it.
"""

import math

from dpbandits.algorithms.batches import batch_schedule
from dpbandits.claims.verdicts import Finding
from dpbandits.privacy.shuffling import local_budget

HORIZON = 1_000_000  # of the paper's Figure 2
DELTA = 1e-6  # our choice, as in the experiment; the paper gives none


def last_batch(horizon: int) -> tuple[int, float]:
    """Number of batches L and nominal length q^L of the last one."""
    q, last = batch_schedule(horizon)
    return last, q**last


def local_level_is_eps() -> list[Finding]:
    """Remark 8: for eps > 1 the local level of Algorithm 3 is about eps; read as within 25 % in the last batch."""
    n = math.ceil(last_batch(HORIZON)[1])
    return [
        Finding(f"eps0 / eps in the last batch at eps = {eps:g}", local_budget(eps, n, DELTA) / eps, 0.75, 1.25)
        for eps in (2.0, 5.0)
    ]


def noise_variance_is_central() -> list[Finding]:
    """Remark 9: for small eps the variance 2/eps0^2 of a report is about 2/(n eps^2); read as a ratio from 1/2 to 2."""
    n = math.ceil(last_batch(HORIZON)[1])
    eps = 0.001
    ratio = n * eps**2 / local_budget(eps, n, DELTA) ** 2
    return [Finding("n eps^2 / eps0^2 in the last batch at eps = 0.001", ratio, 0.5, 2.0)]
