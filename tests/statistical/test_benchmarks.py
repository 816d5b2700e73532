"""Every side of the comparison of kernels plays by the distribution of ours: a rival that does other work would be no
rival.

The same functions are timed. Faults, each of one constant, are found by the same test with 100 runs; of the sides that
are slower than that, which are looked at with fewer, it would find less.
"""

import math

import numba
import numpy as np
import pytest
from scipy import stats

from benchmarks import peers
from benchmarks.families import MAKERS, events, linucb, linucb_ldp, phases, ucb1
from benchmarks.timing import seed_by_seed
from dpbandits.numerics.statistics import holm

SIGNIFICANCE = 1e-3  # family-wise, over all sides, families and checkpoints
FEW = np.array([12, 30, 100, 300])
CHECKPOINTS = {
    "ucb1": FEW,
    "thompson": FEW,
    "linucb": FEW,
    "linucb_ldp_5": FEW,
    "linucb_ldp_15": FEW,
    "vector_sum": np.array([20, 100, 300]),
    "anytime_lazy_ucb": np.array([10, 100, 1000, 10000]),
    "lazy_dp_ts": np.array([10, 100, 1000, 10000]),
    "dp_se": np.array([1000, 20000, 60000, 200000]),
    "phased_elimination_central": np.array([1000, 10000, 100000]),
    "by_arm": np.array([30, 100, 200]),
}
RIDGES = {5: 150.0, 15: 250.0}  # of local noise, by dimension: such that it shows within so few rounds
RUNS = 600  # of the sides that are fast
SLOW = {"numpy": 150, "literal": 30, "smpybandits": 150, "mabwiser": 60}
APART = 10**6  # between the seeds of two sides


def regrets(play, name, place, runs):
    """(runs, checkpoints), rounded: gaps are added in different orders."""
    return np.round(play(place * APART, runs, CHECKPOINTS[name]), 6)


def p_values(one, other):
    """Kolmogorov-Smirnov at every checkpoint, and on the increments between them."""
    pairs = zip([*one.T, *np.diff(one).T], [*other.T, *np.diff(other).T], strict=True)
    return [stats.ks_2samp(x, y, method="asymp").pvalue for x, y in pairs]


@pytest.fixture(scope="module")
def families():
    local = {f"linucb_ldp_{d}": linucb_ldp.family_of(d, ridge) for d, ridge in RIDGES.items()}
    yield {name: local.get(name) or MAKERS[name]() for name in CHECKPOINTS}
    if found := peers.peer():
        found.close()


@pytest.fixture(scope="module")
def shipped(families):
    return {name: regrets(family.sides[0].play, name, 1, RUNS) for name, family in families.items()}


@pytest.mark.slow
def test_every_side_has_the_distribution_of_ours(families, shipped):
    found = {}
    for name, family in families.items():
        assert np.ptp(shipped[name], axis=0).any(), f"{name}: nothing is random"
        for place, side in enumerate(family.sides[1:], 2):
            if not side.bound:
                other = regrets(side.play, name, place, SLOW.get(side.name, RUNS))
                assert other.shape == (SLOW.get(side.name, RUNS), len(CHECKPOINTS[name]))
                found[name, side.name] = p_values(shipped[name], other)
                print(
                    f"{name}, {side.name}: smallest of {len(found[name, side.name])}: {min(found[name, side.name]):.3g}"
                )
    adjusted = iter(holm([p for values in found.values() for p in values]))
    least = {side: min(next(adjusted) for _ in values) for side, values in found.items()}
    assert {side: p for side, p in least.items() if p < SIGNIFICANCE} == {}


def test_every_family_is_looked_at():
    """The long runs are by our kernels alone."""
    assert set(MAKERS) == {*CHECKPOINTS, *(name for name in MAKERS if name.endswith("_long"))}
    for name in MAKERS:
        if name.endswith("_long"):
            ours, short = MAKERS[name]().sides
            assert ours.play is short.play
            assert name.removesuffix("_long") in CHECKPOINTS


@pytest.mark.parametrize(
    ("name", "missing"),
    [
        *(("ucb1", "c"), ("linucb", "c")),
        *(("ucb1", "smpybandits"), ("ucb1", "mabwiser"), ("thompson", "smpybandits"), ("thompson", "mabwiser")),
    ],
)
def test_what_needs_a_compiler_or_the_peers_is_looked_at(families, name, missing):
    for side in families[name].left_out:
        if side.name == missing:
            pytest.skip(f"{side.label}: {side.why}")
    assert missing in [side.name for side in families[name].sides]


