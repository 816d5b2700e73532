"""Closed forms behind claims of chowdhury2022: the verdicts, and the mutants that turn every one of them."""

import math

import pytest

from dpbandits.claims.closed_forms.chowdhury2022 import noise
from dpbandits.privacy import gaussian_scales, vector_sum

from . import closed_verdicts as closed
from .closed_verdicts import multiply

CASES = closed.closed_cases("chowdhury2022")
VERDICTS = {
    ("C23", "", "printed"): "fails",
    ("C25", "", "printed"): "holds",
    ("C25", "", "released"): "fails",
    ("C25", "", "certified"): "holds",
    ("C29", "", "printed"): "holds",
    ("C29", "bits", "printed"): "holds",
    ("C30", "", "printed"): "fails",
    ("C30", "", "certified"): "fails",
    ("C39", "", "printed"): "holds",
    ("C41", "", "printed"): "holds",
}


def plus_half(function):
    return lambda *arguments: function(*arguments) + 0.5


def whole(function):
    return lambda *arguments: float(math.floor(function(*arguments)))


def few(function):
    return lambda *arguments: float(math.ceil(1e-8 * function(*arguments)))


def too_much_batch(function):
    """As if the noise of a report fell with the root of the batch once more."""
    return lambda eps, delta, n: function(eps, delta, n) * math.sqrt(1000 / n)


MUTANTS = [  # case, what is wrong: arguments, or (module, function, change), and the verdict
    (("C23", "", "printed"), "budgets and batches inside the range", {"batch": 10000, "eps": [0.01]}, "holds"),
    (("C25", "", "printed"), "a fraction of bits", (vector_sum, "bits_printed", plus_half), "fails"),
    (("C25", "", "released"), "whole bits", (vector_sum, "bits_released", whole), "holds"),
    (("C25", "", "certified"), "a fraction of bits", (noise, "least_noise", plus_half), "fails"),
    (
        ("C29", "", "printed"),
        "too little noise in large batches",
        (gaussian_scales, "shuffled_sd_printed", too_much_batch),
        "fails",
    ),
    (("C29", "bits", "printed"), "bits / 1e6", (vector_sum, "bits_printed", multiply(1e-6)), "fails"),
    (("C30", "", "printed"), "bits / 1e8", (vector_sum, "bits_printed", multiply(1e-8)), "holds"),
    (("C30", "", "certified"), "at the largest budget alone", {"eps": [10.0]}, "holds"),
    (("C39", "", "printed"), "noise / 100", (gaussian_scales, "local_sd_printed", multiply(0.01)), "fails"),
    (("C39", "", "printed"), "bits / 1e8", (vector_sum, "bits_printed", few), "fails"),
    (("C41", "", "printed"), "batches of two", {"batch": 2}, "fails"),
]


@pytest.mark.parametrize("case", CASES, ids="/".join)
def test_verdicts(case):
    assert closed.verdict("chowdhury2022", case) == VERDICTS[case]


@pytest.mark.parametrize(("case", "what", "change", "expected"), MUTANTS, ids=lambda value: str(value)[:40])
def test_mutants_turn_them(case, what, change, expected, monkeypatch):
    assert closed.mutated("chowdhury2022", case, change, monkeypatch) == expected != VERDICTS[case], what


def test_every_decided_verdict_is_turned(say):
    assert {case for case, *_ in MUTANTS} == set(VERDICTS) == set(CASES)
    say(closed.table(MUTANTS, VERDICTS))
