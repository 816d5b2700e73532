"""Claims of han2021 that need no simulation: the verdicts, and the mutants that turn every one of them."""

import pytest

from dpbandits.claims.analytic import han2021_ball as ball
from dpbandits.claims.analytic import han2021_levels as levels
from dpbandits.claims.analytic import han2021_operations as operations

from . import closed_verdicts as closed
from .closed_verdicts import multiply

CASES = closed.closed_cases("han2021")
ALL = ("printed", "released", "certified")
VERDICTS = {
    **{("C24", "", calibration): "holds" for calibration in ALL},
    ("C24", "large_budgets", "printed"): "fails",
    ("C24", "large_budgets", "released"): "holds",
    ("C24", "large_budgets", "certified"): "holds",
    ("C24", "unclipped_gradients", "released"): "fails",
    ("C24", "estimator", "released"): "fails",
    **{("C25", "", calibration): "holds" for calibration in ALL},
    **{("C25", "silent", calibration): "fails" for calibration in ALL},
    ("C25", "gaussian_contexts", "released"): "fails",
    **{("C28", "", calibration): "holds" for calibration in ALL},
    ("C29", "", "printed"): "holds",
    ("C29", "clipped", "released"): "fails",
    ("C29", "stacked", "released"): "fails",
    ("C29", "stacked", "certified"): "holds",
}


def noise(factor):
    """Both standard deviations of a message times a factor."""
    return (levels, "message_sds", lambda sds: lambda *arguments: tuple(factor * sd for sd in sds(*arguments)))


def linear_elimination(_):
    return lambda dimension: 100 * dimension


def quadratic_gradient(operations_of):
    return lambda calibration, dimension: dimension * operations_of(calibration, dimension)


SHORT = (ball, "sphere_radius", multiply(0.9))
MUTANTS = [  # case, what is wrong: arguments, or (module, function, change), and the verdict
    (("C24", "", "printed"), "half of the noise", noise(0.5), "fails"),
    (("C24", "", "released"), "an eighth of the noise", noise(0.125), "fails"),
    (("C24", "", "certified"), "99 % of the noise", noise(0.99), "fails"),
    (("C24", "large_budgets", "printed"), "three times the noise", noise(3.0), "holds"),
    (("C24", "large_budgets", "released"), "a tenth of the noise", noise(0.1), "fails"),
    (("C24", "large_budgets", "certified"), "99 % of the noise", noise(0.99), "fails"),
    (("C24", "unclipped_gradients", "released"), "the level at delta almost 1", {"delta": 0.9999999}, "holds"),
    (("C24", "estimator", "released"), "rewards up to 1", {"reward": [1]}, "holds"),
    *((("C25", "", each), "no messages about nothing", {"synthetic": 0}, "fails") for each in ALL),
    *((("C25", "silent", each), "messages about nothing", {"synthetic": 1}, "holds") for each in ALL),
    (("C25", "gaussian_contexts", "released"), "twenty times the noise", noise(20.0), "holds"),
    (
        ("C28", "", "printed"),
        "elimination linear in d",
        (operations, "least_squares_operations", linear_elimination),
        "fails",
    ),
    (
        ("C28", "", "released"),
        "gradients quadratic in d",
        (operations, "gradient_operations", quadratic_gradient),
        "fails",
    ),
    (
        ("C28", "", "certified"),
        "gradients quadratic in d",
        (operations, "gradient_operations", quadratic_gradient),
        "fails",
    ),
    (("C29", "", "printed"), "a tenth off the radius", SHORT, "fails"),
    (("C29", "clipped", "released"), "gradients up to R", {"length": [0.5, 1]}, "holds"),
    (("C29", "stacked", "released"), "one arm", {"arms": 1}, "holds"),
    (("C29", "stacked", "certified"), "a tenth off the radius", SHORT, "fails"),
]


@pytest.mark.parametrize("case", CASES, ids="/".join)
def test_verdicts(case):
    assert closed.verdict("han2021", case) == VERDICTS[case]


@pytest.mark.parametrize(("case", "what", "change", "expected"), MUTANTS, ids=lambda value: str(value)[:40])
def test_mutants_turn_them(case, what, change, expected, monkeypatch):
    assert closed.mutated("han2021", case, change, monkeypatch) == expected != VERDICTS[case], what


def test_every_decided_verdict_is_turned(say):
    assert {case for case, *_ in MUTANTS} == set(VERDICTS) == set(CASES)
    say(closed.table(MUTANTS, VERDICTS))
