"""Mutants of chowdhury2022, and curves whose rows are simulated again.

Most mutants exchange curves, at no cost: LinUCB in place of a private algorithm is that algorithm without noise, and
P_Vec with whole bits is P_Vec without the error of the released code. Unclear claims have mutants for either verdict
where more seeds may decide them.
"""

from ..mutants import (
    CONSTANT,
    HORIZON,
    SWAPPED,
    Fault,
    Study,
    dropped,
    mutants,
    noisy,
    replaced,
    swapped,
)

UNIFORM, PLAIN, CENTRAL, LOCAL = "uniform_play", "linucb", "linucb_jdp", "linucb_ldp"
AMPLIFIED, BITS = "linucb_sdp_amp", "linucb_sdp_vec"
WHOLE, TENFOLD, TENFOLD_WHOLE = (f"{BITS}:{variant}" for variant in ("whole_bits", "tenfold", "tenfold_whole_bits"))
UNIT_CENTRAL, UNIT_LOCAL, UNIT_AMPLIFIED = (f"{name}:unit" for name in (CENTRAL, LOCAL, AMPLIFIED))
RETURNING_CENTRAL, RETURNING_AMPLIFIED = f"{CENTRAL}:returning", f"{AMPLIFIED}:returning"
LONG_LOCAL, LONG_AMPLIFIED, LONG_BITS = (f"{name}:long_batches" for name in (LOCAL, AMPLIFIED, BITS))
PRINTED, RELEASED, CERTIFIED = ALL = ("printed", "released", "certified")
FEW, SOME = 10, 30  # seeds of simulated faults: a curve of sequential LinUCB costs 40 to 150 ms a run
SEEDS_OF = {"C18": 20}  # holds by a wide margin; its mutant is unclear at any number of seeds


def changed(claim, calibration, curve, what, expected, seeds=FEW, variant="", **parameters):
    """A constant of one curve has another value."""
    fault = Fault(curve, parameters=parameters)
    return mutants(claim, [calibration], CONSTANT, what, expected, fault, variant=variant, seeds=seeds)


def growing(claim, curve, what, expected, variant="", budget=1.0):
    """The noise of one curve has a factor sqrt(T / 1e6) / `budget`."""
    fault = Fault(curve, budget=budget, growth=-0.5)
    return mutants(claim, [PRINTED], HORIZON, f"noise x sqrt T for {what}", expected, fault, variant=variant, seeds=FEW)


def steeper(claim, curve, what, expected, exponent, budget=1.0, seeds=FEW):
    """The noise of one curve grows as eps to another power than -1."""
    fault, noise = Fault(curve, budget=budget, exponent=exponent), f"noise {1 / budget:g} / eps^{exponent} for {what}"
    return mutants(claim, [PRINTED], CONSTANT, noise, expected, fault, seeds=seeds)


def falling(claim, curve, what, variant=""):
    """The noise of one curve has a factor (0.1 / delta)^(1/5), beside the printed dependence on delta."""
    fault = Fault(curve, budget=0.1**-0.2, by={"delta": 0.2})
    noise = f"noise x delta^(-1/5) for {what}"
    return mutants(claim, [PRINTED], CONSTANT, noise, "fails", fault, variant=variant, seeds=SOME)


def unlearned(claim, *curves, variant=""):
    """So much noise that nothing is learned."""
    faults = [Fault(curve, budget=1e-4) for curve in curves]
    return mutants(claim, [PRINTED], CONSTANT, "noise x 10000 for both", "holds", *faults, variant=variant, seeds=20)


