"""Draws of Gaussian, shuffled, summed and l2-ball releases against their exact distributions: what their scores tell
apart.

Fixed seeds; the p-values of all releases are corrected by Holm, and the smallest must exceed 0.001.
"""

import functools
import math

import numpy as np
import pytest
from scipy import stats

from dpbandits.algorithms.linucb.protocol import Bits
from dpbandits.audits.mechanisms.gaussian import Gaussian
from dpbandits.audits.mechanisms.gaussian_tree import GaussianTree
from dpbandits.audits.mechanisms.l2_ball import L2Ball
from dpbandits.audits.mechanisms.shuffled_gaussian import ShuffledGaussian
from dpbandits.audits.mechanisms.vector_sum import VectorSum, tried_pairs
from dpbandits.numerics.statistics import holm
from dpbandits.privacy.l2_ball import keep_probability, sphere_radius
from dpbandits.privacy.sensitivities import JOINT_SENSITIVITY

SIGNIFICANCE, DRAWS, EPS = 1e-3, 40000, (0.0, 0.3, 1.0)


def bits(released, number, g, bound, batches=1):
    pairs = tuple((tuple(map(float, one)), tuple(map(float, two))) for one, two in tried_pairs(released, 5)[:1])
    return VectorSum(pairs, released, 20, Bits(g, number, float(number), bound), 5, bound * JOINT_SENSITIVITY, batches)


RELEASES = {
    "message": Gaussian((0.6, 0.0, -1.6), (1.0, 5.0, 2.0)),
    "tree": GaussianTree((1.0, -0.5), (3.0, 2.0), (1, 1, 2, 3)),
    "shuffled, near": ShuffledGaussian((1.0, 0.7), (1.0, 1.0), 20),
    "shuffled, far": ShuffledGaussian((1.0, 0.7), (0.4, 0.3), 20),
    "released bits": bits(True, 61, math.sqrt(80), math.sqrt(2)),
    "certified bits": bits(False, 121, 9.0, 1.0),
    "bits twice": bits(False, 350, 9.0, 1.0, 2),
    "ball": L2Ball(((1.0, 0.0),), ((-1.0, 0.0),), 1.0, keep_probability(1.5), sphere_radius(1.5, 2, 1.0)),
    "ball of arms": L2Ball(
        ((1.0, 0.0), (0.0, 0.0)), ((0.0, 0.0), (0.0, 1.0)), 1.0, keep_probability(1.5), sphere_radius(1.5, 2, 1.0)
    ),
}


@functools.cache
def scores(name):
    """Of input 0 and of input 1."""
    rng = np.random.default_rng([20221122, list(RELEASES).index(name)])
    return tuple(RELEASES[name].scores(RELEASES[name].draw(rng, side, DRAWS)) for side in (0, 1))


def seen(name, eps):
    """What is seen of the divergence in the worse of both orders, and its standard error."""
    found = []
    for ratios in (-scores(name)[0], scores(name)[1]):
        parts = np.maximum(0.0, -np.expm1(eps - ratios))
        found.append((parts.mean(), parts.std() / math.sqrt(DRAWS)))
    return max(found)


def p_value(name, eps):
    mean, error = seen(name, eps)
    exact = RELEASES[name].derived(eps, 0.1).deltas[0]
    return 2 * stats.norm.sf(abs(mean - exact) / max(error, 1e-5))


def test_divergences_of_draws_are_the_exact_ones():
    p_values = {(name, eps): p_value(name, eps) for name in RELEASES for eps in EPS}
    assert min(holm(list(p_values.values()))) > SIGNIFICANCE, p_values


@pytest.mark.parametrize("name", RELEASES)
def test_likelihood_ratios_have_mean_one(name):
    """Under input 0, cut to where the mean can be seen: E1 of a bounded function is E0 of it times the ratio."""
    first, second = scores(name)
    one = (second < 1.0).astype(float)
    other = np.where(first < 1.0, np.exp(np.minimum(first, 1.0)), 0.0)
    error = math.sqrt((one.var() + other.var()) / DRAWS)
    assert abs(one.mean() - other.mean()) < 4.5 * error


def test_the_comparison_has_power():
    """A tenth less noise than said is found."""
    less = Gaussian((0.6, 0.0, -1.6), (0.9, 4.5, 1.8)).derived(0.3, 0.1).deltas[0]
    mean, error = seen("message", 0.3)
    assert abs(mean - less) > 4.5 * error


def test_the_user_is_anywhere_in_a_batch():
    release = ShuffledGaussian((60.0,), (1.0,), 8, 2)
    views = release.draw(np.random.default_rng(3), 1, 4000).reshape(4000, 2, 8)
    for batch in (0, 1):
        places = np.bincount(views[:, batch].argmax(axis=1), minlength=8)
        assert stats.chisquare(places).pvalue > SIGNIFICANCE
