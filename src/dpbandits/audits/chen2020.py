"""Releases of Chen et al., arXiv 2006.00706: reports of single users, and sums from trees. `size` is K."""

from collections.abc import Mapping

from dpbandits.audits.constants import constants_of
from dpbandits.audits.cucb_actions import CucbActions
from dpbandits.audits.laplace import Laplace
from dpbandits.audits.laplace_tree import LaplaceTree
from dpbandits.audits.release import Release


def reports(algorithm: str, calibration: str, setting: Mapping[str, float]) -> Release:
    """The report of all K arms, or of the one with the fewest reports: all outcomes 0, or all 1."""
    constants = constants_of(algorithm, calibration, setting)
    size = int(setting["size"]) if algorithm == "cucb_ldp1" else 1
    return Laplace(size * constants.scale, (1.0,) * size)


def sum_reports(algorithm: str, calibration: str, setting: Mapping[str, float]) -> Release:
    """The report of the sum of the K outcomes of a super arm, 0 or K; its noise, Lap(K / eps), is formed as it runs."""
    return Laplace(setting["size"] / constants_of(algorithm, calibration, setting).eps, (setting["size"],))


def trees(algorithm: str, calibration: str, setting: Mapping[str, float]) -> Release:
    """All sums of the K arms of a super arm, or of the one with the fewest: their first outcomes 0, or 1."""
    constants = constants_of(algorithm, calibration, setting)
    size = int(setting["size"]) if algorithm == "cucb_dp" else 1
    return LaplaceTree(size * constants.scale, size, int(setting["T"]), constants.over_rounds)


def shared_trees(algorithm: str, calibration: str, setting: Mapping[str, float]) -> Release:
    """All sums of one private arm and of the mean of the public arms, twice the noise each: first outcomes 0, or 1."""
    return LaplaceTree(2.0 * constants_of(algorithm, calibration, setting).scale, 2, int(setting["T"]))


def arms(algorithm: str, calibration: str, setting: Mapping[str, float]) -> Release:
    """The super arms played in the first rounds, of which one outcome is replaced."""
    params = constants_of(algorithm, calibration, setting)
    return CucbActions(params, params.scale)
