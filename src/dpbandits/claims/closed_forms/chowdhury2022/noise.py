"""The noise of chowdhury2022 by calibration: standard deviations of entries, bits and granularity of the vector sum."""

import math

from dpbandits.privacy import gaussian_scales, vector_sum
from dpbandits.privacy.accounting import least_noise
from dpbandits.privacy.mechanisms import NoiseRequest, VectorSumRequest
from dpbandits.privacy.sensitivities import JOINT_SENSITIVITY

RELEASED_BOUND = math.sqrt(2.0)  # D of the authors' code, the largest norm of its features


def shuffled_sd(calibration: str, batch: int, delta: float, eps: float) -> float:
    """Noise sd of every entry of a report of P_Amp."""
    if calibration == "certified":
        return least_noise(NoiseRequest("shuffled_gaussian", JOINT_SENSITIVITY, eps, delta, batch))
    released = calibration == "released"
    formula = gaussian_scales.shuffled_sd_released if released else gaussian_scales.shuffled_sd_printed
    return formula(eps, delta, batch)


def vector_bits(calibration: str, batch: int, delta: float, dimension: int, eps: float, scale: float) -> float:
    """b of P_Vec; not rounded in the authors' code."""
    if calibration == "certified":
        return least_noise(VectorSumRequest("vector_sum", eps, delta, batch, dimension, 1))
    if calibration == "released":
        return vector_sum.bits_released(eps, delta, batch, dimension, scale)
    return vector_sum.bits_printed(eps, delta, batch, dimension)


def vector_granularity(calibration: str, batch: int, dimension: int) -> tuple[float, float]:
    """g and D of P_Vec."""
    if calibration == "released":
        return vector_sum.granularity_released(batch, dimension), RELEASED_BOUND
    return vector_sum.granularity(batch, dimension), 1.0


def sensitivity(calibration: str) -> float:
    """Largest distance between two users in sds of an entry, for the unit ball or the features of the authors' code."""
    return vector_sum.RELEASED_FULL if calibration == "released" else JOINT_SENSITIVITY
