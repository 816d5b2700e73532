"""Mutants of chen2020, and curves whose rows are simulated again.

Most mutants give a curve the rows of another one, at no cost: of another algorithm, of another calibration, of a bound.
The others run a curve with a fault: noise that grows with the arms, with the horizon, or as the gap shrinks.
"""

from functools import partial

from ..mutants import (
    CONSTANT,
    HORIZON,
    SWAPPED,
    Fault,
    Study,
    dropped,
    faulty,
    mutants,
    replaced,
    swapped,
)

CUCB, LDP1, LDP2, DP = "cucb", "cucb_ldp1", "cucb_ldp2", "cucb_dp"
K2, SUMS, STRUCTURED, LEAST = "cucb_ldp1:k2", "path_sum_ldp", "structured_dp", "cucb_dp_least"
LOWER_BOUND = "semi_bandit_lower_bound:channel"
P, T, C = "printed", "tuned", "certified"
FEW = 8  # seeds of the mutants that run
run = partial(faulty, seeds=FEW)


MUTANTS = [
    *swapped("C1", [T], K2, LDP2, "LDP1 with K^2 and LDP2 exchanged", "fails"),
    *replaced("C1", [P], LDP2, LDP1, "LDP1 for LDP2", "fails", variant="printed_bonus"),
    *run("C2", [P], CONSTANT, "eps falls with K", "fails", LDP1, by={"size": -1.0}),
    *replaced("C4", [P], LDP1, f"{K2}@{T}", "LDP1 with K^2 for LDP1", "fails"),
    *replaced("C4", [T], K2, LDP2, "LDP2 for LDP1", "fails"),
    *replaced("C4", [P], LDP1, LDP2, "LDP2 for LDP1", "holds", variant="subsets"),
    *mutants(
        "C4",
        [T],
        SWAPPED,
        "both as printed",
        "holds",
        Fault(K2, instead=f"{LDP1}@{P}"),
        Fault(LDP2, instead=f"{LDP2}@{P}"),
        variant="subsets",
    ),
    *replaced("C5", [P], LDP2, f"{DP}@{C}", "central DP for LDP2", "fails"),
    *replaced("C6", [C], DP, f"{LDP2}@{P}", "LDP2 for central DP", "fails"),
    *dropped("C6", [C], DP, "central DP", "unclear"),
    *replaced("C6", [P], DP, LDP2, "LDP2 for central DP", "fails", variant="printed_bonus"),
    *run("C6", [C], CONSTANT, "eps to the power 0.3", "fails", DP, variant="small_constant", exponent=0.3),
    *replaced("C6", [P], CUCB, DP, "central DP for CUCB", "holds", variant="small_constant_printed"),
    *(
        mutant
        for variant, how, power in (("", "grows", 0.4), ("paths", "falls", -0.4))
        for curve, calibration in ((LDP2, P), (LDP2, T), (DP, C))
        for mutant in run(
            "C7", [calibration], CONSTANT, f"eps {how} with arms", "fails", curve, variant=variant, by={"bad": power}
        )
    ),
    *replaced("C8", [P], LDP2, CUCB, "CUCB for LDP2", "fails"),
    *run("C9", [C], HORIZON, "eps falls with the horizon", "fails", DP, growth=-0.3),
    *run("C9", [P], HORIZON, "eps falls with the horizon", "fails", DP, variant="printed_bonus", growth=-0.3),
    *run("C10", [C], CONSTANT, "eps times the gap", "fails", DP, budget=5.0, by={"gap": 1.0}),
    *run("C10", [C], CONSTANT, "eps times the gap", "holds", DP, variant="product", budget=5.0, by={"gap": 1.0}),
    *replaced("C11", [P, C], DP, CUCB, "CUCB for central DP", "holds"),
    *replaced("C11", [P, C], DP, CUCB, "CUCB for central DP", "holds", variant="paths"),
    *replaced("C12", [P], LDP2, LDP1, "LDP1 for LDP2", "fails"),
    *run("C12", [P], CONSTANT, "eps falls with the arms", "fails", LDP2, variant="arms", by={"bad": -0.2}),
    *run("C12", [P], HORIZON, "eps falls with the horizon", "fails", LDP2, variant="horizons", growth=-0.2),
    *replaced("C12", [P], LDP2, CUCB, "CUCB for LDP2", "holds", variant="disjoint"),
    *run("C13", [T], CONSTANT, "eps falls with K", "fails", LDP2, by={"size": -0.4}),
    *run("C13", [P, T], CONSTANT, "eps falls with K", "fails", LDP2, variant="arm_gap", by={"size": -0.4}),
    *replaced("C14", [P], LDP1, f"{K2}@{T}", "LDP1 with K^2 for LDP1", "fails"),
    *replaced("C14", [T], K2, LDP2, "LDP2 for LDP1", "fails"),
    *replaced("C15", [P], CUCB, LDP2, "LDP2 for CUCB", "fails"),
    *replaced("C15", [C], DP, f"{K2}@{T}", "LDP1 with K^2 for central DP", "fails"),
    *run("C15", [P], CONSTANT, "eps falls with K", "fails", DP, variant="printed_bonus", by={"size": -0.4}),
    *replaced("C16", [P], CUCB, LDP1, "LDP1 for CUCB", "fails"),
    *replaced("C16", [P], LDP2, LDP1, "LDP1 for LDP2", "fails"),
    *replaced("C16", [P], LDP1, f"{K2}@{T}", "LDP1 with K^2 for LDP1", "fails"),
    *replaced("C18", [P, C], LDP2, CUCB, "CUCB for LDP2", "fails"),
    *replaced("C18", [T], LDP2, f"{LDP2}@{P}", "the printed bonus for half of it", "holds"),
    *replaced("C20", [P, T], SUMS, LDP2, "LDP2 for one sum for every set", "fails"),
    *replaced("C21", [C], STRUCTURED, DP, "CUCB-DP for one tree for the public arms", "holds"),
    *replaced("C21", [C], STRUCTURED, DP, "CUCB-DP for one tree for the public arms", "holds", variant="many"),
    *replaced("C21", [C], DP, STRUCTURED, "one tree for the public arms for CUCB-DP", "fails", variant="plain"),
    *replaced("C22", [C], LDP2, f"{LDP2}@{T}", "half of the printed bonus for the certified one", "fails"),
    *swapped("C22", [C], DP, f"{LDP2}@{P}", "both exchanged", "fails", variant="full_bonus"),
    *replaced(
        "C22", [C], f"{LDP2}@{T}", f"{LDP2}@{P}", "the printed bonus for half of it", "holds", variant="half_bonus"
    ),
    *replaced("C24", [P], LDP2, CUCB, "CUCB for LDP2", "holds"),
    *replaced("C24", [C], LDP2, f"{LDP2}@{P}", "the printed bonus for the certified one", "fails"),
    *run("C25", [T], CONSTANT, "a quarter of noise and bonus", "fails", LDP2, budget=4.0),
    *replaced("C30", [C], LEAST, f"{LDP1}@{P}", "LDP1 for the tree of the least played arm", "fails"),
    *replaced("C31", [P], CUCB, f"{DP}@{C}", "central DP for CUCB", "fails"),
    *run("C31", [P], CONSTANT, "eps grows with the gap", "fails", LDP2, variant="local", budget=2.0, by={"gap": 0.5}),
    *replaced("C32", [P], LDP2, LDP1, "LDP1 for LDP2", "fails"),
    *replaced("C32", [T], LDP2, K2, "LDP1 for LDP2", "fails"),
    *replaced("C32", [P], LDP2, f"{LDP2}@{T}", "half of its bonus for LDP2", "holds", variant="disjoint"),
    *swapped("C32", [T], LDP2, K2, "both exchanged", "fails", variant="disjoint"),
]
CHECKED = [(("C25", "", T), LDP2), (("C9", "", C), DP), (("C18", "", P), LOWER_BOUND)]
STUDY = Study("chen2020", tuple(MUTANTS), checked=tuple(CHECKED))
