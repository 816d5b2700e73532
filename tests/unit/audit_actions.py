"""What the tests of end-to-end audits share: every release that is shipped, and random numbers that tell rewards."""

import math

import numpy as np

from dpbandits.algorithms.bernoulli.private_means import noise_scale
from dpbandits.audits.actions import dp_se as dp_se_actions
from dpbandits.audits.actions import dp_ucb as dp_ucb_actions
from dpbandits.audits.actions import rnm_ftnl as leader_actions
from dpbandits.audits.actions.anytime_lazy_ucb import AnytimeLazyUcbActions
from dpbandits.audits.actions.cucb import CucbActions
from dpbandits.audits.actions.dp_se import DpSeActions
from dpbandits.audits.actions.dp_ucb import DpUcbActions
from dpbandits.audits.actions.frozen_linucb import FrozenLinucbActions
from dpbandits.audits.actions.lazy_dp_ts import LazyDpTsActions
from dpbandits.audits.actions.linucb import LinucbActions
from dpbandits.audits.actions.phased_elimination import EliminationActions
from dpbandits.audits.actions.rnm_ftnl import RnmFtnlActions
from dpbandits.audits.constants import constants_of

READING = {"width": 1.0, "extra_batches": 0.0, "tolerance": 0.001, "whole_maximum": 0.0, "reward_sd": 0.0}
UCB = {"exploration": 2.0, "privacy_bonus": 3.0}
TREES = {"width": 1.0, "cucb_root": 0.0, "base_two": 0.0, "over_rounds": 0.0, "fallback": 0.0, "T": 3.0}
SWITCHES = (
    "unit_noise",
    "shariff_sheffet",
    "ridge_by_dimension",
    "returning",
    "user_exponent",
    "failure",
    "batch_exponent",
)
RELEASED = ("released_ridge", "released_radius", "released_noise", "released_symmetry", "released_tree")
LINUCB = {**dict.fromkeys((*SWITCHES, *RELEASED), 0.0), "batch": 1.0, "ridge_factor": 2.0, "norm": 1.0}
LINUCB |= {"delta": 0.1, "dimension": 1.0, "T": 3.0}
FROZEN = {**LINUCB, **dict.fromkeys(RELEASED, 1.0), "norm": math.sqrt(2.0), "T": 403.0}


def elimination(eps, calibration="certified", horizon=1_000_000, **changes):
    setting = {**READING, "core_factor": 1.5, "eps": eps, **changes}
    params = constants_of("phased_elimination_central", calibration, setting)
    return EliminationActions(params, horizon, params.noise_scale)


def leader(eps, calibration="certified"):
    params = constants_of("rnm_ftnl", calibration, {"eps": eps})
    return RnmFtnlActions(params, leader_actions.gap_of(eps), params.noise_scale)


def dp_se(eps):
    params = constants_of("dp_se", "printed", {"eps": eps, "beta": 0.0, "restarts": 0.0})
    gap = dp_se_actions.gap_of(eps)
    return DpSeActions(params, 1_000_000, gap, noise_scale(eps))


def anytime_lazy_ucb(eps):
    return AnytimeLazyUcbActions(constants_of("anytime_lazy_ucb", "printed", {**UCB, "eps": eps}), noise_scale(eps))


def lazy_dp_ts(eps):
    params = constants_of("lazy_dp_ts", "printed", {**UCB, "eps": eps})
    return LazyDpTsActions(params, noise_scale(eps))


def dp_ucb(eps, split_budget=0.0, horizon=8):
    params = constants_of("dp_ucb", "printed", {"eps": eps, "gamma": 0.1, "split_budget": split_budget})
    return DpUcbActions(params, horizon, dp_ucb_actions.scale_of(params, horizon))


def cucb(eps, calibration="certified"):
    params = constants_of("cucb_dp", calibration, {**TREES, "eps": eps})
    return CucbActions(params, params.scale)


def linucb(eps, calibration="certified"):
    params = constants_of("linucb_jdp", calibration, {**LINUCB, "eps": eps})
    return LinucbActions(params, params.protocol)


def frozen_linucb(eps):
    params = constants_of("linucb_jdp", "released", {**FROZEN, "eps": eps})
    return FrozenLinucbActions(params, params.protocol, int(FROZEN["T"]))


class Told:
    """A generator of noise whose uniform numbers make the rewards those of a stream (rounds, arms).

    Before every reward it sets the two means, on either side of 1/2 and never equal, and answers 1/2.
    """

    def __init__(self, rng, stream):
        self.laplace, self.integers = rng.laplace, rng.integers
        self.left, self.means = iter(stream), np.array([0.75, 0.25])

    def random(self):
        self.means[:] = np.where(next(self.left) == 1, (0.75, 1.0), (0.25, 0.0))
        return 0.5


def code(arms):
    """Arms as the digits of a binary number."""
    return int("".join(str(int(arm)) for arm in arms), 2)
