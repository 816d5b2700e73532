"""Releases of Chen et al.: effective epsilons of the specification, and the noise that the kernels draw."""

from dataclasses import astuple

import numpy as np
import pytest

from dpbandits.algorithms.registry import TABLE
from dpbandits.algorithms.semi_bandit import structured_dp, trees
from dpbandits.algorithms.shared.tree_noise import PREFIX_SUMS_OVER_ROUNDS
from dpbandits.audits.constants import constants_of as constants_at
from dpbandits.audits.papers import chen2020
from dpbandits.privacy import mechanisms

from .laplace_audits import agree, constants_of
from .semi_bandits import drawn, in_plain_python

SETTING = {**constants_of("chen2020"), "T": 1e6, "size": 4.0}


@pytest.mark.parametrize("calibration", ["printed", "tuned", "certified"])
@pytest.mark.parametrize("eps", [0.1, 1.0, 10.0])
def test_reports_keep_the_claim(calibration, eps):
    """K numbers with Lap(K/eps), one with Lap(1/eps), a sum of K with Lap(K/eps): exact and tight."""
    setting = {**SETTING, "eps": eps}
    releases = [chen2020.reports(name, calibration, setting) for name in ("cucb_ldp1", "cucb_ldp2")]
    assert [len(each.shifts) for each in releases] == [4, 1]
    if calibration != "certified":
        releases.append(chen2020.sum_reports("path_sum_ldp", calibration, setting))
        assert releases[-1].shifts == (4.0,)
    for release in releases:
        found = agree(release, eps)
        assert found.epsilons == pytest.approx((eps, eps), rel=1e-6)
        assert found.deltas == pytest.approx((0.0, 0.0), abs=1e-9)


@pytest.mark.parametrize(
    ("horizon", "natural", "binary"),
    [(1e4, 0.76, 0.53), (1e5, 0.74, 0.51), (1e6, 0.72, 0.50), (1e7, 0.74, 0.52), (2, 1.44, 1.0), (4, 1.08, 0.75)],
)
@pytest.mark.parametrize("name", ["cucb_dp", "cucb_dp_least"])
def test_effective_epsilons_of_trees(horizon, natural, binary, name):
    """eps D / (2 log T), whatever K is; too much at T = 2 and 4 with the natural logarithm only."""
    for size in (1.0, 4.0):
        setting = {**SETTING, "eps": 0.5, "T": float(horizon), "size": size}
        for base_two, epsilon in ((0.0, natural), (1.0, binary)):
            for calibration in ("printed", "tuned"):
                release = chen2020.trees(name, calibration, {**setting, "base_two": base_two})
                found = agree(release, 0.5)
                assert found.epsilons == pytest.approx((0.5 * epsilon,) * 2, abs=0.0026)
        assert agree(chen2020.trees(name, "certified", setting), 0.5).epsilons == pytest.approx((0.5, 0.5), rel=1e-6)


def test_natural_logarithm_is_too_small_at_two_and_four_only():
    for horizon in [*range(2, 70), 127, 128, 1023, 1024]:
        found = chen2020.trees("cucb_dp", "printed", {**SETTING, "eps": 1.0, "T": float(horizon)})
        assert (found.derived(1.0, 0.0).epsilons[0] > 1.0) == (horizon in (2, 4))


@pytest.mark.parametrize(
    ("horizon", "natural", "binary"),
    [(2, 2.8854, 2.0), (16, 1.8034, 1.25), (1e3, 1.4476, 1.00343), (1e6, 1.4476, 1.00343), (1e7, 1.4890, 1.03211)],
)
def test_the_noise_of_the_lemma_is_too_small_for_either_logarithm(horizon, natural, binary):
    """A number lies in D = floor(log2 T) + 1 nodes, each with eps / log T: D / log T times the claim."""
    for eps in (0.1, 2.0):
        setting = {**SETTING, "eps": eps, "T": float(horizon)}
        for base_two, ratio in ((0.0, natural), (1.0, binary)):
            found = agree(chen2020.stream("cucb_dp", "printed", {**setting, "base_two": base_two}), eps)
            assert found.epsilons == pytest.approx((eps * ratio,) * 2, rel=1e-4)
        assert agree(chen2020.stream("cucb_dp", "certified", setting), eps).epsilons == pytest.approx((eps,) * 2)


def test_trees_over_rounds_and_shared_ones():
    setting = {**SETTING, "eps": 0.5}
    over_rounds = chen2020.trees("cucb_dp", "printed", {**setting, "over_rounds": 1.0})
    assert over_rounds.added == PREFIX_SUMS_OVER_ROUNDS
    assert over_rounds.nodes == chen2020.trees("cucb_dp", "printed", setting).nodes
    shared = chen2020.shared_trees("structured_dp", "certified", setting)
    assert shared.trees == 2
    assert agree(shared, 0.5).epsilons == pytest.approx((0.5, 0.5), rel=1e-6)


@pytest.mark.parametrize("calibration", ["printed", "tuned", "certified"])
@pytest.mark.parametrize("name", ["cucb_ldp1", "cucb_ldp2", "cucb_dp", "cucb_dp_least"])
def test_noise_is_that_of_the_kernels(monkeypatch, name, calibration):
    """In scale, and in the number of draws per round: K, or 1 where one arm of the super arm is shown."""
    problem, run, seen = drawn("paths"), in_plain_python(monkeypatch, name), []
    monkeypatch.setattr(mechanisms, "laplace", lambda rng, scale: seen.append(scale) or 0.0)
    monkeypatch.setattr(trees, "advance", lambda rng, noise, i, n, scale: seen.append(scale) or 0.0)
    setting = {**SETTING, "eps": 0.5, "T": 100.0, "size": float(problem.size)}
    constants = astuple(constants_at(name, calibration, setting))
    run(np.random.default_rng(0), problem, *constants, np.array([100]))
    local = TABLE[name].trust_model == "local"
    release = (chen2020.reports if local else chen2020.trees)(name, calibration, setting)
    assert set(seen) == {release.noise}
    assert len(seen) == 100 * (len(release.shifts) if local else release.trees)
    assert len(seen) == 100 * (problem.size if name in ("cucb_ldp1", "cucb_dp") else 1)


def test_noise_of_shared_trees_is_that_of_the_kernel(monkeypatch):
    """Twice the noise for a private arm and the public ones, once for the super arm without them; all are played."""
    seen = set()
    monkeypatch.setattr(structured_dp, "advance", lambda rng, noise, j, n, scale: seen.add(scale) or -1e6)
    setting = {**SETTING, "eps": 0.5, "T": 40.0}
    constants = astuple(constants_at("structured_dp", "certified", setting))
    structured_dp.run.py_func(np.random.default_rng(0), drawn("public"), *constants, np.array([40]))
    release = chen2020.shared_trees("structured_dp", "certified", setting)
    assert seen == {release.noise, 0.5 * release.noise}
