"""Numbers that config/papers/hu2021.yaml writes out and that follow from others."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest

from dpbandits.config.loading import load_paper
from dpbandits.config.models.fields import Assumed
from dpbandits.config.plain_yaml import ConfigError
from dpbandits.config.values import given
from dpbandits.environments.bernoulli import bernoulli_doubling_gaps, bernoulli_spread
from dpbandits.planning.single import named_curve, with_settings
from tests.shipped import shipped

PAPER = load_paper(Path(__file__).parents[2], "hu2021")
EXPERIMENTS, CLAIMS, FIGURES = PAPER.experiments, PAPER.claims, PAPER.figures
BUDGETS = [0.1, 0.25, 0.5, 1, 500]


def test_every_claim_of_the_paper_is_there():
    assert list(CLAIMS) == [f"C{n}" for n in range(1, 30)]


def test_constants_are_those_of_the_papers_and_of_the_derivation():
    """Rivals: AdaP at alpha = 3.1, DP-UCB at gamma = 0.1 with split budgets; c1 = 2 and c2 = 3 are ours."""
    constants = {name: given(constant) for name, constant in PAPER.constants.items()}
    assert (constants["exploration"], constants["privacy_bonus"]) == (2, 3)
    assert constants["alpha"] == constants["alpha_kl"] == constants["alpha_private"] == 3.1
    assert (constants["gamma"], constants["split_budget"], constants["beta"]) == (0.1, True, None)
    assert {
        name for name in ("exploration", "privacy_bonus", "ratio") if isinstance(PAPER.constants[name], Assumed)
    } == {
        "exploration",
        "privacy_bonus",
        "ratio",
    }


@pytest.mark.parametrize(
    ("cell", "means"),
    [(0, [0.25, 0.375, 0.5, 0.625, 0.75]), (1, [0.7, 0.7, 0.7, 0.7, 0.75]), (2, [0.5, 0.5, 0.5, 0.5, 0.75])],
)
def test_the_proposed_settings(cell, means):
    section = EXPERIMENTS["figures"]
    block = section.numbers[cell]
    (gap,), (spread,) = block["gap"], block["spread"]
    environment = section.environment
    (drawn,) = bernoulli_spread.draw(
        np.random.default_rng(0), environment["arms"], environment["best"], float(gap), float(spread)
    )
    np.testing.assert_allclose(np.sort(drawn), means, rtol=1e-12)
    assert block["eps"] == BUDGETS
    assert section.horizon == 10**6
    assert EXPERIMENTS["short"].horizon == 10**5
    assert EXPERIMENTS["short"].numbers == section.numbers
    assert EXPERIMENTS["rivals"].numbers == section.numbers[:2]


def test_horizons_with_full_information_are_powers_of_two():
    assert EXPERIMENTS["actions"].horizon == EXPERIMENTS["leaders"].horizon == 2**22
    assert EXPERIMENTS["plateau"].horizon == 2**24
    assert EXPERIMENTS["doubling_gaps"].horizon == EXPERIMENTS["equal_gaps"].horizon == 2**28
    assert EXPERIMENTS["plateau"].numbers["T"] == [2**18, 2**24]
    assert EXPERIMENTS["worst_gap"].numbers["T"] == [2**k for k in range(12, 23, 2)]
    assert EXPERIMENTS["actions"].numbers["arms"] == [2**k for k in range(2, 11)]


def test_equal_gaps_have_as_many_actions_as_doubling_ones():
    """Brackets S = 2, 4, 6, 8 with counts 1, 2, 4, ..: 2^S actions, the smallest gap 2^-S."""
    for block in EXPERIMENTS["equal_gaps"].numbers:
        (arms,), gaps = block["arms"], block["gap"]
        brackets = int(arms).bit_length() - 1
        (means,) = bernoulli_doubling_gaps.draw(np.random.default_rng(0), brackets, 1, 2)
        assert len(means) == arms
        assert gaps == [2.0**-brackets, 0.5]


def test_doubling_gaps_have_settled_long_before_the_horizon():
    """ln K / (eps * smallest gap) rounds tell the actions of the smallest gap apart."""
    for block in EXPERIMENTS["doubling_gaps"].numbers:
        (growth,), (eps,) = block["growth"], block["eps"]
        for brackets, fewest in product(block["brackets"], block["fewest"]):
            (means,) = bernoulli_doubling_gaps.draw(np.random.default_rng(0), brackets, fewest, growth)
            assert np.log(len(means)) / (eps * 0.5**brackets) <= EXPERIMENTS["doubling_gaps"].horizon / 10


def test_regimes_are_a_factor_of_ten_away_from_the_knee():
    low, high = CLAIMS["C5"].tests
    (gap,) = low.at["gap"]
    assert max(low.at["eps"]) <= gap / 10
    assert min(high.at["eps"]) >= 10 * gap
    steep, flat = CLAIMS["C6"].tests
    assert max(steep.at["gap"]) <= steep.at["eps"][0] / 10
    assert min(flat.at["gap"]) >= 10 * flat.at["eps"][0]


def test_the_least_budgets_of_the_corollary_equal_the_gap():
    for test in CLAIMS["C14"].tests:
        assert all(setting["eps"] == setting["gap"] for setting in test.settings)
    assert {setting["arms"] for setting in CLAIMS["C14"].tests[1].settings} == {4, 16, 64, 256, 1024}


def test_budgets_are_large_against_the_gap():
    """100 gaps and more for Lazy-DP-TS, ten gaps and more where the lower bound without privacy is judged."""
    (large,) = CLAIMS["C5"].variants["thompson_large_budgets"].tests
    assert min(large.at["eps"]) >= 100 * EXPERIMENTS["large_budgets"].environment["gap"]
    for test in CLAIMS["C29"].tests:
        assert test.at["eps"][0] >= 10 * max(test.at["gap"])


def test_privacy_is_free_from_the_gap_on():
    (every, last) = CLAIMS["C14"].variants["one_constant"].tests
    gap = EXPERIMENTS["free_privacy"].environment["gap"]
    assert [eps / gap for eps in every.at["eps"]] == pytest.approx([1, 2.5, 5, 10, 50])
    assert last.at["eps"] == [50 * gap]


def test_rates_have_the_weights_that_claims_speak_of():
    weights = {
        name: next(entry.parameters for entry in EXPERIMENTS[name].entries if entry.algorithm == "regret_rate")
        for name in (
            *("worst_case", "worst_case_thompson", "actions", "leaders", "budget_at_gap", "plateau"),
            *("worst_gap", "minimax", "doubling_gaps", "packing"),
        )
    }
    assert weights == {
        "worst_case": {"root_arms": 1},
        "worst_case_thompson": {"root_arms": 1, "arms_log_over_eps": 1},
        "actions": {"log_arms_over_eps": 1},
        "leaders": {"log_arms_over_gap": 1},
        "budget_at_gap": {"log_arms_over_gap": 1},
        "plateau": {"log_arms_over_least": 1},
        "worst_gap": {"root_log_arms": 1, "log_arms_log_over_eps": 1},
        "minimax": {"log_arms_over_gap": 1},
        "doubling_gaps": {"log_arms_over_eps": 1},
        "packing": {"log_arms_over_eps": 1},
    }


def test_the_command_reaches_one_gap_without_an_octave_and_another_best_mean():
    """`dpbandits run hu2021/gaps --set octave=0`, and `--set best=0.9` where the environment has a best mean."""
    project = shipped("quick")
    gaps = named_curve(project, project.papers["hu2021"], "gaps", "adap_ucb", "printed", 2)
    stress = named_curve(project, project.papers["hu2021"], "stress", "adap_kl_ucb", "printed", 2)
    (curve,) = with_settings([gaps], ["octave=0", "gap=0.1"])
    assert curve.environment["octave"] == 0
    assert {point["gap"] for point in curve.points} == {0.1}
    (curve,) = with_settings([stress], ["best=0.9"])
    assert curve.environment["best"] == 0.9
    with pytest.raises(ConfigError, match="--set octave: got '5'; must be >= 0 and <= 4"):
        with_settings([gaps], ["octave=5"])


def test_uniform_play_costs_what_the_notes_say():
    """Mean gap times T: (0 + 0.125 + 0.25 + 0.375 + 0.5) / 5 and 4 * 0.05 / 5."""
    assert "250000" in CLAIMS["C21"].note
    assert "40000" in CLAIMS["C21"].variants["one_gap"].note
    assert np.mean([0, 0.125, 0.25, 0.375, 0.5]) * 1e6 == 250000
    assert np.mean([0, 0.05, 0.05, 0.05, 0.05]) * 1e6 == pytest.approx(40000)


@pytest.mark.parametrize("name", ["budgets", "gaps", "horizons"])
def test_lazy_dp_ts_has_a_figure_of_its_own_beside_those_of_longer_runs(name):
    figure, own = FIGURES[name], FIGURES[f"{name}_thompson"]
    assert own.curves == ("lazy_dp_ts", "regret_lower_bound")
    assert "lazy_dp_ts" not in figure.curves
    assert (own.drawing, own.along, own.panels) == (figure.drawing, figure.along, figure.panels)
    assert EXPERIMENTS[own.experiment].horizon < EXPERIMENTS[figure.experiment].horizon
    assert f"({name}_thompson)" in figure.caption


def test_claims_about_the_rates_of_lazy_dp_ts_are_drawn():
    """With the experiment in which each is judged."""
    variants = {
        f"{claim}/{variant}": section.experiment
        for claim in ("C5", "C6", "C7")
        for variant, section in CLAIMS[claim].cases()
        if variant.startswith("thompson")
    }
    shown = {
        name: figure.experiment
        for figure in FIGURES.values()
        for name in figure.claims
        if name in variants and "lazy_dp_ts" in figure.curves
    }
    assert len(variants) == 5
    assert shown == variants
