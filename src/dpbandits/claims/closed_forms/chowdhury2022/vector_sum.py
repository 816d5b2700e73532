"""The vector sum of chowdhury2022, P_Vec: its bias and its variance."""

import math

import numpy as np

from dpbandits.claims.closed_form_types import Numbers
from dpbandits.claims.closed_forms.chowdhury2022.noise import vector_bits, vector_granularity
from dpbandits.privacy import vector_sum


def analyzer_bias(
    calibration: str, batch: int, delta: float, dimension: int, eps: list[float], scale: float, batches: int
) -> Numbers:
    """Algorithm 7: the analyzer's bias of every entry, summed over all batches."""
    found = []
    for each in eps:
        bits = vector_bits(calibration, batch, delta, dimension, each, scale)
        g, bound = vector_granularity(calibration, batch, dimension)
        bias, _ = vector_sum.moments(np.zeros(batch), bits, g, bound)
        found.append((f"bias of an entry after {batches} batches at eps = {each:g}", batches * bias))
    return found


def analyzer_variance_ratio(
    calibration: str, batch: int, delta: float, dimension: int, eps: list[float], scale: float
) -> Numbers:
    """Proof of Theorem C.1: largest variance of an entry (users halfway between integers) over the printed bound."""
    found = []
    for each in eps:
        bits = vector_bits(calibration, batch, delta, dimension, each, scale)
        g, bound = vector_granularity(calibration, batch, dimension)
        midway = (math.floor(g) - 0.5) * bound / g - bound
        _, variance = vector_sum.moments(np.full(batch, midway), bits, g, bound)
        printed = vector_sum.variance_printed(batch, bits, g, bound)
        found.append((f"variance of an entry over the printed one at eps = {each:g}", variance / printed))
    return found
