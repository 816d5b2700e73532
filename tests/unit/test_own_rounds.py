"""Classes of the user's own in contextual bandits and combinatorial semi-bandits."""

import math

import numpy as np
import pandas as pd
import pytest

import dpbandits.api as dpb
from dpbandits.algorithms.own_rounds import SuperArms
from dpbandits.environments.instances import draw_instances

SPHERE = {"family": "sphere_contexts", "arms": 4, "dimension": 3, "link": "linear", "noise": 0}
SHARED = {"family": "shared_sphere", "arms": 4, "dimension": 3, "noise": 0.5}
CORNER = {"family": "corner_contexts", "rounds": 100, "noise": 0.1}
SETS = {"family": "disjoint_sets", "bad": 3, "size": 2, "gap": 0.25, "reward": "linear"}
PATHS = {"family": "grid_paths", "side": 2, "gap": 0.3, "reward": "bottleneck"}
TREES = {"family": "spanning_trees", "vertices": 4, "gap": 0.2, "reward": "linear"}
COVERAGE = {"family": "coverage", "left": 5, "right": 4, "density": 0.6, "picks": 2}
COMMON = {"family": "public_arms", "bad": 3, "size": 3, "gap": 0.3}
MATCHINGS = {"family": "matchings", "left": 3, "right": 4, "gap": 0.3}
SUBSETS = {"family": "any_subsets", "arms": 6, "size": 3, "gap": 0.2, "reward": "linear"}
CLUB = {"family": "karate_club", "picks": 2}
BOTTLENECK = {"family": "public_bottleneck", "bad": 3, "size": 3, "gap": 0.3}
EVERY = [SETS, PATHS, TREES, COVERAGE, COMMON, MATCHINGS, SUBSETS, CLUB, BOTTLENECK]


class RandomArms:
    """The rule of the registered random_arms."""

    def __init__(self, arms, rng):
        self.arms, self.rng = arms, rng

    def act(self, t, contexts):
        return self.rng.integers(self.arms)

    def update(self, t, arm, reward):
        pass


class Cucb:
    """The rule of the registered cucb with ln t in its bonus."""

    def __init__(self, arms, oracle, anytime):
        self.oracle, self.n, self.total = oracle, np.zeros(arms), np.zeros(arms)

    def act(self, t):
        index = np.ones(len(self.n))
        seen = self.n > 0
        index[seen] = [min(x / n + math.sqrt(1.5 * math.log(t) / n), 1.0)
                       for x, n in zip(self.total[seen], self.n[seen], strict=True)]  # fmt: skip
        return self.oracle(index)

    def update(self, t, arms, outcomes):
        self.n[arms] += 1
        self.total[arms] += outcomes


class Fixed:
    """Plays `answer` and keeps what it is told."""

    answer = (0, 1)

    def __init__(self, oracle, rng):
        self.oracle = oracle
        type(self).told = []

    def act(self, t):
        return self.answer

    def update(self, t, arms, outcomes):
        self.told.append(outcomes)


@pytest.mark.parametrize("environment", [SPHERE, SHARED, CORNER])
def test_contexts_and_rewards_are_those_of_registered_algorithms(environment):
    named = type("random_arms", (RandomArms,), {})
    options = {"T": 200, "seeds": 3, "checkpoints": 5}
    mine, registered = (dpb.play(rule, environment, **options) for rule in (named, "random_arms"))
    assert mine["regret"].gt(0).any()
    pd.testing.assert_frame_equal(mine[registered.columns], registered, check_exact=True)
    assert mine["best_pulls"].between(0, mine["t"]).all()


@pytest.mark.parametrize("environment", EVERY, ids=lambda each: each["family"])
def test_super_arms_and_outcomes_are_those_of_registered_algorithms(environment):
    named = type("cucb", (Cucb,), {})
    options = {"T": 300, "seeds": 3, "checkpoints": 5}
    mine, registered = (
        dpb.play(rule, environment, settings={"anytime": switch}, **options)
        for rule, switch in ((named, 1), ("cucb", True))
    )
    assert mine["regret"].ne(0).any()
    assert mine["regret"].tolist() == registered["regret"].tolist()
    bad = registered["suboptimal"] * registered["t"]
    np.testing.assert_allclose(mine["best_pulls"], mine["t"] - bad, atol=1e-6)


