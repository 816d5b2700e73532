"""The one table of all algorithms.

The name of an algorithm is the name of its module in this folder, which holds `Params`, `params`, `requests` where a
calibration asks for noise, `OUTPUTS`, `run` and `run_literal`. What stands here is what configuration, lists and
figures need to know without compiling anything.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from dpbandits.environments.table import BINARY, MEANS, SIGNED


@dataclass(frozen=True)
class Range:
    """Where a constant may lie: between `low` and `high`, which belong to it if `closed`; a whole number if `whole`."""

    low: float
    high: float
    closed: bool = False
    whole: bool = False

    def allows(self, value: float) -> bool:
        """Whether the value lies in the range."""
        inside = self.low <= value <= self.high if self.closed else self.low < value < self.high
        return inside and math.isfinite(value) and (not self.whole or float(value).is_integer())

    def __str__(self) -> str:
        """`> 0 and < 1`, without what is infinite."""
        equal = "=" if self.closed else ""
        sides = [f">{equal} {self.low:g}", *([f"<{equal} {self.high:g}"] if math.isfinite(self.high) else [])]
        return ("a whole number " if self.whole else "") + " and ".join(sides)


POSITIVE = Range(0.0, math.inf)
NOT_NEGATIVE = Range(0.0, math.inf, closed=True)
PROBABILITY = Range(0.0, 1.0)
SWITCH = Range(0.0, 1.0, closed=True, whole=True)


@dataclass(frozen=True)
class Algorithm:
    """One algorithm.

    Attributes
    ----------
    label : name in lists.
    short : name in legends and verdicts, where the paper is known.
    reference : paper and algorithm number.
    guarantee : what `certified` promises, with the neighbouring relation.
    parameters : constants that the configuration gives, with the range in which each must lie.
    arms : what it is told about its arms: it plays the families of `environments.table` of that kind.
    grid : names of the grid values that it needs.
    outputs : columns of its trace, the same as the module's `OUTPUTS`.
    calibrations : the calibrations that apply; a value other than its key says with which one it coincides.
    noise_asks : arguments of the environment that its certified noise hangs on.
    """

    label: str
    short: str
    reference: str
    guarantee: str
    parameters: Mapping[str, Range]
    arms: str
    grid: tuple[str, ...]
    outputs: tuple[str, ...]
    calibrations: Mapping[str, str]
    noise_asks: tuple[str, ...] = ()


READING = {
    "width": POSITIVE,
    "extra_batches": Range(0.0, 5.0, closed=True, whole=True),
    "tolerance": POSITIVE,
    "whole_maximum": SWITCH,
    "reward_sd": NOT_NEGATIVE,
}
"""Parameters of `batches.Reading`."""
PHASED = (
    *("regret", "active", "core", "gamma", "noise_scale", "misses", "largest_core", "fallbacks", "bound", "over_bound"),
)
"""Outputs of the phased eliminations."""
NOT_PRIVATE = {"printed": "printed", "tuned": "tuned", "certified": "printed"}
PRIVATE = {"printed": "printed", "tuned": "tuned", "certified": "certified"}

FRAMEWORK = {
    "batch": Range(0.0, 1e9, closed=True, whole=True),
    "batch_exponent": Range(0.0, 1.0, closed=True),
    "failure": Range(0.0, 0.5, closed=True),
    "ridge_factor": POSITIVE,
    "norm": POSITIVE,
    "released_ridge": SWITCH,
    "released_radius": SWITCH,
}
"""Parameters of every algorithm of `linucb_framework`: a batch of 0 is T^batch_exponent, a failure of 0 is 1/T."""
NOISY = {**FRAMEWORK, "delta": PROBABILITY, "released_noise": SWITCH}
GAUSSIAN = {**NOISY, "unit": SWITCH, "released_symmetry": SWITCH}
LINUCB = ("regret", "realised", "updates", "indefinite", "negative", "growing")
"""Outputs of the algorithms of `linucb_framework`."""
RELEASED = {"printed": "printed", "released": "released", "certified": "certified"}

PLAY = ("regret", "best", "releases", "steps")
"""Outputs of the algorithms for a few arms, `play`."""
COINCIDE = {"printed": "printed", "certified": "printed"}
REPLACED_VECTOR = "arms are eps-DP when the reward vector of one round, in [0, 1]^K, is replaced"
RATE = ("root_arms", "root_log_arms", "arms_log_over_eps", "log_arms_over_gap", "log_arms_over_eps")
RATES = dict.fromkeys((*RATE, "log_arms_over_least", "log_arms_log_over_eps"), NOT_NEGATIVE)
"""Weights of `regret_rate`."""

TABLE: Mapping[str, Algorithm] = {
    "phased_elimination": Algorithm(
        label="Phased elimination (no privacy)",
        short="non-private",
        reference="Hanna et al. 2022, baseline of Figures 2 to 4",
        guarantee="none",
        parameters=READING,
        arms=SIGNED,
        grid=(),
        outputs=PHASED,
        calibrations=NOT_PRIVATE,
    ),
    "phased_elimination_g_optimal": Algorithm(
        label="Phased elimination, G-optimal (no privacy)",
        short="G-optimal",
        reference="Lattimore and Szepesvari 2020, chapter 22",
        guarantee="none",
        parameters=READING,
        arms=SIGNED,
        grid=(),
        outputs=PHASED,
        calibrations=NOT_PRIVATE,
    ),
    "phased_elimination_central": Algorithm(
        label="Phased elimination, central",
        short="central",
        reference="Hanna et al. 2022, Algorithm 1",
        guarantee="actions are eps-DP when one reward in [-1, 1] is replaced",
        parameters={**READING, "core_factor": POSITIVE},
        arms=SIGNED,
        grid=("eps",),
        outputs=PHASED,
        calibrations=PRIVATE,
    ),
    "phased_elimination_central_whole": Algorithm(
        label="Phased elimination, central, without core set",
        short="no core set",
        reference="Hanna et al. 2022, rival in Figure 3(b)",
        guarantee="actions are eps-DP when one reward in [-1, 1] is replaced",
        parameters={**READING, "core_factor": POSITIVE, "frank_wolfe": SWITCH, "printed_width": SWITCH},
        arms=SIGNED,
        grid=("eps",),
        outputs=PHASED,
        calibrations=PRIVATE,
    ),
    "phased_elimination_local": Algorithm(
        label="Phased elimination, local",
        short="local",
        reference="Hanna et al. 2022, Algorithm 2",
        guarantee="every report is eps0-LDP for rewards in [-1, 1]",
        parameters=READING,
        arms=SIGNED,
        grid=("eps",),
        outputs=PHASED,
        calibrations=PRIVATE,
    ),
    "phased_elimination_shuffled": Algorithm(
        label="Phased elimination, shuffled",
        short="shuffled",
        reference="Hanna et al. 2022, Algorithm 3",
        guarantee="the shuffler's output is (eps, delta)-DP when one reward in [-1, 1] is replaced",
        parameters={**READING, "delta": PROBABILITY},
        arms=SIGNED,
        grid=("eps",),
        outputs=PHASED,
        calibrations=PRIVATE,
    ),
    "uniform_play": Algorithm(
        label="Uniform play",
        short="uniform",
        reference="no learning: what a regret is large against",
        guarantee="none: the actions depend on nothing",
        parameters={},
        arms=BINARY,
        grid=(),
        outputs=("regret",),
        calibrations={"printed": "printed", "released": "released", "certified": "printed"},
    ),
    "linucb": Algorithm(
        label="LinUCB (no privacy)",
        short="LinUCB",
        reference="Abbasi-Yadkori et al. 2011; Chowdhury and Zhou 2022, baseline of Figures 1 and 2",
        guarantee="none",
        parameters={**FRAMEWORK, "ridge_by_dimension": SWITCH},
        arms=BINARY,
        grid=(),
        outputs=LINUCB,
        calibrations={"printed": "printed", "released": "released", "certified": "printed"},
    ),
    "linucb_central": Algorithm(
        label="LinUCB, central (tree)",
        short="LinUCB-JDP",
        reference="Shariff and Sheffet 2018; Chowdhury and Zhou 2022, Appendix F",
        guarantee="others' actions are (eps, delta)-DP when one user, norm <= 1 and reward in [0, 1], is replaced",
        parameters={
            **GAUSSIAN,
            "user_exponent": Range(0.0, 1.0, closed=True),
            "shariff_sheffet": SWITCH,
            "released_tree": SWITCH,
        },
        arms=BINARY,
        grid=("eps",),
        outputs=LINUCB,
        calibrations=RELEASED,
    ),
    "linucb_local": Algorithm(
        label="LinUCB, local",
        short="LinUCB-LDP",
        reference="Zheng et al. 2020; Chowdhury and Zhou 2022, Appendix F",
        guarantee="every message is (eps, delta)-DP for features of norm <= 1 and rewards in [0, 1]",
        parameters=GAUSSIAN,
        arms=BINARY,
        grid=("eps",),
        outputs=LINUCB,
        calibrations=RELEASED,
    ),
    "linucb_shuffled_amplified": Algorithm(
        label="LinUCB, shuffled Gaussian reports",
        short="LinUCB-SDP-Amp",
        reference="Chowdhury and Zhou 2022, Algorithms 1 to 4",
        guarantee="a shuffled batch is (eps, delta)-DP when one user, norm <= 1 and reward in [0, 1], is replaced",
        parameters={**GAUSSIAN, "returning": SWITCH},
        arms=BINARY,
        grid=("eps",),
        outputs=LINUCB,
        calibrations=RELEASED,
    ),
    "linucb_shuffled_vector_sum": Algorithm(
        label="LinUCB, shuffled bits",
        short="LinUCB-SDP-Vec",
        reference="Chowdhury and Zhou 2022, Algorithms 1 and 5 to 7",
        guarantee="a shuffled batch is (eps, delta)-DP when one user, norm <= 1 and reward in [0, 1], is replaced",
        parameters={**NOISY, "returning": SWITCH, "bits_factor": POSITIVE, "fractional_bits": SWITCH},
        arms=BINARY,
        grid=("eps",),
        outputs=LINUCB,
        calibrations=RELEASED,
        noise_asks=("dimension",),
    ),
    "lazy_ucb": Algorithm(
        label="Anytime-Lazy-UCB",
        short="lazy UCB",
        reference="Hu et al. 2021, Algorithm 1",
        guarantee=REPLACED_VECTOR,
        parameters={"exploration": POSITIVE, "privacy_bonus": NOT_NEGATIVE},
        arms=MEANS,
        grid=("eps",),
        outputs=PLAY,
        calibrations=COINCIDE,
    ),
    "lazy_thompson_sampling": Algorithm(
        label="Lazy-DP-TS",
        short="lazy TS",
        reference="Hu et al. 2021, Algorithm 3",
        guarantee=REPLACED_VECTOR,
        parameters={"privacy_bonus": NOT_NEGATIVE},
        arms=MEANS,
        grid=("eps",),
        outputs=PLAY,
        calibrations=COINCIDE,
    ),
    "dp_successive_elimination": Algorithm(
        label="DP-SE",
        short="DP-SE",
        reference="Sajed and Sheffet 2019",
        guarantee=REPLACED_VECTOR,
        parameters={"beta": Range(0.0, 0.5, closed=True), "restarts": Range(0.0, 2.0, closed=True, whole=True)},
        arms=MEANS,
        grid=("eps",),
        outputs=PLAY,
        calibrations=COINCIDE,
    ),
    "adap_ucb": Algorithm(
        label="AdaP-UCB",
        short="AdaP-UCB",
        reference="Azize and Basu 2022",
        guarantee=REPLACED_VECTOR,
        parameters={"alpha": POSITIVE},
        arms=MEANS,
        grid=("eps",),
        outputs=PLAY,
        calibrations=COINCIDE,
    ),
    "adap_kl_ucb": Algorithm(
        label="AdaP-KLUCB",
        short="AdaP-KLUCB",
        reference="Azize and Basu 2022",
        guarantee=REPLACED_VECTOR,
        parameters={"alpha_kl": POSITIVE, "alpha_private": POSITIVE},
        arms=MEANS,
        grid=("eps",),
        outputs=PLAY,
        calibrations=COINCIDE,
    ),
    "dp_kl_ucb": Algorithm(
        label="DP-KLUCB",
        short="DP-KLUCB",
        reference="Azize et al. 2025",
        guarantee=REPLACED_VECTOR,
        parameters={"ratio": Range(1.0, 16.0), "first_batch": NOT_NEGATIVE},
        arms=MEANS,
        grid=("eps",),
        outputs=PLAY,
        calibrations=COINCIDE,
    ),
    "dp_imed": Algorithm(
        label="DP-IMED",
        short="DP-IMED",
        reference="Azize et al. 2025",
        guarantee=REPLACED_VECTOR,
        parameters={"ratio": Range(1.0, 16.0), "first_batch": NOT_NEGATIVE},
        arms=MEANS,
        grid=("eps",),
        outputs=PLAY,
        calibrations=COINCIDE,
    ),
    "tree_ucb": Algorithm(
        label="DP-UCB (tree)",
        short="DP-UCB",
        reference="Mishra and Thakurta 2015",
        guarantee=REPLACED_VECTOR,
        parameters={"gamma": PROBABILITY, "split_budget": SWITCH},
        arms=MEANS,
        grid=("eps",),
        outputs=PLAY,
        calibrations=COINCIDE,
    ),
    "ucb1": Algorithm(
        label="UCB1 (no privacy)",
        short="UCB1",
        reference="Auer et al. 2002",
        guarantee="none",
        parameters={},
        arms=MEANS,
        grid=(),
        outputs=PLAY,
        calibrations=COINCIDE,
    ),
    "kl_ucb": Algorithm(
        label="KL-UCB (no privacy)",
        short="KL-UCB",
        reference="Garivier and Cappe 2011",
        guarantee="none",
        parameters={},
        arms=MEANS,
        grid=(),
        outputs=PLAY,
        calibrations=COINCIDE,
    ),
    "thompson_sampling": Algorithm(
        label="Thompson sampling (no privacy)",
        short="TS",
        reference="Thompson 1933; Hu et al. 2021, Algorithm 2",
        guarantee="none",
        parameters={},
        arms=MEANS,
        grid=(),
        outputs=PLAY,
        calibrations=COINCIDE,
    ),
    "follow_the_leader": Algorithm(
        label="Follow the leader (no privacy)",
        short="FTL",
        reference="Hu et al. 2021, Section 5",
        guarantee="none",
        parameters={},
        arms=MEANS,
        grid=(),
        outputs=PLAY,
        calibrations=COINCIDE,
    ),
    "epoch_leader": Algorithm(
        label="Follow the leader in epochs (no privacy)",
        short="FTL in epochs",
        reference="Hu et al. 2021, Algorithm 4 without noise",
        guarantee="none",
        parameters={},
        arms=MEANS,
        grid=(),
        outputs=PLAY,
        calibrations=COINCIDE,
    ),
    "noisy_leader": Algorithm(
        label="RNM-FTNL",
        short="RNM-FTNL",
        reference="Hu et al. 2021, Algorithm 4",
        guarantee=REPLACED_VECTOR,
        parameters={},
        arms=MEANS,
        grid=("eps",),
        outputs=PLAY,
        calibrations={"printed": "printed", "certified": "certified"},
    ),
    "naive_noisy_leader": Algorithm(
        label="naive FTNL",
        short="naive FTNL",
        reference="Hu et al. 2021, Section 5",
        guarantee=REPLACED_VECTOR,
        parameters={},
        arms=MEANS,
        grid=("eps",),
        outputs=PLAY,
        calibrations=COINCIDE,
    ),
    "regret_floor": Algorithm(
        label="Lower bound of Azize et al.",
        short="lower bound",
        reference="Azize et al. 2025, Theorem 1",
        guarantee="none: no algorithm",
        parameters={},
        arms=MEANS,
        grid=("eps",),
        outputs=("regret",),
        calibrations=COINCIDE,
    ),
    "regret_rate": Algorithm(
        label="Rate of a theorem",
        short="rate",
        reference="Hu et al. 2021, Theorems 3, 5, 9, 12 and their corollaries",
        guarantee="none: no algorithm",
        parameters=RATES,
        arms=MEANS,
        grid=("eps",),
        outputs=("regret",),
        calibrations=COINCIDE,
    ),
}
