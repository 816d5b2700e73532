"""Every statistical verdict that holds or fails can be turned: the tables of mutants, which are printed."""

import pytest

from .mutants import (
    KINDS,
    alone,
    as_found,
    as_listed,
    claimed,
    committed_verdicts,
    counts,
    decided,
    named,
    ranges,
    readings_left,
    same_rows,
    table,
    thresholds,
    turned,
    verdicts,
    with_bound_moved,
    with_bound_out_of_reach,
    with_count_moved,
    without_fault,
)
from .studies import STUDIES, chowdhury2022

PAPERS = pytest.mark.parametrize("study", STUDIES, ids=named)


def of_every(found):
    """Every study with each of what is found in it."""
    return [(study, *each) for study in STUDIES for each in found(study)]


@PAPERS
def test_mutants_turn_verdicts_as_listed(study):
    assert as_found(study) == as_listed(study)


@PAPERS
def test_every_holds_and_every_fails_is_turned(study, say):
    """Of a claim that is unclear, every reading that is not. Prints the table of mutants."""
    say(table(study))
    assert decided(study) - turned(study) == set()
    assert readings_left(study) == {}
    assert {mutant.kind for mutant in study.mutants} == set(KINDS)


@PAPERS
def test_these_seeds_decide_as_all_seeds_do(study):
    assert verdicts(study) == committed_verdicts(study)


@pytest.mark.parametrize(("study", "case", "name"), of_every(lambda study: study.checked), ids=named)
def test_without_a_fault_the_rows_are_those_of_the_table(study, case, name):
    """What is simulated here differs from the tables by its fault and nothing else."""
    same_rows(*without_fault(study, case, name))


@pytest.mark.parametrize(
    ("study", "case", "index", "side"), of_every(lambda study: thresholds(study, "bounds")), ids=named
)
def test_no_threshold_is_idle(study, case, index, side):
    """Moved far to the other side it turns its test."""
    before, after = with_bound_moved(study, case, index, side)
    assert after == ("holds" if before == "fails" else "fails")


@pytest.mark.parametrize(
    ("study", "case", "index", "side"), of_every(lambda study: thresholds(study, "tolerated")), ids=named
)
def test_no_tolerated_range_is_idle(study, case, index, side):
    """Where the bound is out of reach it decides between failing and unclear."""
    assert with_bound_out_of_reach(study, case, index, side) == ["fails", "unclear"]


@pytest.mark.parametrize(("study", "case", "index"), of_every(counts), ids=named)
def test_no_threshold_of_a_count_is_idle(study, case, index):
    """Every run is above -1, none above 1e9, and no rate exceeds 1."""
    all_above, none_above, every_rate = with_count_moved(study, case, index)
    assert all_above == "fails"
    assert none_above != "fails"
    assert every_rate != "fails"


@pytest.mark.parametrize("bounds", [[0.3, 0.4], [0.7, 1.0]])
@pytest.mark.parametrize(("study", "case", "index"), of_every(ranges), ids=named)
def test_no_end_of_a_range_is_idle(study, case, index, bounds):
    """The range of where regret is least must hold some points of the grid and not all."""
    assert alone(study, case, claimed(study, case)[index] | {"bounds": bounds}) == "fails"


def test_what_counts_as_equal_is_not_idle():
    """Both have the same noise: wide enough a range shows that SDP-Amp is not below LDP, none shows nothing."""
    study, case = chowdhury2022.STUDY, ("C1", "", chowdhury2022.CERTIFIED)
    (test,) = claimed(study, case)
    assert alone(study, case, test | {"equivalent": 1.0}) == "fails"
    assert alone(study, case, test | {"equivalent": 0.0}) == "unclear"
