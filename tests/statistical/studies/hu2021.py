"""Mutants of hu2021, and curves whose rows are simulated again.

Most mutants exchange rows, at no cost, or give a curve those of another one: an algorithm without noise, a bound, a
rival. The others run a curve with a fault: noise that grows with the horizon, the number of actions or of brackets.
"""

from ..mutants import (
    CONSTANT,
    DROPPED,
    HORIZON,
    NO_NOISE,
    SWAPPED,
    Fault,
    Study,
    faulty,
    mutants,
    noisy,
    replaced,
    swapped,
)

LAZY_TS, LAZY_UCB, SE = "lazy_dp_ts", "anytime_lazy_ucb", "dp_se"
ADAP, KL, TREE, TS, LOWER = "adap_ucb", "adap_kl_ucb", "dp_ucb", "thompson_sampling", "regret_lower_bound"
LEADER, NAIVE, EPOCHS, RATE = "rnm_ftnl", "naive_ftnl", "epoch_ftl", "regret_rate"
ROOT = f"{RATE}:root"
PRINTED, CERTIFIED = BOTH = ("printed", "certified")
ANOTHER_RATE = {"log_arms_over_gap": 0.0, "root_arms": 1.0}
SMALL_BONUS = {"privacy_bonus": 0.5}
RIVALS = (LAZY_TS, LAZY_UCB, SE, ADAP, KL)


def all_alike(claim, what, *more, variant=""):
    """Every rival is Thompson sampling without privacy, with more faults."""
    faults = [Fault(name, instead=TS) for name in RIVALS] + list(more)
    return mutants(claim, [PRINTED], SWAPPED, what, "holds", *faults, variant=variant)


