"""Families of comparisons, in the order of the table; one module per group of algorithms.

`make bench` compares the kernels with NumPy, C, public packages and the time that their random numbers alone take, and
measures how their cost grows. `python -m benchmarks kernels --only ucb1 --repetitions 3` measures one family. A side is
a function that plays and returns regrets. `tests/statistical/test_benchmarks.py` compares the timed
functions with our kernel in distribution. A limit draws random numbers but plays nothing. The sides are timed in turn,
public packages in their own process. CPU time counts, taking the best repetition. `benchmarks/ratios.json` holds
ratios, no seconds.
"""

from collections.abc import Callable

from benchmarks.comparison import Family
from benchmarks.families import by_arm, events, linucb, linucb_ldp, phases, thompson, ucb1, vector_sum

MAKERS: dict[str, Callable[[], Family]] = {
    "ucb1": ucb1.family_of,
    "thompson": thompson.family_of,
    "linucb": linucb.family_of,
    "linucb_ldp_5": lambda: linucb_ldp.family_of(5),
    "linucb_ldp_15": lambda: linucb_ldp.family_of(15),
    "vector_sum": vector_sum.family_of,
    "anytime_lazy_ucb": events.anytime_lazy_ucb_family,
    "anytime_lazy_ucb_long": events.anytime_lazy_ucb_long,
    "lazy_dp_ts": events.lazy_dp_ts_family,
    "lazy_dp_ts_long": events.lazy_dp_ts_long,
    "dp_se": phases.dp_se_family,
    "dp_se_long": phases.dp_se_long,
    "phased_elimination_central": phases.phased_elimination_family,
    "phased_elimination_central_long": phases.phased_elimination_long,
    "by_arm": by_arm.family_of,
}
