"""Audit records in words and tables."""

import pytest

from dpbandits.text import audits as text
from dpbandits.text.audit_tables import audit_rows, sentences, what_is_seen
from dpbandits.text.audit_terminal import print_audit, print_audits


def record(**changes):
    found = {
        "audit": "hu2021/noisy_sums",
        "algorithm": "anytime_lazy_ucb",
        "calibration": "printed",
        "scale": "quick",
        "point": {"eps": 1.0},
        "eps": 1.0,
        "delta": 0.0,
        "epsilons": [1.0, 1.0],
        "lower": 0.9,
        "lower_if_normal": None,
        "tightness": 0.9,
        "cap": 7.2,
        "trials": 20000,
        "mutant": None,
        "small_delta": None,
        "in_theorem_range": None,
        "verdict": "consistent",
        "status": "proven, tight",
        "repair": None,
        "accounted": {"method": "one way"},
        "derived": {"method": "another way"},
        **{name: name for name in ("title", "says", "where", "domain", "neighbors", "inputs", "view", "note")},
        "proof": [{"theorem": "laplace", "source": "Some (VENUE 2006), Theorem 1"}],
        "noise": 2.0,
    }
    return found | changes


BROKEN = record(point={"eps": 5.0}, eps=5.0, epsilons=[10.0, None], lower=6.0, tightness=1.2, verdict="violated")
WEAK = record(
    calibration="certified", epsilons=[0.0, 1.0], lower=0.0, tightness=0.0, verdict="no power",
    mutant={"lower": 0.1, "found": False},
)  # fmt: skip


def test_the_worst_case_is_that_which_exceeds_its_claim_most():
    """Would catch: the largest epsilon, whatever was claimed."""
    twice, more = record(eps=0.5, epsilons=[1.0, 1.2]), record(eps=10.0, epsilons=[11.0, 12.0])
    assert text.worst_case([more, twice]) == "0.5 → 1 to 1.2"
    assert text.worst_case([more, twice, BROKEN]) == "5 → 10 to ∞", "twice the claim at least, as before"
    assert text.worst_case([record(epsilons=[None, None]), BROKEN]) == "1 → ∞"
    assert text.worst_case([record()]) == "1 → 1"


@pytest.mark.parametrize(
    ("epsilons", "expected"),
    [
        ([None, None], "no ε at all holds"),
        ([1.0, 1.0001], "the actual ε is 1 by calculation"),
        ([0.0, 2.0], "the actual ε is at most 2 by calculation"),
        ([1.0, 2.0], "the actual ε lies between 1 and 2 by calculation"),
        ([1.0, None], "the actual ε lies between 1 and ∞ by calculation"),
        ([1.23456, 2.34561], "the actual ε lies between 1.234 and 2.346 by calculation"),
        ([0.0, 2.00001], "the actual ε is at most 2.001 by calculation"),
    ],
)
def test_what_calculation_says(epsilons, expected):
    assert text.truth(record(epsilons=epsilons)) == expected


def test_what_runs_show_of_noise_that_is_taken_to_be_gaussian():
    assert text.shown(record(lower_if_normal=0.97)) == (
        "20000 runs on each input show at least 0.9 (assuming Gaussian noise, at least 0.97); they could not show "
        "more than 7.2"
    )


def test_a_cell_in_a_sentence():
    assert text.sentence(record(delta=0.1)) == (
        "ε = 1, δ = 0.1 is claimed; the actual ε is 1 by calculation; 20000 runs on each input show at least 0.9; "
        "they could not show more than 7.2."
    )
    beyond = text.sentence(record(in_theorem_range=False))
    assert beyond.startswith("ε = 1 is claimed, which the theorem does not cover; the actual ε is 1")
    assert text.sentence(record(in_theorem_range=True)) == text.sentence(record())
    beside = {"delta": 1e-5, "epsilons": [2.0, None]}
    assert text.sentence(record(delta=0.1, small_delta=beside)).endswith(" At δ = 1e-05 the actual ε would be 2 to ∞.")
    searched = text.sentence(record(delta=0.1, small_delta=beside, status="searched"))
    assert searched.endswith(" At δ = 1e-05 the actual ε would be 2 to ∞ for these pairs.")
    mended = text.sentence(record(repair={"factor": 2.0001, "noise": 4.0}))
    assert mended == f"{text.sentence(record())} The claim holds with 2 times the noise."
    assert text.sentence(WEAK).endswith("is not detected, so the runs decide nothing.")
    found = text.sentence(record(mutant={"lower": 1.5, "found": True}))
    assert found.endswith(" The algorithm with half the noise is detected by the same audit.")


def test_rows_show_the_worst_of_their_cells():
    first, second = audit_rows([record(), BROKEN, WEAK])
    assert first == {
        "audit": "noisy sums",
        "algorithm": "Anytime-Lazy-UCB",
        "calibration": "printed",
        "claimed ε": "1 to 5",
        "claimed → actual ε": "5 → 10 to ∞",
        "actual / claimed": "2 to ∞",
        "runs show": "1.2",
        "verdict": "violated",
        "how many": "1 of 2",
    }
    assert (second["calibration"], second["actual / claimed"], second["verdict"]) == ("certified", "0 to 1", "no power")
    assert second["how many"] == ""


def test_breaches_are_listed_in_words():
    (row,) = sentences([record(), BROKEN, WEAK])
    assert (row["audit"], row["setting"]) == ("noisy sums", "eps = 5")
    assert row["found"] == text.sentence(BROKEN)


def test_every_audit_is_described_once():
    found = what_is_seen([record(), BROKEN, record(audit="hu2021/tree", says="other")])
    assert [(row["audit"], row["released"]) for row in found] == [("noisy sums", "says"), ("tree", "other")]


def test_the_terminal_shows_one_table(capsys):
    print_audits([record(), BROKEN, WEAK], "quick")
    shown = capsys.readouterr().out
    assert shown.count("hu2021/noisy_sums") == 2
    assert "✗ violated (1 of 2)" in shown
    assert "∅ no power" in shown


def test_the_terminal_explains_every_cell(capsys):
    print_audit([record(), BROKEN, WEAK])
    shown = capsys.readouterr().out
    for each in (record(), BROKEN, WEAK):
        assert text.sentence(each) in shown
    assert shown.count("calculations, which agree: one way; another way.") == 2


def test_what_is_not_proven_is_said_to_be_so():
    tried = record(status="searched", epsilons=[0.5, 0.8])
    assert text.truth(tried) == "the actual ε is 0.5 to 0.8 for the pairs of inputs tried, not proven for all pairs"
    assert audit_rows([record(), tried])[0]["actual / claimed"] == "1 (searched)"
