"""The families of the comparison, in the order of the table; one file for what belongs together."""

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
