"""Releases of Hanna et al., arXiv 2207.03445: noisy sums, noisy reports, and shuffled noisy reports.

It also has the releases of the earlier shuffled algorithm that is run for comparison.
"""

import math
from collections.abc import Mapping

import numpy as np

from dpbandits.algorithms.phased_elimination.batches import batch_schedule
from dpbandits.audits.actions.phased_elimination import EliminationActions
from dpbandits.audits.constants import constants_of, noise_of
from dpbandits.audits.mechanisms.laplace import Laplace
from dpbandits.audits.mechanisms.least_squares import farthest_contexts, lower, lower_sds, numbers
from dpbandits.audits.mechanisms.shuffled_counts import RANGE
from dpbandits.audits.mechanisms.shuffled_gaussian import ShuffledGaussian
from dpbandits.audits.mechanisms.shuffled_laplace import ShuffledLaplace
from dpbandits.audits.release import Release
from dpbandits.privacy.amplification import local_budget
from dpbandits.privacy.mechanisms import GAUSSIAN_NOISE, LAPLACE_NOISE, LAPLACE_SUM_NOISE

LAPLACES = (LAPLACE_NOISE.kind, LAPLACE_SUM_NOISE.kind)


def sums(algorithm: str, calibration: str, setting: Mapping[str, float]) -> Release:
    """The noisy sum that contains a reward, with -1 replaced by 1. Batches share no reward."""
    return Laplace(constants_of(algorithm, calibration, setting).noise_scale, (RANGE,), noise_of(algorithm, *LAPLACES))


def reports(algorithm: str, calibration: str, setting: Mapping[str, float]) -> Release:
    """One report, with reward -1 replaced by 1."""
    return Laplace(constants_of(algorithm, calibration, setting).noise_scale, (RANGE,), noise_of(algorithm, *LAPLACES))


def shuffled(algorithm: str, calibration: str, setting: Mapping[str, float]) -> Release:
    """The shuffled reports of the batches, each of its smallest possible size, which is the least private."""
    sizes = batch_sizes(int(setting["T"]), int(setting["extra_batches"]))
    scales = tuple(report_scales(algorithm, calibration, setting))
    return ShuffledLaplace(scales, tuple(sizes), setting["delta"], noise_of(algorithm, *LAPLACES))


def rival_reports(algorithm: str, calibration: str, setting: Mapping[str, float]) -> Release:
    """The shuffled Gaussian reports of a batch, with one user replaced and features of norm at most 1."""
    found = constants_of(algorithm, calibration, setting)
    noise, d = found.protocol, int(setting["dimension"]) + 1
    users = farthest_contexts((noise.vector_sd / noise.diagonal_sd) ** 2, d)
    first, second = (np.concatenate([user, lower(user)]) for user in users)
    sds = (noise.vector_sd,) * d + lower_sds(d, noise.diagonal_sd, noise.beside_sd)
    return ShuffledGaussian(numbers(second - first), sds, found.batch, 1, noise_of(algorithm, GAUSSIAN_NOISE.kind))


def batch_sizes(horizon: int, extra_batches: int = 0) -> list[int]:
    """Least number of rounds of each batch, q^i rounded up."""
    q, last = batch_schedule(horizon)
    return [math.ceil(q ** float(i)) for i in range(1, last + extra_batches + 1)]


def report_scales(algorithm: str, calibration: str, setting: Mapping[str, float]) -> list[float]:
    """Scale of a report's noise in each batch of the smallest size."""
    constants = constants_of(algorithm, calibration, setting)
    sizes = batch_sizes(int(setting["T"]), int(setting["extra_batches"]))
    certified: list[float] = constants.scales.tolist()
    return certified or [1.0 / local_budget(constants.eps, n, constants.delta) for n in sizes]


def actions(algorithm: str, calibration: str, setting: Mapping[str, float]) -> Release:
    """The actions played on a line, where one reward decides which action survives."""
    params = constants_of(algorithm, calibration, setting)
    return EliminationActions(params, int(setting["T"]), params.noise_scale)
