"""Releases of Hu et al. and rivals: epsilons of the specification, and the noise that the kernels draw."""

from dataclasses import astuple

import numpy as np
import pytest

from dpbandits.algorithms.bernoulli import dp_ucb
from dpbandits.audits.constants import constants_of as constants_at
from dpbandits.audits.papers import hu2021
from dpbandits.base.registry import ALGORITHMS

from .laplace_audits import agree, constants_of

SETTING = {**constants_of("hu2021"), "T": 1e6, "arms": 5.0, "rounds": 64.0}
SUMS = [
    *("anytime_lazy_ucb", "lazy_dp_ts", "adap_ucb", "adap_kl_ucb"),
    *("dp_se", "dp_kl_ucb", "dp_imed"),
]


@pytest.mark.parametrize("name", SUMS)
@pytest.mark.parametrize("eps", [0.1, 1.0, 10.0])
def test_sums_keep_the_claim(name, eps):
    found = agree(hu2021.sums(name, "printed", {**SETTING, "eps": eps}), eps)
    assert found.epsilons == pytest.approx((eps, eps), rel=1e-6)
    assert found.deltas == pytest.approx((0.0, 0.0), abs=1e-9)


def test_tree_is_over_noised():
    """21 epsilons stand in the scale at T = 1e6, of which a leaf is in 20; a fifth of that with a split budget."""
    for eps in (0.1, 1.0):
        whole = agree(hu2021.tree("dp_ucb", "printed", {**SETTING, "eps": eps, "split_budget": 0.0}), eps)
        split = agree(hu2021.tree("dp_ucb", "printed", {**SETTING, "eps": eps, "split_budget": 1.0}), eps)
        assert whole.epsilons == pytest.approx((eps * 20 / 21,) * 2, rel=1e-6)
        assert split.epsilons == pytest.approx((eps * 4 / 21,) * 2, rel=1e-6)


@pytest.mark.parametrize("split", [0.0, 1.0])
def test_tree_has_the_noise_of_the_kernel(monkeypatch, split):
    setting, drawn = {**SETTING, "eps": 0.5, "T": 30.0, "split_budget": split}, set()
    monkeypatch.setattr(dp_ucb, "advance", lambda rng, noise, i, n, scale: drawn.add(scale) or 0.0)
    for each in ("open_play", "record", "decided", "released"):
        monkeypatch.setattr(dp_ucb, each, getattr(dp_ucb, each).py_func)
    constants = astuple(constants_at("dp_ucb", "printed", setting))
    dp_ucb.run.py_func(np.random.default_rng(0), np.full(5, 0.5), *constants, np.array([30]))
    release = hu2021.tree("dp_ucb", "printed", setting)
    assert drawn == {release.noise}
    assert release.horizon == 30


@pytest.mark.parametrize(
    ("eps", "rounds", "epsilon"), [(1.0, 2, 1.307), (1.0, 64, 1.969), (0.1, 64, 0.176), (0.1, 4096, 0.1995)]
)
def test_leader_as_printed_is_refuted(eps, rounds, epsilon):
    setting = {**SETTING, "eps": eps, "arms": 2.0, "rounds": float(rounds)}
    found = agree(hu2021.noisy_leader("rnm_ftnl", "printed", setting), eps)
    assert found.epsilons == pytest.approx((epsilon, 2.0 * eps), abs=6e-4)
    certified = agree(hu2021.noisy_leader("rnm_ftnl", "certified", setting), eps)
    assert certified.epsilons[0] < certified.epsilons[1] == pytest.approx(eps, rel=1e-6)


def test_five_noisy_sums_lose_twice_the_claim():
    """2.000 eps for K = 5, numerically; the naive leader loses 2/K of it, and its sums all of it."""
    setting = {**SETTING, "eps": 1.0}
    assert agree(hu2021.noisy_leader("rnm_ftnl", "printed", setting), 1.0).epsilons[0] == pytest.approx(2.0, abs=5e-4)
    assert agree(hu2021.noisy_leader("naive_ftnl", "printed", setting), 1.0).epsilons == pytest.approx((0.4, 0.4))
    sums = hu2021.leader_sums("naive_ftnl", "printed", setting)
    assert sums.shifts == (1.0, -1.0, -1.0, -1.0, -1.0)
    assert agree(sums, 1.0).epsilons == pytest.approx((1.0, 1.0))


@pytest.mark.parametrize("calibration", ["printed", "certified"])
@pytest.mark.parametrize("name", ["rnm_ftnl", "naive_ftnl"])
def test_leaders_have_the_noise_of_the_kernels(monkeypatch, name, calibration):
    module, setting, scales = ALGORITHMS.module(name), {**SETTING, "eps": 0.5}, []
    monkeypatch.setattr(module, "add_laplace", lambda rng, value, scale: scales.append(scale) or value)
    constants = astuple(constants_at(name, calibration, setting))
    module.run.py_func(np.random.default_rng(0), np.full(5, 0.5), *constants, np.array([30]))
    assert len(scales) == 4 * 5
    assert set(scales) == {hu2021.noisy_leader(name, calibration, setting).noise}
