"""Semi-bandits in distribution: noise of compiled runs, certified widths and the chance to leave them, runs and their
fluid.

Fixed seeds; frequencies may be 4 standard errors off, or the p-values of a test, corrected by Holm, exceed 0.001.
"""

import math
from dataclasses import astuple

import numpy as np
import pytest
from scipy import stats

from dpbandits.algorithms.registry import TABLE
from dpbandits.algorithms.semi_bandit.widths import certified_central, certified_local, laplace_sum_bound, width_of
from dpbandits.algorithms.shared.tree_noise import advance
from dpbandits.numerics.statistics import holm
from dpbandits.privacy.mechanisms import laplace_sum

from ..unit.semi_bandits import column, drawn, module, params, trace

pytestmark = pytest.mark.slow

SIGNIFICANCE = 1e-3
RUNS = 2500


def beyond(found, chance):
    """Whether a frequency is more than a chance, by 4 standard errors."""
    return np.mean(found) > chance + 4 * math.sqrt(chance * (1 - chance) / len(found))


# Noise of compiled runs


def printed_bonus(name, arms, size, eps):
    """Of one report, T = 2: that without `width`, and that which it multiplies."""
    L = math.log(2)
    noise = 1 if name in ("cucb_ldp2", "cucb_dp_least") else size
    if TABLE[name].trust_model == "local":
        return 0.0, 4 * math.sqrt(2 * noise * L) / eps
    return math.sqrt(1.5 * L), 12 * noise * L**3 / eps


@pytest.mark.parametrize("name", ["cucb_ldp1", "cucb_ldp2", "cucb_dp", "cucb_dp_least"])
def test_the_first_reports_are_negative_with_the_chance_of_their_noise(name):
    """Of arms that show 0: index = noise + bonus, noise Lap(b), bonus w: negative with chance exp(-w / b) / 2 each.

    b is K / eps or 1 / eps for reports; 2 K ln 2 / eps or 2 ln 2 / eps for trees, certified 2 K / eps or 2 / eps.
    """
    p_values = []
    for size in (1, 3):
        for eps in (0.5, 3.0):
            problem = drawn("paths", size=size)
            problem = problem._replace(means=np.zeros(len(problem.means)))
            added, factor = printed_bonus(name, len(problem.means), size, eps)
            shown = 1 if name in ("cucb_ldp2", "cucb_dp_least") else size
            scale = shown / eps * (1 if TABLE[name].trust_model == "local" else 2 * math.log(2))
            width = 0.5 * scale / factor
            changes = {"eps": eps, "width": width, "cucb_root": 1.0}
            one = 0.5 * math.exp(-(added + width * factor) / scale)
            constants, rounds = astuple(params(name, 2, **changes)), np.array([2])
            rng, negative = np.random.default_rng([size, int(eps)]), 0
            for _ in range(RUNS):
                negative += column(module(name).run(rng, problem, *constants, rounds), "negative_rounds")[0] == 1
            p_values.append(stats.binomtest(int(negative), RUNS, 1 - (1 - one) ** shown).pvalue)
    assert holm(p_values).min() > SIGNIFICANCE, p_values


# Certified widths


@pytest.mark.parametrize("T", [2, 3, 5])
@pytest.mark.parametrize("n", [1, 4, 60])
def test_certified_widths_of_reports_cover(n, T):
    """Sampling and noise leave their parts with chance T^-3 at most, each; noise alone leaves a quarter of its part."""
    for eps, size in ((0.5, 1), (1.0, 4), (8.0, 1)):
        rng, scale = np.random.default_rng([n, T, size]), size / eps
        width = width_of(float(n), certified_local(scale, T))
        noise = np.array([laplace_sum(rng, scale, n) for _ in range(8_000)]) / n
        errors = rng.binomial(n, 0.5, len(noise)) / n - 0.5 + noise
        assert not beyond(errors > width, 2 * T**-3)
        assert not beyond(errors < -width, 2 * T**-3)
        alone = scale * laplace_sum_bound(float(n), 3 * math.log(T)) / n
        assert not beyond(noise > alone, T**-3)
        assert beyond(noise > 0.25 * alone, T**-3)


