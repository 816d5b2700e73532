"""Closed forms behind claims of han2021: the verdicts, and the mutants that turn every one of them."""

from dataclasses import replace

import pytest

from dpbandits.algorithms.glm_multi import ldp_ols_multi, ldp_sgd_multi
from dpbandits.algorithms.glm_single import ldp_ols, ldp_ucb
from dpbandits.claims.closed_forms.han2021 import ball, operations
from dpbandits.claims.closed_forms.han2021 import functions as han2021
from dpbandits.claims.closed_forms.han2021 import noise as han2021_noise

from . import closed_verdicts as closed
from .closed_verdicts import multiply

CASES = closed.closed_cases("han2021")
ALL = ("printed", "released", "certified")
VERDICTS = {
    **{("C25", "", calibration): "holds" for calibration in ALL},
    **{("C28", "", calibration): "holds" for calibration in ALL},
    ("C29", "", "printed"): "holds",
    ("C29", "clipped", "released"): "fails",
    ("C29", "stacked", "released"): "fails",
    ("C29", "stacked", "certified"): "holds",
}


def scaled(found, factor):
    """Constants of an algorithm with both standard deviations of a message times a factor."""
    sds = {"matrix_sd": factor * found.matrix_sd, "vector_sd": factor * found.vector_sd}
    return found._replace(**sds) if isinstance(found, tuple) else replace(found, **sds)


def noise(factor):
    """What LDP-OLS adds to a message, times a factor."""
    return (ldp_ols, "params", lambda params: lambda *given: scaled(params(*given), factor))


def of_tuples(factor):
    """The same with a parameter for every arm."""

    def wrong(params):
        return lambda *given: replace(found := params(*given), rules=scaled(found.rules, factor))

    return (ldp_ols_multi, "params", wrong)


def coin(keep):
    """Psi keeps the half that is meant with another chance."""

    def wrong(params):
        return lambda *given: replace(found := params(*given), ball=found.ball._replace(keep=keep(found.ball.keep)))

    return (ldp_sgd_multi, "params", wrong)


def surer(keep):
    """A chance of an error that is a hundredth of what it was."""
    return 1.0 - 0.01 * (1.0 - keep)


def linear_elimination(_):
    return lambda dimension: 100 * dimension


def quadratic_gradient(operations_of):
    return lambda calibration, dimension: dimension * operations_of(calibration, dimension)


SHORT = (ball, "sphere_radius", multiply(0.9))
MUTANTS = [  # case, what is wrong: arguments, or (module, function, change), and the verdict
    *((("C25", "", each), "no messages about nothing", {"synthetic": 0}, "fails") for each in ALL),
    *((("C25", "", each), "an eighth of the noise in tuples", of_tuples(0.125), "fails") for each in ALL),
    *((("C25", "", each), "the same of tuples of gradients", coin(surer), "fails") for each in ALL),
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


def test_numbers_are_those_of_the_noise_that_the_algorithms_add(monkeypatch):
    """Every number of a message's noise follows the constants of its algorithm."""

    def numbers():
        return {
            "over least": han2021.noise_over_least("certified", [0.01], [1.0])[0][1],
            "guess": han2021.least_squares_arm_guess_less_bound("certified", [0.01], [1.0], [3], 1)[0][1],
            "ball guess": han2021.ball_arm_guess_less_bound("certified", [1.0], [3], 1)[0][1],
            "rival": han2021_noise.ldp_ucb_sd("certified", 0.01, 1.0),
        }

    rival = (ldp_ucb, "params", lambda params: lambda *given: replace(params(*given), sigma=1.0))
    before = numbers()
    for (module, name, wrong), changed in (
        (noise(0.9), {"over least"}),
        (of_tuples(0.9), {"guess"}),
        (coin(surer), {"ball guess"}),
        (rival, {"rival"}),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(module, name, wrong(getattr(module, name)))
            assert {key for key, value in numbers().items() if value != before[key]} == changed
