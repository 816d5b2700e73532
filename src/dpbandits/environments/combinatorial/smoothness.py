"""Smoothness constants of rewards: |r_mu(S) - r_mu'(S)| <= B_p ||mu_S - mu'_S||_p for all super arms S and means.

Assumption 2 of Chen, Zheng, Zhou, Yang, Chen and Wang (arXiv 2006.00706), for p = 1 and p = infinity; means in [0, 1].
"""

from dpbandits.environments.combinatorial.problem import BEST_OF, BOTTLENECK, COVERED, LINEAR, PRODUCT, Problem


def smoothness(problem: Problem) -> tuple[float, float]:
    """The least constants (B_1, B_inf). They depend on the reward and on K, the size of the largest super arm.

    LINEAR      1 and K: the reward changes as much as one mean does, and by K t if all K means change by t.
    BOTTLENECK  1 and 1: the least mean changes at most as much as the mean that changes most, with equality if all
                change alike.
    BEST_OF     1 and 1, likewise.
    PRODUCT     1 and K: each derivative is a product of other means, at most 1; if all means are 1, all K derivatives
                are 1.
    COVERED     1 and K: each derivative is a product of (1 - mu), at most 1; if all means are 0, all K derivatives are
                1. For coverage and influence, B_inf is not a constant but the number of edges of the super arm.
    """
    constants = {
        LINEAR: (1.0, float(problem.size)),
        BOTTLENECK: (1.0, 1.0),
        BEST_OF: (1.0, 1.0),
        PRODUCT: (1.0, float(problem.size)),
        COVERED: (1.0, float(problem.size)),
    }
    return constants[problem.reward]
