"""One test per displayed formula of Hanna et al. (arXiv 2207.03445): values by hand or in 40-digit arithmetic.

The widths are read off the traces of an instance whose designs are known without computing any: two actions that are
not parallel get half the pulls each, and once one is dropped the other gets all.
"""

import dataclasses
import math

import mpmath
import numpy as np
import pytest

from dpbandits.algorithms.phased_elimination import batches
from dpbandits.base.registry import ALGORITHMS
from dpbandits.environments.linear.linear import draw
from dpbandits.numerics.points import scaled_coordinates
from dpbandits.privacy.accounting import least_noise
from dpbandits.privacy.shuffled_laplace import largest_laplace_budget

mpmath.mp.dps = 40
T, D, B, DELTA = 10**6, 2, 1.5, 1e-6
ACTIONS, THETA = np.array([[1.0, 0.0], [0.6, 0.8]]), np.array([0.9, 0.1])  # means 0.9 and 0.62
ROUNDS = np.unique(np.append(np.geomspace(1, T, 3000).astype(np.int64), T))
PRIVATE = ["phased_elimination_central", "phased_elimination_local", "phased_elimination_shuffled"]
WHOLE, G_OPTIMAL = "phased_elimination_no_core_set", "phased_elimination_g_optimal"
READING = {"width": 1.0, "extra_batches": 0.0, "tolerance": 1e-3, "whole_maximum": 0.0, "reward_sd": 0.0}
SETTING = {**READING, "core_factor": B, "frank_wolfe": 0.0, "printed_width": 0.0, "delta": DELTA, "T": float(T)}
OUTPUTS = ("active", "core", "gamma", "noise_scale", "misses", "fallbacks", "bound")
ACTIVE, CORE, WIDTH, SCALE, MISSES, FALLBACKS, BOUND = (batches.OUTPUTS.index(name) for name in OUTPUTS)


def schedule(horizon):
    """q and L in 40 digits."""
    log_horizon = mpmath.log(horizon)
    return mpmath.power(2 * horizon, 1 / log_horizon), int(mpmath.floor(log_horizon - 1))


def traces(name, eps, actions=ACTIONS, theta=THETA, rounds=ROUNDS, seed=1, calibration="printed", **changes):
    algorithm = ALGORITHMS.module(name)
    setting = {**SETTING, "eps": eps, **changes}
    noise = {}
    if calibration == "certified":
        noise = {key: least_noise(request) for key, request in algorithm.requests(setting).items()}
    constants = vars(algorithm.params(calibration, setting, noise)).values()
    return algorithm.run(np.random.default_rng(seed), actions, theta, *constants, rounds)


def batches_of(trace):
    """(q^i, n_i, |A_i|, rows of the trace) of every batch of the two-action instance, from its column `active`."""
    q, last = schedule(T)
    return played(trace, (q**i for i in range(1, last + 1)))


def phases_of(trace):
    """The same for the phases of the G-optimal one: 2 d / e_l^2 ln(K l (l + 1) T), e_l = 2^-l; the last one is cut."""
    return played(trace, (2 * D * mpmath.mpf(4) ** k * mpmath.log(2 * k * (k + 1) * T) for k in range(1, 9)))


def played(trace, nominals):
    before = 0
    for nominal in nominals:
        if before >= T:
            return
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
    coordinates = scaled_coordinates(ACTIONS, 1e-9, 2)
    for i, pulls in enumerate([2, 5, 12, 34, 96], start=1):
        core, found = batches.core_set(coordinates, q**i, 1e-3)
        assert core.tolist() == [0, 1]
        assert found.tolist() == [pulls, pulls]


def test_eq_pulls_that_are_whole_are_not_rounded_up():
    for nominal, pulls in ((8.0, 4), (8.0 + 4e-15, 4), (8.0 + 1e-9, 5)):
        assert batches.core_set(scaled_coordinates(ACTIONS, 1e-9, 2), nominal, 1e-3)[1].tolist() == [pulls, pulls]


def test_eq_allocation_of_given_weights():
    """0.25, 0.6 and 0.15 of 10.0: 3, 6 and 2 pulls; the action of weight 0 is not in the core set."""
    core, pulls = batches.allocation(np.array([0.25, 0.0, 0.6, 0.15]), 10.0)
    assert core.tolist() == [0, 2, 3]
    assert pulls.tolist() == [3, 6, 2]


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
        (WHOLE, 0.5, 97.877488),
        (G_OPTIMAL, 0.5, 0.5),
    ],
)
def test_eq_width_of_the_first_batch(name, eps, first):
    """Lg = ln 8e12 = 29.710462, q = 2.858142, n_1 = 4: sqrt(8 Lg / q) = 9.119223; central: + (12 + 4 Lg) / (0.5 q) =
    91.5573; local: + 4 sqrt(4 Lg) / (0.5 q) = 30.51343; whole set: + (8 + 4 Lg) / (0.5 q) = 88.758265."""
    assert traces(name, eps)[0, WIDTH] == pytest.approx(first, rel=2e-6)


