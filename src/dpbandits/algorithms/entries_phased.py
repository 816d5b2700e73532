"""Phased eliminations for linear bandits: their entries in the table of algorithms."""

from dpbandits.algorithms.entry import NOT_NEGATIVE, POSITIVE, PROBABILITY, SWITCH, Algorithm, Range
from dpbandits.environments.table import SIGNED

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

ENTRIES = {
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
}
