"""Claims that read audit records: the ratio of the actual epsilon to the claimed one, from both sides."""

import pytest

from dpbandits.claims.audits import findings, label
from dpbandits.claims.judgements import judge_finding

from .sections import audit_test_of

COINCIDES = {"anytime_lazy_ucb": {"printed": "printed", "certified": "printed"}, "rnm_ftnl": {"printed": "printed"}}
TEST = {"reading": "r", "audit": "sums", "bounds": [None, 1]}


def cell(**changes):
    record = {
        "audit": "hu2021/sums",
        "algorithm": "anytime_lazy_ucb",
        "calibration": "printed",
        "point": {"eps": 2.0, "rounds": 4.0},
        "eps": 2.0,
        "epsilons": [2.0, 2.0],
        "lower": 1.5,
        "verdict": "consistent",
        "status": "proven, tight",
        "in_theorem_range": None,
    }
    return record | changes


def found_by(records, calibration="printed", **changes):
    return findings(audit_test_of(TEST | changes), records, calibration, COINCIDES)


def verdict(record):
    (found,) = found_by([record])
    return judge_finding(found).verdict


@pytest.mark.parametrize(
    ("epsilons", "expected"),
    [
        ([2.0, 2.0], "holds"),
        ([0.0, 1.9], "holds"),
        ([2.0 * (1 + 1e-12), 2.0 * (1 + 1e-12)], "holds"),  # the claimed epsilon but for rounding
        ([1.9, 2.1], "unclear"),
        ([0.0, None], "unclear"),
        ([2.001, 2.1], "fails"),
        ([None, None], "fails"),
        ([2.1, None], "fails"),
    ],
)
def test_bounds_by_calculation_decide(epsilons, expected):
    assert verdict(cell(epsilons=epsilons)) == expected


def test_an_epsilon_of_pairs_tried_holds_for_no_claim_and_may_break_one():
    assert verdict(cell(epsilons=[1.0, 1.5], status="searched")) == "unclear"
    assert verdict(cell(epsilons=[2.5, 2.5], status="searched")) == "fails"


def test_runs_count_where_they_break_the_claim_and_only_there():
    assert verdict(cell(epsilons=[0.0, 9.0], lower=2.5, verdict="violated")) == "fails"
    assert verdict(cell(epsilons=[0.0, 9.0], lower=2.5, verdict="consistent")) == "unclear"
    (found,) = found_by([cell(epsilons=[0.0, 9.0], lower=2.5, verdict="violated")])
    assert (found.least, found.most) == (1.25, 4.5)


def test_cells_are_those_of_the_audit_the_calibration_and_the_range():
    records = [
        cell(),
        cell(audit="hu2021/tree"),
        cell(calibration="certified"),
        cell(point={"eps": 10.0}, eps=10.0),
        cell(algorithm="rnm_ftnl"),
    ]
    every = found_by(records)
    assert [each.label for each in every] == [label(records[0]), label(records[3]), label(records[4])]
    assert label(records[0]) == "anytime_lazy_ucb: eps = 2, rounds = 4"
    ranged = found_by(records, within={"eps": [None, 5]})
    assert [each.label for each in ranged] == [label(records[0]), label(records[4])]
    assert found_by(records, within={"eps": [2.5, 5]}) == []
    assert found_by(records, within={"rounds": [5, None]}) == []
    assert len(found_by([cell(in_theorem_range=True), cell(in_theorem_range=False)])) == 1
    named = found_by(records, algorithms=["rnm_ftnl"])
    assert [each.label for each in named] == [label(records[4])]


def test_a_calibration_that_coincides_has_the_records_of_the_other():
    assert len(found_by([cell()], "certified")) == 1
    assert found_by([cell(algorithm="rnm_ftnl")], "certified") == []