def assert_widths(name, eps, extra, scale, **changes):
    """Along a run that drops an action: width = sqrt(4 d Lg / q^i) + extra, and the noise scale of every batch."""
    trace = traces(name, eps, **changes)
    seen = set()
    for nominal, n, active, rows in batches_of(trace):
        seen.add(active)
        width = estimation_part(nominal, active) + extra(nominal, n, active, log_term(active))
        width *= changes.get("width", 1)
        np.testing.assert_allclose(rows[:, WIDTH], float(width), rtol=1e-13)
        np.testing.assert_allclose(rows[:, SCALE], float(scale(n)), rtol=1e-12)
        assert (rows[:, CORE] == active).all()
    assert seen == {1, 2}
    np.testing.assert_array_equal(trace[-1, 1:MISSES], rows[-1, 1:MISSES])  # after the last batch: of the last batch


def test_eq_width_without_noise():
    assert_widths("phased_elimination", 1.0, lambda nominal, n, active, lg: 0, lambda n: 0)


def test_eq_width_central():
    assert_widths(
        "phased_elimination_central",
        0.5,
        lambda nominal, n, active, lg: (2 * mpmath.mpf(B) * D**2 + 2 * D * lg) / (mpmath.mpf(0.5) * nominal),
        lambda n: 2,
    )


def test_eq_width_local():
    assert_widths(
        "phased_elimination_local",
        8.0,
        lambda nominal, n, active, lg: 2 * D / (nominal * 8) * mpmath.sqrt(n * lg),
        lambda n: 0.125,
    )


def test_eq_width_shuffled():
    """eps0 of a batch solves f_{n_i}(eps0) = eps, found here by bisection in 40 digits."""

    def local(n):
        return mpmath.findroot(lambda x: amplified(x, n) - 2, (0.01, 30), solver="bisect", maxsteps=200)

    assert_widths(
        "phased_elimination_shuffled",
        2.0,
        lambda nominal, n, active, lg: 2 * D / (nominal * local(n)) * mpmath.sqrt(n * lg),
        lambda n: 1 / local(n),
    )


def test_eq_width_shuffled_certified():
    """The scale of a batch is 2 over the largest local epsilon that is proven for ceil(q^i) reports."""

    def scale(nominal):
        return 2 / largest_laplace_budget(2.0, int(mpmath.ceil(nominal)), DELTA)

    trace = traces("phased_elimination_shuffled", 2.0, calibration="certified")
    seen = set()
    for nominal, n, active, rows in batches_of(trace):
        seen.add(active)
        noise = 2 * D / nominal * scale(nominal) * mpmath.sqrt(n * log_term(active))
        np.testing.assert_allclose(rows[:, WIDTH], float(estimation_part(nominal, active) + noise), rtol=1e-13)
        assert (rows[:, SCALE] == scale(nominal)).all()
    assert seen == {1, 2}


@pytest.mark.parametrize("frank_wolfe", [0.0, 1.0])
def test_eq_width_of_the_whole_set_counts_its_noise_terms(frank_wolfe):
    """2 d |A_i| in place of 2 B d^2: 8, then 4, where the printed width has 12."""
    assert_widths(
        WHOLE,
        0.5,
        lambda nominal, n, active, lg: (2 * D * active + 2 * D * lg) / (mpmath.mpf(0.5) * nominal),
        lambda n: 2,
        frank_wolfe=frank_wolfe,
    )


def test_eq_printed_width_of_the_whole_set():
    assert_widths(
        WHOLE,
        0.5,
        lambda nominal, n, active, lg: (2 * mpmath.mpf(B) * D**2 + 2 * D * lg) / (mpmath.mpf(0.5) * nominal),
        lambda n: 2,
        printed_width=1.0,
    )


@pytest.mark.parametrize("arms", [5, 30])
def test_eq_whole_set_pulls_every_action_equally_often(arms):
    """First batch, arms on the half circle: ceil(q / K) = 1 pull each, noise terms 2 d K; d = 2, T = 1e6."""
    angles = np.pi * np.arange(arms) / arms
    actions = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    trace = traces(WHOLE, 0.5, actions, rounds=np.array([arms, arms + 1, T]))
    q, _ = schedule(T)
    first, second = ((4 * arms + 4 * log_term(arms)) / (mpmath.mpf(0.5) * q**i) for i in (1, 2))
    assert trace[0, WIDTH] == pytest.approx(float(mpmath.sqrt(8 * log_term(arms) / q) + first), rel=1e-13)
    assert trace[1, WIDTH] == pytest.approx(float(mpmath.sqrt(8 * log_term(arms) / q**2) + second), rel=1e-13)
    assert trace[0, 0] == pytest.approx((actions @ THETA).max() * arms - (actions @ THETA).sum(), rel=1e-12)
    assert (trace[:2, CORE] == arms).all()


