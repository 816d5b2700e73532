"""Parameter ranges, guarantees and examples shared by algorithms for generalized linear rewards."""

import math
from collections.abc import Mapping

from dpbandits.algorithms.base import (
    PROBABILITY,
    SWITCH,
    Choice,
    Domain,
    Environment,
    Example,
    Guarantee,
    Range,
)

ALL = {"printed": "printed", "released": "released", "certified": "certified"}
USER = "one user's context of norm <= 1 and reward in [-1, 1]"
LOCAL = Guarantee("a message is (eps, delta)-LDP", f"{USER} are replaced")
TUPLE = Guarantee("the messages of a round to all arms are (eps, delta)-LDP", f"{USER} are replaced")
MESSAGES: dict[str, Domain] = {"delta": PROBABILITY, "failure": Range(0.0, 0.5, closed=True, null=0.0)}
START: dict[str, Domain] = {"released_start": SWITCH}
RELEASED_SWITCHES = ("released_start", "released_noise", "released_gradient")
"""Switches of the authors' code that are off at the printed calibration."""
SCHEDULE = Choice({"theorem": 0.0, "inverse": 1.0, "inverse_root": 2.0})
SCHEME = Choice({"main": 1.0, "appendix": 2.0})
ROUNDS = Range(0.0, 1e9, closed=True, whole=True)
LAZY = Range(1.0, 1e9, closed=True, whole=True, null=0.0)
WARM_UP: dict[str, Domain] = {"warm_up": ROUNDS, "threshold": Range(0.0, math.inf, null=0.0)}

SPHERE: Environment = {"family": "sphere_contexts", "arms": 4, "dimension": 3, "link": "linear", "noise": 0.1}
CORNER: Environment = {"family": "corner_contexts", "rounds": 120, "noise": 0.1}
ONE: Environment = {"family": "one_direction", "dimension": 2, "scale": 1, "noise": 0.1}
SHARED_SPHERE: Environment = {"family": "shared_sphere", "arms": 3, "dimension": 2, "noise": 0.1}
MESSAGE = {"eps": 5.0, "delta": 0.01, "failure": 0.1}
WARMED_UP = {**MESSAGE, "warm_up": 30.0, "threshold": 0.0}
AS_PRINTED = {**MESSAGE, "released_start": 0.0, "released_noise": 0.0}
GLOC = {
    **{**AS_PRINTED, "slope": 1.0, "loss_bound": 2.0, "rate_factor": 1.0},
    **{"released_gradient": 0.0, "half_noise": 0.0, "broken_bonus": 0.0},
}
GRADIENT = {
    **{"eps": 5.0, "delta": 0.01, "bound": 2.0, "schedule": 0.0, "step": 1.1, "offset": 1.0, "curvature": 0.3},
    **{"slope": 1.0, "penalty": 0.0, "gaussian": 0.0, "released_start": 0.0},
}


def on_contexts(
    setting: Mapping[str, float],
    noise: Mapping[str, float] | None = None,
    environment: Environment = SPHERE,
) -> tuple[Example, ...]:
    """One example per calibration; `noise` is for `certified`; `released` turns on `RELEASED_SWITCHES`."""
    switches = {name: 1.0 for name in RELEASED_SWITCHES if name in setting}
    return (
        Example(environment, setting, 120),
        Example(environment, {**setting, **switches}, 120, "released"),
        Example(environment, setting, 120, "certified", noise or {}),
    )
