"""One test per displayed formula of Hanna et al. (arXiv 2207.03445): values by hand or in 40-digit arithmetic.

The widths are read off the traces of an instance whose designs are known without computing any: two actions that are
not parallel get half the pulls each, and once one is dropped the other gets all.
"""

import dataclasses
import math
from importlib import import_module

import mpmath
import numpy as np
import pytest

from dpbandits.algorithms import batches
from dpbandits.environments.linear import draw
from dpbandits.linalg import scaled_coordinates

mpmath.mp.dps = 40
T, D, B, DELTA = 10**6, 2, 1.5, 1e-6
ACTIONS, THETA = np.array([[1.0, 0.0], [0.6, 0.8]]), np.array([0.9, 0.1])  # means 0.9 and 0.62
ROUNDS = np.unique(np.append(np.geomspace(1, T, 3000).astype(np.int64), T))
PRIVATE = ["phased_elimination_central", "phased_elimination_local", "phased_elimination_shuffled"]
SETTING = {"width": 1.0, "core_factor": B, "delta": DELTA}
ACTIVE, CORE, WIDTH, SCALE, MISSES = (batches.OUTPUTS.index(o) for o in batches.OUTPUTS[1:])


def schedule(horizon):
    """q and L in 40 digits."""
    log_horizon = mpmath.log(horizon)
    return mpmath.power(2 * horizon, 1 / log_horizon), int(mpmath.floor(log_horizon - 1))


def traces(name, eps, actions=ACTIONS, theta=THETA, rounds=ROUNDS, seed=1):
    algorithm = import_module(f"dpbandits.algorithms.{name}")
    constants = vars(algorithm.params("printed", {**SETTING, "eps": eps}, {})).values()
    return algorithm.run(np.random.default_rng(seed), actions, theta, *constants, rounds)


def batches_of(trace):
    """(q^i, n_i, |A_i|, rows of the trace) of every batch of the two-action instance, from its column `active`."""
    q, last = schedule(T)
    before = 0
    for i in range(1, last + 1):
        nominal = q**i
        active = int(trace[np.searchsorted(ROUNDS, before + 1), ACTIVE])
        n = active * int(mpmath.ceil(nominal / active))
        rows = np.flatnonzero((before < ROUNDS) & (before + n >= ROUNDS))
        assert rows.size > 0
        yield nominal, n, active, trace[rows]
        before += n


def log_term(active):
    return mpmath.log(4 * active * mpmath.mpf(T) ** 2)


def estimation_part(nominal, active):
    return mpmath.sqrt(4 * D * log_term(active) / nominal)


def amplified(x, n):
    e = mpmath.exp(x)
    return mpmath.log(1 + (e - 1) / (e + 1) * (8 * mpmath.sqrt(e * mpmath.log(4 / mpmath.mpf(DELTA)) / n) + 8 * e / n))


# Schedule


@pytest.mark.parametrize(
    ("horizon", "q", "last"),
    [(10**4, 2.930747, 8), (10**5, 2.886966, 10), (10**6, 2.858142, 12), (10**7, 2.837730, 15), (8, 3.793668, 1)],
)
def test_eq_batch_schedule(horizon, q, last):
    """log 1e6 = 13.8155: q = e 2^(1/13.8155), L = 13 - 1; log 8 = 3 log 2: q = e 2^(1/(3 log 2)) = e^(4/3), L = 1."""
    assert batches.batch_schedule(horizon) == (pytest.approx(q, abs=1e-6), last)
    assert batches.batch_schedule(horizon)[0] == pytest.approx(float(schedule(horizon)[0]), rel=1e-15)


@pytest.mark.parametrize("horizon", [2, 10, 1000, 10**6, 10**9, 10**15])
def test_eq_growth_factor_is_between_e_and_its_square(horizon):
    q, _ = batches.batch_schedule(horizon)
    assert math.e <= q <= math.e**2 * (1 + 1e-15)
    assert q ** math.log(horizon) == pytest.approx(2 * horizon, rel=1e-12)


