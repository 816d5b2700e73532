"""Closed forms of chowdhury2022: printed constants, the audit at the figures' settings, and what else claims ask for.

The figures have delta = 0.1, batches of 20, horizon 20000, and d = 5 with eps = 0.2, 1, 10.
"""

import math

import mpmath
import numpy as np
import pytest
from scipy import stats

from dpbandits.claims.analytic import chowdhury2022_audit as audits
from dpbandits.claims.analytic import chowdhury2022_noise as noise
from dpbandits.claims.analytic import chowdhury2022_shuffling as shuffling
from dpbandits.claims.analytic import chowdhury2022_vector_sum as closed_sums
from dpbandits.privacy import gaussian_scales, tree, vector_sum

EPS = [0.2, 1.0, 10.0]
T, BATCH, DELTA, D = 20000, 20, 0.1, 5


def values(numbers):
    return [value for _, value in numbers]


def by_eps(function, *arguments):
    return [function(*arguments, eps) for eps in EPS]


def normal_delta(mu, eps):
    """delta(eps; mu) in 40 digits."""
    with mpmath.workdps(40 + int(eps)):
        mu, eps = mpmath.mpf(mu), mpmath.mpf(eps)
        return float(mpmath.ncdf(mu / 2 - eps / mu) - mpmath.exp(eps) * mpmath.ncdf(-mu / 2 - eps / mu))


# Printed and released noise


def test_eq_local_sd():
    """4 sqrt(2 ln 25) / eps = 10.149 / eps, and sqrt(ln 25) / eps = 1.794 / eps."""
    assert by_eps(noise.local_sd, "printed", DELTA) == pytest.approx([50.745, 10.149, 1.0149], rel=1e-4)
    assert by_eps(noise.local_sd, "released", DELTA) == pytest.approx([8.9706, 1.79412, 0.179412], rel=1e-5)


def test_eq_shuffled_sd():
    """4 sqrt(2 ln 500 ln 20) / (eps sqrt 20) = 5.458 / eps, and sqrt(ln 500) / (eps sqrt 20) = 0.5574 / eps."""
    sds = [by_eps(noise.shuffled_sd, name, BATCH, DELTA) for name in ("printed", "released")]
    assert sds[0] == pytest.approx([27.289, 5.4578, 0.54578], rel=1e-4)
    assert sds[1] == pytest.approx([2.787, 0.5574, 0.05574], rel=3e-4)
    eps0 = math.sqrt(20 / math.log(20))  # the local formula at eps0 = eps sqrt(B / ln(2/delta)), delta0 = delta / B
    assert sds[0][1] == pytest.approx(4 * math.sqrt(2 * math.log(2.5 / (0.1 / 20))) / eps0, rel=1e-12)


def test_eq_tree_sd():
    """sqrt(16 * 16 * 4 ln(40)^2) / eps = 118.04 / eps over 16 levels; a leaf is in 15 nodes that are completed."""
    assert noise.tree_sd("printed", T, DELTA, 1.0) == pytest.approx(118.044, rel=1e-5)
    assert tree.levels(T) == 15
    assert [tree.levels(n) for n in (1, 2, 3, 4, 7, 8)] == [1, 2, 2, 3, 3, 4]
    with pytest.raises(ValueError, match="no tree in the released code"):
        noise.tree_sd("released", T, DELTA, 1.0)


def test_eq_returning_sd():
    """16 ln 20 sqrt(T ln(5 T / delta)) / (eps B) at T = 20000; the substitution would give 1.88 times as much."""
    printed = gaussian_scales.shuffled_sd_returning(1.0, DELTA, BATCH, T)
    assert printed == pytest.approx(16 * math.log(20) * math.sqrt(20000 * math.log(1e6)) / 20, rel=1e-12)
    batches = T / BATCH
    eps_m, delta_m = 1 / (2 * math.sqrt(2 * batches * math.log(20))), DELTA / (2 * batches)
    ratio = gaussian_scales.shuffled_sd_printed(eps_m, delta_m, BATCH) / printed
    assert ratio == pytest.approx(math.sqrt(math.log(4e4) / math.log(20)), rel=1e-9)
    assert ratio == pytest.approx(1.88, abs=0.005)


# The audit


