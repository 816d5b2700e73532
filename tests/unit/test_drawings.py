"""What drawings show, read back from the drawn lines and from the data beside them."""

import base64
import csv
from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from dpbandits.base.parquet import read_table, write_table
from dpbandits.config.entries import TABLE
from dpbandits.config.loading import load_paper
from dpbandits.figures import drawings, frames, style, ticks
from dpbandits.figures.captions import caption
from dpbandits.figures.kinds import regret_against_round, regret_growth
from dpbandits.figures.papers import chowdhury2022
from dpbandits.figures.results import Results, read_results
from dpbandits.text import names
from tests.shipped import COMMITTED

from .lines import lines
from .sections import figure_of
from .small import CENTRAL, LOCAL, PLAIN, ROOT

DATA = ROOT / "figures/hanna2022/data"
FIGURE = {
    "shows": "A figure",
    "experiment": "figure2",
    "drawing": "regret_against_round",
    "curves": [PLAIN, CENTRAL, LOCAL],
    "panels": "eps",
    "at": {"eps": [1, 0.2]},
    "calibrations": ["printed"],
    "caption": "Regret.",
    "claims": ["C1"],
}


@pytest.fixture
def committed(tmp_path):
    """Opens the committed results of a paper."""

    def opened(key):
        data = ROOT / f"figures/{key}/data"
        return read_results(load_paper(ROOT, key), data, data / "claims.json", data / "audit.json", tmp_path)

    return opened


@pytest.fixture
def results(committed):
    """The committed results with a figure more."""
    found = committed("hanna2022")
    return replace(found, paper=replace(found.paper, figures={**found.paper.figures, "rounds": figure_of(FIGURE)}))


@pytest.mark.parametrize("key", COMMITTED)
def test_nothing_of_a_figure_lies_outside_of_it(committed, key):
    found = committed(key)
    for name, calibration in found.paper.pictures.values():
        figure = drawings.draw(found, name, calibration)
        with style.style():
            box, (width, height) = figure.get_tightbbox(), figure.get_size_inches()
        assert box.x0 >= 0, name
        assert box.y0 >= 0, name
        assert box.x1 <= width, name
        assert box.y1 <= height, name


def test_a_figure_of_rates_names_its_constants_and_has_the_slopes_of_the_theorems(committed):
    found = committed("chowdhury2022")
    figure = drawings.draw(found, "rates", "printed")
    assert figure.texts[0].get_text() == "Theorems, regret against the horizon, unit noise, c = 1, alpha = 0.1"
    guides = {line.get_label(): line.get_data() for line in figure.axes[0].lines if "propto" in line.get_label()}
    slopes = {label: np.diff(np.log(y)) / np.diff(np.log(x)) for label, (x, y) in guides.items()}
    assert list(slopes) == [rf"$\propto$ $T$$^{{{each}}}$" for each in ("1/2", "3/5", "2/3", "3/4")]
    for found_slopes, slope in zip(slopes.values(), (1 / 2, 3 / 5, 2 / 3, 3 / 4), strict=True):
        assert found_slopes == pytest.approx(slope)
    for name, curve in (("batch_sizes", "linucb_sdp_amp"), ("budgets", "linucb_jdp"), ("dimensions", "linucb_ldp")):
        section = found.paper.figures[name]
        assert f"{curve}:unit" in section.curves
        assert section.title("printed") == f"{section.shows}, unit noise, c = 1, alpha = 0.1"


def drawn_as(axes, curve):
    """The lines of a curve in a panel."""
    return [line for line in axes.lines if line.get_label() == names.name_of(curve)]


@pytest.mark.parametrize(("calibration", "there"), [("printed", 0), ("released", 1), ("certified", 0)])
def test_figure_1_as_released_has_the_bits_of_the_authors_comment(committed, calibration, there):
    """Ten times those that the released file ships, at every budget."""
    found, curve = committed("chowdhury2022"), "linucb_sdp_vec:tenfold"
    (entry,) = (each for each in found.paper.experiments["figures"].entries if each.variant == "tenfold")
    assert (entry.algorithm, entry.calibrations) == ("linucb_sdp_vec", ("released",))
    assert entry.parameters == {"batch": 20, "bits_factor": 10}
    figure = drawings.draw(found, "regret_against_round", calibration)
    assert [len(drawn_as(axes, curve)) for axes in figure.axes] == [there] * 3
    assert all(drawn_as(axes, "linucb_sdp_vec") for axes in figure.axes)