@pytest.mark.parametrize(("horizon", "part"), [(10**4, 0.826), (10**5, 0.615), (10**6, 0.457), (10**7, 0.962)])
def test_eq_budget_of_the_schedule(horizon, part):
    """(q^(L+1) - q) / ((q - 1) T), a saw-tooth in T."""
    q, last = batches.batch_schedule(horizon)
    assert sum(q**i for i in range(1, last + 1)) / horizon == pytest.approx(part, abs=1e-3)


@pytest.mark.parametrize(
    ("horizon", "overruns"), [(1202604, False), (1202605, True), (1120, False), (2980, False), (2981, True)]
)
def test_eq_schedule_overruns_just_above_powers_of_e(horizon, overruns):
    """e^14 = 1202604.28 and e^8 = 2980.96; e^7 = 1096.6 lies below 1130, where q > 3 and 2 / (q - 1) < 1."""
    q, last = batches.batch_schedule(horizon)
    assert (sum(q**i for i in range(1, last + 1)) > horizon) == overruns


# Core set


def test_eq_pulls_of_the_core_set():
    """n_ia = ceil(pi_i(a) q^i): T = 1e6, two actions: q^i/2 = 1.43, 4.08, 11.67, 33.37, 95.37."""
    q, _ = batches.batch_schedule(T)
    coordinates = scaled_coordinates(ACTIONS, 1e-9)
    for i, pulls in enumerate([2, 5, 12, 34, 96], start=1):
        core, found = batches.core_set(coordinates, q**i)
        assert core.tolist() == [0, 1]
        assert found.tolist() == [pulls, pulls]


def test_eq_pulls_that_are_whole_are_not_rounded_up():
    for nominal, pulls in ((8.0, 4), (8.0 + 4e-15, 4), (8.0 + 1e-9, 5)):
        assert batches.core_set(scaled_coordinates(ACTIONS, 1e-9), nominal)[1].tolist() == [pulls, pulls]


# Confidence widths, along whole runs


def test_eq_logarithm_of_the_widths():
    """ln(4 * 10 * 1e12) = ln 4 + 13 ln 10 = 31.319900."""
    assert batches.log_confidence(10, T) == pytest.approx(31.319900, abs=1e-6)


@pytest.mark.parametrize(
    ("name", "eps", "first"),
    [
        ("phased_elimination", 1.0, 9.119223),
        ("phased_elimination_central", 0.5, 100.6765),
        ("phased_elimination_local", 0.5, 39.63265),
    ],
)
def test_eq_width_of_the_first_batch(name, eps, first):
    """Lg = ln 8e12 = 29.710462, q = 2.858142, n_1 = 4: sqrt(8 Lg / q) = 9.119223; central: + (12 + 4 Lg) / (0.5 q) =
    91.5573; local: + 4 sqrt(4 Lg) / (0.5 q) = 30.51343."""
    assert traces(name, eps)[0, WIDTH] == pytest.approx(first, rel=2e-6)


def assert_widths(name, eps, extra, scale):
    """Along a run that drops an action: width = sqrt(4 d Lg / q^i) + extra, and the noise scale of every batch."""
    trace = traces(name, eps)
    seen = set()
    for nominal, n, active, rows in batches_of(trace):
        seen.add(active)
        width = estimation_part(nominal, active) + extra(nominal, n, log_term(active))
        np.testing.assert_allclose(rows[:, WIDTH], float(width), rtol=1e-13)
        np.testing.assert_allclose(rows[:, SCALE], float(scale(n)), rtol=1e-12)
        assert (rows[:, CORE] == active).all()
    assert seen == {1, 2}
    np.testing.assert_array_equal(trace[-1, 1:MISSES], rows[-1, 1:MISSES])  # after the last batch: of the last batch


def test_eq_width_without_noise():
    assert_widths("phased_elimination", 1.0, lambda nominal, n, lg: 0, lambda n: 0)


def test_eq_width_central():
    assert_widths(
        "phased_elimination_central",
        0.5,
        lambda nominal, n, lg: (2 * mpmath.mpf(B) * D**2 + 2 * D * lg) / (mpmath.mpf(0.5) * nominal),
        lambda n: 2,
    )


def test_eq_width_local():
    assert_widths(
        "phased_elimination_local",
        8.0,
        lambda nominal, n, lg: 2 * D / (nominal * 8) * mpmath.sqrt(n * lg),
        lambda n: 0.125,
    )


