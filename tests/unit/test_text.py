"""Claim records in words."""

import pytest

from dpbandits.text.tables import table_rows
from dpbandits.text.text import cut_down, distance, down, range_of, readable, symbol, up

from .sections import table_of

LOWER = {"label": "x - y", "allowed": [None, 0.0]}
EQUAL = {**LOWER, "equivalent": [-3.0, 3.0], "tied": False}
TIED = {**EQUAL, "tied": True}


def test_the_range_of_a_comparison_says_what_counts_as_equal():
    assert range_of(LOWER) == "at most 0"
    assert range_of(EQUAL) == "at most 0; equal: -3 to 3"


@pytest.mark.parametrize(
    ("detail", "verdict", "margin", "says"),
    [
        (TIED, "fails", 0.5, ", no difference: inside -3 to 3"),
        (TIED, "fails", -1.0, ", no difference: inside -3 to 3"),
        (EQUAL, "fails", -1.5, ", 1.50 reaches of its interval outside the allowed range"),
        (EQUAL, "holds", 1.5, ", 1.50 reaches of its interval inside the allowed range"),
        (LOWER, "fails", -1.5, ", 1.50 reaches of its interval outside the allowed range"),
    ],
)
def test_the_distance_of_a_verdict_by_equality_is_no_distance(detail, verdict, margin, says):
    record = {"n": 9, "verdict": verdict, "margin": margin, "decisive": "x - y", "details": [detail]}
    assert distance(record) == says


def test_labels_of_new_predicates_are_readable():
    label = "phased_elimination_local at batch = 100 (T^0.33) - at batch = 1000 (T^0.50)"
    assert readable(label) == "local at batch = 100 (T^0.33) - at batch = 1000 (T^0.50)"
    assert readable("linucb / ucb1 at eps = 1e+06") == "LinUCB / UCB1 at eps = 1e+06"
    assert readable("anytime_lazy_ucb:narrow in whole_batches") == "Anytime-Lazy-UCB (narrow) in whole batches"
    assert readable("linucb / linucb@printed") == "LinUCB / LinUCB (printed)"
    assert readable("anytime_lazy_ucb:narrow@tuned: eps = 2") == "Anytime-Lazy-UCB (narrow, tuned): eps = 2"
    assert readable("slope of phased_elimination_local - slope of phased_elimination in T, T = 10 .. 20") == (
        "slope of local - slope of non-private in T, T = 10 .. 20"
    )


def test_tables_of_the_paper_show_verdicts():
    """Of the claim itself, or of one of its variants, by verdict."""
    said = [("C7", "", "printed", "holds"), ("C7", "", "certified", "fails"), ("C7", "", "tuned", "holds")]
    said += [("C7", "two_arms", "printed", "unclear"), ("C70", "", "printed", "fails")]
    names = ("id", "variant", "calibration", "verdict")
    records = [dict(zip(names, each, strict=True)) | {"id": f"paper/{each[0]}"} for each in said]
    table = table_of({"columns": ["x"], "rows": [["1"], ["2"], ["3"]], "verdicts": ["C7", "C7/two_arms", None]})
    assert [row["verdict"] for row in table_rows(table, [], records)] == [
        f"C7: {symbol('holds')} holds (printed, tuned), {symbol('fails')} fails (certified)",
        f"C7, two arms: {symbol('unclear')} unclear (printed)",
        "",
    ]
    assert table_rows(table_of({"columns": ["x"], "rows": [["1"]]}), [], records) == [{"x": "1"}]


def test_a_claim_about_several_rows_of_a_table_says_so():
    """And whose threshold it is."""
    record = {"id": "paper/C7", "variant": "", "calibration": "printed", "verdict": "fails", "by_our_threshold": True}
    table = table_of({"columns": ["x"], "rows": [["1"], ["2"]], "verdicts": ["C7", "C7"]})
    said = f"C7 (these rows together): {symbol('fails')} fails by our threshold (printed)"
    assert [row["verdict"] for row in table_rows(table, [], [record])] == [said, said]


def test_bounds_are_rounded_away_from_what_they_bound():
    assert [down(each) for each in (0.97, 1.23456, 4.6699)] == ["0.97", "1.234", "4.669"]
    assert [up(each) for each in (7.2, 1.23451, 2.00001)] == ["7.2", "1.235", "2.001"]
    assert [cut_down(each, 3) for each in (4.669, 11.18, 0.5)] == [4.66, 11.1, 0.5]