@pytest.mark.parametrize("calibration", ["printed", "certified"])
def test_the_rate_of_the_plateau_is_the_smooth_sum(committed, calibration):
    """ln K / gap + ln K / eps with 64 actions, not the larger of the two."""
    figure = drawings.draw(committed("hu2021"), "plateau", calibration)
    assert len(figure.axes) == 3
    for axes, gap in zip(figure.axes, (0.5, 0.1, 0.02), strict=True):
        (rate,) = drawn_as(axes, "regret_rate:sum")
        eps, regret = rate.get_data()
        assert len(eps) == 8
        np.testing.assert_allclose(regret, np.log(64) / gap + np.log(64) / eps, rtol=1e-7)


def test_doubling_gaps_are_drawn_in_all_four_layouts(committed):
    """Each in a panel of its own, with every number of brackets that was run once."""
    found = committed("hu2021")
    figure = drawings.draw(found, "doubling_gaps", "printed")
    brackets = {}
    for setting in found.paper.experiments["doubling_gaps"].settings:
        brackets.setdefault((setting["fewest"], setting["growth"]), []).append(setting["brackets"])
    shown = [(*block["fewest"], *block["growth"]) for block in found.paper.figures["doubling_gaps"].blocks.values()]
    assert sorted(shown) == sorted(brackets) == [(1, 1), (1, 2), (1, 4), (16, 1)]
    for axes, layout in zip(figure.axes, shown, strict=True):
        (line,) = drawn_as(axes, "rnm_ftnl")
        assert line.get_xdata().tolist() == brackets[layout]


@pytest.mark.parametrize("calibration", ["printed", "certified"])
def test_the_gray_region_of_the_widths_reaches_the_frame(calibration):
    """From a width of 1 on, where nothing can be dropped, and not only up to the largest width."""
    found = Results(load_paper(ROOT, "hanna2022"), "full", DATA, [], [], [], DATA)
    figure = drawings.draw(found, "widths", calibration)
    figure.draw_without_rendering()
    largest = max(line.get_ydata().max() for axes in figure.axes for line in axes.lines)
    for axes in figure.axes:
        (region,) = axes.patches
        ends = region.get_window_extent().transformed(axes.transData.inverted())
        assert (ends.y0, ends.y1) == pytest.approx((1.0, axes.get_ylim()[1]))
        assert ends.y1 > 1.2 * largest


def test_regret_against_the_round_shows_every_checkpoint_in_the_panel_of_its_setting(results):
    figure = drawings.draw(results, "rounds", "printed")
    summary, _ = read_table(DATA / "figure2.summary.parquet")
    assert [axes.get_title(loc="left") for axes in figure.axes] == [r"$\varepsilon$ = 0.2", r"$\varepsilon$ = 1"]
    for axes, eps in zip(figure.axes, (0.2, 1.0), strict=True):
        assert [line.get_label() for line in axes.lines] == ["non-private", "central", "local"]
        for line, curve in zip(axes.lines, FIGURE["curves"], strict=True):
            rows = (summary["algorithm"] == curve) & (summary["calibration"] == "printed") & (summary["variant"] == "")
            rows &= np.isnan(summary["eps"]) | (summary["eps"] == eps)
            t, mean = line.get_data()
            assert t.tolist() == [0.0, *summary["t"][rows]]
            assert mean.tolist() == [0.0, *summary["mean"][rows]]
        assert axes.get_xscale() == axes.get_yscale() == "linear"
        assert axes.get_xlim() == (0.0, 1e6)
        assert axes.get_ylim()[0] == 0.0


