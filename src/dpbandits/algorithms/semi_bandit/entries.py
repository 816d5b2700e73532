"""Parameter ranges, guarantees and examples shared by the entries of CUCB and its private versions."""

from collections.abc import Mapping

from dpbandits.algorithms.base import (
    POSITIVE,
    SWITCH,
    Choice,
    Domain,
    Environment,
    Example,
    Guarantee,
)

TUNED = {"printed": "printed", "tuned": "tuned", "certified": "certified"}
REPORTED = Guarantee("every report is eps-LDP", "one user's outcomes, in [0, 1]^m, are replaced")
PLAYED = Guarantee("super arms are eps-DP", "the outcomes of one round, in [0, 1]^m, are replaced")
FALLBACK = Choice({"random": 0.0, "lowest": 1.0, "raised": 2.0})
BONUS: dict[str, Domain] = {"width": POSITIVE, "fallback": FALLBACK}
CENTRAL: dict[str, Domain] = {**BONUS, "cucb_root": SWITCH, "over_rounds": SWITCH, "base_two": SWITCH}

SETS_OF_TWO: Environment = {"family": "disjoint_sets", "bad": 3, "size": 2, "gap": 0.25, "reward": "linear"}
GRID: Environment = {"family": "grid_paths", "side": 2, "gap": 0.3, "reward": "bottleneck"}
PUBLIC: Environment = {"family": "public_arms", "bad": 4, "size": 3, "gap": 0.6}


def on_sets(setting: Mapping[str, float], noise: Mapping[str, float]) -> tuple[Example, ...]:
    """One example per calibration; `noise` is for `certified`."""
    return (
        Example(SETS_OF_TWO, setting, 200),
        Example(GRID, setting, 200, "tuned"),
        Example(SETS_OF_TWO, setting, 200, "certified", noise),
    )
