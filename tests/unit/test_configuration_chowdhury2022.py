"""Numbers that config/papers/chowdhury2022.yaml writes out and that follow from others."""

import math
from pathlib import Path

import pytest

from dpbandits.algorithms.registry import TABLE
from dpbandits.config.loading import load_paper
from dpbandits.privacy.vector_sum import bits_printed, granularity, variance_printed

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


def test_budgets_of_the_bits_for_local_privacy():
    """B = T^(3/4), eps = 15 / sqrt B, at which noise of Theorem C.1 is that of Corollary C.3 at eps0 = 15."""
    for block in EXPERIMENTS["local_bits"].numbers:
        (horizon,), (batch,), (eps,) = block["T"], block["batch"], block["eps"]
        assert (batch, eps) == (round(horizon**0.75), pytest.approx(15 / math.sqrt(batch), rel=1e-5))
        local = 24e4 * 16 * math.log(4 * 10 / 0.1) ** 2 / 15**2  # g = max(3, 4)
        assert variance_printed(batch, bits_printed(eps, 0.1, batch, 3), granularity(batch, 3)) == pytest.approx(
            (batch + batch * local / 4) / 16, rel=1e-3
        )
        assert batch * bits_printed(eps, 0.1, batch, 3) < 2**62


def test_bounds_of_delta_are_those_of_the_theorems():
    """1.1 times the growth of (ln(B/delta) ln(2/delta))^(1/4) and of ln(d^2/delta)^(1/2) from delta = 0.1 on."""
    batch = round(EXPERIMENTS["deltas"].horizon ** 0.6)
    forms = {
        "": lambda delta: (math.log(batch / delta) * math.log(2 / delta)) ** 0.25,
        "bits": lambda delta: math.log(9 / delta) ** 0.5,
    }
    for name, section in PAPER.claims["C38"].cases():
        for test in section.tests:
            (delta,) = test.at["delta"]
            assert test.bounds == (None, pytest.approx(1.1 * forms[name](delta) / forms[name](0.1), abs=0.005))
    (eps,) = EXPERIMENTS["deltas"].numbers["eps"]
    assert eps <= math.sqrt(math.log(2 / 0.1) / batch)


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
    assert round(horizon**0.6) in EXPERIMENTS["batches"].numbers["batch"]
    assert PAPER.claims["C19"].tests[1].moved == {"batch": round(horizon**0.6)}
    (positive,) = PAPER.claims["C26"].tests
    assert positive.rate == 1 / EXPERIMENTS["figures"].horizon


def test_every_claim_of_the_paper_is_there():
    assert list(PAPER.claims) == [f"C{n}" for n in range(1, 43)]
