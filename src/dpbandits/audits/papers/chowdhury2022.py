"""Releases of Chowdhury and Zhou (arXiv 2202.05567) with the noise of the shipped algorithms; one user is replaced.

Printed and certified users have |phi| <= 1; users of the authors' code have features (z, 1) with |z| = 1. Rewards lie
in [0, 1]. The noise on phi y is drawn first, then the noise on phi phi'.
"""

import math
from collections.abc import Mapping

import numpy as np

from dpbandits.algorithms.linucb.constants import batches_of
from dpbandits.algorithms.linucb.linucb_jdp import depth, user_rounds
from dpbandits.algorithms.linucb.protocol import BITS_NOISE, Gaussians
from dpbandits.audits.actions.frozen_linucb import FrozenLinucbActions
from dpbandits.audits.actions.linucb import LinucbActions
from dpbandits.audits.constants import constants_of, noise_of
from dpbandits.audits.mechanisms.frozen_noise import FrozenNoise, columns_in_use
from dpbandits.audits.mechanisms.gaussian import Gaussian, distance
from dpbandits.audits.mechanisms.gaussian_tree import GaussianTree, leaves_per_node
from dpbandits.audits.mechanisms.least_squares import farthest_contexts, lower, lower_sds, numbers
from dpbandits.audits.mechanisms.shuffled_gaussian import ShuffledGaussian
from dpbandits.audits.mechanisms.vector_sum import VectorSum, tried_pairs
from dpbandits.audits.release import Array, Release
from dpbandits.privacy.mechanisms import GAUSSIAN_NOISE
from dpbandits.privacy.sensitivities import JOINT_SENSITIVITY
from dpbandits.privacy.vector_sum import RELEASED_ONCE

Setting = Mapping[str, float]


def reports(algorithm: str, calibration: str, setting: Setting) -> Release:
    """The report of one user without shuffling."""
    protocol = constants_of(algorithm, calibration, setting).protocol
    first, second = _messages(calibration, setting, protocol)
    return Gaussian(numbers(second - first), _sds(setting, protocol), added=noise_of(algorithm, GAUSSIAN_NOISE.kind))


def shuffled_reports(algorithm: str, calibration: str, setting: Setting) -> Release:
    """The shuffled reports of a batch, or of all batches if users return."""
    found = constants_of(algorithm, calibration, setting)
    first, second = _messages(calibration, setting, found.protocol)
    batches = batches_of(setting) if setting["returning"] else 1
    sds, noise = _sds(setting, found.protocol), noise_of(algorithm, GAUSSIAN_NOISE.kind)
    return ShuffledGaussian(numbers(second - first), sds, found.batch, batches, noise)


def shuffled_bits(algorithm: str, calibration: str, setting: Setting) -> Release:
    """The bits of a batch, shuffled by entry, or of all batches if users return."""
    found = constants_of(algorithm, calibration, setting)
    released, dimension = calibration == "released", int(setting["dimension"])
    batches = batches_of(setting) if setting["returning"] else 1
    tuples = tuple((numbers(first), numbers(second)) for first, second in tried_pairs(released, dimension))
    users = found.batch, found.protocol, dimension, RELEASED_ONCE if released else JOINT_SENSITIVITY
    return VectorSum(tuples, released, *users, batches, noise_of(algorithm, BITS_NOISE.kind))


def sums(algorithm: str, calibration: str, setting: Setting) -> Release:
    """All sums that the tree releases; for the authors' code, the sums before and after the second-to-last round."""
    found = constants_of(algorithm, calibration, setting)
    first, second = _messages(calibration, setting, found.protocol)
    sds, noise = _sds(setting, found.protocol), noise_of(algorithm, GAUSSIAN_NOISE.kind)
    if found.released_tree:
        return FrozenNoise(numbers(first), numbers(second), sds, columns_in_use(int(setting["T"]) - 2), noise)
    shifts, rounds, layers = numbers(second - first), user_rounds(setting), depth(setting)
    reach = rounds * math.sqrt(layers) * distance(shifts, sds) if rounds > 1 else None
    return GaussianTree(shifts, sds, leaves_per_node(layers, rounds, batches_of(setting)), reach, noise)


def _messages(calibration: str, setting: Setting, protocol: Gaussians) -> tuple[Array, Array]:
    """The messages of the two users with the largest distance, rewards 1."""
    d = int(setting["dimension"])
    if calibration == "released":
        first = np.eye(d)[0] + np.eye(d)[-1]
        second = np.eye(d)[-1] - np.eye(d)[0]
    else:
        first, second = farthest_contexts((protocol.vector_sd / protocol.diagonal_sd) ** 2, d)
    return np.concatenate([first, lower(first)]), np.concatenate([second, lower(second)])


def _sds(setting: Setting, protocol: Gaussians) -> tuple[float, ...]:
    """Standard deviations of the noise on a message or a node."""
    d = int(setting["dimension"])
    return (protocol.vector_sd,) * d + lower_sds(d, protocol.diagonal_sd, protocol.beside_sd)


def others_actions(algorithm: str, calibration: str, setting: Setting) -> Release:
    """The actions of the others after one user."""
    params = constants_of(algorithm, calibration, setting)
    return LinucbActions(params, params.protocol)


def others_actions_between_jumps(algorithm: str, calibration: str, setting: Setting) -> Release:
    """The actions of the others while the noise of the authors' code stays constant."""
    params = constants_of(algorithm, calibration, setting)
    return FrozenLinucbActions(params, params.protocol, int(setting["T"]))
