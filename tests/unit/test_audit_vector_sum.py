"""The shuffled vector sum: distributions of its counts by enumeration, within the bounds of the noise accountant."""

import math
from itertools import product

import numpy as np
import pytest
from scipy import stats

from dpbandits.algorithms.linucb.protocol import Bits
from dpbandits.audits.mechanisms import count_distributions as count_distributions
from dpbandits.audits.mechanisms.count_distributions import (
    library_distribution,
    moved_distribution,
    noise_and_others,
    ratio_distribution,
)
from dpbandits.audits.mechanisms.vector_sum import VectorSum, opposite_features, tried_pairs
from dpbandits.privacy import vector_sum
from dpbandits.privacy.sensitivities import JOINT_SENSITIVITY


def protocol(bits, g=4.0, bound=1.0):
    return Bits(g, bits, float(bits), bound)


def release(first, second, bits, users=1, crowd=False, g=4.0, bound=1.0, batches=1):
    """The entries may be those of no feature of dimension 5, and are as far apart as its users can be, or nearer."""
    return VectorSum(((first, second),), crowd, users, protocol(bits, g, bound), 5, bound * JOINT_SENSITIVITY, batches)


def of_figures(calibration, bits):
    """Batches of 20 users, d = 5."""
    released = calibration == "released"
    pairs = tuple((tuple(map(float, one)), tuple(map(float, two))) for one, two in tried_pairs(released, 5))
    g, bound = (math.sqrt(80), math.sqrt(2)) if released else (9.0, 1.0)
    sensitivity = vector_sum.RELEASED_ONCE if released else JOINT_SENSITIVITY
    return VectorSum(pairs, released, 20, protocol(bits, g, bound), 5, sensitivity)


def enumerated(each, side):
    """Distribution of all counts of entries that differ, every user's rounding one by one."""
    first, second = each.pairs[0]
    g, bound, distributions = each.protocol.granularity, each.protocol.largest, []
    for one, other in zip(first, second, strict=True):
        if one == other:
            continue
        distribution = {
            k: stats.binom.pmf(k, each.users * each.protocol.bits, 0.25)
            for k in range(each.users * each.protocol.bits + 1)
        }
        for held in ((one, other)[side], *[one if each.crowd else 0.0] * (each.users - 1)):
            scaled, moved = (held + bound) * g / bound, {}
            for k, mass in distribution.items():
                for up, share in ((0, 1 - scaled + math.floor(scaled)), (1, scaled - math.floor(scaled))):
                    moved[k + math.floor(scaled) + up] = moved.get(k + math.floor(scaled) + up, 0.0) + mass * share
            distribution = moved
        distributions.append(distribution)
    keys = product(*distributions)
    return {key: math.prod(distribution[k] for distribution, k in zip(distributions, key, strict=True)) for key in keys}


CASES = [
    release((0.5, 0.25, 0.1), (-0.25, 0.0, 0.1), 6),  # whole multiples
    release((0.31, -0.2), (-0.6, 0.15), 7),  # rounding
    release((0.31, -0.2), (-0.6, 0.15), 3, 3, True, 3.3, 1.5),  # the others' rounding
    release((0.5, 0.5), (0.25, 0.25), 5, 2),  # the same distribution twice
]


@pytest.mark.parametrize("eps", [0.0, 0.2, 1.0, 3.0])
@pytest.mark.parametrize("each", CASES)
def test_from_below_it_is_the_enumerated_distribution(each, eps):
    first, second = enumerated(each, 0), enumerated(each, 1)
    keys = set(first) | set(second)
    sticks = [
        sum(max(0.0, p.get(k, 0.0) - math.exp(eps) * q.get(k, 0.0)) for k in keys)
        for p, q in ((first, second), (second, first))
    ]
    one, other = each.accounted(eps, 0.1), each.derived(eps, 0.1)
    assert other.deltas[0] == pytest.approx(max(sticks), abs=1e-5)  # a step is a part of few and large losses
    assert one.deltas == pytest.approx(other.deltas, abs=1e-6)
    epsilon = other.epsilons[0]
    if 0.0 < epsilon < math.inf:
        at = [
            sum(max(0.0, p.get(k, 0.0) - math.exp(epsilon) * q.get(k, 0.0)) for k in keys)
            for p, q in ((first, second), (second, first))
        ]
        assert max(at) == pytest.approx(0.1, abs=1e-5)