SHIFTED = (Fault(BITS, other=LOCAL), Fault(BITS, other=CENTRAL), Fault(CENTRAL, other=PLAIN))
"""At the printed constants P_Vec is worst: LinUCB for JDP, JDP for SDP-Vec, that for LDP."""
WORSE_LOCAL = (Fault(BITS, other=LOCAL), Fault(CENTRAL, other=PLAIN))
MUTANTS = [
    *swapped("C1", [CERTIFIED], AMPLIFIED, PLAIN, "SDP-Amp and LinUCB", "holds"),
    *swapped("C1", [PRINTED, RELEASED], LOCAL, PLAIN, "LDP and LinUCB", "fails"),
    *swapped("C1", [PRINTED, RELEASED], AMPLIFIED, LOCAL, "SDP-Amp and LDP", "fails"),
    *noisy("C1", [RELEASED], AMPLIFIED, "noise x 10 for SDP-Amp", "fails", 0.1, seeds=SOME),
    *dropped("C2", [PRINTED], BITS, "SDP-Vec", "holds", seeds=SOME),
    *swapped("C2", [RELEASED], BITS, WHOLE, "SDP-Vec, and with whole bits", "holds", "shipped_bits"),
    *swapped("C2", [CERTIFIED], BITS, LOCAL, "SDP-Vec and LDP", "fails"),
    *swapped("C2", [RELEASED], BITS, TENFOLD, "SDP-Vec, and with tenfold bits", "fails", "tuned_bits"),
    *swapped("C2", [RELEASED], BITS, WHOLE, "SDP-Vec, and with whole bits", "fails", "whole_bits"),
    *swapped("C3", ALL, CENTRAL, AMPLIFIED, "JDP and SDP-Amp", "fails"),
    *noisy("C3", [CERTIFIED], CENTRAL, "noise x 100 for JDP", "fails", 0.01, seeds=20),
    *swapped("C4", [PRINTED, CERTIFIED], CENTRAL, BITS, "JDP and SDP-Vec", "fails"),
    *swapped("C4", [RELEASED], CENTRAL, BITS, "JDP and SDP-Vec", "fails", "shipped_bits"),
    *swapped("C4", [RELEASED], CENTRAL, LOCAL, "JDP and LDP", "fails", "tuned_bits"),
    *mutants("C5", [PRINTED], SWAPPED, "each one model on", "holds", *SHIFTED),
    *swapped("C5", [RELEASED], BITS, WHOLE, "SDP-Vec, and with whole bits", "holds", "shipped_bits"),
    *swapped("C5", [CERTIFIED], LOCAL, UNIFORM, "LDP and uniform play", "holds"),
    *swapped("C5", [RELEASED], CENTRAL, LOCAL, "JDP and LDP", "fails", "tuned_bits"),
    *swapped("C6", [RELEASED], BITS, WHOLE, "SDP-Vec, and with whole bits", "holds", "shipped_bits"),
    *swapped("C6", [RELEASED], BITS, TENFOLD, "SDP-Vec, and tenfold", "fails", "tuned_bits"),
    *replaced("C6", [PRINTED], BITS, AMPLIFIED, "SDP-Amp for SDP-Vec", "holds"),
    *swapped("C6", [PRINTED, CERTIFIED], PLAIN, CENTRAL, "LinUCB and JDP", "fails"),
    *mutants(
        "C6", [CERTIFIED], CONSTANT, "noise x eps for SDP-Amp", "fails", Fault(AMPLIFIED, exponent=-1), seeds=SOME
    ),
    *swapped("C7", [RELEASED], BITS, WHOLE, "SDP-Vec, and with whole bits", "holds", "shipped_bits"),
    *replaced("C7", [RELEASED], TENFOLD, BITS, "SDP-Vec as shipped for tenfold", "fails", "tuned_bits"),
    *swapped("C7", [PRINTED, CERTIFIED], PLAIN, CENTRAL, "LinUCB and JDP", "fails"),
    *swapped("C8", ALL, PLAIN, CENTRAL, "LinUCB and JDP", "fails"),
    *swapped("C9", ALL, CENTRAL, LOCAL, "JDP and LDP", "fails"),
    *mutants("C9", [PRINTED], SWAPPED, "SDP-Vec for LDP, LinUCB for JDP", "holds", *WORSE_LOCAL),
    *swapped("C9", [CERTIFIED], AMPLIFIED, BITS, "SDP-Amp and SDP-Vec", "holds"),
    *noisy("C9", [RELEASED], AMPLIFIED, "noise x 10 for SDP-Amp", "fails", 0.1, seeds=SOME),
    *swapped("C10", [PRINTED], BITS, LOCAL, "SDP-Vec and LDP", "holds"),
    *swapped("C10", [RELEASED], BITS, WHOLE, "SDP-Vec, and with whole bits", "holds"),
    *swapped("C10", [CERTIFIED], BITS, LOCAL, "SDP-Vec and LDP", "fails"),
    *swapped("C10", [RELEASED], TENFOLD, WHOLE, "SDP-Vec tenfold, and with whole bits", "holds", "tenfold"),
    *swapped("C10", [RELEASED], WHOLE, BITS, "SDP-Vec, and with whole bits", "fails", "whole_bits"),
    *swapped("C10", [RELEASED], TENFOLD_WHOLE, WHOLE, "SDP-Vec tenfold and not", "holds", "tenfold_whole_bits"),
    *(
        mutant
        for variant in ("", "random_arms")
        for mutant in (
            *swapped("C11", [PRINTED], UNIT_AMPLIFIED, UNIT_LOCAL, "SDP-Amp and LDP", "fails", variant),
            *changed("C11", PRINTED, UNIT_AMPLIFIED, "B = T^0.8", "fails", variant=variant, batch_exponent=0.8),
            *growing("C12", UNIT_LOCAL, "LDP", "fails", variant),
            *swapped("C13", [PRINTED], UNIT_CENTRAL, UNIT_LOCAL, "JDP and LDP", "fails", variant),
            *growing("C13", UNIT_CENTRAL, "JDP", "fails", variant),
            *swapped("C14", [PRINTED], UNIT_CENTRAL, UNIT_AMPLIFIED, "JDP and SDP-Amp", "fails", variant),
            *swapped("C14", [PRINTED], UNIT_AMPLIFIED, UNIT_LOCAL, "SDP-Amp and LDP", "fails", variant),
        )
    ),
    *dropped("C14", [PRINTED], UNIT_LOCAL, "LDP", "fails", seeds=FEW),
    *changed("C15", PRINTED, RETURNING_AMPLIFIED, "B = T^0.8", "fails", batch_exponent=0.8),
    *growing("C15", RETURNING_AMPLIFIED, "SDP-Amp", "fails"),
    *changed("C16", PRINTED, RETURNING_CENTRAL, "M0 = 1", "fails", user_exponent=0.0),
    *changed("C16", PRINTED, RETURNING_CENTRAL, "M0 = T^(2/3)", "fails", user_exponent=2 / 3),
    *swapped("C16", [PRINTED], RETURNING_CENTRAL, UNIT_CENTRAL, "users who return and who do not", "fails"),
    *dropped("C17", [PRINTED], UNIT_LOCAL, "LDP", "fails", seeds=FEW),
    *dropped("C18", [PRINTED], UNIT_CENTRAL, "JDP", "unclear"),
    *dropped("C19", [PRINTED], UNIT_AMPLIFIED, "SDP-Amp", "fails", seeds=SOME),
    *swapped("C19", [PRINTED], UNIT_AMPLIFIED, UNIT_CENTRAL, "SDP-Amp and JDP", "fails"),
    *steeper("C20", UNIT_LOCAL, "LDP", "fails", 2, seeds=SOME),
    *steeper("C20", UNIT_CENTRAL, "JDP", "fails", 2, budget=10),
    *steeper("C20", UNIT_AMPLIFIED, "SDP-Amp", "fails", 2, budget=10, seeds=SOME),
    *steeper("C21", UNIT_AMPLIFIED, "SDP-Amp", "fails", 3),
    *mutants(
        "C22",
        [PRINTED],
        CONSTANT,
        "noise x d^2 for SDP-Amp",
        "fails",
        Fault(UNIT_AMPLIFIED, by={"dimension": -2.0}),
        seeds=20,
    ),
    *unlearned("C22", UNIT_LOCAL, UNIT_AMPLIFIED, variant="from_two_arms"),
    *changed("C26", PRINTED, LOCAL, "ridge / 20 for LDP", "fails", ridge_factor=0.1),
    *changed("C26", PRINTED, BITS, "ridge / 200 for SDP-Vec", "fails", ridge_factor=0.01),
    *changed("C26", CERTIFIED, BITS, "ridge / 20 for SDP-Vec", "fails", ridge_factor=0.1),
    *changed("C26", PRINTED, LOCAL, "ridge / 20 for LDP", "fails", variant="larger_alpha", ridge_factor=0.1),
    *swapped("C26", [RELEASED], BITS, WHOLE, "SDP-Vec, and with whole bits", "unclear"),
    *swapped("C26", [RELEASED], TENFOLD, WHOLE, "SDP-Vec tenfold, and with whole bits", "unclear", "tenfold"),
    *swapped("C27", ALL, LOCAL, PLAIN, "LDP and LinUCB", "holds"),
    *swapped("C28", ALL, LOCAL, PLAIN, "LDP and LinUCB", "fails"),
    *falling("C38", LONG_AMPLIFIED, "SDP-Amp"),
    *falling("C38", LONG_BITS, "SDP-Vec", variant="bits"),
    *growing("C40", LONG_LOCAL, "LDP", "fails"),
    *growing("C40", LONG_BITS, "SDP-Vec", "fails", "bits", budget=16),
    *mutants("C42", [PRINTED], CONSTANT, "noise 1 / eps^2 for LDP", "fails", Fault(LONG_LOCAL, exponent=2.0)),
    *changed("C31", PRINTED, PLAIN, "alpha = 1e-100 at lambda = 1", "fails", failure=1e-100),
]
CHECKED = [
    (("C2", "whole_bits", RELEASED), WHOLE),
    (("C4", "", CERTIFIED), BITS),
    (("C8", "", PRINTED), PLAIN),
    (("C11", "random_arms", PRINTED), UNIT_AMPLIFIED),
    (("C15", "", PRINTED), RETURNING_AMPLIFIED),
    (("C17", "", PRINTED), UNIT_LOCAL),
    (("C20", "", PRINTED), UNIT_CENTRAL),
    (("C22", "", PRINTED), UNIT_LOCAL),
]
STUDY = Study("chowdhury2022", tuple(MUTANTS), seeds_of=SEEDS_OF, checked=tuple(CHECKED))
