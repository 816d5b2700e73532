"""Values in the SVG stand where the points are drawn, and say what the points stand for."""

import math
import xml.etree.ElementTree as ElementTree

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from dpbandits.config.loading import load_paper
from dpbandits.figures import drawings, files, values
from dpbandits.figures.kinds import audit, estimates, regret_against_budget, regret_against_round, regret_growth
from dpbandits.figures.papers import chen2020, hanna2022, hu2021
from dpbandits.figures.results import read_results
from dpbandits.report.overlays import overlay
from dpbandits.text import names
from tests.shipped import COMMITTED

from .lines import lines
from .small import CENTRAL, LOCAL, PLAIN, ROOT
from .test_audit_figures import RECORDS, record

SVG = "{http://www.w3.org/2000/svg}"


def said(figure, folder):
    """Text -> centers of its circles, as the file has them."""
    files.save(figure, folder / "drawn")
    root = ElementTree.parse(folder / "drawn.svg").getroot()  # noqa: S314
    assert [float(each) for each in root.get("viewBox").split()] == pytest.approx(
        [0, 0, *(figure.get_size_inches() * 72)]
    )
    (group,) = (each for each in root if each.get("class") == "values")
    assert group is root[-1]
    assert (group.get("fill"), group.get("pointer-events")) == ("none", "all")
    found = {}
    for circle in (circle for panel in group for circle in panel):
        assert circle.tag == f"{SVG}circle"
        assert float(circle.get("r")) > 0
        center = float(circle.get("cx")), float(circle.get("cy"))
        for text in circle.find(f"{SVG}title").text.split("\n"):
            assert not set("$\\{}") & set(text)
            found.setdefault(text, []).append(center)
    return found


def framed(dpi=100):
    """Four by two inches; the axes from 72 to 216 and, from above, from 36 to 108 points."""
    figure = Figure(figsize=(4, 2), dpi=dpi)
    return figure, figure.add_axes((0.25, 0.25, 0.5, 0.5))


@pytest.mark.parametrize("dpi", [50, 100, 160])
def test_places_on_linear_axes(dpi, tmp_path):
    figure, axes = framed(dpi)
    axes.set_xlim(0, 10)
    axes.set_ylim(0, 4)
    places = {"inside": (5, 1), "corner": (0, 4), "other corner": (10, 0), "left": (-0.1, 1), "above": (5, 4.1)}
    places |= {"nothing": (np.nan, 1), "infinite": (5, np.inf)}
    values.mark(axes, *zip(*places.values(), strict=True), list(places))
    centers = {"inside": [(144.0, 90.0)], "corner": [(72.0, 36.0)], "other corner": [(216.0, 108.0)]}
    assert said(figure, tmp_path) == centers


def test_places_on_logarithmic_axes_and_downwards(tmp_path):
    figure, axes = framed()
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(1, 1000)
    axes.set_ylim(100, 0.01)
    values.mark(axes, [10, 100, 0, 10], [0.1, 10, 1, -1], ["ten", "hundred", "zero", "fallback"])
    assert said(figure, tmp_path) == {"ten": [(120.0, 54.0)], "hundred": [(168.0, 90.0)]}


def test_one_circle_where_several_meet_and_none_twice(tmp_path):
    figure, axes = framed()
    axes.set_xlim(0, 144)
    axes.set_ylim(0, 72)
    values.mark(axes, [10, 10, 50], [10, 10, 10], ["a < b & c", "d", "d"])
    values.mark(axes, [10, 11, 60], [10, 10, 10], ["a < b & c", "d", "d"], reach=2)
    files.save(figure, tmp_path / "drawn")
    circle = '<circle cx="{}" cy="98.0" r="{}"><title>{}</title></circle>\n'.format
    circles = [circle("82.0", 3, "a &lt; b &amp; c\nd"), circle("122.0", 3, "d"), circle("132.0", 2, "d")]
    written = (tmp_path / "drawn.svg").read_text(encoding="utf-8")
    group = '<g class="values" fill="none" pointer-events="all">\n<g data-panel="">\n'
    assert written.endswith(group + "".join(circles) + "</g>\n</g>\n</svg>\n")


def test_values_change_nothing_that_is_seen(tmp_path):
    """The picture differs by the group alone, and without values not at all."""
    for name in ("with", "without"):
        figure, axes = framed()
        axes.plot([1, 2], [3, 4])
        if name == "with":
            values.mark(axes, [1], [50], ["far above, where no axis reaches"])
            values.mark(axes, [1], [3], ["first"])
        files.save(figure, tmp_path / name)
    svg, plain = ((tmp_path / f"{name}.svg").read_text() for name in ("with", "without"))
    start = svg.index('<g class="values"')
    assert svg[:start] + svg[svg.index("</svg>") :] == plain


ROWS = {
    "eps": np.array([0.1, 1.0]),
    "T": np.array([1e6, 2718253.0]),
    "mean": np.array([1234.4, 500.0]),
    "low": np.array([1200.2, 450.0]),
    "high": np.array([1260.0, np.nan]),
}
CERTIFIED = ROWS | {"calibration": np.array(["certified", "certified"])}
WITHOUT = {name: column[:1] for name, column in ROWS.items()} | {"eps": np.array([np.nan])}