@pytest.mark.parametrize(
    ("calibration", "bits", "eps"),
    [
        ("released", 1530, 0.2),
        ("released", 61, 1.0),
        ("released", 6, 10.0),
        ("certified", 527, 0.2),
        ("certified", 11, 10.0),
    ],
)
def test_within_the_bounds_of_the_noises_accountant(calibration, bits, eps):
    """Its losses are rounded outwards by up to a few per cent; both ways here agree."""
    each = of_figures(calibration, bits)
    one, other = each.accounted(eps, 0.1), each.derived(eps, 0.1)
    assert one.epsilons == pytest.approx(other.epsilons, rel=1e-3)
    assert one.deltas == pytest.approx(other.deltas, abs=1e-6)
    low = []
    g, bound = each.protocol.granularity, each.protocol.largest
    for first, second in tried_pairs(calibration == "released", 5):
        others = np.tile(first, (19, 1)) if each.crowd else None
        more = {"bound": bound, "others": others, "upwards": False}
        low.append(vector_sum.sums_delta(first, second, eps, 20.0 * bits, g, **more))
    assert max(low) <= other.deltas[0] <= 1.05 * max(low) + 1e-4
    assert other.deltas[0] < other.deltas[1]


def test_vector_sum_of_released_features_by_a_plain_convolution():
    """eps = 1, b = 61, z along an axis against -z: two entries move by 12.65 units, without others' rounding."""
    g, noise = math.sqrt(80), stats.binom.pmf(np.arange(20 * 61 + 1), 20 * 61, 0.25)

    def counts(value):
        scaled = (value + math.sqrt(2)) * g / math.sqrt(2)
        low, distribution = math.floor(scaled), np.zeros(len(noise) + 19)
        for up, chance in ((0, 1 - scaled + low), (1, scaled - low)):
            distribution[low + up : low + up + len(noise)] += chance * noise
        return distribution

    one, other = (np.multiply.outer(counts(v), counts(v)) for v in (1.0, -1.0))
    exact = max(np.maximum(p - math.e * q, 0).sum() for p, q in ((one, other), (other, one)))
    assert exact == pytest.approx(0.20, abs=0.005)
    (first, second), *_ = tried_pairs(True, 5)
    more = {"bound": math.sqrt(2)}
    assert vector_sum.sums_delta(first, second, 1.0, 20 * 61, g, **more) == pytest.approx(exact, rel=0.01)
    assert vector_sum.sums_delta(first, second, 1.0, 20 * 61, g, **more) >= exact - 1e-9
    assert vector_sum.sums_delta(first, second, 1.0, 20 * 61, g, upwards=False, **more) <= exact


