"""Closed forms of chowdhury2022: printed constants, and what claims ask for.

The figures have delta = 0.1, batches of 20, horizon 20000, and d = 5 with eps = 0.2, 1, 10.
"""

import math

import mpmath
import numpy as np
import pytest
from scipy import optimize

from dpbandits.claims.closed_forms.chowdhury2022 import noise, shuffling
from dpbandits.claims.closed_forms.chowdhury2022 import vector_sum as closed_sums
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
    assert [gaussian_scales.local_sd_printed(eps, DELTA) for eps in EPS] == pytest.approx(
        [50.745, 10.149, 1.0149], rel=1e-4
    )
    assert [gaussian_scales.local_sd_released(eps, DELTA) for eps in EPS] == pytest.approx(
        [8.9706, 1.79412, 0.179412], rel=1e-5
    )


def test_eq_shuffled_sd():
    """4 sqrt(2 ln 500 ln 20) / (eps sqrt 20) = 5.458 / eps, and sqrt(ln 500) / (eps sqrt 20) = 0.5574 / eps."""
    sds = [by_eps(noise.shuffled_sd, name, BATCH, DELTA) for name in ("printed", "released")]
    assert sds[0] == pytest.approx([27.289, 5.4578, 0.54578], rel=1e-4)
    assert sds[1] == pytest.approx([2.787, 0.5574, 0.05574], rel=3e-4)
    eps0 = math.sqrt(20 / math.log(20))  # the local formula at eps0 = eps sqrt(B / ln(2/delta)), delta0 = delta / B
    assert sds[0][1] == pytest.approx(4 * math.sqrt(2 * math.log(2.5 / (0.1 / 20))) / eps0, rel=1e-12)


def test_eq_tree_sd():
    """sqrt(16 * 16 * 4 ln(40)^2) / eps = 118.04 / eps over 16 epsilons; a leaf is in 15 nodes that are completed."""
    assert gaussian_scales.tree_sd_printed(1.0, DELTA, T) == pytest.approx(118.044, rel=1e-5)
    assert tree.layers(T) == 15
    assert [tree.layers(n) for n in (1, 2, 3, 4, 7, 8)] == [1, 2, 2, 3, 3, 4]


def test_eq_returning_sd():
    """16 ln 20 sqrt(T ln(5 T / delta)) / (eps B) at T = 20000; the substitution would give 1.88 times as much."""
    printed = gaussian_scales.shuffled_sd_returning(1.0, DELTA, BATCH, T)
    assert printed == pytest.approx(16 * math.log(20) * math.sqrt(20000 * math.log(1e6)) / 20, rel=1e-12)
    batches = T / BATCH
    eps_m, delta_m = 1 / (2 * math.sqrt(2 * batches * math.log(20))), DELTA / (2 * batches)
    ratio = gaussian_scales.shuffled_sd_printed(eps_m, delta_m, BATCH) / printed
    assert ratio == pytest.approx(math.sqrt(math.log(4e4) / math.log(20)), rel=1e-9)
    assert ratio == pytest.approx(1.88, abs=0.005)


def test_printed_and_certified_bits():
    needed = [noise.vector_bits("certified", BATCH, DELTA, D, eps, 1.0) for eps in EPS]
    printed = [noise.vector_bits("printed", BATCH, DELTA, D, eps, 1.0) for eps in EPS]
    assert needed == [527, 121, 11]
    ratios = [one / other for one, other in zip(printed, needed, strict=True)]
    assert ratios == pytest.approx([2.2e6, 3.9e5, 4.3e4], rel=0.02)


# Claims


