"""Algorithms of the user's own: instances, streams and checkpoints of registered ones, and faults of one line."""

import math
import sys

import numpy as np
import pandas as pd
import pytest

import dpbandits.api as dpb
from dpbandits.base.streams import generator
from dpbandits.config.curves import Curve
from dpbandits.environments.instances import draw_instances
from dpbandits.environments.linear.bernoulli_linear import probabilities
from dpbandits.environments.linear.linear import arm_means
from tests.shipped import shipped

from .small import ARMS, KEY, write_project

MEANS = {"family": "bernoulli_means", "means": [0.4, 0.5, 0.6]}
LINEAR = {"family": "linear", "arms": 5, "dimension": 2}
SPREAD = {"family": "bernoulli_spread", "arms": 3, "best": 0.7, "gap": 0.2, "spread": 0}
BINARY = {"family": "bernoulli_linear", "arms": 5, "dimension": 3}


class UCB1:
    """The rule of the registered ucb1, ties included."""

    def __init__(self, arms, rng):
        self.rng, self.total, self.pulls = rng, np.zeros(arms), np.zeros(arms)

    def act(self, t):
        if t <= len(self.pulls):
            return t - 1
        index = self.total / self.pulls + np.sqrt(2 * math.log(t) / self.pulls)
        best = np.flatnonzero(index == index.max())
        return best[0] if len(best) == 1 else best[self.rng.integers(len(best))]

    def update(self, t, arm, reward):
        self.total[arm] += reward
        self.pulls[arm] += 1


class Always:
    """Plays one arm and keeps what it was told."""

    told: list

    def __init__(self, arms, rng, T, features, arm=0, eps=None):
        self.arm = int(arm)
        self.start = {"arms": arms, "T": T, "features": features, "eps": eps}
        type(self).told = []

    def act(self, t):
        return self.arm

    def update(self, t, arm, reward):
        assert t == len(self.told) + 1
        assert arm == self.arm
        self.told.append(reward)


SOURCE = """
class Mine:
    def __init__(self, arms, rng):
        self.arms, self.rng = arms, rng

    def act(self, t):
        return self.rng.integers(self.arms)

    def update(self, t, arm, reward):
        pass
"""


@pytest.mark.parametrize("environment", [MEANS, f"{KEY}/study"])
def test_the_rule_of_a_registered_algorithm_gives_its_runs_exactly(tmp_path, environment):
    """Under the name of that algorithm, since the name is part of the name of the streams."""
    named = type("ucb1", (UCB1,), {})
    options = {"T": 300, "seeds": 4, "project": write_project(tmp_path, ARMS)}
    mine = dpb.play(named, environment, checkpoints=10, **options)
    registered = dpb.play("ucb1", environment, checkpoints=10, **options)
    assert mine["regret"].gt(0).any()
    pd.testing.assert_frame_equal(mine, registered[mine.columns], check_exact=True)


def test_another_name_has_other_streams_and_the_same_distribution():
    options = {"T": 300, "seeds": 100, "checkpoints": 0}
    mine, registered = (dpb.play(rule, MEANS, **options)["regret"] for rule in (UCB1, "ucb1"))
    assert mine.tolist() != registered.tolist()
    error = math.hypot(mine.sem(), registered.sem())
    assert abs(mine.mean() - registered.mean()) < 4 * error


@pytest.mark.parametrize(("environment", "means"), [(LINEAR, arm_means), (BINARY, probabilities)])
def test_linear_families_tell_features_and_draw_rewards_of_the_mean(environment, means):
    found = dpb.play(Always, environment, T=4000, seeds=2, checkpoints=[1, 10], settings={"arm": [0, 3]})
    for (arm, seed), rows in found.groupby(["arm", "seed"]):
        name = Curve.instance_name(_curve(environment), {})
        ((features, theta),) = draw_instances(environment, name, shipped("full").root_seed, [seed])
        gaps = means(features, theta).max() - means(features, theta)
        assert rows["regret"].tolist() == [t * gaps[int(arm)] for t in (1, 10, 4000)]
    rewards, mean = np.array(Always.told), means(features, theta)[3]
    assert set(np.unique(rewards)) <= ({-1.0, 1.0} if means is arm_means else {0.0, 1.0})
    assert abs(rewards.mean() - mean) < 4 / math.sqrt(len(rewards))


def _curve(environment):
    numbers = {"horizon": 10, "checkpoints_per_decade": 0, "replicates": 1, "seeds": 1, "chunk": 1, "milliseconds": 1.0}
    names = dict.fromkeys(("paper", "experiment", "algorithm", "calibration", "variant"), "")
    return Curve(**names, environment=environment, parameters={}, points=({},), **numbers)


def test_a_class_is_told_what_it_takes_and_no_more(tmp_path):
    starts = []

    class Told(Always):
        def __init__(self, arms, rng, T, features, eps, width=2):
            super().__init__(arms, rng, T, features)
            starts.append((arms, T, features, eps, width, type(rng)))

    root = write_project(tmp_path, ARMS)
    found = dpb.play(Told, f"{KEY}/study", eps=[1, 3], seeds=1, T=20, settings={"width": 4, "gap": 0.1}, project=root)
    assert starts == [(5, 20, None, eps, 4.0, np.random.Generator) for eps in (1.0, 3.0)]
    assert list(found.columns[:7]) == ["algorithm", "calibration", "variant", "eps", "gap", "width", "T"]
    plain = dpb.play(UCB1, f"{KEY}/study", eps=[1, 3], seeds=1, project=root)
    assert plain["eps"].isna().all()
    assert plain.groupby(["gap", "seed", "T"]).size().tolist() == [1, 1]