def test_audit_of_local_reports():
    rows = [audits.audit_local("released", DELTA, eps) for eps in EPS]
    assert [row.levels[0] for row in rows] == pytest.approx([0.14, 3.6, 210.0], rel=0.01)
    assert [row.deltas[0] for row in rows] == pytest.approx([0.081, 0.485, 1.0], rel=0.01)
    for row in rows:
        assert row.levels[0] == row.levels[1]
        assert row.deltas[0] == pytest.approx(normal_delta(math.sqrt(12) / row.noise, row.eps), rel=1e-9)
        assert normal_delta(math.sqrt(12) / row.noise, row.levels[0]) == pytest.approx(DELTA, rel=1e-9)
    printed = [audits.audit_local("printed", DELTA, eps) for eps in EPS]
    assert [row.levels[1] for row in printed] == pytest.approx([0.0, 0.0, 4.1], rel=0.01)
    assert [row.in_range for row in printed] == [True, True, False]


def test_audit_of_shuffled_reports():
    rows = [audits.audit_shuffled("released", BATCH, DELTA, eps) for eps in EPS]
    assert [row.deltas[0] for row in rows] == pytest.approx([0.042, 0.276, 1.0], rel=0.01)
    assert [row.deltas[1] for row in rows] == pytest.approx([0.41, 1.0, 1.0], rel=0.01)
    assert [row.in_range for row in rows] == [True, False, False]
    assert [row.levels[0] > row.eps for row in rows] == [False, True, True]  # not certified at 0.2, refuted beyond
    assert rows[0].levels[1] > 0.2
    for row in rows[:2]:
        assert row.deltas[0] == pytest.approx(normal_delta(math.sqrt(12 / 20) / row.noise, row.eps), rel=1e-9)
    printed = [audits.audit_shuffled("printed", BATCH, DELTA, eps) for eps in EPS]
    assert [row.levels[1] for row in printed] == pytest.approx([0.0, 0.14, 11.7], rel=0.03)
    assert printed[2].deltas[1] == pytest.approx(0.195, rel=0.005)
    assert printed[2].levels[0] < 10


def test_audit_of_the_tree():
    printed = [audits.audit_tree("printed", T, DELTA, eps) for eps in EPS]
    certified = [audits.audit_tree("certified", T, DELTA, eps) for eps in EPS]
    assert [row.noise for row in printed] == pytest.approx([590, 118, 11.8], rel=1e-3)
    assert [row.noise for row in certified] == pytest.approx([18.9, 8.92, 2.32], rel=3e-3)
    assert all(row.levels[0] <= row.levels[1] < row.eps for row in printed)
    assert 0.0 < printed[2].levels[0] < printed[2].levels[1] < 0.6
    (released,) = {audits.audit_tree("released", T, DELTA, eps).levels for eps in EPS}
    assert released == (math.inf, math.inf)


def test_least_sensitivity_of_the_tree():
    """2 - 2c + (2 - 2c^2) / 2 over cosines c: 4, at c = -1."""
    c = np.linspace(-1, 1, 2001)
    assert np.max(2 - 2 * c + 1 - c**2) == audits.TREE_SENSITIVITY**2


def test_audit_of_the_vector_sum():
    """Released: kept at eps = 0.2, broken at 1 with the shipped constant, nothing left at 10; tuned, broken at 10."""
    once = [audits.audit_vector_sum("released", BATCH, DELTA, D, eps, 1.0) for eps in EPS]
    assert [row.noise for row in once] == pytest.approx([1530.39, 61.2157, 0.612157], rel=1e-5)
    assert once[0].levels[1] <= 0.04
    assert once[1].deltas[0] == pytest.approx(0.20, rel=0.05)
    assert once[1].levels[0] == pytest.approx(1.6, rel=0.05)
    assert once[1].deltas[0] > DELTA
    assert once[2].deltas == pytest.approx((1.0, 1.0))
    assert once[2].levels[1] == math.inf
    tuned = [audits.audit_vector_sum("released", BATCH, DELTA, D, eps, 10.0) for eps in EPS]
    assert [row.noise for row in tuned] == pytest.approx([15303.9, 612.157, 6.12157], rel=1e-5)
    assert tuned[0].levels[1] == 0.0
    assert 0.10 < tuned[1].levels[0] < tuned[1].levels[1] < 0.24
    assert DELTA < tuned[2].deltas[0] < 0.17
    assert 10.0 < tuned[2].levels[0] < 11.5
    assert 13.0 < tuned[2].levels[1] < 16.0