def test_a_notebook_shows_a_figure_in_the_house_style_with_its_caption(results):
    """As nbconvert writes it into the page, whatever style the notebook has set."""
    import matplotlib as mpl
    import nbformat.v4 as made
    from nbconvert import HTMLExporter

    figure = drawings.draw(results, "rivals", "certified")
    data, metadata = figure._repr_mimebundle_()
    with mpl.rc_context({"xtick.minor.size": 20.0}):
        assert figure._repr_mimebundle_()[0] == data
    encoded = {"image/png": base64.b64encode(data["image/png"]).decode(), "text/plain": data["text/plain"]}
    output = made.new_output("display_data", data=encoded, metadata=metadata)
    page = made.new_notebook(cells=[made.new_code_cell(outputs=[output])])
    body, _ = HTMLExporter(template_name="basic").from_notebook_node(page)
    assert 'alt="Bands: pointwise 95 % t intervals over 500 instances.' in body
    assert 'width="820"' in body


def test_the_data_of_regret_against_the_round_are_what_is_drawn(results):
    rows = list(csv.DictReader(drawings.data_of(results, "rounds").splitlines()))
    drawn = [line for axes in drawings.draw(results, "rounds", "printed").axes for line in axes.lines]
    own = [row for row in rows if row["calibration"] == "printed"]
    assert len(own) == sum(len(line.get_xdata()) - 1 for line in drawn) - (len(drawn[0].get_xdata()) - 1)
    assert {row["eps"] for row in rows} == {"nan", "0.2", "1"}
    shown = sorted({y for line in drawn for y in line.get_ydata()[1:]})
    assert sorted({float(row["mean"]) for row in own}) == pytest.approx(shown, rel=1e-8)


@pytest.mark.parametrize(
    ("name", "value", "title"),
    [("fallback", 0.0, "index below 0: random"), ("fallback", 2.0, "index below 0: raised"), ("gap", 0.25, None)],
)
def test_a_panel_has_the_word_of_the_configuration(name, value, title):
    domain = TABLE["cucb_ldp2"].parameters.get(name)
    assert drawings.panel_title(name, value, domain) == (title or r"$\Delta$ = 0.25")


def test_panels_of_the_committed_figure_are_named(committed):
    figure = drawings.draw(committed("chen2020"), "narrow_bonuses", "tuned")
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert titles == [f"index below 0: {word}" for word in ("random", "lowest", "raised")]


def test_a_curve_may_be_missing_in_a_panel_and_one_legend_names_all():
    t = np.array([10.0, 20.0])
    rows = {"t": t, "mean": t, "low": t - 1, "high": t + 1}
    figure = regret_against_round.draw(lines({"a": {PLAIN: rows}, "b": {PLAIN: rows, LOCAL: rows}}), "title", ["note"])
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["non-private", "local"]
    assert [len(axes.lines) for axes in figure.axes] == [1, 2]
    band = figure.axes[0].collections[0].get_paths()[0].vertices
    assert {tuple(each) for each in band} >= {(0.0, 0.0), (10.0, 9.0), (10.0, 11.0), (20.0, 19.0), (20.0, 21.0)}


def test_regret_may_grow_along_any_grid_value(results):
    section = {**FIGURE, "experiment": "scaling", "drawing": "regret_growth", "along": "arms", "panels": "T"}
    section |= {"at": {"eps": [1]}, "curves": [PLAIN, CENTRAL]}
    changed = replace(results, paper=replace(results.paper, figures={"grown": figure_of(section)}))
    axes = drawings.draw(changed, "grown", "printed").axes[0]
    assert axes.get_xlabel() == "actions $K$"
    assert [line.get_label() for line in axes.lines] == ["non-private", "central"], "no guide of slope 1/2"
    for line in axes.lines:  # broken where settings lie so far apart
        np.testing.assert_array_equal(line.get_xdata(), [10.0, np.nan, 1000.0])


@pytest.mark.parametrize("guides", [(), ("1/2",)])
def test_along_the_horizon_there_are_the_guides_that_are_asked_for_and_no_others(guides):
    rows = {"T": np.array([1e4, 1e5]), **{name: np.array([10.0, 20.0]) for name in ("mean", "low", "high")}}
    (axes,) = regret_growth.draw(lines({"a": {CENTRAL: rows}}), "T", "title", [], guides).axes
    labels = [line.get_label() for line in axes.lines]
    assert labels == ["central", *([r"$\propto$ $T$$^{1/2}$"] if guides else [])]