def test_a_class_is_shown_the_contexts_that_its_rewards_come_from():
    """Without noise a reward is the product of the context and the parameter of the instance."""
    seen, starts = [], []

    class Sees:
        def __init__(self, arms, dimension, features, calibration, link=None):
            starts.append((arms, dimension, features, calibration))

        def act(self, t, contexts):
            self.contexts = contexts
            return t % len(contexts)

        def update(self, t, arm, reward):
            seen.append((self.contexts, arm, reward))

    found = dpb.play(Sees, SPHERE, T=40, seeds=1, checkpoints=0, root_seed=3)
    assert starts == [(4, 3, None, "printed")]
    assert {contexts.shape for contexts, _, _ in seen} == {(4, 3)}
    assert len({contexts.tobytes() for contexts, _, _ in seen}) == 40, "a class may keep what it is shown"
    name = '{"arms":4,"dimension":3,"family":"sphere_contexts","link":"linear","noise":0}'
    ((problem,),) = draw_instances(SPHERE, name, 3, [0])
    means = [contexts @ problem.theta[0] for contexts, _, _ in seen]
    np.testing.assert_allclose([own[arm] for own, (_, arm, _) in zip(means, seen, strict=True)], [r for *_, r in seen])
    regret = sum(own.max() - own[arm] for own, (_, arm, _) in zip(means, seen, strict=True))
    assert found["regret"].tolist() == pytest.approx([regret])


def test_all_arms_may_share_one_context():
    shapes = set()

    class Sees(RandomArms):
        def act(self, t, contexts):
            shapes.add(contexts.shape)
            return 0

    dpb.play(Sees, SHARED, T=8, seeds=1)
    assert shapes == {(1, 3)}


def test_arms_of_one_coin_show_the_same_outcome():
    """The two arms of a super arm of disjoint sets with linear reward."""
    dpb.play(Fixed, SETS, T=200, seeds=1)
    assert {tuple(each) for each in Fixed.told} == {(0.0, 0.0), (1.0, 1.0)}


@pytest.mark.parametrize("answer", [(0,), (0, 2), (0, 0), (0, 9), (-1, 0), 3, None, ("a", "b"), ()])
def test_an_answer_that_is_no_super_arm_names_the_round(answer):
    rule = type("Wrong", (Fixed,), {"answer": answer})
    with pytest.raises(dpb.ConfigError) as fault:
        dpb.play(rule, SETS, T=10, seeds=1)
    says = "must be the base arms of a super arm, such as `oracle(values)` gives"
    assert str(fault.value) == f"Wrong.act(1): got {answer!r}; {says}"


@pytest.mark.parametrize(
    "values",
    [
        [1.0],
        [-0.1] + [1.0] * 7,
        [math.nan] + [1.0] * 7,
        [math.inf] * 8,
        [10**400] * 8,
        ["a"] * 8,
        {0: 1.0},
        [[1.0], 2.0],
    ],
)
@pytest.mark.parametrize("place", ["act", "__init__"])
def test_the_oracle_asks_for_a_value_of_every_arm(values, place):
    class Asks(Fixed):
        def __init__(self, oracle, rng):
            super().__init__(oracle, rng)
            if place == "__init__":
                oracle(values)

        def act(self, t):
            return self.oracle(values)

    says = "^oracle: got .*; must be 8 finite numbers of at least 0, one for each base arm$"
    with pytest.raises(dpb.ConfigError, match=says):
        dpb.play(Asks, SETS, T=10, seeds=1)


