"""Mutants of hanna2022, and curves whose rows are simulated again."""

from ..mutants import (
    CONSTANT,
    HORIZON,
    Fault,
    Study,
    dropped,
    mutants,
    noisy,
    replaced,
    swapped,
)

BASE, TEXTBOOK, CENTRAL = "phased_elimination", "phased_elimination_g_optimal", "phased_elimination_central"
LOCAL, SHUFFLED = "phased_elimination_local", "phased_elimination_shuffled"
UNIFORM, FW, NARROW, WHOLE = (
    f"phased_elimination_no_core_set:{v}" for v in ("uniform", "fw", "uniform_narrow", "whole")
)

SEEDS = {"figure2": 200, "high_privacy": 200, "scaling": 40, "figure3b": 100, "sensitivity": 100}
SEEDS_OF = {
    "C1": 1000,
    "C2": 500,
    "C3": 1000,
    "C7": 400,
    "C8": 400,
    "C10": 400,
    "C16": 20,
    "C23": 1500,
    "C30": 1000,
    "C31": 400,
}
"""Round numbers, by experiment and claim, that decide as all seeds do."""
PRINTED, TUNED, CERTIFIED = ALL = ("printed", "tuned", "certified")


def wide(curve, factor):
    """The fault of a confidence width that is multiplied, by calibration: the constant is 1, tuned 0.5."""
    return {c: Fault(curve, parameters={"width": factor * (0.5 if c == TUNED else 1.0)}) for c in ALL}


def width(claim, calibrations, curve, what, expected, factor, variant=""):
    return [
        mutant
        for c in calibrations
        for mutant in mutants(claim, [c], CONSTANT, what, expected, wide(curve, factor)[c], variant=variant)
    ]