def test_a_bound_far_below_does_not_squeeze_the_axis():
    """chen2020/budgets: a lower bound of 0.005 beside regret of a thousand."""
    x = np.array([0.25, 1.0, 4.0])
    curve = {"eps": x, **{name: np.array([9e4, 9e3, 900.0]) for name in ("mean", "low", "high")}}
    bound = {"eps": x, **{name: np.array([180.0, 5.0, 0.005]) for name in ("mean", "low", "high")}}
    figure = regret_growth.draw(lines({"a": {CENTRAL: curve, "semi_bandit_lower_bound": bound}}), "eps", "title", [])
    assert figure.axes[0].get_ylim()[0] == pytest.approx(900.0 / regret_growth.BELOW)
    assert "Cut by the frame: lower bound." in caption(figure)
    near = bound | {"mean": np.array([1800.0, 500.0, 50.0])}
    figure = regret_growth.draw(lines({"a": {CENTRAL: curve, "semi_bandit_lower_bound": near}}), "eps", "title", [])
    assert figure.axes[0].get_ylim()[0] < 50.0
    assert caption(figure) == ""


def test_numbers_of_close_settings_do_not_touch():
    assert regret_growth._labels(np.array([2.0, 8.0, 9.0, 16.0, 17.0])) == ["2", "8", "9", "16", ""]


def test_a_legend_covers_no_curve(results):
    """It stands above the panels."""
    figure = drawings.draw(results, "regret_against_budget", "printed")
    figure.draw_without_rendering()
    (legend,) = figure.legends
    assert not any(axes.get_legend() for axes in figure.axes)
    assert all(legend.get_window_extent().y0 >= axes.bbox.y1 for axes in figure.axes)


def test_the_caption_says_what_the_bands_are_and_which_verdicts_rest_on_the_figure(committed):
    """The picture has neither."""
    found = committed("hanna2022")
    figure = drawings.draw(found, "rivals", "certified")
    assert caption(figure).splitlines() == [
        "Bands: pointwise 95 % t intervals over 500 instances.",
        "Holds: C33.",
    ]
    assert not any(word in text.get_text() for text in figure.texts for word in ("bands", "C33"))


def test_the_caption_groups_claims_by_verdict():
    def found(claim, verdict, variant="", **more):
        return {"id": f"han2021/{claim}", "verdict": verdict, "variant": variant, **more}

    records = [found("C1", "holds"), found("C4", "fails", by_our_threshold=True), found("C9", "holds", "unit_contexts")]
    assert drawings.by_verdict(records) == "holds: C1, C9 (unit contexts); fails by our threshold: C4"
    assert drawings.by_verdict([]) == ""


def test_the_caption_says_how_many_runs_all_curves_have():
    """Not only the first one; a bound has none."""
    rows = pd.DataFrame({"curve": [PLAIN, PLAIN, LOCAL, LOCAL, "regret_lower_bound"], "n": [96, 96, 8, 30, 1]})
    assert frames.runs_of(rows) == "8 to 96"
    assert frames.runs_of(rows.iloc[[0, 1, 4]]) == "96"


def test_panels_may_have_titles_of_their_own(results):
    section = {**FIGURE, "experiment": "scaling", "drawing": "regret_growth", "along": "arms", "panels": "T"}
    section |= {"titled": {"few rounds": {"eps": [1]}, "the same": {"eps": [1]}}, "curves": [PLAIN]}
    del section["at"]
    changed = replace(results, paper=replace(results.paper, figures={"titled": figure_of(section)}))
    figure = drawings.draw(changed, "titled", "printed")
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["few rounds", "the same"]


def test_a_line_follows_its_axis_and_ends_where_nothing_was_run():
    """Settings in any order; more than a factor of 20 between neighbors is a break, of the band too."""
    x = np.array([1.0, 150.0, 0.1, 10.0])
    rows = {"eps": x, "mean": x, "low": x / 2, "high": 2 * x, "median": x, "n": np.full(4, 10)}
    figure = regret_growth.draw(lines({"a": {CENTRAL: rows}}), "eps", "title", [])
    (line,) = figure.axes[0].lines
    assert line.get_xdata().tolist() == [0.1, 1.0, 10.0, 150.0]
    rows = {name: values[[0, 1, 2]] for name, values in rows.items()}
    figure = regret_growth.draw(lines({"a": {CENTRAL: rows}}), "eps", "title", [])
    (line,) = figure.axes[0].lines
    np.testing.assert_array_equal(line.get_xdata(), [0.1, 1.0, np.nan, 150.0])
    np.testing.assert_array_equal(line.get_ydata(), [0.1, 1.0, np.nan, 150.0])
    drawn = np.concatenate([path.vertices[:, 0] for path in figure.axes[0].collections[0].get_paths()])
    assert not ((drawn > 1.0) & (drawn < 150.0)).any()