@pytest.mark.parametrize("T", [3, 7])
def test_certified_widths_of_trees_cover(T):
    """After T leaves all D nodes of different sizes are in the sum: the worst prefix."""
    D, eps, size = T.bit_length(), 0.5, 2
    scale = size * params("cucb_dp", T, "certified", eps=eps).scale
    assert scale == pytest.approx(size * D / eps)
    width = width_of(float(T), certified_central(scale, D, T))
    rng, noise = np.random.default_rng(T), np.empty(8_000)
    for run in range(len(noise)):
        nodes = np.zeros((1, D))
        for n in range(1, T + 1):
            noise[run] = advance(rng, nodes, 0, n, scale) / T
    errors = rng.binomial(T, 0.5, len(noise)) / T - 0.5 + noise
    assert not beyond(np.abs(errors) > width, 2 * (T**-3 + T**-2))
    alone = scale * laplace_sum_bound(float(D), 2 * math.log(T)) / T
    assert not beyond(noise > alone, T**-2)
    assert beyond(noise > 0.25 * alone, T**-2)


# Runs against the fluid

BANDIT, PATHS = {"bad": 7}, {"bad": 7, "size": 4, "gap": 0.25}
LEAST = {**PATHS, "reward": "bottleneck"}
SINGLE = [  # horizon, seeds, calibration
    ("cucb", 200_000, 40, "printed", {}),
    ("cucb", 200_000, 40, "printed", {"anytime": 1.0}),
    ("cucb_ldp1", 200_000, 20, "printed", {"eps": 2.0}),
    ("cucb_ldp2", 400_000, 20, "printed", {}),
    ("cucb_ldp2", 200_000, 20, "certified", {"eps": 2.0}),
    ("cucb_dp", 1_000_000, 4, "printed", {"eps": 8.0}),
    ("cucb_dp", 400_000, 10, "certified", {"eps": 2.0}),
    ("cucb_dp_least", 400_000, 10, "certified", {"eps": 2.0}),
]
SEVERAL = [
    ("cucb", 100_000, 10, "printed", {}),
    ("cucb_ldp1", 200_000, 10, "printed", {"eps": 3.0}),
    ("cucb_ldp1", 200_000, 10, "printed", {"eps": 4.0, "k_squared": 1.0, "width": 0.5}),
    ("cucb_ldp2", 200_000, 10, "printed", {"eps": 3.0}),
    ("cucb_dp", 400_000, 3, "printed", {"eps": 30.0}),
    ("cucb_dp", 200_000, 5, "certified", {"eps": 8.0}),
    ("cucb_dp_least", 200_000, 5, "certified", {"eps": 8.0}),
]


def over_fluid(name, problem, arguments, horizon, seeds, calibration, changes):
    """Mean regret over that of the fluid; most rounds are with the best super arm, most regret is early."""
    runs = [
        trace(name, [s, 1], drawn(problem, s, **arguments), [horizon], calibration, **changes) for s in range(seeds)
    ]
    regret, suboptimal, late, fluid = (
        np.mean([column(found, each)[0] for found in runs]) for each in ("regret", "suboptimal", "late_regret", "fluid")
    )
    assert suboptimal < 0.5
    assert late < 0.35 * regret
    return regret / fluid


@pytest.mark.parametrize(("name", "horizon", "seeds", "calibration", "changes"), SINGLE)
def test_single_arms_follow_the_fluid(name, horizon, seeds, calibration, changes):
    """A narrow bonus lets the noise of a tree end an arm early: certified trees are further off."""
    ratio = over_fluid(name, "bandit", BANDIT, horizon, seeds, calibration, changes)
    off = 0.2 if TABLE[name].trust_model == "central" and calibration == "certified" else 0.07
    assert ratio == pytest.approx(1, abs=off)


@pytest.mark.parametrize(("name", "horizon", "seeds", "calibration", "changes"), SEVERAL)
def test_larger_super_arms_follow_the_fluid(name, horizon, seeds, calibration, changes):
    """The least of several noisy indices is biased downwards: bottlenecks are further off."""
    run = horizon, seeds, calibration, changes
    assert over_fluid(name, "paths", PATHS, *run) == pytest.approx(1, abs=0.25)
    assert over_fluid(name, "public", {**PATHS, "gap": 1.0}, *run) == pytest.approx(1, abs=0.25)
    for problem, arguments in (("paths", LEAST), ("public, least", PATHS)):
        assert over_fluid(name, problem, arguments, *run) == pytest.approx(1, abs=0.5)


def test_the_comparison_has_power():
    """A bonus that is an eighth larger or smaller than that of the fluid is found."""
    fluid = column(trace("cucb_ldp2", 0, drawn("bandit", **BANDIT), [400_000]), "fluid")[0]
    for width in (0.875, 1.125):
        ratio = over_fluid("cucb_ldp2", "bandit", BANDIT, 400_000, 20, "printed", {"width": width})
        own = column(trace("cucb_ldp2", 0, drawn("bandit", **BANDIT), [400_000], width=width), "fluid")[0]
        assert ratio == pytest.approx(1, abs=0.07)
        assert abs(ratio * own / fluid - 1) > 0.07