def test_one_stream_of_the_run_serves_the_algorithm_and_gives_the_rewards():
    drawn = []

    class Draws:
        def __init__(self, rng):
            self.rng = rng

        def act(self, t):
            drawn.append(self.rng.random())
            return 1

        def update(self, t, arm, reward):
            drawn.append(reward)

    dpb.play(Draws, MEANS, T=8, seeds=1, root_seed=5)
    curve = _curve(MEANS)
    ((means,),) = draw_instances(MEANS, curve.instance_name({}), 5, [0])
    environment = '{"family":"bernoulli_means","means":[0.4,0.5,0.6]}'
    name = f'{{"algorithm":"Draws","calibration":"printed","environment":{environment},"horizon":8,"setting":{{}}}}'
    stream = generator(5, "policy", name, 0, 0)
    assert drawn == [draw for _ in range(8) for draw in (stream.random(), float(stream.random() < means[1]))]


def test_a_class_in_a_file_plays_in_several_processes_and_is_read_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "my_bandit.py"
    file.write_text(SOURCE)
    options = {"T": 50, "seeds": 3}
    one = dpb.play("my_bandit.py:Mine", MEANS, **options)
    assert set(one["algorithm"]) == {"Mine"}
    pd.testing.assert_frame_equal(dpb.play(f"{file}:Mine", MEANS, n_jobs=2, **options), one, check_exact=True)
    file.write_text(SOURCE.replace("self.rng.integers(self.arms)", "0"))
    always_first = dpb.play("my_bandit.py:Mine", MEANS, checkpoints=0, **options)["regret"]
    assert set(always_first.round(9)) <= {0.0, 5.0, 10.0}  # 50 rounds of one arm
    assert not set(one.query("t == 50")["regret"].round(9)) <= {0.0, 5.0, 10.0}
    both = dpb.sweep(["my_bandit.py:Mine", "ucb1"], MEANS, checkpoints=0, **options)
    assert both["algorithm"].tolist() == ["Mine"] * 3 + ["ucb1"] * 3
    assert both["releases"].isna().tolist() == [True] * 3 + [False] * 3


class NoUpdate:
    def act(self, t):
        return 0


class Wrong:
    def act(self, t):
        return 0 if t < 5 else self.answer

    def update(self, t, arm, reward):
        pass


class Needy(Always):
    def __init__(self, arms, magic):
        pass


class Private(Always):
    def __init__(self, arms, eps):
        pass


@pytest.mark.parametrize(
    ("rule", "changes", "says"),
    [
        (NoUpdate, {}, "algorithm: `NoUpdate` has no method `update`. Add update(t, arm, reward)."),
        (
            Needy,
            {},
            "settings: `Needy` takes `magic`, which is missing; known without it are arms, ",
        ),
        (
            Needy,
            {"settings": {"magi": 1}},
            "settings: unknown name `magi`. Did you mean `magic`? Use one of: ",
        ),
        (UCB1, {"environment": SPREAD, "settings": {"best": 1}}, "settings: best: got 1; must be > 0 and < 1"),
        (UCB1, {"settings": {"rng": 1}}, "settings: unknown name `rng`. Use `T`"),
        (Needy, {"settings": {"magic": "x"}}, "settings: magic: got 'x'; must be >= -1e+300 and <= 1e+300"),
        (Private, {}, "eps: required; `Private` takes it. Add eps=1."),
        (
            type("Silent", (UCB1,), {"trust_model": "central", "guarantee": "eps-DP"}),
            {"eps": [0.1, 1]},
            "eps: `Silent` has a trust model, but no argument `eps`. Add `eps` to its constructor.",
        ),
        (UCB1, {"calibration": "best"}, "calibration: got 'best'; must be one of: printed, released, tuned, certified"),
        (
            "no.py:Mine",
            {},
            "algorithm: got 'no.py:Mine'; the file 'no.py' does not exist. Correct",
        ),
        ("math:pi", {}, "algorithm: got 'math:pi', which is not a class. Use a class with act and update."),
        (
            UCB1,
            {"environment": {"family": "karate_club", "picks": 3}},
            "algorithm: `UCB1` cannot be used with `karate_club`. To play it, a class takes `oracle`",
        ),
        (
            type("Here", (UCB1,), {}),
            {"n_jobs": 2},
            "n_jobs: other processes cannot import the class `Here`. P",
        ),
    ],
)
def test_a_fault_is_one_line_that_says_what_to_do(rule, changes, says):
    with pytest.raises(dpb.ConfigError) as fault:
        dpb.play(rule, **{"environment": MEANS, "T": 10, "seeds": 2} | changes)
    (line,) = str(fault.value).splitlines()
    assert line.startswith(says), line


@pytest.mark.parametrize("answer", [3, -1, 0.0, None, "0"])
def test_an_answer_that_is_no_arm_names_the_round(answer):
    rule = type("Wrong", (Wrong,), {"answer": answer})
    with pytest.raises(dpb.ConfigError) as fault:
        dpb.play(rule, MEANS, T=10, seeds=1)
    assert str(fault.value) == f"Wrong.act(5): got {answer!r}; must be a whole number from 0 to 2"


def test_what_the_class_itself_raises_is_passed_on():
    def broken(self, t):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        dpb.play(type("Broken", (Always,), {"act": broken}), MEANS, T=10, seeds=1)
    assert "Broken" not in sys.modules