def test_eq_width_shuffled():
    """eps0 of a batch solves f_{n_i}(eps0) = eps, found here by bisection in 40 digits."""

    def local(n):
        return mpmath.findroot(lambda x: amplified(x, n) - 2, (0.01, 30), solver="bisect", maxsteps=200)

    assert_widths(
        "phased_elimination_shuffled",
        2.0,
        lambda nominal, n, lg: 2 * D / (nominal * local(n)) * mpmath.sqrt(n * lg),
        lambda n: 1 / local(n),
    )


@pytest.mark.parametrize("name", ["phased_elimination_central", "phased_elimination_local"])
def test_eq_certified_scale_is_twice_the_printed_one(name):
    algorithm = import_module(f"dpbandits.algorithms.{name}")
    assert dataclasses.astuple(algorithm.requests({"eps": 0.4})["noise_scale"]) == ("laplace", 2.0, 0.4, 0.0)
    assert algorithm.params("printed", {**SETTING, "eps": 0.4}, {}).noise_scale == 2.5
    assert algorithm.params("certified", {**SETTING, "eps": 0.4}, {"noise_scale": 5.0}).noise_scale == 5.0


# Estimate and elimination


def test_eq_least_squares_by_hand():
    """Pulls 4 and 1, sums 2 and -1 on (1, 0) and (0.6, 0.8): theta = (1/2, -13/8), (0.6, -0.8) gets 0.3 + 1.3."""
    actions = np.array([[1.0, 0.0], [0.6, 0.8], [0.6, -0.8]])
    values = batches.estimates(
        scaled_coordinates(actions, 1e-9), np.array([0, 1]), np.array([4, 1]), np.array([2.0, -1.0])
    )
    np.testing.assert_allclose(values, [0.5, -1.0, 1.6], rtol=1e-14)


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_eq_least_squares_is_the_pseudo_inverses(rank):
    rng = np.random.default_rng(rank)
    actions = rng.normal(size=(9, rank)) @ rng.normal(size=(rank, 3))
    core, pulls, sums = np.array([0, 2, 3, 5, 8]), np.array([3, 10, 1, 7, 2]), rng.normal(size=5)
    points = actions[core]
    theta = np.linalg.pinv(points.T @ (pulls[:, None] * points), rcond=1e-10) @ (sums @ points)
    values = batches.estimates(scaled_coordinates(actions, 1e-9), core, pulls, sums)
    np.testing.assert_allclose(values, actions @ theta, rtol=1e-9)


def test_eq_elimination_keeps_what_is_within_twice_the_width():
    """0.5 - 2 * 0.125 = 0.25 stays, the next smaller number goes."""
    kept, best = batches.survivors(np.array([0.25, np.nextafter(0.25, 0), 0.5, -3.0, 0.5]), 0.125)
    assert kept.tolist() == [0, 2, 4]
    assert best == 2


def test_eq_good_event_is_an_error_of_at_most_the_width():
    assert batches.missed(np.array([0.5, 1.0]), np.array([0.25, 0.75]), 0.25) == 0
    assert batches.missed(np.array([0.5, 1.0]), np.array([0.25, 0.75]), 0.2499) == 1
    assert batches.missed(np.array([0.5, 0.5]), np.array([0.5, 0.75]), 0.2499) == 1


# Sizes of the widths at K = 10, T = 1e6


def test_eq_sizes_of_the_widths():
    """2 d Lg = 125.28; sqrt(2 * 125.28 / q^i) > 1 until q^i = 250.6: in batches 1 to 5 (q^5 = 190.7, q^6 = 545.1)."""
    q, _ = batches.batch_schedule(T)
    assert 2 * D * batches.log_confidence(10, T) == pytest.approx(125.2796, abs=1e-4)
    for name in ("phased_elimination", *PRIVATE):
        trace = traces(name, 1.0, *draw(np.random.default_rng(3), 10, 2))
        wide = trace[:, WIDTH] > 1
        assert (trace[wide, ACTIVE] == 10).all()
        assert ROUNDS[wide].max() >= 291  # q + ... + q^5 = 291.8
        assert name in PRIVATE or ROUNDS[wide].max() <= 292 + 5 * 3  # rounding up: at most one more pull an action