def test_regret_against_the_budget(tmp_path):
    """In both panels; what has no budget at the least one."""
    curves = {CENTRAL: CERTIFIED, LOCAL: ROWS | {"mean": 2 * ROWS["mean"]}, PLAIN: WITHOUT}
    found = said(regret_against_budget.draw(lines(curves), "title", []), tmp_path)
    assert set(found) == {
        "central (certified): ε = 0.1, regret 1234 [1200, 1260]",
        "central (certified): ε = 1, regret 500",
        "local: ε₀ = 0.1, regret 2469 [1200, 1260]",
        "local: ε₀ = 1, regret 1000",
        "non-private: regret 1234 [1200, 1260]",
    }
    assert all(len(centers) == 2 for centers in found.values())
    assert (
        found["non-private: regret 1234 [1200, 1260]"]
        == found["central (certified): ε = 0.1, regret 1234 [1200, 1260]"]
    )


def test_regret_that_grows(tmp_path):
    found = said(regret_growth.draw(lines({"a": {CENTRAL: CERTIFIED}}), "T", "title", []), tmp_path)
    assert list(found) == [
        "central (certified): T = 1,000,000, regret 1234 [1200, 1260]",
        "central (certified): T = 2,718,253, regret 500",
    ]
    crossing = {CENTRAL: CERTIFIED, PLAIN: WITHOUT | {"mean": np.array([600.0])}}
    found = said(regret_growth.draw(lines({"a": crossing}), "eps", "title", []), tmp_path)
    left, _ = found["central (certified): ε = 0.1, regret 1234 [1200, 1260]"][0]
    assert found["non-private: regret 600 [1200, 1260]"][0][0] == left


def rounds(count):
    t = np.arange(1, count + 1, dtype=float)
    return {"t": t, "mean": 2 * t, "low": 2 * t - 1, "high": 3 * t}


@pytest.mark.parametrize("logarithmic", [False, True])
def test_regret_against_the_round_says_some_rounds_and_all_marked_ones(logarithmic, tmp_path):
    panels = {"a": {PLAIN: rounds(2000)}}
    figure = regret_against_round.draw(lines(panels), "title", [], marks=[777.0], logarithmic=logarithmic)
    found = said(figure, tmp_path)
    assert "non-private: t = 777, regret 1554 [1553, 2331]" in found
    assert "non-private: t = 2,000, regret 4000 [3999, 6000]" in found
    assert 15 <= len(found) <= regret_against_round.MOST + 1
    across = np.sort([x for ((x, _),) in found.values()])
    assert np.diff(across).max() < 2.5 * (across[-1] - across[0]) / len(across), "evenly along the axis"


def test_medians_are_called_so(tmp_path):
    panels = {"a": {PLAIN: rounds(4)}}
    shown = names.AXES["elliptical"]
    figure = regret_against_round.draw(lines(panels), "title", [], (), shown, False, True, to_quantile=True)
    assert "non-private: t = 4, median elliptical error 8, 80 % quantile 12" in said(figure, tmp_path)


def test_estimates(tmp_path):
    row = {"panel": "a", "reading": "one batch more", "curve": CENTRAL, "estimate": 1.5, "low": 1.25, "high": math.inf}
    beyond = row | {"curve": LOCAL, "estimate": 1000.0, "low": 900.0, "high": 1100.0}
    figure = estimates.draw(pd.DataFrame([row, beyond]), "regret / non-private regret", "title", [])
    (open_end, _) = figure.axes[0].collections
    assert [end for end, _ in open_end.get_segments()[0]] == [1.25, estimates.SHOWN[1]]
    found = said(figure, tmp_path)
    assert list(found) == ["central, one batch more: regret / non-private regret 1.5 [1.25, ∞]"]


def test_epsilons_of_the_audit(tmp_path):
    """What coincides is one circle with a line for each algorithm; at the frame the true value is said."""
    found = said(audit.audit_epsilons(audit.frame([*RECORDS, record(eps=0.1, status="searched")]), "title"), tmp_path)
    epsilon = "ε = 1 claimed: actual epsilon 1, runs show 0.9"
    assert found[f"Anytime-Lazy-UCB, {epsilon}"] == found[f"AdaP-UCB, {epsilon}"]
    assert len(found["Anytime-Lazy-UCB, ε = 10 claimed: actual epsilon 20 to ∞, runs show 12"]) == 3
    assert len(found["DP-UCB, ε = 1 claimed: actual epsilon 0 to 1.5, runs show 0"]) == 2
    assert "Anytime-Lazy-UCB, ε = 0.1 claimed: actual epsilon 1, of the pairs tried, runs show 0.9" in found


