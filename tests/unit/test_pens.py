"""Curves can be told apart, and their colors say whom users trust, in all figures of the configuration."""

from itertools import combinations

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from dpbandits.algorithms.base import Algorithm
from dpbandits.base.entries import Look
from dpbandits.config.entries import TABLE
from dpbandits.config.models.figures import Estimates, OfExperiment
from dpbandits.figures import style
from dpbandits.figures.kinds import regret_against_budget
from dpbandits.figures.papers import chen2020
from dpbandits.text import names
from dpbandits.theory.registry import TABLE as BOUNDS
from tests.shipped import shipped

from .lines import lines

PROJECT = shipped("full")
DRAWN = {
    f"{key}/{name}": list(section.curves)
    for key, paper in PROJECT.papers.items()
    for name, section in paper.figures.items()
    if isinstance(section, OfExperiment)
} | {"chen2020/learnable": list(chen2020.CURVES.values())}
VISION = {  # Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB
    "all cones": np.eye(3),
    "no red": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "no green": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "no blue": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}
APART = 10.0  # CIE76; a just noticeable difference is about 2.3. Threshold: our choice


def lab(color, vision):
    """CIELAB coordinates of a color as an eye sees it."""
    rgb = np.array(to_rgb(color))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    seen = np.clip(np.asarray(VISION[vision]) @ linear, 0.0, 1.0)
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    xyz = np.array(to_xyz) @ seen / [0.9505, 1.0, 1.089]
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("curves", DRAWN.values(), ids=DRAWN)
def test_curves_of_a_figure_differ_without_their_colors(curves):
    """In marker and dash, so that they differ in black and white as well."""
    pens = [style.pen_of(curve) for curve in curves]
    for (one, first), (other, second) in combinations(zip(curves, pens, strict=True), 2):
        assert (first.marker, first.dash) != (second.marker, second.dash), f"{one} and {other} look the same"


def test_curves_that_coincide_are_both_seen():
    """CUCB-LDP1 as printed has the regret of CUCB-LDP2 on disjoint sets: a dotted light line over a solid one."""
    both = [curves for name, curves in DRAWN.items() if name in ("chen2020/paths", "chen2020/sizes")]
    assert len(both) == 2
    assert all(curves.index("cucb_ldp2") < curves.index("cucb_ldp1") for curves in both)
    below, above = style.pen_of("cucb_ldp2"), style.pen_of("cucb_ldp1")
    assert (below.dash, above.dash) == ("-", ":")
    assert (below.layer, -below.size, -below.width) < (above.layer, -above.size, -above.width)
    assert above.marker != below.marker
    assert above.color != below.color


def test_darker_curves_are_wider_and_lie_below():
    """AdaP-KLUCB and AdaP-UCB coincide in hu2021/budgets, both dashed: whatever the order, the lighter one is above."""
    dark, plain, light = (style.pen("central", Look("o", "-", shade)) for shade in ("dark", "plain", "light"))
    assert dark.layer < plain.layer < light.layer
    assert dark.width > plain.width > light.width
    assert dark.size > plain.size > light.size
    assert style.pen_of("adap_kl_ucb").layer < style.pen_of("adap_ucb").layer


def test_variants_with_short_names_are_spelled_out():
    assert names.name_of("cucb_ldp1:k2") == "CUCB-LDP1 (K² in the root)"
    assert names.name_of("phased_elimination_no_core_set:fw") == "no core set (Frank-Wolfe)"
    assert names.name_of("phased_elimination_no_core_set:uniform_narrow") == "no core set (uniform narrow)"


@pytest.mark.parametrize("curves", DRAWN.values(), ids=DRAWN)
def test_lines_across_differ_in_color_or_dash(curves):
    """A curve without a budget is a line without markers."""
    across = [style.pen_of(curve) for curve in curves if "eps" not in TABLE[curve.partition(":")[0]].grid]
    assert len({(pen.color, pen.dash) for pen in across}) == len(across)