def test_numbers_of_the_figures():
    """Kept at eps = 0.2; broken at 1 with the bits that are shipped, nothing left at 10; ten times: broken at 10."""
    assert of_figures("released", 1530).derived(0.2, 0.1).epsilons[1] <= 0.04
    once = of_figures("released", 61).derived(1.0, 0.1)
    assert (once.deltas[0], once.epsilons[0]) == pytest.approx((0.20, 1.6), rel=0.04)
    none = of_figures("released", 0)
    for truth in (none.accounted(10.0, 0.1), none.derived(10.0, 0.1)):
        assert truth.epsilons == (math.inf, math.inf)
        assert truth.deltas == pytest.approx((1.0, 1.0), abs=1e-6)
    assert 0.12 < of_figures("released", 612).derived(1.0, 0.1).epsilons[0] < 0.24
    tenfold = of_figures("released", 6).derived(10.0, 0.1)
    assert tenfold.epsilons[0] == pytest.approx(11.18, abs=0.01)
    assert tenfold.epsilons[1] == math.inf  # 120 bits do not reach all that entries may differ by
    assert tenfold.proven
    assert 0.1 < tenfold.deltas[0] < 0.17
    for bits, eps in ((527, 0.2), (121, 1.0), (11, 10.0)):
        certified = of_figures("certified", bits).derived(eps, 0.1)
        assert certified.proven
        assert certified.epsilons[1] <= eps
        assert of_figures("certified", bits - max(1, bits // 100)).derived(eps, 0.1).epsilons[1] > eps


def test_bits_beyond_count():
    """Printed: nothing is left to see."""
    each = of_figures("printed", 1_172_000_000)
    for truth in (each.accounted(0.2, 0.1), each.derived(0.2, 0.1)):
        assert truth.epsilons == (0.0, 0.0)
        assert truth.deltas == pytest.approx((0.0, 0.0), abs=1e-9)
    views = each.draw(np.random.default_rng(1), 0, 50)
    assert views == pytest.approx(np.full((50, 4), 20 * 1.172e9 / 4), rel=1e-4)
    assert np.all(np.abs(each.scores(views)) < 0.01)


def test_returning_users():
    """Two batches of one entry: the two counts together, by enumeration."""
    each = release((0.5,), (0.0,), 5, 2, batches=2)
    first, second = (np.array([enumerated(each, side).get((k,), 0.0) for k in range(30)]) for side in (0, 1))
    pairs = [np.outer(distribution, distribution) for distribution in (first, second)]
    stick = max(np.maximum(p - math.e * q, 0.0).sum() for p, q in (pairs, pairs[::-1]))
    assert each.derived(1.0, 0.1).deltas[0] == pytest.approx(stick, abs=1e-5)
    assert each.draw(np.random.default_rng(2), 1, 3).shape == (3, 2)


@pytest.mark.parametrize("each", CASES)
def test_scores_are_log_likelihood_ratios(each):
    views = each.draw(np.random.default_rng(3), 1, 200)
    first, second = enumerated(each, 0), enumerated(each, 1)
    for view, score in zip(views, each.scores(views), strict=True):
        p, q = first.get(tuple(view), 0.0), second.get(tuple(view), 0.0)
        assert q > 0.0
        assert (score > 100.0) if p == 0.0 else score == pytest.approx(math.log(q / p), abs=1e-6)


def test_distributions_of_binomials():
    for trials, chance in ((0, 0.25), (7, 0.9), (300, 0.25), (5e6, 0.25)):
        one, other = library_distribution(trials, chance), ratio_distribution(trials, chance)
        assert one[0] == other[0]
        assert one[1] == pytest.approx(other[1], abs=1e-12)
        assert one[1].sum() == pytest.approx(1.0, abs=1e-9)


def test_distributions_of_a_moved_count():
    start, crowd = noise_and_others(ratio_distribution, 2.0, 0.25, 1, (3, 0.5))
    assert start == 3
    assert crowd == pytest.approx(np.convolve([9 / 16, 6 / 16, 1 / 16], [0.5, 0.5]), rel=1e-12)
    first, second = moved_distribution(np.array([1.0]), (2, 0.25), (5, 0.0))
    assert (list(first), list(second)) == ([0.75, 0.25, 0, 0, 0], [0, 0, 0, 1.0, 0])
    assert count_distributions.STEP < 2e-3


def test_pairs_that_are_tried():
    for axes in (1, 2, 4):
        first, second = opposite_features(5, axes)
        assert np.sum((first - second) ** 2) == pytest.approx(8.0, rel=1e-12)
    assert len(tried_pairs(True, 5)) == 3
    assert np.sum(np.subtract(*tried_pairs(False, 5)[0]) ** 2) == pytest.approx(4.5, rel=1e-12)


def test_half_the_noise_is_a_quarter_of_the_bits():
    assert (of_figures("released", 61).halved().noise, of_figures("released", 3).halved().noise) == (15.0, 0.0)
