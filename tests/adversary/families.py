"""Which family of mechanisms attacks which audit, and with what.

An attack is a function of a cell, its release and a factor on the noise. It returns the largest epsilon at the cell's
delta that the adversary found for the release with so much of its noise.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dpbandits.audits.release import Release
from dpbandits.planning.cells import Cell

from . import messages, rewards
from .search import Domain

Attack = Callable[[Cell, Release, float], float]
Setting = dict[str, Any]


@dataclass(frozen=True)
class Family:
    """What attacks an audit.

    Attributes
    ----------
    attack : see above.
    reaches : part of the stated lower end that the adversary must find; 0 where it does not look for that pair.
    mutant : factor on the noise with which the adversary must find a pair worse than stated.
    """

    attack: Attack
    reaches: float = 0.995
    mutant: float = 0.95


# Messages with Gaussian noise


def gaussian(domain_of: Callable[[Cell], Domain], **more: float) -> Family:
    """Messages of a domain, each entry with the noise that the release states."""

    def attack(cell: Cell, release: Release, noise: float) -> float:
        mu = messages.farthest(domain_of(cell), release.sds) / noise
        return messages.gaussian_epsilon(mu, cell.delta)

    return Family(attack, **more)


def regression(cell: Cell) -> Domain:
    """Users of LDP-OLS and LDP-UCB."""
    return messages.regression(int(cell.setting["dimension"]), cell.setting.get("reward", 1.0))


def regression_of_arms(cell: Cell) -> Domain:
    """The same with several arms; LDP-UCB has one message for all arms."""
    domain = messages.stacked_regression if cell.algorithm == "ldp_ucb_multi" else messages.regression_of_arms
    return domain(int(cell.setting["dimension"]), int(cell.setting["arms"]))


def typical_contexts(cell: Cell) -> Domain:
    """Normal contexts in 20 dimensions, here up to twice their typical length."""
    return messages.unbounded_contexts(20, int(cell.setting["arms"]), 2.0 * math.sqrt(20.0))


def gradients(cell: Cell) -> Domain:
    """Gradients with normal noise; the certified ones are cut to `bound`."""
    with_matrix = cell.algorithm == "ldp_greedy_first"
    if cell.calibration == "certified":
        return messages.cut_gradients(int(cell.setting["dimension"]), cell.setting["bound"], with_matrix)
    theta = (5.0 + 4.0 / math.sqrt(cell.setting["T"]), 3.0, 5.0)  # Section 5: the mean rewards of the two contexts
    return messages.occurring_gradients(theta, with_matrix)


def online_learner(cell: Cell) -> Domain:
    """LDP-GLOC; rewards of the logistic link have residuals of at most 1."""
    return messages.online_learner(int(cell.setting["dimension"]), cell.setting["loss_bound"] <= 1.0)


def online_learner_of_arms(cell: Cell) -> Domain:
    """The same with several arms; the released matrix is one number."""
    sizes = int(cell.setting["dimension"]), int(cell.setting["arms"])
    return messages.online_learner_of_arms(*sizes, cell.calibration == "released")


def features(cell: Cell) -> Domain:
    """Users of LinUCB."""
    return messages.features(int(cell.setting["dimension"]), cell.calibration == "released")


# Numbers with Laplace noise


def laplace(domain_of: Callable[[Cell], Domain]) -> Family:
    """Numbers of a domain, each with the noise that the release states; delta 0."""

    def attack(cell: Cell, release: Release, noise: float) -> float:
        assert cell.delta == 0.0, f"{cell.audit}: the adversary of Laplace noise knows delta 0 alone"
        return rewards.farthest_in_sum(domain_of(cell)) / (noise * release.scale)

    return Family(attack)


def outcomes(cell: Cell) -> Domain:
    """The reports of a super arm, or of one of its arms."""
    size = int(cell.setting["size"])
    return rewards.outcomes(size, size if cell.algorithm == "cucb_ldp1" else 1)


def trees(cell: Cell) -> Domain:
    """A tree for each of the K arms of a super arm; `cucb_dp_least` feeds that of one arm."""
    count = int(cell.setting["size"]) if cell.algorithm == "cucb_dp" else 1
    return rewards.trees(count, int(cell.setting["T"]), bool(cell.setting["over_rounds"]))


def stream(cell: Cell) -> Domain:
    """One tree."""
    return rewards.trees(1, int(cell.setting["T"]), False)


FAMILIES: dict[str, Family] = {
    "chen2020/reports": laplace(outcomes),
    "chen2020/sum_reports": laplace(lambda cell: rewards.outcome_sum(int(cell.setting["size"]))),
    "chen2020/trees": laplace(trees),
    "chen2020/trees_base_two": laplace(trees),
    "chen2020/trees_over_rounds": laplace(trees),
    "chen2020/trees_short": laplace(trees),
    "chen2020/stream": laplace(stream),
    "chen2020/stream_base_two": laplace(stream),
    "chen2020/shared_trees": laplace(lambda cell: rewards.shared_trees(4, int(cell.setting["T"]))),
    "chowdhury2022/local_reports": gaussian(features),
    "han2021/least_squares_message": gaussian(regression),
    "han2021/large_budgets": gaussian(regression),
    "han2021/ldp_ucb_message": gaussian(regression),
    "han2021/messages_to_all_arms": gaussian(regression_of_arms),
    "han2021/typical_contexts": gaussian(typical_contexts),
    "han2021/warm_up": gaussian(regression),
    "han2021/estimator": gaussian(regression),
    "han2021/unclipped_estimator": gaussian(regression),
    "han2021/unclipped_gradients": gaussian(gradients),
    "han2021/unclipped_ldp_sgd_gradients": gaussian(gradients),
    "han2021/ldp_gloc_message": gaussian(online_learner),
    "han2021/ldp_gloc_message_logistic": gaussian(online_learner),
    "han2021/ldp_gloc_message_to_all_arms": gaussian(online_learner_of_arms),
    "hanna2022/sums": laplace(lambda cell: rewards.signed_rewards()),
    "hanna2022/reports": laplace(lambda cell: rewards.signed_report()),
    "hu2021/sums": laplace(lambda cell: rewards.vector_sums(2, all_seen=False)),
    "hu2021/tree": laplace(stream),
    "hu2021/naive_sums": laplace(lambda cell: rewards.vector_sums(int(cell.setting["arms"]), all_seen=True)),
}
