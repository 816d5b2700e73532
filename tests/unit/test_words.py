"""Words among the arguments of an environment: checked, part of every name, and no business of an algorithm."""

from dataclasses import replace

import numpy as np
import pytest
import yaml

from dpbandits.config.grid import curves
from dpbandits.config.plain_yaml import ConfigError
from dpbandits.environments.base import Family
from dpbandits.environments.bernoulli import bernoulli_spread
from dpbandits.environments.registry import TABLE as FAMILIES
from dpbandits.planning import single
from dpbandits.stages.simulate import run_seeds

from . import small
from .small import ARMS, FILE, KEY, PAPER, changed, fault, load, write_project

WORDS = Family(FAMILIES["bernoulli_spread"].arms, (*FAMILIES["bernoulli_spread"].arguments, "reward"), True)
WORDS = replace(WORDS, words={"reward": ("linear", "bottleneck")})


@pytest.fixture
def worded(monkeypatch):
    """The arms of `ARMS` with a word more, and what their `draw` was given."""
    drawn = []

    def draw(rng, arms, best, gap, spread, reward):
        drawn.append(reward)
        if gap > 0.5:
            raise ValueError("too wide")
        return (np.linspace(best, best - gap, arms),)

    monkeypatch.setattr(bernoulli_spread, "FAMILY", WORDS)
    monkeypatch.setattr(bernoulli_spread, "draw", draw)
    return drawn


def with_words(root, **changes):
    record = yaml.safe_load(ARMS)
    record["experiments"]["study"]["environment"] |= {"reward": "bottleneck"} | changes
    return write_project(root, record), record


@pytest.mark.parametrize(
    ("reward", "says"),
    [
        ("best_of", "environment.reward: got 'best_of'; must be one of: linear, bottleneck"),
        ("least", "environment.reward: got 'least'; must be one of: linear, bottleneck"),
        (1, "environment.reward: got 1; must be one of: linear, bottleneck"),
    ],
)
def test_a_word_that_the_family_does_not_know_is_a_fault(tmp_path, worded, reward, says):
    assert fault(with_words(tmp_path, reward=reward)[0]) == f"{FILE}: experiments.study.{says}"


def test_a_word_is_given_where_the_family_takes_one_and_only_there(tmp_path, worded):
    root, record = with_words(tmp_path)
    del record["experiments"]["study"]["environment"]["reward"]
    says = "experiments.study.environment.reward: required key is missing; `bernoulli_spread` needs it. Add it."
    assert fault(write_project(root, record)) == f"{FILE}: {says}"
    says = "experiments.study.environment.reward: unknown key. Use one of: arms, dimension"
    assert (
        fault(write_project(tmp_path, changed(PAPER, "experiments.study.environment.reward", "linear")))
        == f"{FILE}: {says}"
    )


def test_a_word_is_no_value_of_a_grid_and_no_setting_can_replace_it(tmp_path, worded):
    root, record = with_words(tmp_path)
    record["experiments"]["study"]["grid"]["reward"] = [1]
    says = "experiments.study.grid.reward: unknown grid value `reward`. Use one of: eps, T, arms, gap, spread, ..."
    assert fault(write_project(root, record)).startswith(f"{FILE}: {says[:-3]}")
    project = load(with_words(tmp_path)[0])
    (curve,) = curves(project, project.papers[KEY], "study")
    with pytest.raises(ConfigError, match=r"^--set: unknown name `reward`\. Use one of: T, arms, best, gap, spread, "):
        single.changed(curve, "reward=linear")


def test_an_instance_that_is_refused_is_named_with_its_words(tmp_path, worded):
    root, record = with_words(tmp_path)
    record["experiments"]["study"]["grid"]["gap"] = [0.1, 0.9]
    says = "got arms = 5, best = 0.75, gap = 0.9, spread = 0, reward = bottleneck; too wide"
    assert fault(write_project(root, record)) == f"{FILE}: experiments.study.environment: {says}"


def test_words_make_instances_and_names_and_are_not_told_to_algorithms(tmp_path, worded):
    every = {}
    for reward in ("linear", "bottleneck"):
        project = load(with_words(tmp_path, reward=reward)[0])
        (every[reward],) = curves(project, project.papers[KEY], "study")
    one, other = every.values()
    point = one.points[0]
    assert one.identity() != other.identity()
    assert one.folder != other.folder
    assert one.instance_name(point) != other.instance_name(point)
    assert one.stream_name(point) != other.stream_name(point)
    assert one.noise_name == other.noise_name
    assert list(one.settings()) == list(other.settings())
    assert all(type(value) is float for setting in one.settings() for value in setting.values())
    assert (one.default("reward"), one.default("gap"), one.default("family")) == (None, 0.125, None)
    worded.clear()
    run_seeds(other, 7, range(2), [{} for _ in other.points])
    assert worded == ["bottleneck"] * 4


def test_an_environment_has_no_number_in_place_of_a_fraction():
    """`--set` of an argument, whether or not grids may vary it; the family cannot be set."""
    family = {"family": "bernoulli_spread", "arms": 5, "best": 0.75, "gap": 0.1, "spread": 0.0}
    arms = replace(
        small.curve(), algorithm="anytime_lazy_ucb", parameters={}, points=({"eps": 1.0},), environment=family
    )
    assert single.changed(arms, "gap=0.25").environment == {**arms.environment, "gap": 0.25}
    found = single.changed(arms, "arms=7").environment["arms"]
    assert (found, type(found)) == (7, int)
    assert single.changed(arms, "best=0.5").environment == {**arms.environment, "best": 0.5}
    with pytest.raises(ConfigError, match=r"^--set best: got '1'; must be > 0 and < 1"):
        single.changed(arms, "best=1")
    with pytest.raises(ConfigError, match=r"^--set: unknown name `family`\. Use one of: T, arms, best, gap, spread, "):
        single.changed(arms, "family=linear")
