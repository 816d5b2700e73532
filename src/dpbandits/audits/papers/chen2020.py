"""Releases of Chen et al., arXiv 2006.00706: reports of single users and sums from trees. `size` is K."""

from collections.abc import Mapping

from dpbandits.algorithms.shared.tree_noise import PREFIX_SUMS, PREFIX_SUMS_OVER_ROUNDS
from dpbandits.audits.actions.cucb import CucbActions
from dpbandits.audits.constants import constants_of, noise_of
from dpbandits.audits.mechanisms.laplace import Laplace
from dpbandits.audits.mechanisms.laplace_tree import LaplaceTree
from dpbandits.audits.release import Release
from dpbandits.privacy.mechanisms import LAPLACE_NOISE

TIMES_THE_LEMMA = 2.0  # noise of a node of Algorithm 3 over that of Lemma 1; source: Section 4.2


def reports(algorithm: str, calibration: str, setting: Mapping[str, float]) -> Release:
    """The report of all K arms, or of the arm with the fewest reports: all outcomes are 0, or all are 1."""
    constants = constants_of(algorithm, calibration, setting)
    size = int(setting["size"]) if algorithm == "cucb_ldp1" else 1
    return Laplace(size * constants.scale, (1.0,) * size, noise_of(algorithm, LAPLACE_NOISE.kind))


def sum_reports(algorithm: str, calibration: str, setting: Mapping[str, float]) -> Release:
    """The report of the sum of a super arm's K outcomes, 0 or K; its noise Lap(K / eps) is computed as it runs."""
    scale = setting["size"] / constants_of(algorithm, calibration, setting).eps
    return Laplace(scale, (setting["size"],), noise_of(algorithm, LAPLACE_NOISE.kind))


def trees(algorithm: str, calibration: str, setting: Mapping[str, float]) -> Release:
    """All sums of the K arms of a super arm, or of the arm with the fewest; their first outcomes are 0 or 1."""
    constants = constants_of(algorithm, calibration, setting)
    size = int(setting["size"]) if algorithm == "cucb_dp" else 1
    kind = PREFIX_SUMS_OVER_ROUNDS.kind if constants.over_rounds else PREFIX_SUMS.kind
    return LaplaceTree(size * constants.scale, size, int(setting["T"]), noise_of(algorithm, kind))


def stream(algorithm: str, calibration: str, setting: Mapping[str, float]) -> Release:
    """All sums of one stream with the noise of Lemma 1, half of that of Algorithm 3; its first number is 0 or 1."""
    scale = constants_of(algorithm, calibration, setting).scale
    printed = scale if calibration == "certified" else scale / TIMES_THE_LEMMA
    return LaplaceTree(printed, 1, int(setting["T"]), noise_of(algorithm, PREFIX_SUMS.kind))


def shared_trees(algorithm: str, calibration: str, setting: Mapping[str, float]) -> Release:
    """All sums of one private arm and of the public arms' mean, each with twice the noise; first outcomes 0 or 1."""
    scale = 2.0 * constants_of(algorithm, calibration, setting).scale
    return LaplaceTree(scale, 2, int(setting["T"]), noise_of(algorithm, PREFIX_SUMS.kind), (0.5 * scale,))


def arms(algorithm: str, calibration: str, setting: Mapping[str, float]) -> Release:
    """The super arms played in the first rounds, with one outcome replaced."""
    params = constants_of(algorithm, calibration, setting)
    return CucbActions(params, params.scale)