@numba.njit(error_model="numpy")
def bandit(rng, means, checkpoints, constant, prior):
    """UCB1 with that constant for 2; or Thompson sampling with Beta(prior, prior), where the constant is 0."""
    arms = len(means)
    wins, n, regret = np.zeros(arms), np.zeros(arms), np.zeros(len(checkpoints))
    index, row = np.empty(arms), 0
    for t in range(1, checkpoints[-1] + 1):
        for j in range(arms):
            if constant == 0.0:
                index[j] = rng.beta(wins[j] + prior, n[j] - wins[j] + prior)
            elif n[j] == 0.0:
                index[j] = math.inf
            else:
                index[j] = wins[j] / n[j] + math.sqrt(constant * math.log(t) / n[j])
        first = np.flatnonzero(index == np.max(index))
        i = first[int(rng.random() * len(first))]
        wins[i] += 1.0 if rng.random() < means[i] else 0.0
        n[i] += 1.0
        if t == checkpoints[row]:
            regret[row] = np.sum(n * (np.max(means) - means))
            row += 1
    return regret


def bandit_play(constant, prior):
    return seed_by_seed(lambda rng, checkpoints: bandit(rng, ucb1.MEANS, checkpoints, constant, prior))


def local_play(sd):
    return linucb_ldp.ours(*linucb.instance(linucb_ldp.ARMS, 5), RIDGES[5], sd)


def linucb_play(scale):
    numbers = (1, linucb.RIDGE, linucb.RADIUS._replace(scale=scale))
    run = linucb.linucb.run
    return seed_by_seed(lambda rng, checkpoints: run(rng, linucb.FEATURES, linucb.THETA, *numbers, checkpoints)[:, 0])


def lazy_play(bonus):
    numbers = (events.MEANS, events.EPS, events.EXPLORATION, bonus)
    return seed_by_seed(lambda rng, checkpoints: events.anytime_lazy_ucb_rounds(rng, *numbers, checkpoints))


def lazy_thompson_play(bonus):
    numbers = (events.MEANS, events.EPS, bonus)
    return seed_by_seed(lambda rng, checkpoints: events.lazy_thompson_rounds(rng, *numbers, checkpoints))


def elimination_play(eps):
    return seed_by_seed(lambda rng, checkpoints: phases.elimination_rounds(rng, phases.MEANS, eps, checkpoints))


def phased_play(factor):
    numbers = (*phases.instance(), phases.READING, factor, phases.NOISE_SCALE)
    return seed_by_seed(lambda rng, checkpoints: phases.phased_rounds(rng, *numbers, checkpoints))


SOUND_AND_FAULTY = {
    "constant 1 in UCB1": ("ucb1", bandit_play, (2.0, 1.0), (1.0, 1.0)),
    "Beta(10, 10) as prior": ("thompson", bandit_play, (0.0, 1.0), (0.0, 10.0)),
    "half the radius of LinUCB": ("linucb", linucb_play, (1.0,), (0.5,)),
    "no local noise": ("linucb_ldp_5", local_play, (1.0,), (0.0,)),
    "bonus 1 of Lazy-UCB": ("anytime_lazy_ucb", lazy_play, (3.0,), (1.0,)),
    "bonus 1 of Lazy-TS": ("lazy_dp_ts", lazy_thompson_play, (3.0,), (1.0,)),
    "four times the budget of DP-SE": ("dp_se", elimination_play, (0.25,), (1.0,)),
    "a width without noise": ("phased_elimination_central", phased_play, (1.5,), (0.0,)),
}


@pytest.mark.parametrize("what", SOUND_AND_FAULTY)
def test_a_fault_is_found(what, shipped):
    name, play_of, sound, faulty = SOUND_AND_FAULTY[what]
    fine, wrong = (p_values(shipped[name], regrets(play_of(*numbers), name, 9, 100)) for numbers in (sound, faulty))
    print(f"{what}: {min(fine):.3g} without, {min(wrong):.3g} with it")
    assert holm(fine).min() > SIGNIFICANCE
    assert holm(wrong).min() < SIGNIFICANCE