@pytest.mark.parametrize("environment", EVERY, ids=lambda each: each["family"])
def test_super_arms_are_told_from_other_sets(environment):
    """What the oracle gives is one, in any order; with an arm less or more it is none."""
    (((problem,),),) = [draw_instances(environment, "some name", 1, [0])]
    rounds, rng = SuperArms(problem, np.random.default_rng(2)), np.random.default_rng(3)
    for _ in range(20):
        arms = rounds.oracle(rng.random(len(problem.means)))
        assert rounds._is_super_arm(tuple(rng.permutation(arms).tolist()))
        assert not rounds._is_super_arm(tuple(arms[:-1]))
        others = sorted(set(range(len(problem.means))) - set(arms))
        assert not rounds._is_super_arm((*arms, others[0]))


@pytest.mark.parametrize(
    ("rule", "environment", "says"),
    [
        (RandomArms, SETS, "To play it, a class takes `oracle` in its constructor."),
        (Cucb, SPHERE, "To play it, a class takes the contexts of a round: act(t, contexts)."),
        (
            RandomArms,
            {"family": "bernoulli_means", "means": (0.4, 0.5)},
            "To play it, a class takes no `contexts` in `act` and no `oracle` in its constructor.",
        ),
    ],
)
def test_what_a_class_takes_decides_what_it_plays(rule, environment, says):
    with pytest.raises(dpb.ConfigError) as fault:
        dpb.play(rule, environment, T=10, seeds=1)
    said = f"algorithm: `{rule.__name__}` cannot be used with `{environment['family']}`. {says}"
    assert str(fault.value) == said


def test_a_class_may_have_other_constants_at_another_calibration():
    told = []

    class Told(RandomArms):
        def __init__(self, arms, rng, calibration):
            super().__init__(arms, rng)
            told.append(calibration)

    for calibration in ("printed", "released", "tuned", "certified"):
        dpb.play(Told, SPHERE, T=8, seeds=1, calibration=calibration)
    assert told == ["printed", "released", "tuned", "certified"]


def test_what_has_a_default_keeps_it_where_there_is_nothing_to_tell():
    told = []

    class Told:
        def __init__(self, arms, features, dimension=7):
            told.append((features, dimension))

        def act(self, t):
            return 0

        def update(self, t, arm, reward):
            pass

    dpb.play(Told, {"family": "bernoulli_means", "means": [0.4, 0.5]}, T=8, seeds=1)
    dpb.play(Told, {"family": "linear", "arms": 4, "dimension": 3}, T=8, seeds=1)
    assert told[0] == (None, 7)
    assert (told[1][0].shape, told[1][1]) == ((4, 3), 3)


def test_values_of_coverage_are_probabilities():
    rule = type("Asks", (Fixed,), {"act": lambda self, t: self.oracle([1.5] * 99)})
    with pytest.raises(dpb.ConfigError, match=r"^oracle: got .*; must be [0-9]+ numbers from 0 to 1, one"):
        dpb.play(rule, COVERAGE, T=10, seeds=1)


@pytest.mark.parametrize("act", [lambda self, t, *, contexts: 0, lambda self, contexts, t: 0])
def test_contexts_come_after_the_round(act):
    rule = type("Apart", (RandomArms,), {"act": act})
    with pytest.raises(dpb.ConfigError, match=r"^algorithm: `Apart.act` takes `contexts` in another place\."):
        dpb.play(rule, SPHERE, T=8, seeds=1)


def test_a_class_may_change_the_features_that_it_is_told():
    """Later runs have those of the instance."""

    class Zeroes:
        def __init__(self, features, eps):
            assert features.any()
            features[:] = 0.0

        def act(self, t):
            return 0

        def update(self, t, arm, reward):
            pass

    dpb.play(Zeroes, {"family": "linear", "arms": 4, "dimension": 3}, eps=[1, 2], T=8, seeds=2)


def test_a_class_plays_contexts_or_super_arms():
    rule = type("Both", (Cucb,), {"act": RandomArms.act})
    with pytest.raises(dpb.ConfigError, match=r"^algorithm: `Both` takes both `oracle` and `contexts`. Leave one of"):
        dpb.play(rule, SETS, T=8, seeds=1)