def test_eq_phases_of_the_g_optimal_algorithm():
    """T = 1e6, K = 2: 16 ln 4e6 = 243.2, 64 ln 12e6 = 1043.2, 256 ln 24e6 = 4350.4; gamma = 2^-l."""
    lengths = [243.228879, 1043.226701, 4350.352483]
    trace = traces(G_OPTIMAL, 1.0)
    seen = []
    for k, (nominal, _, active, rows) in enumerate(phases_of(trace), start=1):
        seen.append(active)
        if k <= len(lengths):
            assert float(nominal) == pytest.approx(lengths[k - 1], abs=1e-4)
        assert (rows[:, WIDTH] == 2.0**-k).all()
        assert (rows[:, SCALE] == 0).all()
        assert (rows[:, CORE] == active).all()
    assert seen[0] == 2
    assert seen[-1] == 1


@pytest.mark.parametrize(("width", "active"), [(1.0, 2), (0.25, 1)])
def test_eq_width_multiplies_the_threshold_of_the_g_optimal_algorithm(width, active):
    """Gap 0.72: after the first phase, 244 pulls, it is kept at 2 e_1 = 1 and gone at a quarter of that."""
    trace = traces(G_OPTIMAL, 1.0, actions=ACTIONS, theta=np.array([1.0, -0.4]), width=width)  # means 1 and 0.28
    assert trace[0, WIDTH] == 0.5 * width
    assert trace[np.searchsorted(ROUNDS, 245), ACTIVE] == active


# The bound on the regret


@pytest.mark.parametrize("width", [1.0, 0.2])
@pytest.mark.parametrize("name", ["phased_elimination", *PRIVATE, WHOLE, G_OPTIMAL])
def test_eq_bound_on_the_regret(name, width):
    """sum_i n_i min(2, 4 gamma_{i-1}), gamma_0 infinite, and the rest at min(2, 2 gamma_L), at every checkpoint."""
    trace = traces(name, 4.0, width=width)
    expected, total, before, proven = np.empty(len(ROUNDS)), 0.0, 0, np.inf
    for _, n, _, rows in (phases_of if name == G_OPTIMAL else batches_of)(trace):
        cost = min(2.0, 4.0 * proven)
        inside = (before < ROUNDS) & (before + n >= ROUNDS)
        expected[inside] = total + (ROUNDS[inside] - before) * cost
        total, before, proven = total + n * cost, before + n, rows[0, WIDTH]
    rest = before < ROUNDS
    expected[rest] = total + (ROUNDS[rest] - before) * min(2.0, 2.0 * proven)
    np.testing.assert_allclose(trace[:, BOUND], expected, rtol=1e-12)
    assert rest.any() == (name != G_OPTIMAL)
    assert (np.diff(trace[:, BOUND]) < 1.9 * np.diff(ROUNDS)).any()


@pytest.mark.parametrize("name", ["phased_elimination_central", WHOLE, "phased_elimination_local"])
def test_eq_certified_scale_is_twice_the_printed_one(name):
    algorithm = ALGORITHMS.module(name)
    assert dataclasses.astuple(algorithm.requests({"eps": 0.4})["noise_scale"]) == ("laplace", 2.0, 0.4, 0.0, 1)
    assert algorithm.params("printed", {**SETTING, "eps": 0.4}, {}).noise_scale == 2.5
    assert algorithm.params("certified", {**SETTING, "eps": 0.4}, {"noise_scale": 5.0}).noise_scale == 5.0


# Estimate and elimination


def test_eq_least_squares_by_hand():
    """Pulls 4 and 1, sums 2 and -1 on (1, 0) and (0.6, 0.8): theta = (1/2, -13/8), (0.6, -0.8) gets 0.3 + 1.3."""
    actions = np.array([[1.0, 0.0], [0.6, 0.8], [0.6, -0.8]])
    values = batches.estimates(
        scaled_coordinates(actions, 1e-9, 3), np.array([0, 1]), np.array([4, 1]), np.array([2.0, -1.0])
    )
    np.testing.assert_allclose(values, [0.5, -1.0, 1.6], rtol=1e-14)


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_eq_least_squares_is_the_pseudo_inverses(rank):
    rng = np.random.default_rng(rank)
    actions = rng.normal(size=(9, rank)) @ rng.normal(size=(rank, 3))
    core, pulls, sums = np.array([0, 2, 3, 5, 8]), np.array([3, 10, 1, 7, 2]), rng.normal(size=5)
    points = actions[core]
    theta = np.linalg.pinv(points.T @ (pulls[:, None] * points), rcond=1e-10) @ (sums @ points)
    values = batches.estimates(scaled_coordinates(actions, 1e-9, 9), core, pulls, sums)
    np.testing.assert_allclose(values, actions @ theta, rtol=1e-9)