def test_range_of_the_theorem():
    """sqrt(ln 20 / 20) = 0.387: only the panel with eps = 0.2 lies inside; Lemma B.4 covers none of them."""
    found = values(shuffling.eps_over_range(BATCH, DELTA, EPS))
    assert found == pytest.approx([eps / 0.38702 for eps in EPS], rel=1e-4)
    assert [value <= 1 for value in found] == [True, False, False]
    lemma = values(shuffling.local_epsilon_less_range(BATCH, DELTA, EPS))
    assert lemma[1] == pytest.approx(math.sqrt(20 / math.log(20)) - math.log(20 / (16 * math.log(40))), rel=1e-12)
    assert min(lemma) > 0
    assert values(shuffling.local_epsilon_less_range(10**6, 1e-6, [1e-3]))[0] < 0


def test_bias_of_the_released_analyzer():
    """sqrt 2 / sqrt 80 * 20/4 * frac(b) for a batch; nothing where b is a whole number."""
    once = values(closed_sums.analyzer_bias("released", BATCH, DELTA, D, EPS, 1.0, 1000))
    tuned = values(closed_sums.analyzer_bias("released", BATCH, DELTA, D, EPS[1:], 10.0, 1000))
    assert once == pytest.approx([-310, -171, -484], abs=0.6)
    assert tuned == pytest.approx([-124, -96], abs=0.6)
    for calibration in ("printed", "certified"):
        assert values(closed_sums.analyzer_bias(calibration, BATCH, DELTA, D, EPS, 1.0, 1000)) == [0, 0, 0]


def test_variance_of_the_analyzer():
    """(1/4 + 3 b/16) / (1 + b/4) with the sampled b above and the real one below; 3/4 for many bits."""
    found = values(closed_sums.analyzer_variance_ratio("certified", BATCH, DELTA, D, EPS, 1.0))
    assert found == pytest.approx([(0.25 + 3 * b / 16) / (1 + b / 4) for b in (527, 121, 11)], rel=1e-12)
    released = values(closed_sums.analyzer_variance_ratio("released", BATCH, DELTA, D, EPS, 1.0))
    assert released[2] == pytest.approx(0.25 / (1 + 0.612157 / 4), rel=1e-5)
    printed = values(closed_sums.analyzer_variance_ratio("printed", BATCH, DELTA, D, EPS, 1.0))
    assert printed == pytest.approx([0.75] * 3, rel=1e-5)


def test_local_epsilons_of_shuffled_reports():
    """eps0 solves delta(eps0; mu) = delta / B with mu = Delta / sd."""
    sizes, epsilons = [20, 100, 1000], []
    for n in sizes:
        mu = math.sqrt(4.5) / noise.shuffled_sd("printed", n, DELTA, 1.0)
        epsilons.append(
            optimize.brentq(lambda eps, mu=mu, n=n: normal_delta(mu, eps) - DELTA / n, 1e-3, 100, xtol=1e-12)
        )
        assert epsilons[-1] < math.sqrt(n / math.log(20))
    slopes = values(shuffling.shuffled_local_exponent_less("printed", DELTA, 1.0, sizes, 0.5))
    exact = np.diff(np.log(epsilons)) / np.diff(np.log(sizes)) - 0.5
    assert slopes == pytest.approx(list(exact), rel=1e-7)


def test_local_epsilons_of_the_vector_sum():
    """A user's own b bits are nearly Gaussian: mu = sqrt 4.5 g / sqrt(3 b / 16)."""
    sizes = [1000, 10000]
    found = values(shuffling.vector_local_epsilon("printed", DELTA, D, 10.0, 1.0, sizes))
    for n, (low, high) in zip(sizes, found, strict=True):
        b, g = vector_sum.bits_printed(10.0, DELTA, n, D), vector_sum.granularity(n, D)
        mu = math.sqrt(4.5) * g / math.sqrt(3 * b / 16)
        epsilon = low * 10.0 * math.sqrt(n)
        assert normal_delta(mu, epsilon) == pytest.approx(DELTA, rel=0.02)  # rounded downwards
        assert low < high < 1.2 * low
    assert values(shuffling.vector_local_epsilon("printed", DELTA, D, 1.0, 1.0, [20, 100])) == [(0.0, 0.0)] * 2


