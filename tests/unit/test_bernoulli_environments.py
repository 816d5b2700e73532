"""Instances of Bernoulli arms: means by hand, the place of the best arm, the distribution of drawn gaps, errors."""

import numpy as np
import pytest
from scipy import stats

from dpbandits.environments.bernoulli import (
    bernoulli_doubling_gaps,
    bernoulli_means,
    bernoulli_one_gap,
    bernoulli_spread,
)
from dpbandits.numerics.statistics import holm

SIGNIFICANCE = 1e-3
RUNS = 2000
DRAWS = {  # environment and arguments; every one has five arms
    "spread": (bernoulli_spread, {"arms": 5, "best": 0.75, "gap": 0.125, "spread": 0.375}),
    "one gap": (bernoulli_one_gap, {"arms": 5, "gap": 0.2, "middle": 0.5, "octave": 0.0}),
    "octave": (bernoulli_one_gap, {"arms": 5, "gap": 0.2, "middle": 0.5, "octave": 1.0}),
    "means": (bernoulli_means, {"means": [0.9, 0.8, 0.5, 0.3, 0.0]}),
    "doubling gaps": (bernoulli_doubling_gaps, {"brackets": 2, "fewest": 2, "growth": 1}),
}
every = pytest.mark.parametrize("name", DRAWS)


def means_of(module, seed=0, **arguments):
    (means,) = module.draw(np.random.default_rng(seed), **arguments)
    assert means.dtype == np.float64
    return means


def drawn(name, runs=RUNS):
    """(runs, arms)"""
    module, arguments = DRAWS[name]
    return np.array([means_of(module, seed, **arguments) for seed in range(runs)])


def sorted_means(module, **arguments):
    return np.sort(means_of(module, **arguments))[::-1]


def test_spread_by_hand():
    """The two experiments of the paper: 0.75 down to 0.25 in steps of 1/8, and one gap of 0.05."""
    found = sorted_means(bernoulli_spread, arms=5, best=0.75, gap=0.125, spread=0.375)
    assert found.tolist() == [0.75, 0.625, 0.5, 0.375, 0.25]
    found = sorted_means(bernoulli_spread, arms=4, best=0.75, gap=0.05, spread=0.0)
    assert found == pytest.approx([0.75, 0.7, 0.7, 0.7])
    found = sorted_means(bernoulli_spread, arms=2, best=1.0, gap=0.5, spread=0.5)
    assert found.tolist() == [1.0, 0.5]  # two arms leave nothing to spread


def test_one_gap_by_hand():
    found = sorted_means(bernoulli_one_gap, arms=4, gap=0.25, middle=0.5, octave=0.0)
    assert found.tolist() == [0.625, 0.375, 0.375, 0.375]
    found = sorted_means(bernoulli_one_gap, arms=2, gap=1.0, middle=0.5, octave=0.0)
    assert found.tolist() == [1.0, 0.0]


@every
def test_one_instance_is_said_of_families_whose_draws_differ_in_order_alone(name):
    module, arguments = DRAWS[name]
    same = np.ptp(np.sort(drawn(name, runs=20), axis=1), axis=0).max() == 0.0
    given = {argument: value for argument, value in arguments.items() if not isinstance(value, list)}
    assert module.FAMILY.one_instance(given) == same == (name != "octave")


def test_doubling_gaps_by_hand():
    found = sorted_means(bernoulli_doubling_gaps, brackets=3, fewest=1, growth=1)
    assert found.tolist() == [0.75, 0.625, 0.5, 0.25]
    found = sorted_means(bernoulli_doubling_gaps, brackets=3, fewest=2, growth=2)
    assert found.tolist() == [0.75, *[0.625] * 2, *[0.5] * 4, *[0.25] * 8]  # most arms at the largest gap
    assert len(means_of(bernoulli_doubling_gaps, brackets=5, fewest=1, growth=4)) == 1 + 1 + 4 + 16 + 64 + 256


def test_listed_means_are_taken_as_they_are():
    assert sorted_means(bernoulli_means, means=[0.2, 1, 0.2, 0]).tolist() == [1.0, 0.2, 0.2, 0.0]
    with pytest.raises(ValueError, match="all means are equal"):
        means_of(bernoulli_means, means=[0.5, 0.5])


@every
def test_the_best_arm_stands_anywhere(name):
    places = np.bincount(drawn(name).argmax(axis=1), minlength=5)
    assert stats.chisquare(places).pvalue > SIGNIFICANCE
    assert len(places) == 5


@pytest.mark.parametrize("name", ["spread", "means", "doubling gaps"])
def test_the_order_of_all_arms_is_random(name):
    """The mean of every place is the mean of all."""
    found = drawn(name)
    p_values = [stats.ttest_1samp(found[:, a], found[0].mean()).pvalue for a in range(5)]
    assert min(holm(p_values)) > SIGNIFICANCE
    assert np.ptp(np.sort(found, axis=1), axis=0).max() == 0.0


@pytest.mark.parametrize("octave", [0.5, 1.0, 2.0])
def test_drawn_gaps_are_uniform_on_the_logarithmic_scale(octave):
    found = np.array([means_of(bernoulli_one_gap, s, arms=3, gap=0.1, middle=0.4, octave=octave) for s in range(RUNS)])
    gaps = found.max(axis=1) - found.min(axis=1)
    octaves = np.log2(gaps / 0.1) / octave
    assert octaves.min() >= -0.5 - 1e-9
    assert octaves.max() <= 0.5 + 1e-9
    assert stats.kstest(octaves, stats.uniform(-0.5, 1).cdf).pvalue > SIGNIFICANCE
    np.testing.assert_allclose(found.max(axis=1) + found.min(axis=1), 0.8)  # the middle stays
    assert (np.sort(found, axis=1)[:, :2].std(axis=1) == 0).all()


def test_place_and_drawn_gap_are_independent():
    found = drawn("octave")
    groups = [np.ptp(row) for row in found]
    p_value = stats.kruskal(*(np.array(groups)[found.argmax(axis=1) == a] for a in range(5))).pvalue
    assert p_value > SIGNIFICANCE


@every
def test_the_generator_alone_decides(name):
    module, arguments = DRAWS[name]
    assert np.array_equal(means_of(module, 3, **arguments), means_of(module, 3, **arguments))
    assert len({tuple(row) for row in drawn(name, 50)}) >= 5


@pytest.mark.parametrize(
    ("module", "arguments"),
    [
        (bernoulli_spread, {"arms": 3, "best": 0.5, "gap": 0.25, "spread": 0.26}),
        (bernoulli_spread, {"arms": 3, "best": 1.01, "gap": 0.25, "spread": 0.0}),
        (bernoulli_one_gap, {"arms": 3, "gap": 0.5, "middle": 0.76, "octave": 0.0}),
        (bernoulli_one_gap, {"arms": 3, "gap": 0.5, "middle": 0.24, "octave": 0.0}),
        (bernoulli_one_gap, {"arms": 3, "gap": 0.8, "middle": 0.5, "octave": 1.0}),  # the largest gap is 1.13
    ],
)
def test_means_outside_the_unit_interval_are_refused(module, arguments):
    for seed in range(20):  # whatever gap is drawn
        with pytest.raises(ValueError, match=r"do not lie in \[0, 1\]"):
            means_of(module, seed, **arguments)
