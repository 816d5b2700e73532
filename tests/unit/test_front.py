"""What the front page of the report says in numbers."""

import math

import pytest

from dpbandits.report.front import answer, arxiv, count_word, guarantees, shown_epsilon, worst_epsilon


def audit(verdict, eps, least, calibration="printed", algorithm="dp_se"):
    found = {"audit": "hu2021/sums", "algorithm": algorithm, "calibration": calibration, "verdict": verdict}
    return found | {"eps": eps, "epsilons": [least, None]}


def test_the_answer_counts_the_papers_own_claims():
    records = [
        {"verdict": "holds", "subject": "paper"},
        {"verdict": "fails", "subject": "released_code", "by_our_threshold": True},
        {"verdict": "fails", "subject": "variant_of_ours"},
    ]
    assert answer(records) == {"holds": 1, "fails": 0, "fails_ours": 1, "unclear": 0, "not_tested": 0}


def test_guarantees_count_a_mechanism_once_a_calibration():
    audits = [
        audit("consistent", 1.0, 0.5),
        audit("violated", 2.0, 4.0),
        audit("consistent", 1.0, 0.5, "certified"),
        audit("consistent", 1.0, 0.5, algorithm="dp_ucb"),
    ]
    found = guarantees(audits, ("printed", "released"))
    assert (found.broken, found.audited) == (1, 2)
    assert guarantees(audits, ("certified",)).broken == 0


def test_the_worst_epsilon_is_the_largest_over_its_claim():
    audits = [audit("violated", 1.0, 4.0), audit("violated", 10.0, 20.0), audit("consistent", 0.1, 0.9)]
    worst = worst_epsilon(audits)
    assert (worst.claimed, worst.actual, worst.factor, worst.name) == (1.0, 4.0, 4.0, "DP-SE")
    assert worst_epsilon([*audits, audit("violated", 5.0, None)]).actual == math.inf
    assert worst_epsilon(audits[2:]) is None


@pytest.mark.parametrize(("value", "said"), [(9.6812, "9.68"), (math.inf, "∞"), (2.0, "2")])
def test_epsilons_have_three_digits(value, said):
    assert shown_epsilon(value) == said


def test_words_and_addresses():
    assert (count_word(5), count_word(12)) == ("five", "12")
    assert arxiv("NeurIPS 2021; arXiv 2106.03365") == "https://arxiv.org/abs/2106.03365"
    assert arxiv("nowhere") == ""