def test_vector_sum_of_released_features_by_a_plain_convolution():
    """eps = 1, b = 61, z along an axis against -z: two entries move by 12.65 levels, other users' rounding left out."""
    g, noise = math.sqrt(80), stats.binom.pmf(np.arange(20 * 61 + 1), 20 * 61, 0.25)

    def counts(value):
        scaled = (value + math.sqrt(2)) * g / math.sqrt(2)
        low, law = math.floor(scaled), np.zeros(len(noise) + 19)
        for up, chance in ((0, 1 - scaled + low), (1, scaled - low)):
            law[low + up : low + up + len(noise)] += chance * noise
        return law

    one, other = (np.multiply.outer(counts(v), counts(v)) for v in (1.0, -1.0))
    exact = max(np.maximum(p - math.e * q, 0).sum() for p, q in ((one, other), (other, one)))
    assert exact == pytest.approx(0.20, abs=0.005)
    (first, second), *_ = closed_sums.tried_pairs(True, D)
    more = {"bound": math.sqrt(2)}
    assert vector_sum.sums_delta(first, second, 1.0, 20 * 61, g, **more) == pytest.approx(exact, rel=0.01)
    assert vector_sum.sums_delta(first, second, 1.0, 20 * 61, g, **more) >= exact - 1e-9
    assert vector_sum.sums_delta(first, second, 1.0, 20 * 61, g, upwards=False, **more) <= exact


def test_printed_and_certified_bits():
    needed = [noise.vector_bits("certified", BATCH, DELTA, D, eps, 1.0) for eps in EPS]
    printed = [noise.vector_bits("printed", BATCH, DELTA, D, eps, 1.0) for eps in EPS]
    assert needed == [783, 175, 12]
    ratios = [one / other for one, other in zip(printed, needed, strict=True)]
    assert ratios == pytest.approx([1.5e6, 2.7e5, 3.9e4], rel=0.02)


@pytest.mark.parametrize("calibration", ["printed", "certified"])
@pytest.mark.parametrize("dimension", [5, 10, 15])
def test_vector_sum_keeps_its_promise_as_printed_and_certified(calibration, dimension):
    eps = EPS if dimension == 5 else [1.0]
    found = values(closed_sums.vector_sum_delta(calibration, BATCH, DELTA, dimension, eps, 1.0))
    assert all(0.0 <= low <= high <= DELTA for low, high in found)
    levels = values(closed_sums.vector_sum_level(calibration, BATCH, DELTA, dimension, eps, 1.0))
    assert all(0.0 <= low <= high <= 1.0 for low, high in levels)
    if calibration == "printed":
        assert max(high for _, high in found) < 1e-9
    else:
        assert min(low for low, _ in found) > 1e-3


def test_vector_sum_released_in_more_dimensions():
    """Shipped constant: broken for d = 10, at the edge for d = 15; tuned: kept."""
    low, high = zip(
        *(values(closed_sums.vector_sum_delta("released", BATCH, DELTA, d, [1.0], 1.0))[0] for d in (10, 15)),
        strict=True,
    )
    assert low[0] > 1.2 * DELTA
    assert low[1] == pytest.approx(DELTA, rel=0.03)
    assert high[1] > DELTA
    for d in (10, 15):
        assert values(closed_sums.vector_sum_delta("released", BATCH, DELTA, d, [1.0], 10.0))[0][1] < 1e-3


def test_audit_lists_every_mechanism_and_every_lower_bound_lies_below_its_upper_one():
    for calibration in ("printed", "released", "certified"):
        rows = audits.audit(calibration, T, BATCH, DELTA, D, EPS, 10.0)
        assert [row.mechanism for row in rows] == ["local", "shuffled", "tree", "vector_sum"] * 3
        assert {(row.calibration, row.delta) for row in rows} == {(calibration, DELTA)}
        for row in rows:
            assert row.levels[0] <= row.levels[1]
            assert row.deltas[0] <= row.deltas[1]
            if calibration == "certified":
                assert row.levels[1] <= row.eps * (1 + 1e-9)
                assert row.deltas[1] <= row.delta * (1 + 1e-9)


# Claims


def test_range_of_the_theorem():
    """sqrt(ln 20 / 20) = 0.387: only the panel with eps = 0.2 lies inside; Lemma B.4 covers none of them."""
    found = values(shuffling.eps_over_range(BATCH, DELTA, EPS))
    assert found == pytest.approx([eps / 0.38702 for eps in EPS], rel=1e-4)
    assert [value <= 1 for value in found] == [True, False, False]
    lemma = values(shuffling.local_level_less_range(BATCH, DELTA, EPS))
    assert lemma[1] == pytest.approx(math.sqrt(20 / math.log(20)) - math.log(20 / (16 * math.log(40))), rel=1e-12)
    assert min(lemma) > 0
    assert values(shuffling.local_level_less_range(10**6, 1e-6, [1e-3]))[0] < 0


