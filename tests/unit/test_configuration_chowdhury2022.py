"""Numbers that config/papers/chowdhury2022.yaml writes out and that follow from others."""

import math
from pathlib import Path

import pytest

from dpbandits.algorithms.registry import TABLE
from dpbandits.config.loading import load_paper

PAPER = load_paper(Path(__file__).parents[2], "chowdhury2022")
EXPERIMENTS = PAPER.experiments


def test_horizons_are_powers_of_four():
    assert list(EXPERIMENTS["rates"].numbers["T"]) == [4**k for k in range(7, 14)]
    assert list(EXPERIMENTS["rates_sphere"].numbers["T"]) == [4**k for k in range(7, 12)]
    assert EXPERIMENTS["batches"].horizon == EXPERIMENTS["budgets"].horizon == 4**11


def test_batches_follow_the_budget():
    """B = T^(3/5) eps^(-2/5), Corollary B.2."""
    horizon = EXPERIMENTS["tuned_batches"].horizon
    for block in EXPERIMENTS["tuned_batches"].numbers:
        (eps,), (batch,) = block["eps"], block["batch"]
        assert batch == round(horizon**0.6 * eps**-0.4)


def test_the_settings_of_the_figures_are_the_papers():
    section = EXPERIMENTS["figures"]
    assert (section.horizon, section.environment["arms"]) == (20000, 100)
    assert section.numbers == [{"eps": [0.2, 1, 10], "dimension": [5]}, {"eps": [1], "dimension": [10, 15]}]
    shuffled = [entry for entry in section.entries if TABLE[entry.algorithm].trust_model == "shuffle"]
    assert {entry.parameters["batch"] for entry in shuffled} == {20}
    assert PAPER.constants["delta"] == 0.1
    assert PAPER.calibrations["released"]["norm"] == pytest.approx(math.sqrt(2), rel=1e-15)


def test_thresholds_that_are_powers_of_the_horizon():
    horizon = EXPERIMENTS["batches"].horizon
    (local,), (central,) = PAPER.claims["C17"].tests, PAPER.claims["C18"].tests
    assert max(local.at["batch"]) <= horizon**0.75 < 4 * max(local.at["batch"])
    assert max(central.at["batch"]) == horizon**0.5
    (positive,) = PAPER.claims["C26"].tests
    assert positive.rate == 1 / EXPERIMENTS["figures"].horizon


def test_every_claim_of_the_paper_is_there():
    assert list(PAPER.claims) == [f"C{n}" for n in range(1, 38)]
