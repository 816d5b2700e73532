"""The one table of all algorithms.

The name of an algorithm is the name of its module in this folder, which holds `Params`, `params`, `requests` where a
calibration asks for noise, `OUTPUTS`, `run` and `run_literal`. What stands here is what configuration, lists and
figures need to know without compiling anything.
"""

from collections.abc import Mapping
from dataclasses import dataclass

POSITIVE = (0.0, float("inf"))
PROBABILITY = (0.0, 1.0)


@dataclass(frozen=True)
class Algorithm:
    """One algorithm.

    Attributes
    ----------
    label : name in lists.
    short : name in legends and verdicts, where the paper is known.
    reference : paper and algorithm number.
    guarantee : what `certified` promises, with the neighbouring relation.
    parameters : constants that the configuration gives, with the open interval in which each must lie.
    grid : names of the grid values that it uses; without any it has a single point.
    calibrations : the calibrations that apply; a value other than its key says with which one it coincides.
    """

    label: str
    short: str
    reference: str
    guarantee: str
    parameters: Mapping[str, tuple[float, float]]
    grid: tuple[str, ...]
    calibrations: Mapping[str, str]


TABLE: Mapping[str, Algorithm] = {
    "phased_elimination": Algorithm(
        label="Phased elimination (no privacy)",
        short="non-private",
        reference="Hanna et al. 2022, baseline of Figures 2 to 4",
        guarantee="none",
        parameters={"width": POSITIVE},
        grid=(),
        calibrations={"printed": "printed", "certified": "printed"},
    ),
    "phased_elimination_central": Algorithm(
        label="Phased elimination, central",
        short="central",
        reference="Hanna et al. 2022, Algorithm 1",
        guarantee="actions are eps-DP when one reward in [-1, 1] is replaced",
        parameters={"width": POSITIVE, "core_factor": POSITIVE},
        grid=("eps",),
        calibrations={"printed": "printed", "certified": "certified"},
    ),
    "phased_elimination_local": Algorithm(
        label="Phased elimination, local",
        short="local",
        reference="Hanna et al. 2022, Algorithm 2",
        guarantee="every report is eps0-LDP for rewards in [-1, 1]",
        parameters={"width": POSITIVE},
        grid=("eps",),
        calibrations={"printed": "printed", "certified": "certified"},
    ),
    "phased_elimination_shuffled": Algorithm(
        label="Phased elimination, shuffled",
        short="shuffled",
        reference="Hanna et al. 2022, Algorithm 3",
        guarantee="none is proven for the printed constants",
        parameters={"width": POSITIVE, "delta": PROBABILITY},
        grid=("eps",),
        calibrations={"printed": "printed"},
    ),
}