def test_bias_of_the_released_analyser():
    """sqrt 2 / sqrt 80 * 20/4 * frac(b) for a batch; nothing where b is a whole number."""
    once = values(closed_sums.analyser_bias("released", BATCH, DELTA, D, EPS, 1.0, 1000))
    tuned = values(closed_sums.analyser_bias("released", BATCH, DELTA, D, EPS[1:], 10.0, 1000))
    assert once == pytest.approx([-310, -171, -484], abs=0.6)
    assert tuned == pytest.approx([-124, -96], abs=0.6)
    for calibration in ("printed", "certified"):
        assert values(closed_sums.analyser_bias(calibration, BATCH, DELTA, D, EPS, 1.0, 1000)) == [0, 0, 0]


def test_variance_of_the_analyser():
    """(1/4 + 3 b/16) / (1 + b/4) with the sampled b above and the real one below; 3/4 for many bits."""
    found = values(closed_sums.analyser_variance_ratio("certified", BATCH, DELTA, D, EPS, 1.0))
    assert found == pytest.approx([(0.25 + 3 * b / 16) / (1 + b / 4) for b in (783, 175, 12)], rel=1e-12)
    released = values(closed_sums.analyser_variance_ratio("released", BATCH, DELTA, D, EPS, 1.0))
    assert released[2] == pytest.approx(0.25 / (1 + 0.612157 / 4), rel=1e-5)
    printed = values(closed_sums.analyser_variance_ratio("printed", BATCH, DELTA, D, EPS, 1.0))
    assert printed == pytest.approx([0.75] * 3, rel=1e-5)


def test_local_levels_of_shuffled_reports():
    """eps0 solves delta(eps0; mu) = delta / B with mu = Delta / sd."""
    sizes = [20, 100, 1000]
    found = values(shuffling.shuffled_local_level("printed", DELTA, 1.0, sizes))
    levels = []
    for n, value in zip(sizes, found, strict=True):
        levels.append(value * math.sqrt(n / math.log(20)))
        mu = math.sqrt(4.5) / noise.shuffled_sd("printed", n, DELTA, 1.0)
        assert normal_delta(mu, levels[-1]) == pytest.approx(DELTA / n, rel=1e-8)
    slopes = values(shuffling.shuffled_local_exponent_less("printed", DELTA, 1.0, sizes, 0.5))
    exact = np.diff(np.log(levels)) / np.diff(np.log(sizes)) - 0.5
    assert slopes == pytest.approx(list(exact), rel=1e-9)
    assert max(found) < 1


def test_local_levels_of_the_vector_sum():
    """A user's own b bits are nearly Gaussian: mu = sqrt 4.5 g / sqrt(3 b / 16)."""
    sizes = [1000, 10000]
    found = values(shuffling.vector_local_level("printed", DELTA, D, 10.0, 1.0, sizes))
    for n, (low, high) in zip(sizes, found, strict=True):
        b, g = vector_sum.bits_printed(10.0, DELTA, n, D), vector_sum.levels(n, D)
        mu = math.sqrt(4.5) * g / math.sqrt(3 * b / 16)
        level = low * 10.0 * math.sqrt(n)
        assert normal_delta(mu, level) == pytest.approx(DELTA, rel=0.02)  # rounded downwards
        assert low < high < 1.2 * low
    slopes = values(shuffling.vector_local_exponent_less("printed", DELTA, D, 10.0, 1.0, sizes, 0.5))
    assert slopes == pytest.approx([math.log10(found[1][0] / found[0][0])], rel=1e-9)
    with pytest.raises(ValueError, match="no exponent"):
        shuffling.vector_local_exponent_less("printed", DELTA, D, 1.0, 1.0, [20, 100], 0.5)


def test_bits_of_a_user():
    """k (2g + b) against k numbers of 64 bits, k = 20: 16020, 3860 and 600 bits against 1280."""
    found = values(shuffling.bits_over_floats("certified", BATCH, DELTA, D, EPS, 1.0))
    assert [1280 * each for each in found] == pytest.approx([16020, 3860, 600])
    assert values(shuffling.bits_over_floats("printed", BATCH, DELTA, D, EPS, 1.0))[0] > 1e7


def test_amplification_that_is_provable():
    """None at all in batches of 20; otherwise far from the sqrt(B) of the paper."""
    for eps in EPS:
        assert values(shuffling.provable_amplification([20], 0.1, eps)) == [1.0]
    assert values(shuffling.provable_amplification([100, 1000, 10000], 0.1, 0.2)) == pytest.approx(
        [1.3, 2.1, 2.6], rel=0.1
    )
    assert values(shuffling.provable_amplification([100, 1000, 10000], 0.1, 1.0)) == pytest.approx(
        [1.0, 1.15, 1.5], rel=0.05
    )
    assert values(shuffling.provable_amplification([100, 1000, 10000], 1e-5, 0.2)) == pytest.approx(
        [1.6, 3.7, 6.8], rel=0.1
    )
