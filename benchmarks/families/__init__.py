"""The families of the comparison, in the order of the table; one file for what belongs together.

`make bench` compares the kernels with NumPy, C, public packages and the least time that their random numbers take,
and measures how their cost grows. `python -m benchmarks kernels --only ucb1 --repetitions 3` measures one family. A
side is a function that plays and returns regrets. The function that is timed is the one that
`tests/laws/test_benchmarks_law.py` compares with our kernel in distribution; a limit draws random numbers and plays
nothing. All sides take turns, the public packages in a process of their own. CPU time counts, the best of the
repetitions. `benchmarks/ratios.json` holds ratios and no seconds.
"""

from collections.abc import Callable

from benchmarks.comparison import Family
from benchmarks.families import by_arm, events, linucb, linucb_local, phases, thompson, ucb1, vector_sum

MAKERS: dict[str, Callable[[], Family]] = {
    "ucb1": ucb1.family_of,
    "thompson": thompson.family_of,
    "linucb": linucb.family_of,
    "linucb_local_5": lambda: linucb_local.family_of(5),
    "linucb_local_15": lambda: linucb_local.family_of(15),
    "vector_sum": vector_sum.family_of,
    "lazy_ucb": events.lazy_ucb_family,
    "lazy_ucb_long": events.lazy_ucb_long,
    "lazy_thompson_sampling": events.lazy_thompson_family,
    "lazy_thompson_sampling_long": events.lazy_thompson_long,
    "dp_successive_elimination": phases.successive_elimination_family,
    "dp_successive_elimination_long": phases.successive_elimination_long,
    "phased_elimination_central": phases.phased_elimination_family,
    "phased_elimination_central_long": phases.phased_elimination_long,
    "by_arm": by_arm.family_of,
}
