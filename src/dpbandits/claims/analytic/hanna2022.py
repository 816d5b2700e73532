"""Closed forms behind claims of Hanna et al., arXiv 2207.03445: what follows from its formulas without a simulation.

Every function takes the arguments that the claim's section of the YAML gives and returns labelled numbers; the range in
which the claim wants them stands in the YAML.
"""

import math

from dpbandits.algorithms.batches import batch_schedule
from dpbandits.privacy.shuffling import local_budget

Numbers = list[tuple[str, float]]


def _last_batch(horizon: int) -> int:
    """Nominal length q^L of the last batch, rounded up."""
    q, last = batch_schedule(horizon)
    return math.ceil(q**last)


def local_level_over_eps(horizon: int, delta: float, eps: list[float]) -> Numbers:
    """Remark 8: the local level eps0 of Algorithm 3 in the last batch, relative to eps."""
    n = _last_batch(horizon)
    ratios = {each: local_budget(float(each), n, delta) / each for each in eps}
    return [(f"eps0 / eps in the last batch at eps = {each:g}", ratio) for each, ratio in ratios.items()]


def report_variance_over_central(horizon: int, delta: float, eps: list[float]) -> Numbers:
    """Remark 9: the variance 2/eps0^2 of a report's noise in the last batch, relative to 2/(n eps^2)."""
    n = _last_batch(horizon)
    ratios = {each: n * each**2 / local_budget(float(each), n, delta) ** 2 for each in eps}
    return [(f"n eps^2 / eps0^2 in the last batch at eps = {each:g}", ratio) for each, ratio in ratios.items()]
