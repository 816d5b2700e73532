"""Super arms that are listed: instances by hand, and the oracle against plain Python over all of them."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from dpbandits.environments.combinatorial import disjoint_sets, public_arms, public_bottleneck
from dpbandits.environments.combinatorial.oracles import listed, oracle
from dpbandits.environments.combinatorial.problem import BEST_OF, BOTTLENECK, LINEAR, LISTED, PRODUCT

from .semi_bandits import LISTS, drawn, members_of
from .super_arms import REWARDS, chosen_by, reward_at
from .test_decision_sets import vectors

SIGNIFICANCE = 1e-3
RUNS = 1500
every = pytest.mark.parametrize("name", LISTS)


def sets_of(problem):
    return [members_of(problem, s) for s in range(len(problem.own))]


def without_last(problem):
    """With one own arm less in the first super arm that has two."""
    own = problem.own.copy()
    own[np.argmax(own[:, -1] >= 0), -1] = -1
    return problem._replace(own=own)


# Instances


@pytest.mark.parametrize("reward", ["linear", "bottleneck"])
def test_disjoint_sets_by_hand(reward):
    (problem,) = disjoint_sets.draw(np.random.default_rng(0), 3, 2, 0.125, reward)
    assert (problem.kind, problem.size) == (LISTED, 2)
    assert sets_of(problem) == [[0, 1], [2, 3], [4, 5], [6, 7]]
    by_set = problem.means.reshape(4, 2)
    assert (by_set[:, 0] == by_set[:, 1]).all()
    assert sorted(by_set[:, 0].tolist()) == [0.375, 0.375, 0.375, 0.5]
    if reward == "linear":
        assert (problem.reward, problem.coins.tolist(), problem.values[0]) == (LINEAR, [0, 0, 1, 1, 2, 2, 3, 3], 1.0)
    else:
        assert (problem.reward, problem.coins.tolist(), problem.values[0]) == (BOTTLENECK, [0] * 8, 0.5)


def test_public_arms_by_hand():
    """K = 3: S* is 0, 1, 2; private arms 3 to 6, public ones 7 and 8 with one coin; gap 0.75 in all."""
    (problem,) = public_arms.draw(np.random.default_rng(0), 4, 3, 0.75)
    assert (problem.kind, problem.reward, problem.size) == (LISTED, LINEAR, 3)
    assert problem.means.tolist() == [0.5] * 3 + [0.25] * 6
    assert problem.coins.tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 7]
    assert sorted(sets_of(problem)) == [[0, 1, 2], [3, 7, 8], [4, 7, 8], [5, 7, 8], [6, 7, 8]]
    assert problem.values.tolist() == [1.5] * 3


def test_public_bottleneck_by_hand():
    """K = 3: private arms 0 to 4, public ones 5 and 6."""
    (problem,) = public_bottleneck.draw(np.random.default_rng(0), 4, 3, 0.25)
    assert (problem.kind, problem.reward, problem.size) == (LISTED, BOTTLENECK, 3)
    assert sorted(problem.means.tolist()) == [0.25] * 4 + [0.5] + [0.9] * 2
    assert problem.means[5:].tolist() == [0.9, 0.9]
    assert problem.coins.tolist() == [0] * 7
    assert sets_of(problem) == [[i, 5, 6] for i in range(5)]
    assert problem.values.tolist() == [0.5] * 3


@every
def test_values_are_the_best_of_all_at_a_random_place(name):
    places = Counter()
    for seed in range(RUNS):
        problem = drawn(name, seed)
        rewards = np.array([reward_at(problem, problem.means, arms) for arms in sets_of(problem)])
        if seed < 20:
            assert problem.values == pytest.approx([rewards.max()] * 3, abs=1e-15)
        places[int(rewards.argmax())] += 1
    assert len(places) == len(problem.own)
    assert stats.chisquare(list(places.values())).pvalue > SIGNIFICANCE


@every
def test_arms_of_one_coin_stand_together(name):
    """What kernels that draw a coin once rely on."""
    problem = drawn(name)
    for arms in sets_of(problem):
        coins = [int(problem.coins[i]) for i in arms]
        runs = sum(one != other for one, other in pairwise(coins)) + 1
        assert runs == len(set(coins))


@pytest.mark.parametrize(
    ("module", "arguments", "says"),
    [
        (disjoint_sets, (3, 2, 0.51, "linear"), "means 0.5 - 0.51 do not lie"),
        (public_arms, (3, 2, 1.01), "means 0.5 - 1.01 / 2 do not lie"),
        (public_bottleneck, (3, 2, 0.51), "means 0.5 - 0.51 do not lie"),
    ],
)
def test_impossible_gaps_are_refused(module, arguments, says):
    with pytest.raises(ValueError, match=says):
        module.draw(np.random.default_rng(0), *arguments)


# Oracle


def choose(values, problem, reward, chosen):
    return oracle.choose(problem, reward, values, chosen)


@every
@pytest.mark.parametrize("reward", [LINEAR, BOTTLENECK, BEST_OF, PRODUCT])
def test_the_first_of_the_best_is_chosen(name, reward):
    """Indices of few values, with many ties; also with one super arm smaller than the others, where it can be."""
    problem = drawn(name)
    for instance in [problem, without_last(problem)] if problem.own.shape[1] > 1 else [problem]:
        sets = sets_of(instance)
        for index in vectors(len(instance.means), 200):
            least = listed.LEAST if reward == PRODUCT else 0
            scores = [REWARDS[reward](np.maximum(index[arms], least)) for arms in sets]
            found = chosen_by(choose, index, instance, reward)
            assert scores[sets.index(found)] == pytest.approx(max(scores), abs=1e-12)
            if (index * 4 == np.round(index * 4)).all() and reward != PRODUCT:  # without rounding
                assert found == sets[scores.index(max(scores))]


@every
def test_any_super_arm_is_uniform(name):
    """Among all that look alike: disjoint ones, or those of private arms; with an arm that it must contain."""
    problem, rng = drawn(name, 1), np.random.default_rng(0)
    sets = sets_of(problem)
    for arm in (-1, 0, len(problem.means) - 1):
        chosen, counts = np.empty(problem.size, np.int64), Counter()
        for _ in range(RUNS):
            count = oracle.any_super_arm(rng, problem, arm, chosen)
            counts[sets.index(chosen[:count].tolist())] += 1
        allowed = [s for s, arms in enumerate(sets) if arm in arms or arm < 0]
        assert set(counts) == set(allowed)
        alike = [counts[s] for s in allowed if name != "public" or problem.joins[s]]
        assert len(alike) < 2 or stats.chisquare(alike).pvalue > SIGNIFICANCE


@every
def test_mean_rewards_are_those_of_plain_python(name):
    problem = drawn(name)
    for means in vectors(len(problem.means), 50):
        at = problem._replace(means=means)
        for arms in sets_of(problem):
            assert oracle.mean_reward(at, np.array(arms), len(arms)) == pytest.approx(reward_at(at, means, arms))
