"""The picture of all verdicts shows every record once, in the cell of its claim and calibration."""

from collections import Counter
from dataclasses import replace
from itertools import product

import pytest
from matplotlib.colors import to_hex

from dpbandits.base.entries import CALIBRATIONS
from dpbandits.config.loading import load_paper
from dpbandits.figures import values
from dpbandits.figures.kinds import matrix

from .small import ROOT


def record(claim, calibration, verdict, variant="", ours=False):
    found = {"id": f"hanna2022/{claim}", "calibration": calibration, "variant": variant, "verdict": verdict}
    subject = "variant_of_ours" if calibration == "tuned" else "paper"
    return found | {"statement": "Regret grows.", "subject": subject, "by_our_threshold": ours}


RECORDS = [
    record("C1", "certified", "unclear"),
    record("C1", "printed", "holds"),
    record("C1", "printed", "fails", "fw"),
    record("C2", "printed", "fails"),
    record("C3", "certified", "fails", ours=True),
    *[record("C4", "tuned", verdict, f"v{k}") for k, verdict in enumerate(["holds"] * 4 + ["unclear"])],
]


@pytest.fixture
def paper():
    whole = load_paper(ROOT, "hanna2022")
    return replace(whole, claims={claim: whole.claims[claim] for claim in ("C1", "C2", "C3", "C4")})


def test_a_cell_for_every_calibration_and_claim(paper):
    places: dict[tuple[str, str], list[str]] = {}
    rows, claims = ("printed", "tuned", "certified"), ("C1", "C2", "C3", "C4")
    for tile in matrix.placed(paper, matrix.frame(RECORDS), 0.0):
        row, column = int(tile.center[1] / matrix.ROW), int((tile.center[0] - matrix.LEFT) / matrix.COLUMN)
        places.setdefault((rows[row], claims[column]), []).append(tile.verdict)
    assert set(places) == set(product(rows, claims))
    kinds = {cell: verdicts for cell, verdicts in places.items() if verdicts != [matrix.NOT_JUDGED]}
    assert kinds == {
        ("printed", "C1"): ["holds", "fails"],
        ("printed", "C2"): ["fails"],
        ("tuned", "C4"): ["holds"] * 4 + ["unclear"],
        ("certified", "C1"): ["unclear"],
        ("certified", "C3"): ["fails_ours"],
    }


def test_rows_are_in_the_order_of_the_pages():
    records = [record("C1", calibration, "holds") for calibration in reversed(CALIBRATIONS)]
    assert matrix.rows_of(matrix.frame(records)) == list(CALIBRATIONS)


def test_pictures_are_named_by_figure_and_calibration(paper):
    assert paper.pictures["regret_against_budget-tuned"] == ("regret_against_budget", "tuned")
    assert set(paper.pictures.values()) == {(n, c) for n, each in paper.figures.items() for c in each.calibrations}


@pytest.mark.parametrize(("count", "rows"), [(1, [1]), (2, [2]), (3, [3]), (4, [2, 2]), (5, [3, 2]), (7, [3, 2, 2])])
def test_the_stripes_of_a_cell_fill_it(count, rows):
    width, height = matrix.COLUMN - matrix.GAP, matrix.ROW - matrix.GAP
    found = list(matrix.tiles([("holds", str(k)) for k in range(count)], 1.0, 2.0))
    assert [tile.says for tile in found] == [str(k) for k in range(count)]
    numbers = iter(found)
    for k, many in enumerate(rows):
        for j in range(many):
            tile = next(numbers)
            assert (tile.left, tile.top) == pytest.approx((1.0 + j * width / many, 2.0 + k * height / len(rows)))
            assert (tile.width, tile.height) == pytest.approx((width / many, height / len(rows)))


def test_the_picture_has_every_verdict_once(paper):
    """Beside those of the legend, which has one of every kind and a cell of two."""
    figure = matrix.draw([paper], matrix.frame(RECORDS))
    figure.draw_without_rendering()
    (axes,) = figure.axes
    boxes = {to_hex(each.get_facecolor()[0]): len(each.get_paths()) for each in axes.collections}
    counts = {"holds": 5 + 2, "fails": 2 + 2, "fails_ours": 1 + 1, "unclear": 2 + 1}
    shown = {**counts, "not_tested": 1, "not judged": 7 + 1}
    assert boxes == {matrix.COLORS[verdict]: count for verdict, count in shown.items()}
    signs = Counter()
    for line in axes.lines:
        signs[line.get_color()] += len(line.get_xdata())
    assert signs == {matrix.SIGNS["holds"]: 7 + 4, matrix.SIGNS["fails_ours"]: 2, matrix.SIGNS["unclear"]: 3 + 1}
    assert not {matrix.SIGNS[verdict] for verdict in matrix.SIGNS} & set(matrix.COLORS.values())
    words = [text.get_text() for text in axes.texts]
    counts = "1 hold, 2 fail, 1 fail by our threshold, 1 unclear, 0 not tested"
    assert words[:2] == [f"5 verdicts on claims of 1 paper: {counts}", "5 more verdicts on our variants"]
    counts = [word for word in words if word.endswith(("✓", "✗", "?", "–"))]
    assert counts == [
        *("0 –", "0 ?", "0 ✗", "2 ✗", "1 ✓"),
        *("0 –", "1 ?", "0 ✗", "0 ✗", "4 ✓"),
        *("0 –", "1 ?", "1 ✗", "0 ✗", "0 ✓"),
    ]
    said = values.group(figure)
    assert said.count("<circle") == len(RECORDS)
    assert "C1 of hanna2022 (printed, fw): fails. Regret grows." in said
    assert "C4 of hanna2022 (tuned, v4): unclear. Regret grows." in said


def test_tiles_stand_in_the_row_of_their_calibration_and_the_column_of_their_claim(paper):
    every = [tile for tile in matrix.placed(paper, matrix.frame(RECORDS), 3.0) if tile.says]
    found = {tile.says.partition(":")[0].replace(" of hanna2022", ""): tile for tile in every}
    printed, other = found["C1 (printed)"], found["C2 (printed)"]
    certified, tuned = found["C1 (certified)"], found["C4 (tuned, v0)"]
    assert (printed.left, printed.top) == (matrix.LEFT, 3.0)
    assert (other.left, other.top) == pytest.approx((matrix.LEFT + matrix.COLUMN, 3.0))
    assert (certified.left, certified.top) == pytest.approx((matrix.LEFT, 3.0 + 2 * matrix.ROW))
    assert (tuned.left, tuned.top) == pytest.approx((matrix.LEFT + 3 * matrix.COLUMN, 3.0 + matrix.ROW))
    assert found["C1 (printed, fw)"].left == pytest.approx(printed.left + printed.width)


@pytest.mark.parametrize("claims", [4, 27, 37, 60])
def test_counts_are_beside_all_tiles(paper, claims):
    """A paper with many claims makes the picture wider."""
    many = {f"C{k}": paper.claims["C1"] for k in range(1, claims + 1)}
    figure = matrix.draw([replace(paper, claims=many)], matrix.frame([record("C1", "printed", "holds")]))
    figure.draw_without_rendering()
    (axes,) = figure.axes
    counts = [text.get_window_extent() for text in axes.texts if text.get_text().endswith(("✓", "✗", "?", "–"))]
    last = axes.transData.transform((matrix.LEFT + claims * matrix.COLUMN, 0.0))[0]
    assert len(counts) == 5
    assert last <= min(box.x0 for box in counts)
    assert max(box.x1 for box in counts) <= figure.bbox.x1
    assert (figure.get_figwidth() > matrix.LEAST) == (claims > 32)
