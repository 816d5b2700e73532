"""The one table of all algorithms.

The name of an algorithm is the name of its module in this folder, which holds `Params`, `params`, `requests` where a
calibration asks for noise, `OUTPUTS`, `run` and `run_literal`. What stands here is what configuration, lists and
figures need to know without compiling anything.
"""

from collections.abc import Mapping

from dpbandits.algorithms import (
    entries_bandits,
    entries_contextual,
    entries_linucb,
    entries_phased,
    entries_semi_bandits,
)
from dpbandits.algorithms.entry import Algorithm

TABLE: Mapping[str, Algorithm] = {
    **entries_phased.ENTRIES,
    **entries_linucb.ENTRIES,
    **entries_bandits.ENTRIES,
    **entries_semi_bandits.ENTRIES,
    **entries_contextual.ENTRIES,
}
