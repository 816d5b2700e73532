"""Regret of the fluid against the equations that it should solve: all indices are equal in the end.

An arm of mean mu with n reports has index mu + w(n); at the horizon T it is u for all arms, and the plays add up to T.
Bonuses w stand here as the papers have them, and the equations are solved by bisection.
"""

import math

import numpy as np
import pytest
from scipy import optimize

from dpbandits.algorithms.registry import TABLE

from .semi_bandits import DRAWS, FRAMEWORK, LISTS, column, drawn, trace, uneven

EVEN, UNEVEN = np.array([0.0, 0.25, 0.25, 0.25, 0.25, 0.25]), np.array([0.0, 0.1, 0.2, 0.3, 0.05, 0.15])
SIX = len(EVEN)


def laplace_bound(count, exponent):
    """Chernoff's bound on the sum of `count` Lap(1), but for exp(-exponent), by a search for its least value."""

    def bound(s):
        return (exponent - count * math.log1p(-s * s)) / s

    return optimize.minimize_scalar(bound, bounds=(1e-9, 1 - 1e-12), method="bounded", options={"xatol": 1e-13}).fun


def bonus(name, calibration, n, T, arms, size, eps):
    """Of an arm with n reports."""
    L, D = math.log(T), math.floor(math.log2(T)) + 1
    sampling = math.sqrt(1.5 * L / n)
    if not TABLE[name].private:
        return sampling
    if TABLE[name].trust_model == "local":
        noise = size if name == "cucb_ldp1" else 1
        if calibration == "certified":
            return sampling + noise / eps * laplace_bound(n, 3 * L) / n
        return 4 * math.sqrt(2 * noise * L / (eps**2 * n))
    noise = size if name == "cucb_dp" else 1
    if calibration == "certified":
        return sampling + noise * D / eps * laplace_bound(D, 2 * L) / n
    return math.sqrt(4 * math.log(arms * T) / n) + 12 * noise * L**3 / (n * eps)


def regret(w, means, T):
    """Where mu + w(plays) is one number for all arms, and all are played T times together."""

    def plays(u):
        return np.array([math.exp(optimize.brentq(lambda x, mu=mu: mu + w(math.exp(x)) - u, 0, 40)) for mu in means])

    u = optimize.brentq(lambda u: plays(u).sum() - T, max(means) + 1e-4, 1.0)
    return plays(u) @ (max(means) - means)


SINGLE = [
    ("cucb", "printed", 10**5, 1.0),
    ("cucb_ldp1", "printed", 10**6, 1.0),
    ("cucb_ldp2", "printed", 10**6, 1.0),
    ("cucb_ldp2", "printed", 10**5, 3.0),
    ("cucb_ldp2", "certified", 10**6, 1.0),
    ("cucb_dp", "printed", 2 * 10**6, 4.0),
    ("cucb_dp", "certified", 10**6, 1.0),
    ("cucb_dp_least", "printed", 2 * 10**6, 4.0),
    ("cucb_dp_least", "certified", 10**6, 0.5),
]


@pytest.mark.parametrize("gaps", [EVEN, UNEVEN], ids=["even", "uneven"])
@pytest.mark.parametrize(("name", "calibration", "T", "eps"), SINGLE)
def test_single_arms(name, calibration, T, eps, gaps):
    problem = drawn("bandit")._replace(means=0.5 - gaps)
    found = column(trace(name, 0, problem, [T], calibration, eps=eps), "fluid")[0]
    expected = regret(lambda n: bonus(name, calibration, n, T, SIX, 1, eps), problem.means, T)
    assert found == pytest.approx(expected, rel=0.01)
    assert expected < 0.2 * T * gaps.max()


@pytest.mark.parametrize("anytime", [0.0, 1.0])
def test_growing_widths_end_where_fixed_ones_do(anytime):
    """With ln t arms are played again as t grows; at the horizon ln t is ln T."""
    problem = drawn("bandit")._replace(means=0.5 - UNEVEN)
    found = column(trace("cucb", 0, problem, [10**5], anytime=anytime), "fluid")[0]
    expected = regret(lambda n: math.sqrt(1.5 * math.log(10**5) / n), problem.means, 10**5)
    assert found == pytest.approx(expected, rel=0.01)


SEVERAL = [
    *(("paths", reward, name) for reward in ("linear", "bottleneck") for name in FRAMEWORK),
    *(("public, least", None, name) for name in ("cucb", "cucb_ldp1", "cucb_dp")),
]


@pytest.mark.parametrize(("name", "reward", "algorithm"), SEVERAL)
def test_super_arms_of_four(name, reward, algorithm):
    """Where all arms are reported they have as many reports as their path has plays, else a fourth of them.

    A public arm has reports enough that its index is never the least one.
    """
    T, size, gap, eps = 10**6, 4, 0.25, 4.0
    changes = {"bad": 5, "size": size, "gap": gap, **({"reward": reward} if reward else {})}
    problem = drawn(name, **changes)
    share = size if algorithm in ("cucb_ldp2", "cucb_dp_least") else 1
    found = column(trace(algorithm, 0, problem, [T], "certified", eps=eps), "fluid")[0]

    def w(plays):
        return bonus(algorithm, "certified", plays / share, T, len(problem.means), size, eps)

    expected = regret(w, 0.5 - EVEN, T)
    assert found == pytest.approx((size if reward == "linear" else 1) * expected, rel=0.01)
    assert expected < 0.2 * T * gap


def test_the_square_and_the_factor_enter():
    """K = eps = 3, so that K^2 / eps^2 is 1; half of the bonus."""
    T, problem = 10**6, drawn("paths", bad=5)
    found = column(trace("cucb_ldp1", 0, problem, [T], eps=3.0, width=0.5, k_squared=1.0), "fluid")[0]
    expected = 3 * regret(lambda n: 0.5 * 4 * math.sqrt(2 * math.log(T) / n), 0.5 - 0.3 * (EVEN > 0), T)
    assert found == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize("name", DRAWS)
def test_chance_plays_no_part(name):
    found = [column(trace("cucb_dp", seed, uneven(name), [30, 200], eps=100.0), "fluid") for seed in (1, 2)]
    if name in LISTS:
        assert found[0].tolist() == found[1].tolist()
        assert found[0][0] == found[0][1]
        assert np.isfinite(found[0]).all()
    else:
        assert np.isnan(found).all()