@pytest.mark.parametrize(
    ("environment", "word"),
    [
        ({"family": "bernoulli_spread", "arms": 5, "best": 0.75, "gap": 0.125, "spread": 0.375}, "runs"),
        ({"family": "bernoulli_one_gap", "arms": 5, "gap": 0.2, "middle": 0.5, "octave": 0}, "runs"),
        ({"family": "bernoulli_one_gap", "arms": 5, "gap": 0.2, "middle": 0.5, "octave": 1}, "instances"),
        ({"family": "linear", "arms": 5, "dimension": 2}, "instances"),
    ],
)
def test_runs_of_one_instance_are_not_called_instances(results, environment, word):
    experiment = results.paper.experiments["scaling"].model_copy(update={"environment": environment})
    assert drawings.unit_of(experiment) == word


def test_a_figure_of_closed_forms_has_its_note():
    paper = load_paper(ROOT, "hu2021")
    drawn = drawings.draw(Results(paper, "full", DATA, [], [], [], DATA), "noisy_max", "printed")
    assert paper.figures["noisy_max"].note("printed")[1:] in caption(drawn)


def test_rows_of_privacy_say_whether_the_claim_is_kept():
    """Of the mechanisms and panels of Figure 1 alone, by budget."""

    def record(name, eps, epsilons, deltas, calibration="released"):
        found = {"audit": f"chowdhury2022/{name}", "calibration": calibration, "eps": eps, "delta": 0.1, "noise": 1.5}
        return {**found, "epsilons": epsilons, "deltas": deltas}

    records = [
        record("sums", 10, [None, None], [1.0, 1.0]),
        record("local_reports", 0.2, [0.14, 0.14], [0.08, 0.08]),
        record("shuffled_reports", 0.2, [0.1, 1.7], [0.08, 0.4]),
        record("local_reports", 0.5, [0.3, 0.3], [0.09, 0.09]),
        record("local_reports", 0.2, [0.2, 0.2], [0.1, 0.1], "certified"),
        record("returning_sums", 1, [0.2, 0.2], [0.1, 0.1]),
    ]
    audited = Results(load_paper(ROOT, "chowdhury2022"), "full", DATA, [], [], records, DATA)
    local, shuffled, central = chowdhury2022.privacy_rows(audited, "released")
    assert local == {
        "mechanism": "LDP",
        "claimed": "(0.2, 0.1)",
        "noise": "1.5",
        "actual eps at delta = 0.1": "0.14",
        "actual delta at the claimed eps": "0.08",
        "the claim": "proven",
    }
    assert (shuffled["mechanism"], shuffled["the claim"]) == ("SDP-Amp", "not proven")
    assert shuffled["actual delta at the claimed eps"] == "0.08 to 0.4"
    assert (central["mechanism"], central["the claim"]) == ("JDP", "broken")
    assert central["actual eps at delta = 0.1"] == "∞"
    assert [row["the claim"] for row in chowdhury2022.privacy_rows(audited, "certified")] == ["proven"]


def test_rows_of_the_amplification_give_the_papers_root_beside():
    rows = chowdhury2022.amplification_rows(0.1)
    assert [row["paper"] for row in rows] == ["4.47", "10", "31.6", "100"]
    assert {row["proven at eps = 10"] for row in rows} == {"1"}
    assert float(rows[-1]["proven at eps = 0.2"]) > 2


