"""Runs of own algorithms: a class that is asked for an arm and told the reward, round by round.

Instances, checkpoints and names of random streams are those of registered algorithms. As in these, one stream of a run
gives the rewards and serves the algorithm.
"""

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.own import OUTPUTS, PLAYED, TOLD, checked, required, takes
from dpbandits.base.own_code import Fault, loaded
from dpbandits.base.registry import ENVIRONMENTS
from dpbandits.base.streams import generator
from dpbandits.config.curves import Curve
from dpbandits.config.plain_yaml import ConfigError
from dpbandits.environments.base import MEANS, SIGNED
from dpbandits.environments.linear.bernoulli_linear import probabilities
from dpbandits.environments.linear.linear import arm_means
from dpbandits.stages.simulate import columns_of, instance_of, points_by_instance


@dataclass(frozen=True)
class Own:
    """A class of the user's own: itself, or the text `file.py:Class` that other processes can load."""

    source: str | type

    def load(self) -> type:
        """The class.

        Raises
        ------
        ConfigError
            It cannot be imported, is not a class, or lacks a method.
        """
        try:
            return checked(loaded("algorithm", self.source), self.source)
        except Fault as fault:
            raise ConfigError(f"{fault.argument}: {fault.text}") from None


def check_names(rule: type, curve: Curve) -> None:
    """ConfigError if a class requires an argument that nothing provides."""
    for name in required(takes(rule)):
        if name in TOLD or all(name in setting for setting in curve.settings()):
            continue
        if name == "eps":
            raise ConfigError(f"eps: required; `{rule.__name__}` takes it. Add eps=1.")
        known = f"known without it are {', '.join(TOLD)}"
        raise ConfigError(f"settings: `{rule.__name__}` takes `{name}`, which is missing; {known}. Add it.")


def run_class(rule: type, curve: Curve, root_seed: int, seeds: range) -> dict[str, np.ndarray]:
    """Columns `point, seed, replicate, t` and `OUTPUTS` of all runs, in this order, as `stages.simulate.run_seeds`."""
    wanted, settings = takes(rule), list(curve.settings())
    rounds = [curve.rounds_at(point) for point in curve.points]
    traces = [np.empty((len(OUTPUTS), len(seeds), curve.replicates, len(each))) for each in rounds]
    for points in points_by_instance(curve):
        for s, seed in enumerate(seeds):
            instance = instance_of(curve, points, root_seed, seed)
            means, reward, features = arms_of(str(curve.environment["family"]), instance)
            for p in points:
                name, horizon = curve.stream_name(curve.points[p]), curve.horizon_at(curve.points[p])
                for r in range(curve.replicates):
                    rng = generator(root_seed, "policy", name, seed, r)
                    told = {**settings[p], "arms": len(means), "rng": rng, "T": horizon, "features": features}
                    player = rule(**{each: told[each] for each in wanted if each in told})
                    traces[p][:, s, r] = one_run(player, rng, means, reward, rounds[p]).T
    parts = [columns_of(p, seeds, *each) for p, each in enumerate(zip(rounds, traces, strict=True))]
    columns = ["point", "seed", "replicate", "t", *OUTPUTS]
    return {name: np.concatenate(each) for name, each in zip(columns, zip(*parts, strict=True), strict=True)}


Reward = Callable[[Generator, float], float]


def arms_of(family: str, instance: tuple[Any, ...]) -> tuple[np.ndarray, Reward, np.ndarray | None]:
    """Means of the arms, (arms,), a function that draws a reward of some mean, and the features of the arms."""
    kind = ENVIRONMENTS.module(family).FAMILY.arms
    if kind == MEANS:
        return instance[0], zero_or_one, None
    features, theta = instance
    if kind == SIGNED:
        return arm_means(features, theta), sign, features
    return probabilities(features, theta), zero_or_one, features


def zero_or_one(rng: Generator, mean: float) -> float:
    """A reward of this mean, 0 or 1."""
    return float(rng.random() < mean)


def sign(rng: Generator, mean: float) -> float:
    """A reward of this mean, -1 or 1."""
    return 1.0 if rng.random() < 0.5 * (1.0 + mean) else -1.0


def check_family(family: str, kinds: Mapping[str, str]) -> None:
    """ConfigError if own algorithms cannot play a family; `kinds` are those of all families by name."""
    if kinds[family] not in PLAYED:
        use = ", ".join(name for name, kind in kinds.items() if kind in PLAYED)
        raise ConfigError(f"algorithm: an own class cannot be used with `{family}`. Use one of: {use}.")


def one_run(player: Any, rng: Generator, means: np.ndarray, reward: Reward, rounds: np.ndarray) -> np.ndarray:
    """Play one run and return its trace, (len(rounds), len(OUTPUTS)).

    Raises
    ------
    ConfigError
        `act` returns something else than an arm.
    """
    chances, gaps = means.tolist(), (means.max() - means).tolist()
    pulls = [0] * len(chances)
    trace, recorded = np.empty((len(rounds), len(OUTPUTS))), 0
    for t in range(1, int(rounds[-1]) + 1):
        arm = _arm(player, t, len(chances))
        player.update(t, arm, reward(rng, chances[arm]))
        pulls[arm] += 1
        if t == rounds[recorded]:
            # Formed from the pulls, as in the kernels, so that the bits agree.
            regret = 0.0
            for count, gap in zip(pulls, gaps, strict=True):
                regret += count * gap
            trace[recorded] = regret, sum(count for count, gap in zip(pulls, gaps, strict=True) if gap == 0.0)
            recorded += 1
    return trace


def _arm(player: Any, t: int, arms: int) -> int:
    answer = player.act(t)
    try:
        arm = operator.index(answer)
    except TypeError:
        arm = -1
    if not 0 <= arm < arms:
        name = f"{type(player).__name__}.act({t})"
        raise ConfigError(f"{name}: got {answer!r}; must be a whole number from 0 to {arms - 1}")
    return arm
