"""CUCB and its private versions: runs against transcriptions, identities between them, and negative indices."""

from itertools import pairwise

import numpy as np
import pytest

from dpbandits.algorithms.semi_bandit import trees
from dpbandits.algorithms.semi_bandit.super_arms import LOWEST, RAISED, RANDOM

from .semi_bandits import DRAWS, column, drawn, in_plain_python, recorded, trace, uneven
from .super_arms import reward_at

T = 200
EVERY_ROUND = range(1, T + 1)
CALM = [  # no index is negative, and arms are told apart
    ("cucb", {}),
    ("cucb", {"anytime": 1.0}),
    ("cucb_ldp1", {"eps": 40.0, "width": 0.4}),
    ("cucb_ldp1", {"eps": 40.0, "width": 0.2, "k_squared": 1.0}),
    ("cucb_ldp1", {"eps": 20.0, "calibration": "certified"}),
    ("cucb_ldp2", {"eps": 40.0, "width": 0.4, "calibration": "tuned"}),
    ("cucb_ldp2", {"eps": 40.0, "calibration": "certified"}),
    *(
        (name, {"eps": 100.0, "width": 0.002, "cucb_root": 1.0, **changes})
        for name in ("cucb_dp", "cucb_dp_least")
        for changes in ({}, {"over_rounds": 1.0}, {"base_two": 1.0})
    ),
    ("cucb_dp", {"eps": 100.0, "width": 0.002, "calibration": "tuned"}),
    *(
        (name, {"eps": 300.0, "over_rounds": over_rounds, "calibration": "certified"})
        for name in ("cucb_dp", "cucb_dp_least")
        for over_rounds in (0.0, 1.0)
    ),
]
NEGATIVE = [
    (name, {**changes, "fallback": float(negative)})
    for negative in (RANDOM, LOWEST, RAISED)
    for name, changes in (
        ("cucb_ldp1", {"eps": 5.0, "width": 0.05}),
        ("cucb_ldp2", {"eps": 5.0, "width": 0.05}),
        ("cucb_dp", {"eps": 2.0, "width": 1e-4, "cucb_root": 1.0}),
        ("cucb_dp", {"eps": 2.0, "width": 1e-4, "cucb_root": 1.0, "over_rounds": 1.0}),
        ("cucb_dp_least", {"eps": 2.0, "width": 1e-4, "cucb_root": 1.0}),
    )
]


# Against the transcriptions


@pytest.mark.parametrize(("name", "changes"), CALM)
def test_runs_are_their_transcriptions(name, changes):
    """Regret after every round, no two super arms having one gap: the same super arms."""
    different, changed = 0, 0
    for problem in [uneven(each) for each in DRAWS]:
        regrets, arms, negative = recorded(name, 3, problem, T, **changes)
        np.testing.assert_allclose(trace(name, 3, problem, EVERY_ROUND, **changes)[:, 0], regrets, atol=1e-9)
        assert not negative.any()
        different += len({tuple(S) for S in arms}) > 2
        changed += sum(one != other for one, other in pairwise(arms))
    assert different >= len(DRAWS) - 1
    assert changed > 100


@pytest.mark.parametrize(("name", "changes"), NEGATIVE)
def test_runs_are_their_transcriptions_where_indices_are_negative(name, changes):
    begun, ended = 0, 0
    for problem in [uneven(each) for each in DRAWS]:
        regrets, _, negative = recorded(name, 3, problem, T, **changes)
        found = trace(name, 3, problem, EVERY_ROUND, **changes)
        np.testing.assert_allclose(found[:, 0], regrets, atol=1e-9)
        np.testing.assert_array_equal(column(found, "negative_rounds"), np.cumsum(negative))
        begun += negative.any()
        ended += (np.diff(negative.astype(int)) < 0).any()
    assert begun >= len(DRAWS) - 2
    assert changes["fallback"] == RAISED or ended >= len(DRAWS) - 3


