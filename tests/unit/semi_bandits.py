"""What the tests of semi-bandits share: problems whose super arms all differ, runs by name, and runs put on record."""

import functools
from dataclasses import astuple

import numpy as np
import pytest

from dpbandits.algorithms.semi_bandit import literal as semi_bandit_literal
from dpbandits.algorithms.semi_bandit import super_arms, trees
from dpbandits.algorithms.semi_bandit.trace import OUTPUTS
from dpbandits.base.registry import ALGORITHMS
from dpbandits.environments.combinatorial import (
    any_subsets,
    coverage,
    disjoint_sets,
    grid_paths,
    matchings,
    public_arms,
    public_bottleneck,
    spanning_trees,
)
from dpbandits.environments.combinatorial.problem import LINEAR, LISTED
from dpbandits.privacy.accounting import least_noise

from .super_arms import oracle_choice, reward_at

FRAMEWORK = ["cucb", "cucb_ldp1", "cucb_ldp2", "cucb_dp", "cucb_dp_least"]
SWITCHES = dict.fromkeys(("k_squared", "fallback", "anytime", "cucb_root", "over_rounds", "base_two"), 0.0)
SETTING = {**SWITCHES, "eps": 1.0, "width": 1.0}
DRAWS = {
    "bandit": (disjoint_sets, {"bad": 5, "size": 1, "gap": 0.25, "reward": "linear"}),
    "paths": (disjoint_sets, {"bad": 3, "size": 3, "gap": 0.3, "reward": "linear"}),
    "paths, least": (disjoint_sets, {"bad": 3, "size": 3, "gap": 0.3, "reward": "bottleneck"}),
    "public": (public_arms, {"bad": 4, "size": 3, "gap": 0.6}),
    "public, least": (public_bottleneck, {"bad": 4, "size": 3, "gap": 0.3}),
    "subsets": (any_subsets, {"arms": 6, "size": 3, "gap": 0.3, "reward": "linear"}),
    "grid": (grid_paths, {"side": 2, "gap": 0.3, "reward": "bottleneck"}),
    "trees": (spanning_trees, {"vertices": 4, "gap": 0.3, "reward": "linear"}),
    "matchings": (matchings, {"left": 2, "right": 3, "gap": 0.3}),
    "coverage": (coverage, {"left": 5, "right": 4, "density": 0.4, "picks": 2}),
}
LISTS = [name for name, (module, _) in DRAWS.items() if module in (disjoint_sets, public_arms, public_bottleneck)]


def drawn(name, seed=0, **changes):
    """The instance as the environment draws it."""
    module, arguments = DRAWS[name]
    (problem,) = module.draw(np.random.default_rng(seed), **{**arguments, **changes})
    return problem


def members_of(problem, s):
    """Base arms of a listed super arm, its own first."""
    own = [int(i) for i in problem.own[s] if i >= 0]
    return own + [int(i) for i in problem.common] * int(problem.joins[s])


def uneven(name, seed=0, alpha=0.9):
    """With other means, so that no two super arms have one gap, and with three values that differ.

    Arms of one coin keep a common mean where rewards are added: without noise, sums of other indices that are equal
    would be told apart by rounding.
    """
    problem = drawn(name, seed)
    shifts = np.random.default_rng([1, seed]).uniform(-0.09, 0.09, len(problem.means))
    means = problem.means + (shifts[problem.coins] if problem.reward == LINEAR else shifts)
    problem = problem._replace(means=means)
    if problem.kind == LISTED:
        best = max(reward_at(problem, means, members_of(problem, s)) for s in range(len(problem.own)))
    else:
        best = reward_at(problem, means, oracle_choice(problem, means))
    return problem._replace(values=np.array([alpha * best, best, 0.97 * best]))


def module(name):
    return ALGORITHMS.module(name)


noise_of = functools.cache(least_noise)


def params(name, horizon, calibration="printed", **changes):
    setting, noise = {**SETTING, "T": float(horizon), **changes}, {}
    if calibration == "certified" and hasattr(module(name), "requests"):
        noise = {key: noise_of(request) for key, request in module(name).requests(setting).items()}
    return module(name).params(calibration, setting, noise)


def trace(name, seed, problem, rounds, calibration="printed", run="run", **changes):
    constants = astuple(params(name, rounds[-1], calibration, **changes))
    return getattr(module(name), run)(np.random.default_rng(seed), problem, *constants, np.array(rounds))


def in_plain_python(monkeypatch, name):
    """Run an algorithm, and the steps that it shares with others, as plain Python from now on; return its `run`."""
    for each in (module(name), super_arms, trees):
        for key, value in list(vars(each).items()):
            if hasattr(value, "py_func"):
                monkeypatch.setattr(each, key, value.py_func)
    return module(name).run


def column(found, output):
    return found[:, OUTPUTS.index(output)]


def recorded(name, seed, problem, horizon, calibration="printed", any_super_arm=None, **changes):
    """Of the transcription: its regrets after every round, the super arms, and whether an index was negative.

    `any_super_arm` takes the place of the random choice.
    """
    arms, negative = [], []
    oracle, super_arm = semi_bandit_literal.oracle, semi_bandit_literal.super_arm
    freely, mean_reward = any_super_arm or oracle.any_super_arm, oracle.mean_reward

    def at_random(*arguments):
        negative.append(True)
        return freely(*arguments)

    def chosen(problem, values):
        negative.append(values.min() == 0.0)  # raised: an estimate is never just 0
        return super_arm(problem, values)

    def seen(problem, S, count):
        arms.append([int(i) for i in S[:count]])
        return mean_reward(problem, S, count)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(oracle, "any_super_arm", at_random)
        patch.setattr(oracle, "mean_reward", seen)
        patch.setattr(semi_bandit_literal, "super_arm", chosen)
        if hasattr(module(name), "needed_bonus"):
            patch.setattr(module(name), "needed_bonus", needed_bonus)
        regrets = trace(name, seed, problem, range(1, horizon + 1), calibration, "run_literal", **changes)
    assert len(arms) == len(negative) == horizon
    return regrets, arms, np.array(negative)


needed_bonus = functools.cache(semi_bandit_literal.needed_bonus)