def test_the_estimates_of_a_figure_differ_in_color_or_marker():
    """They have no lines."""
    checked = 0
    for paper in PROJECT.papers.values():
        for section in paper.figures.values():
            if isinstance(section, Estimates):
                tests = paper.measurements[section.measurement].tests
                curves = {curve for test in tests for curve in test.curves}
                pens = {style.pen_of(curve.partition("@")[0]) for curve in curves}
                assert len({(pen.color, pen.marker) for pen in pens}) == len(pens) > 1
                checked += 1
    assert checked


def test_a_trust_model_has_one_hue_in_all_papers():
    """Shades are lighter or darker: the order of red, green and blue stays."""
    for curve in dict.fromkeys(curve for curves in DRAWN.values() for curve in curves):
        entry, (_, _, variant) = TABLE[curve.partition(":")[0]], curve.partition(":")
        if curve.partition(":")[0] in BOUNDS:
            expected = "#999999"
        else:
            model = "none" if variant in entry.without_privacy else entry.trust_model
            expected = {"central": "#0072b2", "local": "#d55e00", "shuffle": "#009e73", "none": "#000000"}[model]
        drawn = style.pen_of(curve).color
        assert np.argsort(to_rgb(drawn), kind="stable").tolist() == np.argsort(to_rgb(expected), kind="stable").tolist()
        if entry.looks.get(variant, entry.look).shade == "plain":
            assert drawn == expected


@pytest.mark.parametrize("vision", VISION)
def test_trust_models_differ_for_every_color_vision(vision):
    """Bounds of theory are apart from them by their lack of a marker."""
    colors = [color for model, color in style.COLORS.items() if model != names.BOUND]
    for one, other in combinations(colors, 2):
        assert np.linalg.norm(lab(one, vision) - lab(other, vision)) > APART
    assert not any(look.marker for bound in BOUNDS.values() for look in (bound.look, *bound.looks.values()))


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("model", ["central", "shuffle", "local"])
def test_shades_of_a_trust_model_differ_for_every_color_vision(model, vision):
    colors = [style.pen(model, Look("o", "-", shade)).color for shade in style.MIXED]
    for one, other in combinations(colors, 2):
        assert np.linalg.norm(lab(one, vision) - lab(other, vision)) > APART


def test_only_what_is_private_has_a_shade():
    """Of black and gray there are none."""
    for entry in TABLE.values():
        for variant, look in {"": entry.look, **entry.looks}.items():
            colored = isinstance(entry, Algorithm) and entry.trust_model_of(variant) != "none"
            assert colored or look.shade == "plain"


def test_the_budget_of_a_local_algorithm_is_that_of_its_trust_model():
    rows = {"eps": np.array([0.1, 1.0]), **{name: np.array([2.0, 1.0]) for name in ("mean", "low", "high")}}
    labels = {
        curve: regret_against_budget.draw(lines({curve: rows}), "title", []).axes[0].get_xlabel()
        for curve in ("anytime_lazy_ucb", "cucb_ldp2", "phased_elimination_local")
    }
    assert [r"\varepsilon_0" in label for label in labels.values()] == [False, True, True]


def test_below_the_panels_stand_the_trust_models_that_are_drawn():
    rows = {"eps": np.array([0.1, 1.0]), **{name: np.array([2.0, 1.0]) for name in ("mean", "low", "high")}}
    figure = regret_against_budget.draw(
        lines(dict.fromkeys(["cucb_ldp2", "anytime_lazy_ucb", "ucb1"], rows)), "title", ["a note"]
    )
    (key,) = [each for each in figure.artists if hasattr(each, "get_texts")]
    named = {text.get_text(): line.get_color() for text, line in zip(key.get_texts(), key.get_lines(), strict=True)}
    assert named == {"central": "#0072b2", "local": "#d55e00", "no privacy": "#000000"}