@pytest.mark.parametrize("name", ["paths", "public"])
def test_runs_are_their_transcriptions_when_raised_indices_recover(name):
    """It takes an arm whose index is negative in a super arm that is chosen all the same."""
    changes, recovered = {"eps": 5.0, "width": 0.3, "fallback": RAISED}, 0
    for seed in range(40):
        problem = uneven(name, seed)
        regrets, _, negative = recorded("cucb_ldp1", seed, problem, 100, **changes)
        found = trace("cucb_ldp1", seed, problem, range(1, 101), **changes)
        np.testing.assert_allclose(found[:, 0], regrets, atol=1e-9)
        recovered += (np.diff(negative.astype(int)) < 0).any()
    assert recovered > 4


def test_the_least_updated_arm_with_the_printed_root():
    """As above; it takes longer until indices fall below 1."""
    changes, changed = {"eps": 100.0, "width": 0.002}, 0
    for name in ("bandit", "paths", "public, least"):
        regrets, arms, _ = recorded("cucb_dp_least", 3, uneven(name), 800, **changes)
        found = trace("cucb_dp_least", 3, uneven(name), range(1, 801), **changes)
        np.testing.assert_allclose(found[:, 0], regrets, atol=1e-9)
        changed += sum(one != other for one, other in pairwise(arms))
    assert changed > 100


# Identities


@pytest.mark.parametrize("calibration", ["printed", "tuned", "certified"])
@pytest.mark.parametrize(("eps", "width"), [(0.5, 1.0), (5.0, 0.1), (20.0, 0.3)])
def test_algorithms_1_and_2_are_one_for_single_arms(eps, width, calibration):
    """To the bit, whatever else is chosen; for larger super arms they differ."""
    rounds = range(1, 2001)
    for negative in (RANDOM, LOWEST, RAISED):
        for square in (0.0, 1.0):
            for name, same in (("bandit", True), ("paths", False)):
                constants = {"eps": eps, "width": width, "fallback": negative, "k_squared": square}
                one, other = (
                    trace(each, 5, uneven(name), rounds, calibration, **constants)
                    for each in ("cucb_ldp1", "cucb_ldp2")
                )
                assert np.array_equal(one, other) == same


@pytest.mark.parametrize(("size", "same"), [(4, True), (3, False)])
def test_half_the_bonus_with_the_square_is_the_printed_one_for_four_arms(size, same):
    """K^2 / 4 = K; every step is exact in binary."""
    for eps in (0.7, 20.0):
        for seed in range(5):
            problem = drawn("paths", seed, size=size, reward="bottleneck")
            one, other = (
                trace("cucb_ldp1", seed, problem, range(1, 3001), eps=eps, width=width, k_squared=square)
                for width, square in ((1.0, 0.0), (0.5, 1.0))
            )
            assert np.array_equal(one, other) == same


@pytest.mark.parametrize("over_rounds", [0.0, 1.0])
@pytest.mark.parametrize("problem", ["bandit", "public", "grid", "coverage"])
def test_trees_without_noise_and_its_bonus_leave_cucb(problem, over_rounds, monkeypatch):
    """To the bit, with ln T in the place of ln t; draws of the noise apart, for they would move the outcomes."""
    run = in_plain_python(monkeypatch, "cucb_dp")
    monkeypatch.setattr(trees, "advance", lambda *_: 0.0)
    monkeypatch.setattr(trees, "advance_to", lambda *_: 0.0)
    rounds = np.array([10, 51, 400])
    for seed in range(3):
        rng, instance = np.random.default_rng(seed), uneven(problem, seed)
        constants = (1.0, 7.0, 0.0, 1, 0, int(over_rounds), RANDOM)  # scale 7, width 0, steady 1, not certified
        private = run(rng, instance, *constants, rounds)
        np.testing.assert_array_equal(private, trace("cucb", seed, instance, rounds))


# Negative indices


def always_the_first(rng, problem, arm, chosen):
    """The trap."""
    chosen[0] = 0
    return 1


