"""Combinatorial semi-bandits: entries of CUCB and its private versions in the table of algorithms."""

from dpbandits.algorithms.entry import NOT_NEGATIVE, POSITIVE, SWITCH, Algorithm, Range
from dpbandits.environments.table import SETS

SEMI = ("regret", "exact", "greedy", "suboptimal", "late", "negative_rounds", "fluid")
"""Outputs of `semi_bandit`."""
STRUCTURED = ("regret", "suboptimal", "late")
TUNED = {"printed": "printed", "tuned": "tuned", "certified": "certified"}
REPORTED = "every report is eps-LDP for outcomes in [0, 1]"
PLAYED = "super arms are eps-DP when the outcomes of one round, in [0, 1]^m, are replaced"
BONUS = {"width": POSITIVE, "negative": Range(0.0, 2.0, closed=True, whole=True)}
CENTRAL = {**BONUS, "steady": SWITCH, "over_rounds": SWITCH, "base_two": SWITCH}

ENTRIES = {
    "cucb": Algorithm(
        label="CUCB (no privacy)",
        short="CUCB",
        reference="Chen, Wang and Yuan 2016",
        guarantee="none",
        parameters={"anytime": SWITCH},
        arms=SETS,
        grid=(),
        outputs=SEMI,
        calibrations={"printed": "printed", "tuned": "printed", "certified": "printed"},
    ),
    "cucb_ldp1": Algorithm(
        label="CUCB-LDP1",
        short="LDP1",
        reference="Chen et al. 2020, Algorithm 1",
        guarantee=REPORTED,
        parameters={**BONUS, "square": SWITCH},
        arms=SETS,
        grid=("eps",),
        outputs=SEMI,
        calibrations=TUNED,
    ),
    "cucb_ldp2": Algorithm(
        label="CUCB-LDP2",
        short="LDP2",
        reference="Chen et al. 2020, Algorithm 2",
        guarantee=REPORTED,
        parameters=BONUS,
        arms=SETS,
        grid=("eps",),
        outputs=SEMI,
        calibrations=TUNED,
    ),
    "cucb_dp": Algorithm(
        label="CUCB-DP",
        short="DP",
        reference="Chen et al. 2020, Algorithm 3",
        guarantee=PLAYED,
        parameters=CENTRAL,
        arms=SETS,
        grid=("eps",),
        outputs=SEMI,
        calibrations=TUNED,
    ),
    "cucb_dp_least": Algorithm(
        label="CUCB-DP on the least played arm",
        short="DP, least",
        reference="Chen et al. 2020, end of Section 3.2",
        guarantee=PLAYED,
        parameters=CENTRAL,
        arms=SETS,
        grid=("eps",),
        outputs=SEMI,
        calibrations=TUNED,
    ),
    "path_sum_ldp": Algorithm(
        label="One noisy sum for every super arm (LDP)",
        short="path sums",
        reference="ours, for the conjecture of Chen et al. 2020, Section 4.1",
        guarantee=REPORTED,
        parameters={"width": POSITIVE},
        arms=SETS,
        grid=("eps",),
        outputs=STRUCTURED,
        calibrations={"printed": "printed", "tuned": "tuned"},
    ),
    "structured_dp": Algorithm(
        label="One tree for the public arms (DP)",
        short="structured",
        reference="ours, for Theorem 9 of Chen et al. 2020",
        guarantee=PLAYED,
        parameters={},
        arms=SETS,
        grid=("eps",),
        outputs=STRUCTURED,
        calibrations={"certified": "certified"},
    ),
    "semi_bandit_rate": Algorithm(
        label="Rate of a theorem",
        short="rate",
        reference="Chen et al. 2020, Table 1",
        guarantee="none: no algorithm",
        parameters=dict.fromkeys(("others", "over_gap", "log_over_gap", "local_log_over_gap"), NOT_NEGATIVE),
        arms=SETS,
        grid=("eps",),
        outputs=("regret",),
        calibrations={"printed": "printed", "tuned": "printed", "certified": "printed"},
    ),
    "semi_bandit_floor": Algorithm(
        label="Lower bound",
        short="lower bound",
        reference="Chen et al. 2020, Theorems 5 and 6; Lai and Robbins 1985",
        guarantee="none: no algorithm",
        parameters={"channel": SWITCH, "open": SWITCH},
        arms=SETS,
        grid=("eps",),
        outputs=("regret",),
        calibrations={"printed": "printed", "tuned": "printed", "certified": "printed"},
    ),
}
