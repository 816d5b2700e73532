"""Pictures of the audit show what the records say."""

import math
from itertools import pairwise

import pytest
from matplotlib.colors import to_hex

from dpbandits.figures import style
from dpbandits.figures.kinds import audit


def record(**changes):
    found = {
        "audit": "hu2021/sums",
        "title": "noisy sums",
        "algorithm": "anytime_lazy_ucb",
        "calibration": "printed",
        "point": {"eps": 1.0},
        "eps": 1.0,
        "delta": 0.0,
        "epsilons": [1.0, 1.0],
        "lower": 0.9,
        "tightness": 0.9,
        "cap": 7.2,
        "trials": 20000,
        "power": [{"trials": 100, "lower": 0.0, "cap": 2.5}, {"trials": 10000, "lower": 0.9, "cap": 7.2}],
        "verdict": "consistent",
        "status": "proven, tight",
    }
    return found | changes


RECORDS = [
    record(),
    record(eps=10.0, point={"eps": 10.0}, epsilons=[20.0, None], lower=12.0, tightness=1.2, verdict="violated"),
    record(algorithm="adap_ucb"),
    record(audit="hu2021/tree", title="a tree", algorithm="dp_ucb", epsilons=[0.0, 1.5], lower=0.0, tightness=0.0),
]


def places(line):
    return [tuple(map(float, place)) for place in line.get_xydata()]


def numbered(axis):
    return any(label.get_text() and label.get_visible() for label in axis.get_majorticklabels())


def dots(axes, marker):
    return [line for line in axes.lines if line.get_marker() == marker]


def test_epsilons_have_a_panel_for_every_audit_and_a_legend_where_algorithms_differ():
    first, second = audit.audit_epsilons(audit.frame(RECORDS), "title").axes
    assert (first.get_title(loc="left"), second.get_title(loc="left")) == (
        "noisy sums\n2 algorithms",
        "a tree\nalgorithm: DP-UCB",
    )
    assert [text.get_text() for text in first.get_legend().get_texts()] == ["Anytime-Lazy-UCB", "AdaP-UCB"]
    assert second.get_legend() is None


def test_epsilons_are_drawn_as_they_are_and_at_the_frame_where_they_do_not_fit():
    first, second = audit.audit_epsilons(audit.frame(RECORDS), "title").axes
    top, bottom = 10.0 * audit.ROOM, 1.0 / audit.ROOM
    assert [places(line) for line in dots(first, "o")] == [
        [(1.0, 1.0), (10.0, 20.0), (1.0, 1.0), (10.0, top)],
        [(1.0, 1.0), (1.0, 1.0)],
    ]
    assert [places(line) for line in dots(first, "^")] == [[(1.0, 0.9), (10.0, 12.0), (1.0, 0.9)]]
    assert [places(line) for line in dots(second, "o")] == [[(1.0, bottom), (1.0, 1.5)]]
    assert [places(line) for line in dots(second, "^")] == [[]]  # nothing is shown by runs


def test_a_bar_joins_the_bounds_of_an_epsilon():
    first, _ = audit.audit_epsilons(audit.frame(RECORDS), "title").axes
    ends = [bar.tolist() for lines in first.collections[1:] for bar in lines.get_segments()]
    top = 10.0 * audit.ROOM
    assert ends == [[[1.0, 1.0], [1.0, 1.0]], [[10.0, 20.0], [10.0, top]], [[1.0, 1.0], [1.0, 1.0]]]


@pytest.mark.parametrize("drawn", [audit.audit_epsilons, audit.audit_power])
@pytest.mark.parametrize(
    ("count", "below", "beside"), [(1, [0], [0]), (3, [0, 1, 2], [0]), (4, [1, 2, 3], [0, 3]), (6, [3, 4, 5], [0, 3])]
)
def test_numbers_stand_below_the_lowest_panel_of_a_column_and_at_the_first_of_a_row(drawn, count, below, beside):
    figure = drawn(audit.frame([record(audit=f"hu2021/{k}") for k in range(count)]), "title")
    figure.draw_without_rendering()
    assert [k for k, axes in enumerate(figure.axes) if numbered(axes.xaxis)] == below
    assert [k for k, axes in enumerate(figure.axes) if axes.get_xlabel()] == below
    assert [k for k, axes in enumerate(figure.axes) if numbered(axes.yaxis)] == beside
    assert [k for k, axes in enumerate(figure.axes) if axes.get_ylabel()] == beside
    assert len({(axes.get_xlim(), axes.get_ylim()) for axes in figure.axes}) == 1


@pytest.mark.parametrize(("calibration", "face"), [("certified", "white"), ("printed", style.COLORS["central"])])
def test_certified_noise_is_hollow(calibration, face):
    (axes,) = audit.audit_epsilons(audit.frame([record(calibration=calibration)]), "title").axes
    assert dots(axes, "o")[0].get_markerfacecolor() == face