def test_eq_elimination_keeps_what_is_within_twice_the_width():
    """0.5 - 2 * 0.125 = 0.25 stays, the next smaller number goes."""
    kept, best = batches.survivors(np.array([0.25, np.nextafter(0.25, 0), 0.5, -3.0, 0.5]), 0.125, 0.5)
    assert kept.tolist() == [0, 2, 4]
    assert best == 2
    assert batches.survivors(np.array([0.25, 0.5]), 0.125, 0.75)[0].tolist() == [1]
    assert batches.survivors(np.array([0.25, 0.5]), 0.125, 0.76)[0].tolist() == []


def progress_of(actions, theta=(0.0, 0.0), **reading):
    setting = batches.reading_of({**READING, **reading})
    return batches.start(np.array(actions), np.array(theta), setting, np.array([100]))


def eliminated(progress, active, sums, width):
    """After ten pulls of every active action with those sums: the best one, the survivors, the fallbacks so far."""
    coordinates = batches.coordinates_of(progress.actions, np.array(active))
    core = np.arange(len(active))
    pulls = np.full(len(active), 10)
    best, kept = batches.eliminate(progress, np.array(active), coordinates, core, pulls, np.array(sums), width)
    return best, kept.tolist(), int(progress.state[FALLBACKS])


CORNERS = [[0.6, 0.8], [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]]


@pytest.mark.parametrize(
    ("whole", "active", "sums", "width", "found"),
    [
        # theta = (1, 1): active estimates 1 and 1, the dropped action 0 has 1.4
        (0.0, [1, 2], [10.0, 10.0], 0.1, (1, [1, 2], 0)),
        (1.0, [1, 2], [10.0, 10.0], 0.1, (1, [1], 1)),  # 1.4 - 0.2 > 1: nobody survives, the best one stays
        (1.0, [1, 2], [10.0, 10.0], 0.25, (1, [1, 2], 0)),  # 1.4 - 0.5 < 1
        # theta = (0.8, 1): estimates 0.8 and 1, dropped 1.28
        (0.0, [1, 2], [8.0, 10.0], 0.15, (2, [1, 2], 0)),
        (1.0, [1, 2], [8.0, 10.0], 0.15, (2, [2], 0)),  # 0.98 is between them
        (1.0, [1, 2], [8.0, 10.0], 0.1, (2, [2], 1)),
        # only action 1 is active, theta = (-0.5, 0) on its line: action 3 has 0.5, action 0 counts by its projection
        (0.0, [1], [-5.0], 0.1, (1, [1], 0)),
        (1.0, [1], [-5.0], 0.1, (1, [1], 1)),
        (1.0, [1], [-5.0], 0.6, (1, [1], 0)),
        # all are active, theta = (0.6, 1.6) / 3.64: estimates 0.451, 0.165, 0.440, -0.165
        (0.0, [0, 1, 2, 3], [10.0, 0.0, 0.0, 0.0], 0.1, (0, [0, 2], 0)),
        (1.0, [0, 1, 2, 3], [10.0, 0.0, 0.0, 0.0], 0.1, (0, [0, 2], 0)),
    ],
)
def test_eq_elimination_against_the_whole_set(whole, active, sums, width, found):
    """Algorithms 1 and 3 print the maximum over all of A, where no active action may be near it."""
    assert eliminated(progress_of(CORNERS, whole_maximum=whole), active, sums, width) == found


def test_fallbacks_add_up():
    progress = progress_of(CORNERS, whole_maximum=1.0)
    found = [eliminated(progress, [1, 2], sums, 0.1)[2] for sums in ([10.0, 10.0], [10.0, 0.0], [10.0, 10.0])]
    assert found == [1, 1, 2]


def test_eq_sums_are_those_of_the_active_actions_in_the_core_set():
    """Means 1, -1 and 0.6; rewards of mean 1 and -1 have no variance."""
    progress = progress_of([[1.0, 0.0], [-1.0, 0.0], [0.6, 0.8]], (1.0, 0.0))
    rng = np.random.default_rng(1)
    sums = batches.reward_sums(rng, progress, np.array([2, 1, 0]), np.array([1, 2]), np.array([7, 3]))
    assert sums.tolist() == [-7.0, 3.0]
    normal = progress_of([[1.0, 0.0], [-1.0, 0.0]], (1.0, 0.0), reward_sd=1e-6)
    sums = batches.reward_sums(rng, normal, np.array([1, 0]), np.array([0, 1]), np.array([7, 3]))
    np.testing.assert_allclose(sums, [-7.0, 3.0], atol=1e-4)
    assert (sums != [-7.0, 3.0]).all()


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
