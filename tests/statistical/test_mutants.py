"""Every statistical verdict that holds or fails can be turned: the tables of mutants, which are printed.

`make test` runs the mutants whose runs are kept, `make test-all` those of every paper.
"""

import pytest

from .kept_runs import LONG
from .mutants import (
    KINDS,
    alone,
    as_found,
    as_listed,
    claimed,
    committed_verdicts,
    counts,
    decided,
    limited,
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

PAPERS = pytest.mark.parametrize(
    "study", [each if each.paper in LONG else pytest.param(each, marks=pytest.mark.slow) for each in STUDIES], ids=named
)


@PAPERS
def test_mutants_turn_every_holds_and_every_fails_as_listed(study, say):
    """Mutants turn every decided verdict; of an unclear claim, its decided readings. Prints the table.

    One test, because another process would simulate the mutants again.
    """
    assert as_found(study) == as_listed(study)
    say(table(study))
    assert decided(study) - turned(study) == set()
    assert readings_left(study) == {}
    assert {mutant.kind for mutant in study.mutants} == set(KINDS)


@PAPERS
def test_these_seeds_decide_as_all_seeds_do(study):
    assert verdicts(study) == committed_verdicts(study)


@PAPERS
def test_without_a_fault_the_rows_are_those_of_the_table(study):
    """What is simulated here differs from the tables by its fault and nothing else."""
    assert study.checked
    for case, name in study.checked:
        same_rows(*without_fault(study, case, name))


@PAPERS
def test_no_threshold_is_idle(study):
    """Moved far to the other side it turns its test, unless the runs are too few for any limit there."""
    places = [place for place in thresholds(study, "bounds") if limited(study, *place)]
    found = {place: with_bound_moved(study, *place) for place in places}
    assert found
    idle = {place for place, (before, after) in found.items() if after != ("holds" if before == "fails" else "fails")}
    assert idle == set()


@PAPERS
def test_no_tolerated_range_is_idle(study):
    """Where the bound is out of reach it decides between failing and unclear."""
    found = {place: with_bound_out_of_reach(study, *place) for place in thresholds(study, "tolerated")}
    assert {place for place, verdicts in found.items() if verdicts != ["fails", "unclear"]} == set()


@PAPERS
def test_no_threshold_of_a_count_is_idle(study):
    """Every run is above -1, none above 1e9, and no rate exceeds 1."""
    for place in counts(study):
        all_above, none_above, every_rate = with_count_moved(study, *place)
        assert (all_above == "fails", none_above != "fails", every_rate != "fails") == (True, True, True), place


@PAPERS
def test_no_end_of_a_range_is_idle(study):
    """The range of where regret is least must hold some points of the grid and not all."""
    for case, index in ranges(study):
        for bounds in ([0.3, 0.4], [0.7, 1.0]):
            changed = claimed(study, case)[index].model_copy(update={"bounds": bounds})
            assert alone(study, case, changed) == "fails", (case, bounds)


def test_thresholds_of_every_kind_are_tried():
    kinds = (lambda study: thresholds(study, "tolerated"), counts, ranges)
    assert all(any(list(kind(study)) for study in STUDIES) for kind in kinds)


def test_what_counts_as_equal_is_not_idle():
    """Both have the same noise: wide enough a range shows that SDP-Amp is not below LDP, none shows nothing."""
    study, case = chowdhury2022.STUDY, ("C1", "", chowdhury2022.CERTIFIED)
    (test,) = claimed(study, case)
    assert alone(study, case, test.model_copy(update={"equivalent": 1.0})) == "fails"
    assert alone(study, case, test.model_copy(update={"equivalent": 0.0})) == "unclear"