PRIVATE = (CENTRAL, SHUFFLED, LOCAL)
MUTANTS = [
    *width("C1", ALL, LOCAL, "width x 4 for local", "fails", 4),
    *noisy("C1", ALL, SHUFFLED, "noise x 100 for shuffled", "fails", 0.01),
    *mutants(
        "C1", [PRINTED], CONSTANT, "B = 1e6 for central", "fails", Fault(CENTRAL, parameters={"core_factor": 1e6})
    ),
    *swapped("C1", ALL, TEXTBOOK, BASE, "textbook's and non-private", "holds", "ls22"),
    *noisy("C2", [PRINTED, TUNED], CENTRAL, "noise x 100 for central", "fails", 0.01),
    *dropped("C2", ALL, LOCAL, "local", "fails"),
    *swapped("C2", ALL, SHUFFLED, LOCAL, "shuffled and local", "fails"),
    *swapped("C2", [CERTIFIED], SHUFFLED, CENTRAL, "shuffled and central", "fails"),
    *noisy("C3", ALL, CENTRAL, "noise x 10 for central", "fails", 0.1),
    *mutants(
        "C3", [PRINTED], CONSTANT, "B = 1000 for central", "fails", Fault(CENTRAL, parameters={"core_factor": 1000.0})
    ),
    *swapped("C3", [PRINTED, TUNED], CENTRAL, LOCAL, "central and local", "fails"),
    *noisy("C3", [PRINTED, TUNED], CENTRAL, "noise x 10 for central", "fails", 0.1, variant="small_budgets"),
    *noisy("C3", [CERTIFIED], CENTRAL, "noise / 2 for central", "holds", 2, variant="small_budgets"),
    *dropped("C4", ALL, SHUFFLED, "shuffled", "holds"),
    *swapped("C4", ALL, SHUFFLED, LOCAL, "shuffled and local", "fails", "local_excess"),
    *noisy("C5", [PRINTED], LOCAL, "noise / 10 for local", "fails", 10),
    *dropped("C5", ALL, LOCAL, "local", "fails"),
    *swapped("C5", ALL, CENTRAL, LOCAL, "central and local", "fails"),
    *noisy("C6", [PRINTED], CENTRAL, "noise x 100 for central", "fails", 0.01),
    *dropped("C6", [PRINTED, TUNED], LOCAL, "local", "fails"),
    *swapped("C6", [PRINTED, TUNED], CENTRAL, SHUFFLED, "central and shuffled", "fails"),
    *noisy("C6", [CERTIFIED], CENTRAL, "noise / 4 for central", "holds", 4),
    *dropped("C6", [CERTIFIED], CENTRAL, "central", "holds"),
    *mutants("C7", [PRINTED, CERTIFIED], HORIZON, "noise x sqrt T for central", "fails", Fault(CENTRAL, growth=-0.5)),
    *swapped("C7", ALL, CENTRAL, LOCAL, "central and local", "fails"),
    *mutants("C8", [PRINTED, TUNED], CONSTANT, "noise 1 / eps^2 for central", "fails", Fault(CENTRAL, exponent=2)),
    *mutants("C8", ALL, CONSTANT, "noise 1 / eps^3 for central", "fails", Fault(CENTRAL, exponent=3)),
    *dropped("C9", ALL, LOCAL, "local", "fails"),
    *mutants("C9", ALL, HORIZON, "noise / T for local", "fails", Fault(LOCAL, growth=1)),
    *swapped("C9", ALL, CENTRAL, LOCAL, "central and local", "fails"),
    *mutants("C10", ALL, CONSTANT, "noise 5 / eps^2 for local", "fails", Fault(LOCAL, budget=0.2, exponent=2)),
    *mutants("C11", ALL, HORIZON, "noise x T for central", "fails", Fault(CENTRAL, growth=-1)),
    *noisy("C12", ALL, SHUFFLED, "noise x 100 for shuffled", "fails", 0.01),
    *swapped("C12", ALL, SHUFFLED, LOCAL, "shuffled and local", "fails"),
    *noisy("C12", [PRINTED, TUNED], SHUFFLED, "noise x 100 for shuffled", "fails", 0.01, variant="in_range"),
    *noisy("C15", [CERTIFIED], CENTRAL, "noise x 10 for central", "fails", 0.1),
    *noisy("C15", [PRINTED, TUNED], CENTRAL, "noise x 20 for central", "fails", 0.05),
    *mutants(
        "C15", [PRINTED], CONSTANT, "B = 1000 for central", "fails", Fault(CENTRAL, parameters={"core_factor": 1000.0})
    ),
    *swapped("C15", [PRINTED, TUNED], CENTRAL, UNIFORM, "core set and whole set, uniform", "fails", "small_budgets"),
    *noisy("C15", [PRINTED, TUNED], CENTRAL, "noise x 10 for central", "fails", 0.1, variant="small_budgets"),
    *noisy("C15", [CERTIFIED], CENTRAL, "noise / 2 for central", "holds", 2, variant="small_budgets"),
    *swapped("C16", ALL, WHOLE, CENTRAL, "core set and whole set", "fails"),
    *(
        mutant
        for variant, curve in (("uniform", UNIFORM), ("weighted", FW), ("narrow", NARROW))
        for mutant in (
            *width("C16", [PRINTED, CERTIFIED], CENTRAL, "width / 4 for central", "holds", 0.25, variant),
            *mutants(
                "C16",
                [TUNED],
                CONSTANT,
                "width x 4 for the whole set",
                "holds",
                wide(curve, 4)[TUNED],
                variant=variant,
            ),
        )
    ),
    *width("C21", ALL, LOCAL, "width / 10 for local", "fails", 0.1),
    *width("C21", ALL, CENTRAL, "width / 10 for central", "fails", 0.1),
    *width("C22", ALL, LOCAL, "width / 100 for local", "fails", 0.01),
    *width("C22", ALL, CENTRAL, "width / 100 for central", "fails", 0.01),
    *(
        mutant
        for variant in ("quarter_width", "tenth_width")
        for mutant in mutants(
            "C21",
            [PRINTED],
            CONSTANT,
            "width as printed",
            "unclear",
            *(wide(c, 1)[PRINTED] for c in PRIVATE),
            variant=variant,
        )
    ),
    *dropped("C23", ALL, LOCAL, "local", "fails"),
    *swapped("C23", ALL, BASE, LOCAL, "non-private and local", "fails"),
    *noisy("C23", [PRINTED, TUNED], LOCAL, "noise x 3 for local", "fails", 1 / 3, variant="our_factor"),
    *noisy("C23", [CERTIFIED], LOCAL, "noise / 2.5 for local", "holds", 2.5, variant="our_factor"),
    *dropped("C24", ALL, LOCAL, "local", "fails"),
    *mutants("C24", ALL, HORIZON, "eps = 0.1 at every T", "fails", Fault(LOCAL, budget=100, growth=0.5)),
    *mutants(
        "C28", ALL, CONSTANT, "noise x d^3 / 400 for local", "fails", Fault(LOCAL, budget=400, by={"dimension": -3})
    ),
    *replaced("C34", ALL, SHUFFLED, LOCAL, "local for shuffled", "holds"),
    *swapped("C33", [PRINTED, CERTIFIED], SHUFFLED, "linucb_sdp_amp_signs", "Algorithm 3 and LinUCB-SDP-Amp", "fails"),
    *mutants("C30", ALL, HORIZON, "noise x T for shuffled", "fails", Fault(SHUFFLED, growth=-1)),
    *mutants(
        "C30",
        [PRINTED, CERTIFIED],
        HORIZON,
        "noise / T for shuffled",
        "holds",
        Fault(SHUFFLED, growth=1),
        variant="additive",
    ),
    *mutants(
        "C30", [TUNED], HORIZON, "noise x T for shuffled", "fails", Fault(SHUFFLED, growth=-1), variant="additive"
    ),
    *mutants(
        "C30",
        [PRINTED, TUNED],
        HORIZON,
        "noise x sqrt T for shuffled",
        "fails",
        Fault(SHUFFLED, growth=-0.5),
        variant="in_range",
    ),
    *mutants("C31", ALL, CONSTANT, "noise 1 / eps^3 for shuffled", "fails", Fault(SHUFFLED, exponent=3)),
    *mutants(
        "C31",
        [PRINTED],
        CONSTANT,
        "noise 1 / (1000 sqrt(delta)) for shuffled",
        "fails",
        Fault(SHUFFLED, budget=1000, by={"delta": 0.5}),
        variant="delta",
    ),
]
CHECKED = [
    (("C5", "", PRINTED), LOCAL),
    (("C9", "", TUNED), BASE),
    (("C12", "", CERTIFIED), SHUFFLED),
    (("C16", "weighted", CERTIFIED), FW),
    (("C21", "tenth_width", PRINTED), CENTRAL),
]
STUDY = Study("hanna2022", tuple(MUTANTS), SEEDS, SEEDS_OF, checked=tuple(CHECKED))
