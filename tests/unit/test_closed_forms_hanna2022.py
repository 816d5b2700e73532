"""Claims of hanna2022 that need no simulation: their numbers by other means, and the mutants that turn them."""

import math
from dataclasses import replace
from pathlib import Path

import mpmath
import pytest

from dpbandits.claims.analytic import hanna2022
from dpbandits.claims.predicates import bounds
from dpbandits.claims.verdicts import Finding, judge_findings
from dpbandits.experiments.config import load_paper
from dpbandits.experiments.grid import faults

PAPER = load_paper(Path(__file__).parents[2], "hanna2022")
CLOSED = {name: claim for name, claim in PAPER.claims.items() if "function" in claim}
MUTANTS = [
    ("C13", "eps0 is eps, as the remark has it", lambda eps, n, delta: eps, "holds"),
    ("C14", "amplification without its constant", lambda eps, n, delta: eps * math.sqrt(n), "holds"),
    ("C14", "no amplification", lambda eps, n, delta: eps, "fails"),
]


def inverse(eps: float, n: int, delta: float) -> float:
    """The x with f(x) = eps for the printed f, in 50 digits."""
    with mpmath.workdps(50):
        log_term = mpmath.log(4 / mpmath.mpf(delta))

        def excess(x):
            e = mpmath.exp(x)
            return mpmath.log(1 + (e - 1) / (e + 1) * (8 * mpmath.sqrt(e * log_term / n) + 8 * e / n)) - eps

        return float(mpmath.findroot(excess, (1e-9, 60), solver="anderson"))


def numbers(claim: str) -> list[tuple[str, float]]:
    return getattr(hanna2022, CLOSED[claim]["function"])(**CLOSED[claim]["arguments"])


def values(claim: str) -> list[float]:
    return [value for _, value in numbers(claim)]


def verdict(claim: str) -> str:
    return judge_findings([Finding(*number, *bounds(CLOSED[claim])) for number in numbers(claim)])["verdict"]


N = 297_171  # reports in the last batch: q^12 rounded up, q = e 2^(1/ln 10^6)


def test_last_batch():
    with mpmath.workdps(30):
        assert mpmath.ceil((mpmath.e * mpmath.mpf(2) ** (1 / mpmath.log(10**6))) ** 12) == N


def test_arguments_are_those_of_the_experiment():
    """Horizon and delta stand in the claims and in the experiment: they must not drift apart."""
    section = PAPER.experiments["figure2"]
    shuffled = next(entry for entry in section["curves"] if entry["algorithm"].endswith("shuffled"))
    for claim in CLOSED.values():
        assert claim["arguments"]["horizon"] == section["horizon"]
        assert claim["arguments"]["delta"] == shuffled["parameters"]["delta"]["value"]


def test_c13_is_the_printed_inverse():
    assert values("C13") == pytest.approx([inverse(eps, N, 1e-6) / eps for eps in (2, 5)], rel=1e-9)


def test_c14_is_near_the_expansion_of_the_printed_formula():
    """f(x) is about 4 x sqrt(ln(4/delta)/n) for small x, so that n eps^2/eps0^2 is about 16 ln(4/delta) = 243."""
    assert values("C14") == pytest.approx([N * 1e-6 / inverse(1e-3, N, 1e-6) ** 2], rel=1e-9)
    assert values("C14")[0] == pytest.approx(16 * math.log(4e6), rel=0.05)


@pytest.mark.parametrize("claim", CLOSED)
def test_both_remarks_fail(claim):
    assert verdict(claim) == "fails"


def test_every_verdict_is_turned_by_a_mutant(monkeypatch, capsys):
    """Prints the table of mutants."""
    turned = set()
    with capsys.disabled():
        print(f"\n\n{'claim':6}| {'mutant':43}| new verdict")
        for claim, what, mutant, expected in MUTANTS:
            before = verdict(claim)
            with monkeypatch.context() as patch:
                patch.setattr(hanna2022, "local_budget", mutant)
                found = verdict(claim)
            print(f"{claim:6}| {what:43}| {found}")
            assert found == expected
            turned |= {claim} if found != before else set()
    assert turned == set(CLOSED)


@pytest.mark.parametrize(
    ("value", "expected"), [(0.5, "holds"), (0.0, "holds"), (1.0, "holds"), (-0.1, "fails"), (1.1, "fails")]
)
def test_a_number_is_judged_by_its_range(value, expected):
    found = judge_findings([Finding("x", value, 0.0, 1.0)])
    assert found["verdict"] == expected
    assert found["n"] is None
    assert found["needs"]["what"] == "none"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (
            {"function": "_last_batch"},
            "claims.C13.function: '_last_batch' is not allowed; allowed: local_level_over_eps",
        ),
        ({"arguments": {"horizon": 10, "eps": [1]}}, "claims.C13.arguments.delta: is missing"),
        ({"arguments": {**CLOSED["C13"]["arguments"], "beta": 1}}, "claims.C13.arguments: 'beta' is not allowed"),
        ({"bounds": [2, 1]}, "claims.C13.bounds: [2, 1] is not allowed"),
    ],
)
def test_faults_in_the_section_of_a_closed_form(change, says):
    claims = {**PAPER.claims, "C13": {**PAPER.claims["C13"], **change}}
    found = list(faults(replace(PAPER, claims=claims)))
    assert any(fault.startswith(says) for fault in found), found