def test_the_table_of_verdicts_has_a_cell_for_every_budget_that_is_claimed():
    (axes,) = audit.audit_verdicts(audit.frame(RECORDS), "title").axes
    assert [text.get_text() for text in axes.texts] == ["✓ 1 | 0.9", "✗ ≥ 2 | 1.2", "✓ 1 | 0.9", "✓ 1.5 | 0"]
    assert [label.get_text() for label in axes.get_yticklabels()] == [
        "noisy sums: Anytime-Lazy-UCB",
        "noisy sums: AdaP-UCB",
        "a tree: DP-UCB",
    ]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["1", "10"]
    (cells,) = axes.collections
    colors = [to_hex(color) for color in cells.get_facecolor()]
    assert [path.vertices[:4].mean(axis=0).tolist() for path in cells.get_paths()] == [[0, 0], [1, 0], [0, 1], [0, 2]]
    proven, broken = audit.COLORS["consistent"], audit.COLORS["violated"]
    assert colors == [proven, broken, proven, audit.OPEN]


@pytest.mark.parametrize("columns", [1, 7, 12])
def test_the_table_of_verdicts_has_room_for_its_numbers_and_names(columns):
    """Numbers of two digits below 0.1, `0.012 | 0.012`, and a long name."""
    record_of = {"audit": "hu2021/arms_of_lazy_dp_ts", "epsilons": [0.0123, 0.0123], "tightness": 0.0123}
    figure = audit.audit_verdicts(audit.frame([record(eps=1.0 + k, **record_of) for k in range(columns)]), "title")
    (axes,) = figure.axes
    figure.draw_without_rendering()
    inner = [text.get_window_extent() for text in axes.texts]
    assert all(left.x1 < right.x0 for left, right in pairwise(inner))
    assert inner[0].x0 > axes.bbox.x0
    assert inner[-1].x1 < axes.bbox.x1
    assert min(label.get_window_extent().x0 for label in axes.get_yticklabels()) > 0.0


def test_power_is_shown_at_the_epsilon_nearest_to_one_and_over_the_claimed_one():
    first, second = audit.audit_power(audit.frame(RECORDS), "title").axes
    assert first.get_title(loc="left").endswith(" = 1")
    bound, most = (list(map(float, line.get_ydata())) for line in first.lines[:2])
    assert (bound, most) == ([audit.LEAST, 0.9], [2.5, 7.2])
    assert len(second.lines) == 3


@pytest.mark.parametrize("drawn", [audit.audit_epsilons, audit.audit_power])
def test_a_title_stays_within_its_panel(drawn):
    """The longest names that the papers have: no title reaches the next panel or the edge."""
    long = {"title": "shuffled reports of the earlier algorithm", "algorithm": "linucb_sdp_amp_signs"}
    figure = drawn(audit.frame([record(audit=f"hanna2022/{k}", **long) for k in range(3)]), "title")
    figure.draw_without_rendering()
    titles = [axes._left_title.get_window_extent() for axes in figure.axes]
    assert all(left.x1 < right.x0 for left, right in pairwise(titles))
    assert titles[-1].x1 < figure.bbox.x1


@pytest.mark.parametrize(("count", "lower"), [(2, 0.0), (2, 0.9), (7, 0.9)])
def test_the_legend_of_power_covers_no_bound(count, lower):
    """Neither the line of the claim; bounds of noise that is just enough lie at 1, others far below.

    Seven algorithms of which runs show nothing are in no paper.
    """
    names = ["anytime_lazy_ucb", "lazy_dp_ts", "dp_se", "adap_ucb", "adap_kl_ucb", "dp_kl_ucb", "dp_imed"][:count]
    power = [{"trials": n, "lower": lower, "cap": cap} for n, cap in ((1500, 5.0), (100000, 9.6))]
    (axes,) = audit.audit_power(audit.frame([record(algorithm=each, power=power) for each in names]), "title").axes
    axes.figure.draw_without_rendering()
    box = axes.get_legend().get_window_extent().transformed(axes.transData.inverted())
    heights = [height for line in axes.lines for height in line.get_ydata()]
    assert not any(box.y0 <= height <= box.y1 for height in heights)
    assert len(axes.get_legend().get_texts()) == count


def test_markers_of_many_algorithms_fit_into_the_rows_of_the_legend():
    names = ["anytime_lazy_ucb", "lazy_dp_ts", "dp_se", "adap_ucb", "adap_kl_ucb", "dp_kl_ucb", "dp_imed"]
    (axes,) = audit.audit_epsilons(audit.frame([record(algorithm=each) for each in names]), "title").axes
    sizes = [line.get_markersize() for line in dots(axes, "o")]
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) == 7
    assert max(sizes) <= audit.LARGEST


def test_rows_have_every_record():
    found = audit.data_of(audit.frame(RECORDS))
    assert list(found["largest_epsilon"]) == [1.0, math.inf, 1.0, 1.5]
    assert found["setting"][1] == "eps=10"
    _, _, second, *_ = found.to_csv(index=False).splitlines()
    assert second.startswith("hu2021/sums,anytime_lazy_ucb,printed,10.0,0.0,eps=10,20.0,inf,")
