"""Algorithms of the user's own: a class that is asked for an arm and told the reward, round by round.

The class may take, by these names: `arms` (their number), `rng` (numpy.random.Generator), `T`, `eps`, `features`
(arms, dimension) where the arms have features, and any name that `settings` gives. `act(t)` returns the arm of round t,
from 0; rounds count from 1. `update(t, arm, reward)` is told its reward.

Instances, checkpoints and names of random streams are those of registered algorithms. As in these, one stream of a run
gives the rewards and serves the algorithm.
"""

import inspect
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator

from dpbandits.audits.custom import named
from dpbandits.base.registry import ENVIRONMENTS
from dpbandits.base.streams import generator
from dpbandits.config.curves import Curve
from dpbandits.config.plain_yaml import ConfigError
from dpbandits.environments.base import BINARY, MEANS, SIGNED
from dpbandits.environments.linear.bernoulli_linear import probabilities
from dpbandits.environments.linear.linear import arm_means
from dpbandits.stages.simulate import columns_of, instance_of, points_by_instance

OUTPUTS = ("regret", "best_pulls")
"""Pseudo-regret, and pulls of the best arms, up to the checkpoint."""
TOLD = ("arms", "rng", "T", "features")
METHODS = {"act": "act(t), which returns an arm", "update": "update(t, arm, reward)"}


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
        found = self.source
        if isinstance(found, str):
            try:
                with named.importable(named.folder_of(found), Path.cwd()):
                    found = named.named("algorithm", found)
            except named.Fault as fault:
                raise ConfigError(f"{fault.argument}: {fault.text}") from None
        if not isinstance(found, type):
            says = "which is not a class. Use a class with act and update."
            raise ConfigError(f"algorithm: got {self.source!r}, {says}")
        for method, form in METHODS.items():
            if not callable(getattr(found, method, None)):
                raise ConfigError(f"algorithm: `{found.__name__}` has no method `{method}`. Add {form}.")
        return found


def takes(rule: type) -> dict[str, bool]:
    """The names that a class takes, and whether it must be given them."""
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    every = inspect.signature(rule).parameters.values()
    return {each.name: each.default is each.empty for each in every if each.kind in by_name}


def check_names(rule: type, curve: Curve) -> None:
    """ConfigError if a class requires an argument that nothing provides."""
    for name, required in takes(rule).items():
        if not required or name in TOLD or all(name in point for point in curve.points):
            continue
        if name == "eps":
            raise ConfigError(f"eps: required; `{rule.__name__}` takes it. Add eps=1.")
        known = f"known without it are {', '.join(TOLD)}"
        raise ConfigError(f"settings: `{rule.__name__}` takes `{name}`, which is missing; {known}. Add it.")


def run_own(own: Own, curve: Curve, root_seed: int, seeds: range) -> dict[str, np.ndarray]:
    """Columns `point, seed, replicate, t` and `OUTPUTS` of all runs, in this order, as `stages.simulate.run_seeds`."""
    rule = own.load()
    wanted = takes(rule)
    rounds = [curve.rounds_at(point) for point in curve.points]
    traces = [np.empty((len(OUTPUTS), len(seeds), 1, len(each))) for each in rounds]
    for points in points_by_instance(curve):
        for s, seed in enumerate(seeds):
            instance = instance_of(curve, points, root_seed, seed)
            for p in points:
                point = curve.points[p]
                rng = generator(root_seed, "policy", curve.stream_name(point), seed, 0)
                means, reward, features = arms_of(str(curve.environment["family"]), instance)
                told = {**point, "arms": len(means), "rng": rng, "T": curve.horizon_at(point), "features": features}
                player = rule(**{name: told[name] for name in wanted if name in told})
                traces[p][:, s, 0] = one_run(player, rng, means, reward, rounds[p]).T
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
    if kinds[family] not in (MEANS, SIGNED, BINARY):
        use = ", ".join(name for name, kind in kinds.items() if kind in (MEANS, SIGNED, BINARY))
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
