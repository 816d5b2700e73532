"""Parameter ranges, guarantees and examples shared by the entries of the phased eliminations."""

import math
from collections.abc import Mapping

from dpbandits.algorithms.base import (
    POSITIVE,
    SWITCH,
    Domain,
    Environment,
    Example,
    Guarantee,
    Range,
)

READING: dict[str, Domain] = {
    "width": POSITIVE,
    "extra_batches": Range(0.0, 5.0, closed=True, whole=True),
    "tolerance": Range(1e-9, math.inf, closed=True),  # closer designs are beyond floating point
    "whole_maximum": SWITCH,
    "reward_sd": Range(0.0, math.inf, null=0.0),
}
"""Parameters of `batches.Reading`."""
ACTIONS = Guarantee("actions are eps-DP", "one reward in [-1, 1] is replaced")
NOT_PRIVATE = {"printed": "printed", "tuned": "tuned", "certified": "printed"}
PRIVATE = {"printed": "printed", "tuned": "tuned", "certified": "certified"}

FOUR: Environment = {"family": "linear", "arms": 4, "dimension": 2}
AS_PRINTED = {"extra_batches": 0.0, "tolerance": 1e-3, "whole_maximum": 0.0, "reward_sd": 0.0}
WHOLE = {"width": 0.03, "core_factor": 1.5, "frank_wolfe": 0.0, "printed_width": 0.0, "eps": 0.1}


def example(setting: Mapping[str, float], calibration: str = "printed", **noise: float) -> Example:
    """An example on four actions, with the paper's text read as printed."""
    return Example(FOUR, {**AS_PRINTED, **setting}, 1000, calibration, noise)