@pytest.mark.parametrize(
    ("low", "high", "labels"),
    [
        (4e5, 3e6, ["500k", "1M", "2M"]),
        (500.0, 2e5, ["1k", "3k", "10k", "30k", "100k"]),
        (3e-3, 2e5, ["0.01", "0.1", "1", "10", "100", "1k", "10k", "100k"]),
    ],
)
def test_a_logarithmic_axis_has_few_plain_numbers(low, high, labels):
    with style.style():
        figure, axes = plt.subplots(figsize=(3, 3))
        axes.set_yscale("log")
        axes.set_ylim(low, high)
        ticks.plain_logarithm(axes.yaxis, fine=True)
        figure.canvas.draw()
        shown = [
            label.get_text()
            for label, at in zip(axes.get_yticklabels(), axes.get_yticks(), strict=True)
            if low <= at <= high
        ]
        plt.close(figure)
    assert shown == labels


def pixels(along, low, high, change):
    """An empty logarithmic axis without numbers, after a change."""
    with style.style():
        figure, axes = plt.subplots(figsize=(4, 4))
        axes.set(**{f"{along}scale": "log", f"{along}lim": (low, high)})
        axis = getattr(axes, f"{along}axis")
        change(axis)
        axis.set_major_formatter("")
        axis.set_minor_formatter("")
        figure.canvas.draw()
        found = np.asarray(figure.canvas.buffer_rgba())[..., :3].astype(int)
        plt.close(figure)
    return found


@pytest.mark.parametrize("along", ["x", "y"])
@pytest.mark.parametrize(("low", "high"), [(400.0, 3e6), (0.03, 20.0), (1.0, 1e5)])
def test_minor_ticks_are_where_matplotlib_has_them(along, low, high):
    own = pixels(along, low, high, ticks.plain_logarithm)
    theirs = pixels(along, low, high, lambda axis: None)
    none = pixels(along, low, high, lambda axis: axis.set_minor_locator(plt.NullLocator()))
    assert np.abs(own - theirs).max() < 40
    assert np.abs(own - none).max() > 200


def test_the_last_round_of_every_point_is_kept(results):
    """Found one by one, among the rows of a point in any order."""
    left = {}
    for experiment in results.paper.experiments:
        columns, _ = read_table(DATA / f"{experiment}.summary.parquet")
        names = list(columns)[: list(columns).index("t")]
        points = list(zip(*([str(value) for value in columns[name]] for name in names), strict=True))
        last = {}
        for k, (point, t) in enumerate(zip(points, columns["t"], strict=True)):
            if point not in last or t > columns["t"][last[point]]:
                last[point] = k
        mixed = pd.DataFrame(columns).sample(frac=1.0, random_state=0)
        assert sorted(frames.at_horizon(mixed, names).index) == sorted(last.values())
        left[experiment] = len(last), len(mixed)
    assert left["figure2"] == (130, 4030)
    assert left["scaling"] == (240, 240)


@pytest.mark.parametrize(("value", "text"), [(0.05, "0.05"), (999.0, "999"), (1000, "1k"), (8388608, "8.39M")])
def test_plain_numbers(value, text):
    assert ticks.plain(value) == text


@pytest.fixture
def traced(results, tmp_path):
    """The same with another output, which the local algorithm does not have: twice the regret, and thrice above."""
    summary, provenance = read_table(DATA / "figure2.summary.parquet")
    there = summary["algorithm"] != LOCAL
    error = {f"error_{name}": np.where(there, 2 * summary[name], np.nan) for name in frames.MOMENTS[2:]}
    error["error_upper"] = 3 * error["error_mean"]
    write_table(tmp_path / "figure2.summary.parquet", {**summary, **error}, provenance)
    return replace(results, tables=tmp_path)


def drawn(traced, **changes):
    paper = replace(traced.paper, figures={"rounds": figure_of(FIGURE | {"column": "error"} | changes)})
    found = replace(traced, paper=paper)
    return drawings.draw(found, "rounds", "printed"), drawings.data_of(found, "rounds")


def test_a_traced_output_is_drawn_in_the_place_of_regret(traced):
    figure, data = drawn(traced)
    summary, _ = read_table(DATA / "figure2.summary.parquet")
    rows = (summary["algorithm"] == CENTRAL) & (summary["calibration"] == "printed") & (summary["eps"] == 1)
    lines = {line.get_label(): line for line in figure.axes[1].lines}
    assert len(lines) == 2
    np.testing.assert_array_equal(lines["central"].get_ydata()[1:], 2 * summary["mean"][rows])
    assert data.splitlines()[0].endswith(",median,upper")