MUTANTS = [
    *(
        mutant
        for variant in ("", "early", "wide_gap")
        for mutant in swapped("C1", [PRINTED], LAZY_TS, SE, "Lazy-DP-TS and DP-SE", "fails", variant)
    ),
    *(
        mutant
        for variant in ("wide_gap_early", "small_budgets")
        for mutant in noisy("C1", [PRINTED], SE, "noise x 20 for DP-SE", "holds", 0.05, variant)
    ),
    *(
        mutant
        for variant in ("", "early", "small_budgets", "wide_gap", "wide_gap_early")
        for mutant in swapped("C2", [PRINTED], LAZY_TS, LAZY_UCB, "Lazy-DP-TS and Anytime-Lazy-UCB", "fails", variant)
    ),
    *(
        mutant
        for variant in ("narrow", "wide")
        for mutant in swapped(
            "C2", [PRINTED], LAZY_TS, f"{LAZY_UCB}:{variant}", "Lazy-DP-TS and Anytime-Lazy-UCB", "fails", variant
        )
    ),
    *(
        mutant
        for variant in ("", "early", "small_budgets")
        for mutant in replaced("C3", [PRINTED], KL, LAZY_TS, "Lazy-DP-TS for AdaP-KLUCB", "holds", variant)
    ),
    *(
        mutant
        for variant in ("alpha_kl_one", "alpha_one")
        for mutant in replaced("C3", [PRINTED], f"{KL}:{variant}", LAZY_TS, "Lazy-DP-TS for it", "holds", variant)
    ),
    *replaced("C4", [PRINTED], LAZY_UCB, LAZY_TS, "Lazy-DP-TS for Anytime-Lazy-UCB", "holds"),
    *replaced("C4", [PRINTED], f"{LAZY_UCB}:narrow", LAZY_TS, "Lazy-DP-TS for Anytime-Lazy-UCB", "holds", "narrow"),
    *replaced("C4", [PRINTED], f"{LAZY_UCB}:wide", LAZY_TS, "Lazy-DP-TS for Anytime-Lazy-UCB", "holds", "wide"),
    *noisy("C4", [PRINTED], LAZY_UCB, "noise x 10 for Anytime-Lazy-UCB", "fails", 0.1, "moderate_budgets"),
    *(
        mutant
        for variant in ("", "narrow", "wide")
        for curve in [":".join(filter(None, [LAZY_UCB, variant]))]
        for mutant in (
            *faulty("C5", [PRINTED], CONSTANT, "noise 100 / eps^2", "fails", curve, variant, budget=0.01, exponent=2),
            *faulty("C6", [PRINTED], DROPPED, "no noise", "fails", curve, variant, budget=NO_NOISE),
            *faulty("C7", [PRINTED], HORIZON, "noise x sqrt T", "fails", curve, variant, growth=-0.5),
            *faulty("C8", [PRINTED], HORIZON, "noise x T^1.5", "fails", curve, variant, growth=-1.5),
        )
    ),
    *faulty("C5", [PRINTED], CONSTANT, "noise 0.02 / eps^2", "fails", LAZY_TS, "thompson", 20, budget=50, exponent=2),
    *noisy("C5", [PRINTED], LAZY_TS, "noise x 20", "fails", 0.05, "thompson_large_budgets", seeds=100),
    *faulty(
        *("C5", [PRINTED], CONSTANT, "a bonus of 0.5", "holds", LAZY_TS, "thompson_from_ten_gaps", 100),
        parameters=SMALL_BONUS,
    ),
    *faulty("C6", [PRINTED], DROPPED, "no noise", "fails", LAZY_TS, "thompson", 20, budget=NO_NOISE),
    *faulty("C7", [PRINTED], HORIZON, "noise x sqrt T for Lazy-DP-TS", "fails", LAZY_TS, "thompson", 20, growth=-0.5),
    *faulty("C8", [PRINTED], HORIZON, "noise x T^1.5", "fails", LAZY_UCB, "both_terms", growth=-1.5),
    *faulty("C10", [PRINTED], CONSTANT, "no restarts", "fails", f"{SE}:doubling", parameters={"restarts": 0.0}),
    *swapped("C11", [PRINTED], LAZY_TS, LAZY_UCB, "Lazy-DP-TS and Anytime-Lazy-UCB", "fails"),
    *replaced("C12", BOTH, LEADER, NAIVE, "naive FTNL for RNM-FTNL", "fails"),
    *faulty("C13", [PRINTED], CONSTANT, "sqrt(K T ln T) as the rate", "fails", RATE, parameters=ANOTHER_RATE),
    *faulty("C14", BOTH, CONSTANT, "noise 1 / eps^2", "fails", LEADER, seeds=200, exponent=2.0),
    *noisy("C14", [PRINTED], LEADER, "noise x 4", "fails", 0.25, "one_constant"),
    *replaced("C14", [CERTIFIED], LEADER, EPOCHS, "no noise", "holds", "one_constant"),
    *faulty("C15", BOTH, CONSTANT, "noise 1 / eps^2", "fails", LEADER, seeds=200, exponent=2.0),
    *faulty("C15", [PRINTED], CONSTANT, "noise 1 / eps^2", "fails", LEADER, "one_constant", 200, exponent=2.0),
    *noisy("C15", [CERTIFIED], LEADER, "half the noise", "holds", 2.0, "one_constant", seeds=1500),
    *noisy("C16", BOTH, LEADER, "noise x 1000", "fails", 0.001),
    *faulty("C17", BOTH, CONSTANT, "noise x brackets", "fails", LEADER, seeds=200, by={"brackets": -1.0}),
    *faulty("C18", [PRINTED], HORIZON, "noise / sqrt T for Anytime-Lazy-UCB", "fails", LAZY_UCB, growth=0.5),
    *faulty("C18", [PRINTED], DROPPED, "Anytime-Lazy-UCB without noise", "fails", LAZY_UCB, "budgets", budget=NO_NOISE),
    *faulty("C18", [PRINTED], DROPPED, "Lazy-DP-TS without noise", "fails", LAZY_TS, "thompson", 20, budget=NO_NOISE),
    *faulty("C18", BOTH, DROPPED, "RNM-FTNL without noise", "fails", LEADER, "full_information", 100, budget=NO_NOISE),
    *swapped("C21", [PRINTED], TREE, LAZY_TS, "DP-UCB and Lazy-DP-TS", "fails"),
    *all_alike("C21", "Thompson sampling for the others", variant="whole_budget"),
    *swapped("C21", [PRINTED], TREE, LAZY_TS, "DP-UCB and Lazy-DP-TS", "fails", "one_gap"),
    *all_alike("C21", "the same, noise x 10 for DP-UCB", Fault(TREE, budget=0.1), variant="without_privacy"),
    *swapped("C22", [PRINTED], LAZY_TS, SE, "Lazy-DP-TS and DP-SE", "fails"),
    *mutants(
        "C23",
        [PRINTED],
        SWAPPED,
        "the lower bound for both, and no Lazy-DP-TS",
        "holds",
        Fault("dp_kl_ucb", instead=LOWER),
        Fault("dp_imed", instead=LOWER),
        Fault(LAZY_TS, instead=LAZY_UCB),
    ),
    *mutants(
        "C23",
        [PRINTED],
        SWAPPED,
        "the lower bound for both, and no Lazy-DP-TS",
        "holds",
        Fault("dp_kl_ucb:long_first", instead=LOWER),
        Fault("dp_imed:long_first", instead=LOWER),
        Fault(LAZY_TS, instead=LAZY_UCB),
        variant="long_first",
    ),
    *replaced("C26", [PRINTED], ADAP, LAZY_UCB, "Anytime-Lazy-UCB for AdaP-UCB", "holds"),
    *replaced("C26", [PRINTED], ADAP, LAZY_TS, "Lazy-DP-TS for AdaP-UCB", "fails", "equal_constants"),
    *faulty("C27", [PRINTED], HORIZON, "noise x T^1.5", "fails", LAZY_TS, seeds=8, budget=0.01, growth=-1.5),
    *replaced("C29", BOTH, EPOCHS, ROOT, "sqrt(T ln K) for the leader in epochs", "fails"),
    *replaced("C29", BOTH, EPOCHS, RATE, "ln K / gap for the leader in epochs", "fails", "all_instances"),
    *faulty("C29", [PRINTED], CONSTANT, "sqrt(K T ln T) as the rate", "fails", RATE, "leader", parameters=ANOTHER_RATE),
]
CHECKED = [
    (("C1", "small_budgets", PRINTED), SE),
    (("C5", "", PRINTED), LAZY_UCB),
    (("C7", "thompson", PRINTED), LAZY_TS),
    (("C10", "", PRINTED), f"{SE}:doubling"),
    (("C12", "", CERTIFIED), LEADER),
    (("C17", "", PRINTED), LEADER),
    (("C29", "all_instances", PRINTED), ROOT),
]
STUDY = Study("hu2021", tuple(MUTANTS), checked=tuple(CHECKED))