def test_shuffled_epsilons_of_reports_for_local_privacy():
    """The claimed one is eps0^(5/4) T^(-3/8) d^(1/8) ln(1/delta0)^(3/8), but for rounding B; the sum is Gaussian."""
    horizon, eps0, delta0 = 2**20, 1.0, 1e-10
    [(_, (low, high))] = shuffling.privacy_targeted_reports(delta0, D, [eps0], [horizon])
    claimed = eps0**1.25 * horizon**-0.375 * D**0.125 * math.log(1e10) ** 0.375
    n = round(D**-0.25 * horizon**0.75 * eps0**-0.5 * math.log(1e10) ** 0.25)
    mu = math.sqrt(4.5) / (4 * math.sqrt(2 * math.log(2.5e10)) / eps0)
    assert normal_delta(mu / math.sqrt(n), low * claimed) == pytest.approx(n * delta0, rel=1e-3)
    assert low < high < 1
    local = optimize.brentq(lambda eps: normal_delta(mu, eps) - delta0, 1e-3, 10.0, xtol=1e-12)
    with_all = math.sqrt(32 * math.log(4 / (n * delta0)) / ((math.exp(local) + 1) * n)) * math.tanh(local / 2)
    assert high * claimed < 1.2 * with_all  # the closed form of Feldman et al., of its leading term


def test_epsilons_of_bits_for_local_privacy():
    """Nearly Gaussian: mu = sqrt 4.5 g / sqrt(3 n b / 16) with g = 5, b = 24e4 g^2 ln^2(4 * 26 / delta0) / eps0^2."""
    delta0, eps0 = 1e-6, 15.0
    (_, (low, high)), (_, shuffled) = shuffling.privacy_targeted_bits(delta0, D, eps0, [1, 1000])
    mu = math.sqrt(4.5) * 5 / math.sqrt(3 * 24e4 * 25 * math.log(104 / delta0) ** 2 / eps0**2 / 16)
    assert normal_delta(mu, low * eps0) == pytest.approx(delta0, rel=0.05)
    assert low < high < 1.1 * low
    assert shuffled[0] == 0.0  # more bits than are followed
    assert 0.0 <= shuffled[1] < 1.0


def test_no_exponent_of_epsilons_that_delta_covers():
    with pytest.raises(ValueError, match="no exponent"):
        shuffling.shuffled_local_exponent_less("printed", 0.99, 1e-3, [20, 100], 0.5)


def test_bits_of_a_user():
    """k (2g + b) against k numbers of 64 bits, k = 20: 10900, 2780 and 580 bits against 1280."""
    found = values(shuffling.bits_over_floats("certified", BATCH, DELTA, D, EPS, 1.0))
    assert [1280 * each for each in found] == pytest.approx([10900, 2780, 580])
    assert values(shuffling.bits_over_floats("printed", BATCH, DELTA, D, EPS, 1.0))[0] > 1e7


def test_amplification_that_is_provable():
    """Hardly any in batches of 20; otherwise far from the sqrt(B) of the paper."""
    for eps in EPS:
        assert values(shuffling.provable_amplification([20], 0.1, eps)) == [
            pytest.approx(1.12 if eps == 0.2 else 1.0, abs=0.01)
        ]
    assert values(shuffling.provable_amplification([100, 1000, 10000], 0.1, 0.2)) == pytest.approx(
        [1.68, 2.75, 3.85], rel=0.01
    )
    assert values(shuffling.provable_amplification([100, 1000, 10000], 0.1, 1.0)) == pytest.approx(
        [1.174, 1.727, 2.25], rel=0.01
    )
    assert values(shuffling.provable_amplification([100, 1000, 10000], 1e-5, 0.2)) == pytest.approx(
        [1.85, 4.22, 8.56], rel=0.01
    )
