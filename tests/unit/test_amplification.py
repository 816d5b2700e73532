"""The printed amplification formula of Hanna et al., Section 5, against 60-digit arithmetic and its limits."""

import math

import mpmath
import numpy as np
import pytest

from dpbandits.privacy.amplification import amplified, local_budget

mpmath.mp.dps = 60

EPSILONS = [1e-6, 1e-3, 0.1, 0.5, 1.0, 2.0, 5.0, 20.0, 100.0, 700.0]
SIZES = [1, 3, 100, 10**6, 10**9]
DELTAS = [1e-3, 1e-6, 1e-9]


def printed(x, n, delta):
    """f(x) as printed, in 60 digits."""
    x, e = mpmath.mpf(x), mpmath.exp(x)
    clones = 8 * mpmath.sqrt(e * mpmath.log(4 / mpmath.mpf(delta))) / mpmath.sqrt(n) + 8 * e / n
    return mpmath.log(1 + (e - 1) / (e + 1) * clones)


def limit(n, delta):
    """The largest local epsilon that the theorem covers."""
    return math.log(n / (16 * math.log(2 / delta)))


@pytest.mark.parametrize("x", EPSILONS)
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("delta", DELTAS)
def test_eq_amplification_as_printed(x, n, delta):
    assert amplified(x, n, delta) == pytest.approx(float(printed(x, n, delta)), rel=2e-14)


def test_amplification_by_hand():
    """x = ln 3, delta = 4/e^4, n = 4: f = ln(1 + (3-1)/(3+1) (8 sqrt(3*4)/2 + 8*3/4)) = ln(4 + 4 sqrt(3))."""
    value = amplified(math.log(3), 4, 4 * math.exp(-4))
    assert value == pytest.approx(math.log(4 + 4 * math.sqrt(3)), rel=1e-14)
    assert value == pytest.approx(2.391347, abs=1e-6)


@pytest.mark.parametrize("n", SIZES)
def test_no_local_leakage_gives_none(n):
    assert amplified(0.0, n, 1e-6) == 0.0


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("delta", DELTAS)
def test_amplification_increases_in_the_epsilon_and_decreases_in_the_crowd(n, delta):
    epsilons = [amplified(x, n, delta) for x in np.geomspace(1e-9, 1e3, 2000)]
    assert (np.diff(epsilons) > 0).all()
    assert amplified(1.0, n, delta) > amplified(1.0, 2 * n, delta)
    assert amplified(1.0, n, delta) > amplified(1.0, n, 2 * delta)


@pytest.mark.parametrize("n", [3, 100, 10**6])
@pytest.mark.parametrize("eps", [1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0, 1000.0])
@pytest.mark.parametrize("delta", DELTAS)
def test_round_trip(n, eps, delta):
    assert amplified(local_budget(eps, n, delta), n, delta) == pytest.approx(eps, rel=1e-9)
    assert local_budget(amplified(eps, n, delta), n, delta) == pytest.approx(eps, rel=1e-9)


@pytest.mark.parametrize(("delta", "epsilon"), [(1e-3, 1.1490), (1e-6, 1.1255), (1e-9, 1.1169)])
def test_no_amplification_is_covered_above_about_one(delta, epsilon):
    """f(lim(n)) tends to ln(1 + 8 sqrt(log(4/delta) / (16 log(2/delta))) + 8 / (16 log(2/delta))) from below.

    At delta = 1e-6: log 4e6 = 15.2018, log 2e6 = 14.5087: ln(1 + 8 sqrt(15.2018/232.139) + 8/232.139) = ln 3.0817.
    """
    at_limit = [amplified(limit(n, delta), n, delta) for n in (400, 10**4, 10**6, 10**12)]
    assert (np.diff(at_limit) > 0).all()
    assert at_limit[-1] == pytest.approx(epsilon, abs=1e-4)


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("n", [10**4, 10**6, 10**8])
def test_small_budgets_expand_to_four_times_the_root(n, delta):
    """eps = (eps0/2)(8 sqrt(log(4/delta)/n)) = 4 eps0 sqrt(log(4/delta)/n), to relative order eps0 and 1/sqrt(n).

    So n eps^2 / eps0^2 = 16 log(4/delta), 243.2 at delta = 1e-6, where Remark 9 of the paper has 1.
    """
    eps0 = 1e-4
    expansion = 4 * eps0 * math.sqrt(math.log(4 / delta) / n)
    assert amplified(eps0, n, delta) == pytest.approx(expansion, rel=eps0 + 1.1 / math.sqrt(n * math.log(4 / delta)))
    eps = amplified(eps0, 10**8, 1e-6)
    assert 10**8 * eps**2 / local_budget(eps, 10**8, 1e-6) ** 2 == pytest.approx(243.2, abs=0.2)


@pytest.mark.parametrize("n", [3, 100, 10**6])
def test_large_budgets_add_the_logarithm_of_the_crowd(n):
    """The linear term rules: f^-1(eps) = eps + ln(n/8) + o(1)."""
    for eps in (60.0, 100.0, 1000.0):
        assert local_budget(eps, n, 1e-6) == pytest.approx(eps + math.log(n / 8), abs=1e-6)


def test_between_them_the_root_rules():
    """e^eps - 1 = 8 e^{x/2} sqrt(log(4/delta)/n) while e^eps - 1 is far below 8 log(4/delta) = 121.6."""
    n, delta = 10**12, 1e-6
    for eps in (0.5, 1.0, 2.0):
        root = 2 * math.log(math.expm1(eps) * math.sqrt(n) / (8 * math.sqrt(math.log(4 / delta))))
        assert local_budget(eps, n, delta) == pytest.approx(root, rel=0.01)


def test_small_batches_get_more_noise_than_local_ones():
    """T = 1e6, eps = 1, delta = 1e-6: eps0 <= eps in batches 1 to 5 (n up to 190.7), above it from batch 6 (545.1)."""
    q = 2.858140
    assert [local_budget(1.0, math.ceil(q**i), 1e-6) > 1.0 for i in range(1, 13)] == [False] * 5 + [True] * 7
