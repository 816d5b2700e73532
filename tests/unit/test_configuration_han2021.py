"""Numbers that config/papers/han2021.yaml writes out and that follow from others."""

from pathlib import Path

import numpy as np
import pytest

from dpbandits.config.loading import load_paper
from dpbandits.config.values import given
from dpbandits.environments.contextual.distributions import offer
from dpbandits.environments.contextual.problem import instance_stream
from dpbandits.environments.instances import draw_instances

PAPER = load_paper(Path(__file__).parents[2], "han2021")
EXPERIMENTS, FIGURES = PAPER.experiments, PAPER.figures
ESTIMATOR = ("adversarial", "stochastic")
"""Figure 3."""
GREEDY = ("updates", "corner", "diverse")
"""Figures 2, 4 and 5."""


def norms(environment, rounds=200):
    """The norm of the parameter, and the largest norm of a context."""
    ((problem,),) = draw_instances(environment, "norms", 1, [1])
    stream, means = instance_stream(problem), np.empty(problem.arms)
    contexts = np.empty((rounds, problem.arms, problem.theta.shape[1]))
    for now in range(rounds):
        offer(stream, problem, now, contexts[now], means)
    return np.linalg.norm(problem.theta), np.linalg.norm(contexts, axis=2).max()


@pytest.mark.parametrize("name", [*GREEDY, *ESTIMATOR])
def test_certified_curves_of_figures_2_to_5_keep_the_bounds_of_the_paper(name):
    """Parameter and contexts have norms of at most 1: with half of the script's parameter in Figure 3, else nowhere."""
    section, certified = EXPERIMENTS[FIGURES[name].experiment], name in ESTIMATOR
    assert ("certified" in section.calibrations, "certified" in FIGURES[name].calibrations) == (certified, certified)
    released, _ = norms(section.environment_of("released"))
    parameter, context = norms(section.environment_of("certified"))
    assert released > 1
    assert parameter == pytest.approx(released / 2 if certified else released)
    assert (max(parameter, context) <= 1 + 1e-12) == certified


def test_certified_logistic_rewards_have_half_of_the_printed_range():
    """A gradient (mu - r) x of unit contexts has a norm of at most 1, so that R = 1 covers it; the paper prints 2."""
    printed = given(PAPER.constants["bound"])
    ranges = {
        (entry.variant or "", calibration): (entry.parameters or {}).get("bound", printed)
        for entry in EXPERIMENTS["logistic"].entries
        if entry.algorithm == "ldp_sgd"
        for calibration in entry.calibrations
        if calibration != "released"
    }
    assert ranges == {
        ("", "printed"): 2,
        ("", "certified"): 1,
        ("printed_range", "certified"): 2,
        ("tuned_step", "certified"): 1,
    }