def test_a_fixed_super_arm_is_played_for_ever_and_a_random_one_is_not():
    """From some round on: with a fixed one every round has a negative index, with a random one none has.

    Indices raised to 0 stay negative, but they decide what is played.
    """
    constants, horizon = {"eps": 5.0, "width": 0.05}, 400
    last, trapped = horizon // 2, []
    for seed in range(12):
        problem = uneven("bandit", seed)
        _, arms, negative = recorded("cucb_ldp2", seed, problem, horizon, any_super_arm=always_the_first, **constants)
        if negative[-1]:
            trapped.append(seed)
            assert negative[last:].all()
            assert all(arms[t] == [0] for t in range(last, horizon))
    assert len(trapped) >= 6
    for policy in (RANDOM, LOWEST):
        for seed in trapped:
            found = trace("cucb_ldp2", seed, uneven("bandit", seed), [last, horizon], fallback=policy, **constants)
            before, after = column(found, "negative_rounds")
            assert 0 < before == after
    raised = [recorded("cucb_ldp2", s, uneven("bandit", s), horizon, fallback=RAISED, **constants) for s in trapped]
    assert all(negative[-1] for _, _, negative in raised)
    assert len({arms[-1][0] for _, arms, _ in raised}) > 2


# Outputs


@pytest.mark.parametrize("horizon", [1, 2, 7, 200, 201])
@pytest.mark.parametrize("name", ["bandit", "paths, least", "public", "coverage"])
def test_outputs_are_what_a_recount_finds(name, horizon):
    """With three different values: alpha times the best, the best, the oracle's."""
    problem, changes = uneven(name), {"eps": 2.0, "width": 1e-4, "cucb_root": 1.0}
    rounds = sorted({1, horizon // 2, horizon // 2 + 1, horizon} - {0})
    found = trace("cucb_dp", 3, problem, rounds, **changes)
    _, arms, negative = recorded("cucb_dp", 3, problem, horizon, **changes)
    rewards = np.array([reward_at(problem, problem.means, S) for S in arms])
    target, best, oracle = problem.values
    assert target < oracle < best
    for row, t in zip(found, rounds, strict=True):
        so_far = rewards[:t]
        late = (target - rewards[horizon // 2 : t]).sum()
        expected = [*((value - so_far).sum() for value in (target, best, oracle)), (so_far < target).mean(), late]
        np.testing.assert_allclose(row[:6], [*expected, negative[:t].sum()], atol=1e-9)
    if horizon > 100:
        assert 0 < negative.sum() < horizon
        assert (rewards < target).mean() > 0


def test_regret_after_half_of_the_horizon_by_hand():
    """One super arm, whose gap is made 1: half of 7 rounds are 3."""
    problem = drawn("bandit", bad=0)
    problem = problem._replace(values=problem.values + np.array([1.0, 0.5, 0.25]))
    found = trace("cucb", 0, problem, [1, 3, 4, 7])
    assert column(found, "late_regret").tolist() == [0, 0, 1, 4]
    assert column(found, "regret").tolist() == [1, 3, 4, 7]
    assert column(found, "exact").tolist() == [0.5, 1.5, 2, 3.5]
    assert column(found, "greedy").tolist() == [0.25, 0.75, 1, 1.75]
    assert column(found, "suboptimal").tolist() == [1, 1, 1, 1]
    assert column(found, "fluid").tolist() == [7, 7, 7, 7]
    assert column(trace("cucb", 0, problem, [1]), "late_regret").tolist() == [1]


def test_gaps_of_rounding_are_none():
    """The best value is 0.1 + 0.2, which is a little more than twice 0.15."""
    problem = drawn("paths", bad=0, size=2)
    problem = problem._replace(means=np.array([0.15, 0.15]), values=np.full(3, 0.1 + 0.2))
    found = trace("cucb", 0, problem, [9])
    assert 0 < column(found, "regret")[0] < 1e-14
    assert column(found, "suboptimal").tolist() == [0]
