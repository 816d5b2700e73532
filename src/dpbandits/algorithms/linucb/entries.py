"""Parameter ranges, guarantees and examples shared by the entries of LinUCB and its private versions."""

from collections.abc import Mapping

from dpbandits.algorithms.base import (
    POSITIVE,
    PROBABILITY,
    SWITCH,
    Domain,
    Environment,
    Example,
    Range,
)

FRAMEWORK: dict[str, Domain] = {
    "batch": Range(1.0, 1e9, closed=True, whole=True, null=0.0),
    "batch_exponent": Range(0.0, 1.0, closed=True, null=0.0),
    "failure": Range(0.0, 0.5, closed=True, null=0.0),
    "ridge_factor": POSITIVE,
    "norm": POSITIVE,
    "released_ridge": SWITCH,
    "released_radius": SWITCH,
}
"""Parameters of every LinUCB of this family; a null batch means T^batch_exponent, a null failure means 1/T."""
NOISY: dict[str, Domain] = {**FRAMEWORK, "delta": PROBABILITY, "released_noise": SWITCH}
GAUSSIAN_PARAMETERS: dict[str, Domain] = {**NOISY, "unit_noise": SWITCH, "released_symmetry": SWITCH}
USER = "one user is replaced, with features of norm <= 1 and a reward in [0, 1]"
RELEASED = {"printed": "printed", "released": "released", "certified": "certified"}

FEW: Environment = {"family": "bernoulli_linear", "arms": 5, "dimension": 3}
COMMON = {
    **{"batch": 4.0, "batch_exponent": 0.5, "failure": 0.1, "ridge_factor": 0.1, "norm": 1.0},
    **{"released_ridge": 0.0, "released_radius": 0.0},
}
SMALL = {**COMMON, "eps": 20.0, "delta": 0.1, "released_noise": 0.0, "unit_noise": 0.0, "released_symmetry": 0.0}


def on_features(
    setting: Mapping[str, float],
    noise: Mapping[str, float] | None = None,
    released: Mapping[str, float] | None = None,
) -> tuple[Example, ...]:
    """One example per calibration, with the values in `released` replaced for that one; `noise` is for `certified`."""
    switches = {name: 1.0 for name in setting if name in ("released_ridge", "released_radius", "released_noise")}
    found = [
        Example(FEW, setting, 60),
        Example(FEW, {**setting, **switches, **(released or {})}, 90, "released"),
    ]
    if noise is not None:
        found.append(Example(FEW, setting, 60, "certified", noise))
    return tuple(found)
