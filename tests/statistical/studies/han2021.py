"""Mutants of han2021, and curves whose rows are simulated again.

Most mutants give a curve the rows of another one, at no cost: of random arms, of another algorithm, of another
calibration, of the rate itself. The others run a curve with a fault: another bonus, no elimination, or noise that falls
or grows with the horizon or the dimension. A verdict may turn to unclear where rows are exchanged: no seed is missing
then.
"""

from functools import partial

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
    replaced,
    swapped,
)

OLS, SGD, UCB, GLOC, RANDOM = "ldp_ols", "ldp_sgd", "ldp_ucb", "ldp_gloc", "random_arms"
TUNED, RATE, OPEN = f"{SGD}:tuned_step", "contextual_rate", f"{OLS}:nonprivate"
OLS_ARM, SGD_ARM, UCB_ARM, GLOC_ARM = (f"{name}_multi" for name in (OLS, SGD, UCB, GLOC))
TUNED_ARM = f"{SGD_ARM}:tuned_step"
GREEDY, EPOCH, FIRST, ESTIMATE = (
    f"{SGD}:greedy",
    "ldp_epoch_greedy",
    "ldp_greedy_first",
    "ldp_ols_estimate",
)
P, R, C = ALL = ("printed", "released", "certified")
FEW = 8
run = partial(faulty, seeds=FEW)


def both(claim, calibrations, first, second, by, what, expected, variant=""):
    """Two curves have the rows of one."""
    faults = (Fault(first, instead=by), Fault(second, instead=by))
    return mutants(claim, calibrations, SWAPPED, what, expected, *faults, variant=variant)


