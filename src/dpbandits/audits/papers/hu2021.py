"""Releases of Hu et al., arXiv 2102.07929, and its competitors: noisy sums of batches, trees, and noisy leaders."""

from collections.abc import Mapping

from dpbandits.algorithms.bernoulli.dp_ucb import layers_of, tree_budget
from dpbandits.algorithms.bernoulli.private_means import noise_scale
from dpbandits.algorithms.shared.tree_noise import PREFIX_SUMS
from dpbandits.audits.actions import dp_se as dp_se_actions
from dpbandits.audits.actions import dp_ucb as dp_ucb_actions
from dpbandits.audits.actions import rnm_ftnl as leader_actions
from dpbandits.audits.actions.anytime_lazy_ucb import AnytimeLazyUcbActions
from dpbandits.audits.actions.dp_se import DpSeActions
from dpbandits.audits.actions.dp_ucb import DpUcbActions
from dpbandits.audits.actions.lazy_dp_ts import LazyDpTsActions
from dpbandits.audits.actions.rnm_ftnl import RnmFtnlActions
from dpbandits.audits.constants import constants_of, noise_of
from dpbandits.audits.mechanisms.laplace import Laplace
from dpbandits.audits.mechanisms.laplace_tree import LaplaceTree
from dpbandits.audits.mechanisms.report_noisy_max import ReportNoisyMax
from dpbandits.audits.release import Release
from dpbandits.privacy.mechanisms import LAPLACE_NOISE


def sums(algorithm: str, calibration: str, setting: Mapping[str, float]) -> Release:
    """The noisy sum of the batch that contains a reward, 0 or 1; the noisy mean divides it by the known pulls."""
    scale = noise_scale(constants_of(algorithm, calibration, setting).eps)
    return Laplace(scale, (1.0,), noise_of(algorithm, LAPLACE_NOISE.kind))


def tree(algorithm: str, calibration: str, setting: Mapping[str, float]) -> Release:
    """All sums of the pulled arm; its first reward is 0 or 1."""
    constants = constants_of(algorithm, calibration, setting)
    horizon = int(setting["T"])
    scale = layers_of(horizon) / tree_budget(constants.eps, int(setting["arms"]), constants.split_budget)
    return LaplaceTree(scale, 1, horizon, noise_of(algorithm, PREFIX_SUMS.kind))


def noisy_leader(algorithm: str, calibration: str, setting: Mapping[str, float]) -> Release:
    """The leader of an epoch."""
    scale, noise = leader_scale(algorithm, calibration, setting), noise_of(algorithm, LAPLACE_NOISE.kind)
    return ReportNoisyMax(scale, int(setting["rounds"]), int(setting["arms"]), noise)


def leader_sums(algorithm: str, calibration: str, setting: Mapping[str, float]) -> Release:
    """The noisy sums of all actions; between neighbors one increases by 1 and the others decrease by 1."""
    shifts = (1.0, *[-1.0] * (int(setting["arms"]) - 1))
    return Laplace(leader_scale(algorithm, calibration, setting), shifts, noise_of(algorithm, LAPLACE_NOISE.kind))


def leader_scale(algorithm: str, calibration: str, setting: Mapping[str, float]) -> float:
    """b of an algorithm with epochs; the naive algorithm computes its own as it runs, K/eps."""
    constants = constants_of(algorithm, calibration, setting)
    scale: float = setting["arms"] / constants.eps if algorithm == "naive_ftnl" else constants.noise_scale
    return scale


def arms_of_anytime_lazy_ucb(algorithm: str, calibration: str, setting: Mapping[str, float]) -> Release:
    """The arms of the first rounds, with one reward replaced."""
    params = constants_of(algorithm, calibration, setting)
    return AnytimeLazyUcbActions(params, noise_scale(params.eps))


def arms_of_lazy_dp_ts(algorithm: str, calibration: str, setting: Mapping[str, float]) -> Release:
    """The number of pulls of an arm under Lazy-DP-TS, with one reward vector replaced."""
    params = constants_of(algorithm, calibration, setting)
    return LazyDpTsActions(params, noise_scale(params.eps))


def arms_after_an_epoch(algorithm: str, calibration: str, setting: Mapping[str, float]) -> Release:
    """The arms played after the first epoch of DP-SE, with one reward replaced."""
    params = constants_of(algorithm, calibration, setting)
    gap = dp_se_actions.gap_of(params.eps)
    return DpSeActions(params, int(setting["T"]), gap, noise_scale(params.eps))


def arms_of_dp_ucb(algorithm: str, calibration: str, setting: Mapping[str, float]) -> Release:
    """The arms of the first rounds of DP-UCB, with one reward replaced."""
    params = constants_of(algorithm, calibration, setting)
    horizon = int(setting["T"])
    return DpUcbActions(params, horizon, dp_ucb_actions.scale_of(params, horizon))


def actions_of_rnm_ftnl(algorithm: str, calibration: str, setting: Mapping[str, float]) -> Release:
    """The actions played up to the epoch after the replaced vector."""
    params = constants_of(algorithm, calibration, setting)
    return RnmFtnlActions(params, leader_actions.gap_of(setting["eps"]), params.noise_scale)
