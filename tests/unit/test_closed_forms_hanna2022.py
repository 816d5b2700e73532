"""Claims of hanna2022 that need no simulation: their numbers by other means, and the mutants that turn them."""

import math
from pathlib import Path

import mpmath
import pytest

from dpbandits.claims.analytic import hanna2022
from dpbandits.claims.verdicts import Finding, judge_findings
from dpbandits.experiments.config import load_paper

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


def values(claim: str) -> list[float]:
    return [finding.value for finding in getattr(hanna2022, CLOSED[claim]["function"])()]


def test_last_batch():
    last, length = hanna2022.last_batch(1_000_000)
    assert last == 12
    assert length == pytest.approx(2.858144**12, rel=1e-5)  # q = e 2^(1/13.8155)


def test_c13_is_the_printed_inverse():
    n = math.ceil(hanna2022.last_batch(1_000_000)[1])
    assert values("C13") == pytest.approx([inverse(eps, n, 1e-6) / eps for eps in (2, 5)], rel=1e-9)


def test_c14_is_near_the_expansion_of_the_printed_formula():
    """f(x) is about 4 x sqrt(ln(4/delta)/n) for small x, so that n eps^2/eps0^2 is about 16 ln(4/delta) = 243."""
    n = math.ceil(hanna2022.last_batch(1_000_000)[1])
    assert values("C14") == pytest.approx([n * 1e-6 / inverse(1e-3, n, 1e-6) ** 2], rel=1e-9)
    assert values("C14")[0] == pytest.approx(16 * math.log(4e6), rel=0.05)


@pytest.mark.parametrize("claim", CLOSED)
def test_both_remarks_fail(claim):
    assert judge_findings(getattr(hanna2022, CLOSED[claim]["function"])())["verdict"] == "fails"


def test_every_verdict_is_turned_by_a_mutant(monkeypatch, capsys):
    """Prints the table of mutants."""
    turned = set()
    with capsys.disabled():
        print(f"\n\n{'claim':6}| {'mutant':43}| new verdict")
        for claim, what, mutant, expected in MUTANTS:
            function = getattr(hanna2022, CLOSED[claim]["function"])
            before = judge_findings(function())["verdict"]
            with monkeypatch.context() as patch:
                patch.setattr(hanna2022, "local_budget", mutant)
                found = judge_findings(function())["verdict"]
            print(f"{claim:6}| {what:43}| {found}")
            assert found == expected
            turned |= {claim} if found != before else set()
    assert turned == set(CLOSED)


@pytest.mark.parametrize(
    ("value", "verdict"), [(0.5, "holds"), (0.0, "holds"), (1.0, "holds"), (-0.1, "fails"), (1.1, "fails")]
)
def test_a_number_is_judged_by_its_range(value, verdict):
    found = judge_findings([Finding("x", value, 0.0, 1.0)])
    assert found["verdict"] == verdict
    assert found["n"] is None
    assert found["needs"]["what"] == "none"