MUTANTS = [
    *replaced("C1", ALL, SGD, UCB, "LDP-UCB for LDP-SGD", "fails"),
    *replaced("C1", ALL, SGD, UCB, "LDP-UCB for LDP-SGD", "fails", variant="medians"),
    *replaced("C1", ALL, SGD, UCB, "LDP-UCB for LDP-SGD", "fails", variant="short"),
    *replaced("C1", [C], TUNED, UCB, "LDP-UCB for LDP-SGD", "fails", variant="tuned_step"),
    *replaced("C2", ALL, OLS, UCB, "LDP-UCB for LDP-OLS", "fails"),
    *replaced("C2", ALL, OLS, UCB, "LDP-UCB for LDP-OLS", "fails", variant="short"),
    *replaced("C3", [P, C], SGD, UCB, "LDP-UCB for LDP-SGD", "fails"),
    *replaced("C3", [R], OLS, GLOC, "LDP-GLOC for LDP-OLS", "fails"),
    *replaced("C3", ALL, SGD, UCB, "LDP-UCB for LDP-SGD", "fails", variant="medians"),
    *replaced("C4", [R], SGD, UCB, "LDP-UCB for LDP-SGD", "fails"),
    *replaced("C4", [P, C], OLS, UCB, "LDP-UCB for LDP-OLS", "holds"),
    *replaced("C4", [R], SGD, OLS, "LDP-OLS for LDP-SGD", "fails", variant="medians"),
    *replaced("C4", [P, C], OLS, UCB, "LDP-UCB for LDP-OLS", "holds", variant="medians"),
    *replaced("C4", [P, C], OLS, UCB, "LDP-UCB for LDP-OLS", "holds", variant="short"),
    *replaced("C4", [C], TUNED, UCB, "LDP-UCB for LDP-SGD", "fails", variant="tuned_step"),
    *both("C5", [P, R], SGD, OLS, GLOC, "LDP-GLOC for both", "fails"),
    *both("C5", [C], SGD, OLS, GLOC, "LDP-GLOC for both", "fails"),
    *faulty("C5", [R, C], HORIZON, "eps falls as T^2", "fails", OLS, seeds=24, growth=-2.0),
    *run("C5", [P], HORIZON, "eps of LDP-OLS falls with the horizon", "fails", OLS, growth=-1.0),
    *faulty("C5", ALL, HORIZON, "a fiftieth of eps, falling as T^2", "fails", SGD, seeds=16, budget=0.02, growth=-2.0),
    *both("C5", [R, C], SGD, OLS, UCB, "LDP-UCB for both", "fails"),
    *(
        mutant
        for curve, name, budget in ((SGD, "LDP-SGD", 0.02), (OLS, "LDP-OLS", 0.1))
        for mutant in faulty(
            "C5",
            ALL,
            HORIZON,
            f"{budget:g} of eps of {name}, falling as T^2",
            "fails",
            curve,
            variant="direction",
            seeds=16,
            budget=budget,
            growth=-2.0,
        )
    ),
    *replaced("C5", [C], TUNED, GLOC, "LDP-GLOC for LDP-SGD", "fails", variant="tuned_step"),
    *replaced("C5", [C], TUNED, UCB, "LDP-UCB for LDP-SGD", "fails", variant="tuned_step"),
    *replaced("C6", [P, C], SGD, f"{RANDOM}@{P}", "random arms for LDP-SGD", "unclear"),
    *replaced("C6", ALL, UCB, f"{RANDOM}@{P}", "random arms for LDP-UCB", "unclear"),
    *replaced("C6", [P, R], GLOC, f"{RANDOM}@{P}", "random arms for LDP-GLOC", "unclear"),
    *replaced("C6", [R], OLS, f"{RANDOM}@{P}", "random arms for LDP-OLS", "unclear"),
    *both("C7", ALL, SGD, OLS, f"{RANDOM}@{P}", "random arms for both", "fails"),
    *replaced("C7", [C], TUNED, f"{RANDOM}@{P}", "random arms for LDP-SGD", "fails", variant="tuned_step"),
    *replaced("C8", [P], GLOC, f"{RANDOM}@{P}", "random arms for LDP-GLOC", "unclear"),
    *replaced("C8", [C], GLOC, f"{RANDOM}@{P}", "random arms for LDP-GLOC", "holds"),
    *replaced("C8", [R], SGD, f"{RANDOM}@{P}", "random arms for LDP-SGD", "fails"),
    *replaced("C8", [C], GLOC, f"{RANDOM}@{P}", "random arms for LDP-GLOC", "holds", variant="tuned_step"),
    *replaced("C8", [C], GLOC, f"{RANDOM}@{P}", "random arms for LDP-GLOC", "holds", variant="printed_range"),
    *swapped("C8", [P, R], SGD, GLOC, "LDP-SGD and LDP-GLOC", "fails", "poisson"),
    *replaced("C9", [R], SGD_ARM, UCB_ARM, "LDP-UCB for LDP-SGD", "fails"),
    *replaced("C9", [C], SGD_ARM, OLS_ARM, "LDP-OLS for LDP-SGD", "holds"),
    *replaced("C9", [C], TUNED_ARM, UCB_ARM, "LDP-UCB for LDP-SGD", "fails", variant="tuned_step"),
    *swapped("C9", [P, C], OLS_ARM, UCB_ARM, "LDP-OLS and LDP-UCB", "fails"),
    *both("C9", [R, P], UCB_ARM, GLOC_ARM, OLS_ARM, "LDP-OLS for both", "unclear", variant="baselines_learn"),
    *both("C9", [C], UCB_ARM, GLOC_ARM, OLS_ARM, "LDP-OLS for both", "holds", variant="baselines_learn"),
    *replaced("C9", [R], SGD_ARM, RANDOM, "random arms for LDP-SGD", "fails", variant="gaussian_contexts"),
    *replaced("C9", [R], SGD_ARM, RANDOM, "random arms for LDP-SGD", "fails", variant="outer_products"),
    *replaced("C9", [C], SGD_ARM, TUNED_ARM, "the tuned step", "holds", variant="five_dimensions"),
    *replaced("C9", [C], TUNED_ARM, SGD_ARM, "the step of the theorem", "fails", variant="five_dimensions_tuned"),
    *replaced("C10", [R, C], SGD, UCB, "LDP-UCB for LDP-SGD", "fails"),
    *replaced("C10", [C], OLS, UCB, "LDP-UCB for LDP-OLS", "fails"),
    *both("C10", [R], SGD_ARM, OLS_ARM, UCB_ARM, "LDP-UCB for both", "fails", variant="several"),
    *replaced("C10", [C], TUNED, UCB, "LDP-UCB for LDP-SGD", "fails", variant="tuned_step"),
    *replaced("C11", [R], SGD, GLOC, "LDP-GLOC for LDP-SGD", "fails"),
    *run("C12", [P, C], HORIZON, "eps falls with the horizon", "fails", OLS, growth=-1.0),
    *run("C12", [C], HORIZON, "a tenth of eps, falling as T^2", "fails", SGD, budget=0.1, growth=-2.0),
    *run(
        "C12",
        [C],
        HORIZON,
        "a tenth of eps, falling as T^2",
        "fails",
        TUNED,
        variant="tuned_step",
        budget=0.1,
        growth=-2.0,
    ),
    *replaced("C13", [P], SGD, RATE, "the rate for LDP-SGD", "unclear"),
    *faulty("C13", [P], DROPPED, "LDP-SGD with a million times eps", "unclear", SGD, seeds=40, budget=NO_NOISE),
    *faulty("C13", [C], CONSTANT, "noise 1 / eps^3", "fails", SGD, seeds=20, exponent=3.0),
    *run("C13", [C], CONSTANT, "noise 1 / eps^3", "fails", TUNED, variant="tuned_step", exponent=3.0),
    *faulty("C14", [C], HORIZON, "eps falls with the horizon", "fails", SGD, seeds=20, growth=-1.0),
    *replaced("C14", [P], SGD, f"{SGD}@{C}", "the least noise and a projection", "holds"),
    *replaced("C14", [C], TUNED, OLS, "LDP-OLS for LDP-SGD", "unclear", variant="tuned_step"),
    *faulty("C15", [P, C], CONSTANT, "noise 1 / eps^5", "fails", SGD, seeds=100, exponent=5.0),
    *faulty("C15", [C], CONSTANT, "noise 1 / eps^4", "fails", TUNED, variant="tuned_step", seeds=30, exponent=4.0),
    *replaced("C16", [P], OLS, SGD, "LDP-SGD for LDP-OLS", "unclear"),
    *(
        mutant
        for variant, calibrations, curve, seeds in (
            ("", [P, C], OLS, 40),
            ("tuned_step", [C], TUNED, 100),
            ("gradient", [P, C], SGD, 40),
        )
        for mutant in faulty(
            "C17",
            calibrations,
            CONSTANT,
            "1 / eps in the place of eps",
            "fails",
            curve,
            variant=variant,
            seeds=seeds,
            exponent=-1.0,
        )
    ),
    *(
        mutant
        for variant, calibrations, bonus, expected in (
            ("hundredth", [C], 1.0, "fails"),
            ("thousandth", [P, C], 1.0, "fails"),
        )
        for mutant in run(
            "C18",
            calibrations,
            CONSTANT,
            f"{bonus:g} of the bonus",
            expected,
            UCB,
            variant=variant,
            parameters={"bonus": bonus},
        )
    ),
    *run("C18", [P], HORIZON, "eps falls with the horizon", "fails", UCB, variant="hundredth", growth=-1.0),
    *run("C19", [P, C], HORIZON, "eps grows with the horizon", "fails", OLS, growth=1.0),
    *faulty(
        "C19", [P], CONSTANT, "1 / eps in the place of eps", "fails", SGD, variant="budgets", seeds=40, exponent=-1.0
    ),
    *faulty(
        "C19", [C], CONSTANT, "1 / eps^2 in the place of eps", "fails", SGD, variant="budgets", seeds=100, exponent=-2.0
    ),
    *run("C19", [C], CONSTANT, "eps grows with d", "fails", OLS, variant="dimensions", by={"dimension": 2.0}),
    *faulty("C20", [P, C], HORIZON, "eps grows with the horizon", "fails", ESTIMATE, seeds=30, growth=0.5),
    *faulty("C20", [R], HORIZON, "eps grows with the horizon", "fails", ESTIMATE, seeds=600, growth=0.5),
    *faulty(
        "C20",
        [P],
        HORIZON,
        "eps grows with the horizon",
        "holds",
        ESTIMATE,
        variant="stochastic",
        seeds=30,
        growth=1.0,
    ),
    *replaced(
        "C20", [R], ESTIMATE, f"{ESTIMATE}:theory_ridge", "the ridge of the theory", "fails", variant="stochastic"
    ),
    *replaced(
        "C20", [C], ESTIMATE, f"{ESTIMATE}:theory_ridge@{R}", "the ridge of the theory", "fails", variant="stochastic"
    ),
    *swapped("C21", [R], EPOCH, f"{EPOCH}:frequent", "sparse and frequent updates", "fails"),
    *replaced("C22", [R], GREEDY, EPOCH, "epoch greedy for greedy", "fails"),
    *replaced("C23", [R], FIRST, GREEDY, "greedy for greedy first", "holds"),
    *replaced("C23", [R], GREEDY, EPOCH, "epoch greedy for greedy", "fails", variant="best"),
    *(
        mutant
        for variant, curves in (("", (OLS_ARM, SGD_ARM)), ("tuned_step", (TUNED_ARM,)))
        for mutant in mutants(
            "C26",
            [C],
            CONSTANT,
            "no elimination",
            "holds",
            *(Fault(curve, parameters={"threshold": None}) for curve in curves),
            variant=variant,
            seeds=FEW,
        )
    ),
    *replaced("C27", [R], SGD_ARM, f"{TUNED_ARM}@{C}", "the tuned step", "fails"),
    *replaced("C27", [C], OLS_ARM, SGD_ARM, "LDP-SGD for LDP-OLS", "holds"),
    *replaced("C27", [C], TUNED_ARM, SGD_ARM, "the step of the theorem", "holds", variant="tuned_step"),
    *faulty("C30", [P, C], HORIZON, "eps grows with the horizon", "fails", OLS, seeds=16, growth=1.0),
    *run("C30", [C], HORIZON, "eps grows with the horizon", "fails", TUNED, variant="tuned_step", growth=1.0),
    *replaced("C33", [P], SGD_ARM, f"{SGD_ARM}@{C}", "the least noise and a projection", "holds"),
    *faulty("C33", [C], HORIZON, "eps falls with the horizon", "fails", SGD_ARM, seeds=40, growth=-1.0),
    *run("C34", [C], CONSTANT, "noise 1 / eps^3", "fails", SGD_ARM, exponent=3.0),
]
CHECKED = [(("C20", "", C), ESTIMATE), (("C22", "", R), EPOCH), (("C11", "", R), SGD)]
STUDY = Study("han2021", tuple(MUTANTS), checked=tuple(CHECKED))
