"""The page of a claim marks the values of its figure that decide it, and no others."""

import pytest

from dpbandits.report.deciding import deciding_values
from dpbandits.report.overlays import Overlay, Value
from tests.shipped import shipped

FIGURES = shipped("full").papers["hanna2022"].figures
BUDGET, GROWTH = FIGURES["regret_against_budget"], FIGURES["regret_against_horizon"]


def drawn(*says, panel=""):
    return Overlay("0 0 10 10", "", tuple(Value(float(k), 0.0, 3.0, text, panel) for k, text in enumerate(says)))


def marked(label, figure, overlay):
    return [value.says for value in deciding_values(label, figure, overlay)]


def test_the_curves_and_the_setting_of_a_comparison():
    values = drawn(
        "central (certified): ε = 1, regret 9 [8, 10]",
        "central (certified): ε = 10, regret 5",
        "local (certified): ε = 1, regret 20",
        "non-private: regret 4 [3, 5]",
    )
    label = "phased_elimination_central / phased_elimination at eps = 1"
    assert marked(label, BUDGET, values) == [values.values[0].says, values.values[3].says]
    assert marked("phased_elimination_local at eps = 1", BUDGET, values) == [values.values[2].says]
    assert marked("phased_elimination_central at eps = 5", BUDGET, values) == []
    assert marked("", BUDGET, values) == []


def test_the_ends_of_a_slope_in_its_panel():
    names = [f"central: T = {x}, regret 9" for x in ("10,000", "100,000", "67,108,864")]
    label = "slope of phased_elimination_central in T, T = 10000 .. 6.71089e+07, eps = 1"
    assert GROWTH.panels == "eps", "as the test takes it"
    assert marked(label, GROWTH, drawn(*names, panel="ε = 1")) == [names[0], names[2]]
    assert marked(label, GROWTH, drawn(*names, panel="ε = 10")) == []
    assert marked(label, GROWTH, drawn(*names, panel="largest over K")) == [names[0], names[2]]


def test_variants_are_told_apart():
    values = drawn("no core set (whole): ε = 1, regret 9", "no core set (uniform): ε = 1, regret 8")
    label = "phased_elimination_no_core_set:whole / phased_elimination_central at eps = 1"
    assert marked(label, FIGURES["whole_set"], values) == [values.values[0].says]


@pytest.mark.parametrize("name", ["widths", "audit_epsilons"])
def test_figures_of_closed_forms_and_audits_have_none(name):
    values = drawn("central (printed): ε = 1, regret 9")
    assert marked("phased_elimination_central at eps = 1", FIGURES[name], values) == []