def test_medians_have_a_band_to_the_upper_quantile(traced):
    figure, _ = drawn(traced, statistic="median", scale="log")
    summary, _ = read_table(DATA / "figure2.summary.parquet")
    rows = (summary["algorithm"] == CENTRAL) & (summary["calibration"] == "printed") & (summary["eps"] == 1)
    line = next(line for line in figure.axes[1].lines if line.get_label() == "central")
    np.testing.assert_array_equal(line.get_ydata(), 2 * summary["median"][rows])
    tops = [each.get_paths()[0].vertices[:, 1].max() for each in figure.axes[1].collections]
    assert max(tops) >= 6 * summary["mean"][rows].max() * (1 - 1e-12)
    assert figure.axes[1].get_yscale() == figure.axes[1].get_xscale() == "log"


def test_panels_with_logarithmic_axes_share_a_range_and_leave_out_what_is_not_above_zero():
    t = np.array([1.0, 10.0, 100.0])
    rows = {"t": t, "mean": np.array([0.0, 2.0, 30.0]), "low": np.zeros(3), "high": np.array([1.0, 4.0, 50.0])}
    more = rows | {"mean": rows["mean"] * 10, "high": rows["high"] * 10}
    none = rows | {"mean": np.zeros(3)}
    panels = {"a": {PLAIN: rows}, "b": {PLAIN: more, LOCAL: none}}
    figure = regret_against_round.draw(lines(panels), "title", [], logarithmic=True)
    ends = [axes.get_ylim() for axes in figure.axes]
    assert ends == [pytest.approx((1.6, 625.0))] * 2
    assert [[list(line.get_xdata()) for line in axes.lines] for axes in figure.axes] == [[[10.0, 100.0]]] * 2
    assert caption(figure) == "Values of 0 have no place on a logarithmic axis and are left out."


def test_panels_on_linear_axes_share_a_range_that_holds_all_lines():
    """Also where the last panel has the largest regret."""
    t = np.array([1.0, 10.0, 100.0])
    rows = {"t": t, "mean": t, "low": t, "high": 1.1 * t}
    more = {"t": t, **{name: 5.0 * rows[name] for name in ("mean", "low", "high")}}
    figure = regret_against_round.draw(lines({"a": {PLAIN: rows}, "b": {PLAIN: more}}), "title", [])
    (low, high), other = (axes.get_ylim() for axes in figure.axes)
    assert (low, high) == other
    assert low == 0.0
    assert high >= 550.0


def test_regret_on_logarithmic_axes_has_the_last_four_decades():
    t = np.geomspace(1.0, 1e6, 7)
    rows = {"t": t, "mean": t, "low": t, "high": t}
    for growing, first in ((True, 100.0), (False, 1.0)):
        figure = regret_against_round.draw(lines({"a": {PLAIN: rows}}), "title", [], growing=growing, logarithmic=True)
        assert figure.axes[0].lines[0].get_xdata()[0] == pytest.approx(first)


def test_the_largest_mean_over_the_panels_has_a_panel_of_its_own(results):
    section = {**FIGURE, "experiment": "scaling", "drawing": "regret_growth", "along": "arms", "panels": "T"}
    section |= {"at": {"eps": [1]}, "curves": [PLAIN, CENTRAL], "worst": True}
    changed = replace(results, paper=replace(results.paper, figures={"grown": figure_of(section)}))
    first, *others = drawings.draw(changed, "grown", "printed").axes
    assert first.get_title(loc="left").startswith("largest over ")
    for k, line in enumerate(first.lines):
        np.testing.assert_array_equal(line.get_ydata(), np.max([axes.lines[k].get_ydata() for axes in others], axis=0))


def test_the_largest_row_at_every_value_is_taken():
    rows = pd.DataFrame({"T": [9.0, 9.0, 1.0, 1.0], "norm": np.arange(4.0), "mean": [3.0, 2.0, 1.0, 5.0]})
    other = rows.assign(curve=LOCAL, T=np.nan)
    found = frames.largest(pd.concat([other, rows.assign(curve=PLAIN)]), "T")
    assert found["curve"].tolist() == [LOCAL, PLAIN, PLAIN]
    assert found["norm"].tolist() == [3.0, 3.0, 0.0]
