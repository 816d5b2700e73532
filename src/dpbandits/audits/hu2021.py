"""Releases of Hu et al., arXiv 2102.07929, and its rivals: noisy sums of batches, trees, and noisy leaders."""

from collections.abc import Mapping

from dpbandits.algorithms.private_means import noise_scale
from dpbandits.algorithms.tree_ucb import levels_of, tree_budget
from dpbandits.audits import leader_actions, successive_elimination_actions, tree_ucb_actions
from dpbandits.audits.constants import constants_of
from dpbandits.audits.laplace import Laplace
from dpbandits.audits.laplace_tree import LaplaceTree
from dpbandits.audits.lazy_thompson_sampling_actions import LazyThompsonSamplingActions
from dpbandits.audits.lazy_ucb_actions import LazyUcbActions
from dpbandits.audits.leader_actions import LeaderActions
from dpbandits.audits.release import Release
from dpbandits.audits.report_noisy_max import ReportNoisyMax
from dpbandits.audits.successive_elimination_actions import SuccessiveEliminationActions
from dpbandits.audits.tree_ucb_actions import TreeUcbActions


def sums(algorithm: str, calibration: str, setting: Mapping[str, float]) -> Release:
    """The noisy sum of the batch that a reward is in, 0 or 1; its noisy mean is this over the known number of pulls."""
    return Laplace(noise_scale(constants_of(algorithm, calibration, setting).eps), (1.0,))


def tree(algorithm: str, calibration: str, setting: Mapping[str, float]) -> Release:
    """All sums of the arm that was pulled, its first reward 0 or 1."""
    constants = constants_of(algorithm, calibration, setting)
    horizon = int(setting["T"])
    scale = levels_of(horizon) / tree_budget(constants.eps, int(setting["arms"]), constants.split_budget)
    return LaplaceTree(scale, 1, horizon)


def leader(algorithm: str, calibration: str, setting: Mapping[str, float]) -> Release:
    """The leader of an epoch."""
    return ReportNoisyMax(leader_scale(algorithm, calibration, setting), int(setting["rounds"]), int(setting["arms"]))


def leader_sums(algorithm: str, calibration: str, setting: Mapping[str, float]) -> Release:
    """The noisy sums of all actions, of which one moves up by 1 and the others down."""
    return Laplace(leader_scale(algorithm, calibration, setting), (1.0, *[-1.0] * (int(setting["arms"]) - 1)))


def leader_scale(algorithm: str, calibration: str, setting: Mapping[str, float]) -> float:
    """b of an algorithm in epochs; the naive one forms its own from K and eps as it runs, K/eps."""
    constants = constants_of(algorithm, calibration, setting)
    scale: float = setting["arms"] / constants.eps if algorithm == "naive_noisy_leader" else constants.noise_scale
    return scale


def arms_of_lazy_ucb(algorithm: str, calibration: str, setting: Mapping[str, float]) -> Release:
    """The arms of the first rounds, of which one reward is replaced."""
    params = constants_of(algorithm, calibration, setting)
    return LazyUcbActions(params, noise_scale(params.eps))


def arms_of_lazy_thompson_sampling(algorithm: str, calibration: str, setting: Mapping[str, float]) -> Release:
    """As `arms_of_lazy_ucb`, of samples."""
    params = constants_of(algorithm, calibration, setting)
    return LazyThompsonSamplingActions(params, noise_scale(params.eps))


def arms_after_an_epoch(algorithm: str, calibration: str, setting: Mapping[str, float]) -> Release:
    """The arms that are left after the first epoch, of which one reward is replaced."""
    params = constants_of(algorithm, calibration, setting)
    gap = successive_elimination_actions.gap_of(params.eps)
    return SuccessiveEliminationActions(params, int(setting["T"]), gap, noise_scale(params.eps))


def arms_of_tree_ucb(algorithm: str, calibration: str, setting: Mapping[str, float]) -> Release:
    """As `arms_of_lazy_ucb`, of trees."""
    params = constants_of(algorithm, calibration, setting)
    horizon = int(setting["T"])
    return TreeUcbActions(params, horizon, tree_ucb_actions.scale_of(params, horizon))


def leaders_of_epochs(algorithm: str, calibration: str, setting: Mapping[str, float]) -> Release:
    """The actions played in the epochs up to the one after the replaced vector."""
    params = constants_of(algorithm, calibration, setting)
    return LeaderActions(params, leader_actions.gap_of(setting["eps"]), params.noise_scale)
