"""The mechanism of the l2-ball: epsilons by enumeration of the sides, and draws that are the kernels' own."""

import itertools
import math

import numpy as np
import pytest

from dpbandits.algorithms.glm_multi import ldp_sgd_multi
from dpbandits.algorithms.glm_single import ldp_sgd
from dpbandits.audits.mechanisms.l2_ball import L2Ball, ball_log_ratios, densities
from dpbandits.privacy.l2_ball import keep_probability, sphere_radius

PAIRS = {
    "opposite": (((2.0, 0.0),), ((-2.0, 0.0),)),
    "arms": (((2.0, 0.0), (0.0, 0.0), (0.0, 0.0)), ((0.0, 0.0), (0.0, 2.0), (0.0, 0.0))),
    "same arm": (((0.0, 0.0), (0.0, 2.0)), ((0.0, 0.0), (0.0, -2.0))),
}


def release(pair, eps):
    return L2Ball(*PAIRS[pair], 2.0, keep_probability(eps), sphere_radius(eps, 2, 2.0))


def sides(pair, eps):
    """Distributions of the side of all messages, along the direction in which either input moves it."""
    distributions = []
    for vectors in PAIRS[pair]:
        chances = []
        for vector, other in zip(vectors, PAIRS[pair][vectors is PAIRS[pair][0]], strict=True):
            direction = np.array(vector) if any(vector) else np.array(other)
            reference = np.array(PAIRS[pair][0][len(chances)])
            reference = reference if reference.any() else direction
            kept = math.exp(eps) / (1 + math.exp(eps))
            if not any(vector):
                chances.append(0.5)
            else:
                chances.append(kept if np.dot(vector, reference) > 0 else 1 - kept)
        distributions.append(
            {
                s: math.prod(c if up else 1 - c for c, up in zip(chances, s, strict=True))
                for s in itertools.product((0, 1), repeat=len(chances))
            }
        )
    return distributions


@pytest.mark.parametrize("eps", [0.01, 0.5, 1.0, 5.0, 20.0])
@pytest.mark.parametrize("pair", PAIRS)
def test_epsilons_are_the_budget(pair, eps):
    """At delta 0, whatever the pair; and by enumeration."""
    one, other = release(pair, eps).accounted(eps, 0.0), release(pair, eps).derived(eps, 0.0)
    for truth in (one, other):
        assert truth.epsilons == pytest.approx((eps, eps), rel=1e-5)
        assert truth.deltas == pytest.approx((0.0, 0.0), abs=1e-6)
    first, second = sides(pair, eps)
    assert max(abs(math.log(first[s] / second[s])) for s in first) == pytest.approx(eps, rel=1e-6)


@pytest.mark.parametrize("pair", PAIRS)
def test_deltas_below_the_budget_by_enumeration(pair):
    for eps in (0.2, 1.0, 1.7):
        first, second = sides(pair, 2.0)
        sticks = [sum(max(0.0, p[s] - math.exp(eps) * q[s]) for s in p) for p, q in ((first, second), (second, first))]
        one, other = release(pair, 2.0).accounted(eps, 0.05), release(pair, 2.0).derived(eps, 0.05)
        assert other.deltas[0] == pytest.approx(max(sticks), rel=1e-12)
        assert one.deltas == pytest.approx(other.deltas, abs=1e-6)
        assert one.epsilons == pytest.approx(other.epsilons, rel=1e-5)
        kept = 1 / (1 + math.exp(-2.0))
        assert other.deltas[1] == pytest.approx(kept - math.exp(eps) * (1 - kept), rel=1e-12)
        assert other.epsilons[1] == pytest.approx(math.log((kept - 0.05) / (1 - kept)), rel=1e-12)


def test_densities_of_short_and_long_vectors():
    """By hand at eps = ln 3: half the length has 10 to 6, none 1 to 1, beyond R as at R, 3 to 1."""
    for length, odds in ((0.5, 10 / 6), (0.0, 1.0), (1.0, 3.0), (4.0, 3.0)):
        near, far = densities(math.log(3), length)
        assert near + far == pytest.approx(2.0, rel=1e-15)
        assert near / far == pytest.approx(odds, rel=1e-12)
    assert sum(ball_log_ratios(0.7)) == pytest.approx(0.7, rel=1e-12)


@pytest.mark.parametrize("length", [0.0, 0.3, 1.0, 4.0])
def test_densities_of_the_two_sides(length):
    """The coins in turn: x or its opposite, then the half that is meant; relative to a chance of 1/2."""
    eps, near = 0.8, 0.0
    first, second = min(1.0, (1 + length) / 2), math.exp(eps) / (1 + math.exp(eps))
    for same, meant in itertools.product((True, False), repeat=2):
        chance = (first if same else 1 - first) * (second if meant else 1 - second)
        near += 2 * chance * (same == meant)
    assert densities(eps, length) == pytest.approx((near, 2 - near), rel=1e-12)


def test_log_ratios_of_the_ball_add_up():
    for eps in (0.1, 1.0, 5.0, 20.0):
        first, second = ball_log_ratios(eps)
        assert first == pytest.approx(math.log(2 * math.exp(eps) / (1 + math.exp(eps))), rel=1e-12)
        assert second == pytest.approx(math.log((1 + math.exp(eps)) / 2), rel=1e-12)
        assert first + second == pytest.approx(eps, rel=1e-12)


def test_draws_are_those_of_the_algorithms():
    keep, radius = keep_probability(1.0), sphere_radius(1.0, 2, 2.0)
    out, rng = np.empty(2), np.random.default_rng(6)
    ldp_sgd.l2_ball(np.random.default_rng(5), np.array([-2.0, 0.0]), 2.0, keep, radius, out)
    assert np.array_equal(release("opposite", 1.0).draw(np.random.default_rng(5), 1, 1)[0], out)
    message = np.empty((3, 2))
    for k, gradient in enumerate(np.array(PAIRS["arms"][1])):
        ldp_sgd_multi.l2_ball(rng, gradient, 2.0, keep, radius, message[k])
    assert np.array_equal(release("arms", 1.0).draw(np.random.default_rng(6), 1, 1)[0], message.ravel())
    assert np.linalg.norm(message, axis=1) == pytest.approx([radius] * 3, rel=1e-12)


def test_scores_are_log_ratios_of_the_sides():
    views = np.array([[1.0, 0.5, 3.0, -2.0, 1.0, 1.0], [-1.0, 0.5, 3.0, 2.0, 1.0, 1.0]])
    near, far = ball_log_ratios(1.0)[0], -ball_log_ratios(1.0)[1]
    assert release("arms", 1.0).scores(views) == pytest.approx([far - near, near - far], rel=1e-12)
    assert release("opposite", 1.0).scores(views[:, :2]) == pytest.approx([-1.0, 1.0], rel=1e-12)


def test_half_the_noise_is_twice_the_budget():
    half = release("opposite", 1.0).halved()
    assert half.derived(1.0, 0.0).epsilons == pytest.approx((2.0, 2.0), rel=1e-9)
    assert half.noise == pytest.approx(sphere_radius(2.0, 2, 2.0), rel=1e-9)