def test_verdicts_of_the_audit(tmp_path):
    found = said(audit.audit_verdicts(audit.frame(RECORDS), "title"), tmp_path)
    ends = "actual over claimed epsilon {}, runs show {} of the claimed one".format
    assert list(found) == [
        f"noisy sums: Anytime-Lazy-UCB, ε = 1 claimed: consistent; {ends('1', '0.9')}",
        f"noisy sums: Anytime-Lazy-UCB, ε = 10 claimed: violated; {ends('≥ 2', '1.2')}",
        f"noisy sums: AdaP-UCB, ε = 1 claimed: consistent; {ends('1', '0.9')}",
        f"a tree: DP-UCB, ε = 1 claimed: consistent, not proven; {ends('1.5', '0')}",
    ]
    (first, second), (third, fourth) = ([place for ((place),) in found.values()][k : k + 2] for k in (0, 2))
    assert first[1] == second[1] < third[1] < fourth[1]
    assert first[0] == third[0] == fourth[0] < second[0]


def test_power_of_the_audit(tmp_path):
    found = said(audit.audit_power(audit.frame(RECORDS[:1]), "title"), tmp_path)
    assert set(found) == {
        "Anytime-Lazy-UCB, ε = 1 claimed: 100 runs show 0 of it",
        "Anytime-Lazy-UCB, ε = 1 claimed: 10,000 runs show 0.9 of it",
        "Anytime-Lazy-UCB, ε = 1 claimed: 100 runs could show at most 2.5 of it",
        "Anytime-Lazy-UCB, ε = 1 claimed: 10,000 runs could show at most 7.2 of it",
    }


def test_figures_from_closed_forms(tmp_path):
    """Every row of the data beside the figure, by its own numbers."""
    number = values.number
    arguments = {"horizon": 10000, "delta": 1e-6, "eps": [0.1, 1.0]}
    found = said(hanna2022.amplification("certified", **arguments, title="title", notes=[]), tmp_path)
    for row in hanna2022.amplification_rows("certified", **arguments):
        epsilon = number(row["actual_local_epsilon"])
        assert f"actual local epsilon (certified): batch of {row['reports']:,}, {epsilon}" in found
    assert {"budget ε = 0.1", "budget ε = 1"} < set(found)
    arguments |= {"arms": 10, "core_factor": 1.5}
    found = said(hanna2022.widths("tuned", **arguments, title="title", notes=[]), tmp_path)
    assert len(found) == len(
        {(r["algorithm"], r["batch"], r["width"]) for r in hanna2022.widths_rows("tuned", **arguments)}
    )
    arguments = {"eps": [0.5], "rounds": [2, 4096]}
    found = said(hu2021.noisy_max("printed", **arguments, title="title", notes=[]), tmp_path)
    assert list(found) == [
        f"ε = 0.5 (printed): {row['rounds']:,} rounds, actual epsilon {number(row['epsilon'] / 0.5)} of ε"
        for row in hu2021.noisy_max_rows("printed", **arguments)
    ]
    arguments = {"arms": [10, 20], "size": [1, 4], "gap": [0.2, 0.25], "eps": [0.1, 2]}
    found = said(chen2020.learnable("printed", **arguments, title="title", notes=[]), tmp_path)
    assert set(found) == {
        f"{row['algorithm'].replace(', K^2', ' (K² in the root)')}: ε = {row['eps']:g}, T = {number(row['horizon'])}"
        for row in chen2020.learnable_rows("printed", **arguments)
    }


@pytest.mark.parametrize("key", COMMITTED)
def test_every_figure_of_the_papers_has_values(key, tmp_path):
    """Of every drawing that a paper has, its first figure with the committed results."""
    data = ROOT / f"figures/{key}/data"
    results = read_results(load_paper(ROOT, key), data, data / "claims.json", data / "audit.json", tmp_path)
    first = {section.drawing: name for name, section in reversed(results.paper.figures.items())}
    for name in first.values():
        figure = drawings.draw(results, name, results.paper.figures[name].calibrations[-1])
        figure.draw_without_rendering()
        assert values.group(figure).count("<circle") >= 4, name


@pytest.mark.parametrize("name", [*names.SIGNS, *names.AXES])
def test_signs_have_plain_letters(name):
    assert not set("$\\{}^_") & set(values.letters(names.sign_of(name)))


def test_calibrations_are_said_where_an_algorithm_has_several():
    assert values.named("central", CENTRAL, "certified") == "central (certified)"
    assert values.named("central", CENTRAL, "") == "central"
    assert values.named("non-private", PLAIN, "certified") == "non-private (printed)", "whose runs stand for it"
    assert values.named("no core set (fw)", "phased_elimination_no_core_set:fw", "tuned") == "no core set (fw, tuned)"
    assert values.named("lazy UCB", "anytime_lazy_ucb", "printed") == "lazy UCB"


def test_values_are_grouped_by_their_panel(tmp_path):
    panels = {r"$\varepsilon$ = 1": {CENTRAL: rounds(4)}, r"$\varepsilon$ = 10": {CENTRAL: rounds(4)}}
    figure = regret_against_round.draw(lines(panels), "title", [])
    files.save(figure, tmp_path / "drawn")
    found = overlay((tmp_path / "drawn.svg").read_text(encoding="utf-8"))
    assert {value.panel for value in found.values} == {"ε = 1", "ε = 10"}
    first, second = ([value.x for value in found.values if value.panel == name] for name in ("ε = 1", "ε = 10"))
    assert max(first) < min(second)
