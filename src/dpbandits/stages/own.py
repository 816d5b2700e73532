"""Run user-defined algorithms: a class that is asked for an arm and told the reward, round by round.

Instances, checkpoints and stream names are those of registered algorithms. As there, one random stream per run serves
the algorithm and the rewards. Contextual bandits are the exception: their instances have their own reward stream.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from dpbandits.algorithms.own import OUTPUTS, TOLD, checked, required, takes
from dpbandits.algorithms.own_rounds import Rounds, WrongAnswer, rounds_of
from dpbandits.base.own_code import Fault, loaded, with_neighbors
from dpbandits.base.registry import ENVIRONMENTS
from dpbandits.base.streams import generator
from dpbandits.config.curves import Curve
from dpbandits.config.plain_yaml import ConfigError
from dpbandits.stages.simulate import columns_of, instance_of, points_by_instance


@dataclass(frozen=True)
class Own:
    """A user-defined class: the class itself, or the text `file.py:Class`, which other processes can load."""

    source: str | type

    def load(self) -> type:
        """Import and return the class.

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
    """Raise ConfigError if the class requires an argument that nothing provides."""
    for name in required(takes(rule)):
        if name in TOLD or all(name in setting for setting in curve.settings()):
            continue
        if name == "eps":
            raise ConfigError(f"eps: required; `{rule.__name__}` takes it. Add eps=1.")
        known = f"known without it are {', '.join(TOLD)}"
        raise ConfigError(f"settings: `{rule.__name__}` takes `{name}`, which is missing; {known}. Add it.")


def run_class(rule: type, curve: Curve, root_seed: int, seeds: range) -> dict[str, np.ndarray]:
    """Columns `point, seed, replicate, t` and `OUTPUTS` of all runs, ordered as in `stages.simulate.run_seeds`.

    Raises
    ------
    ConfigError
        The class returns something other than an arm.
    """
    wanted, settings = takes(rule), list(curve.settings())
    needed = required(wanted)  # optional arguments keep their default if no value is known
    kind = ENVIRONMENTS.module(str(curve.environment["family"])).FAMILY.arms
    checkpoints = [curve.rounds_at(point) for point in curve.points]
    traces = [np.empty((len(OUTPUTS), len(seeds), curve.replicates, len(each))) for each in checkpoints]
    names = [curve.stream_name(point) for point in curve.points]
    for points in points_by_instance(curve):
        for s, seed in enumerate(seeds):
            instance = instance_of(curve, points, root_seed, seed)
            for p in points:
                horizon = curve.horizon_at(curve.points[p])
                for r in range(curve.replicates):
                    rng = generator(root_seed, "policy", names[p], seed, r)
                    rounds = rounds_of(kind, instance, rng)
                    besides = {"rng": rng, "T": horizon, "calibration": curve.calibration, **rounds.told}
                    told = {**settings[p], **besides}
                    given = {each: told[each] for each in wanted if each in needed or told.get(each) is not None}
                    try:
                        with with_neighbors(rule):
                            traces[p][:, s, r] = one_run(rule(**given), rounds, checkpoints[p]).T
                    except WrongAnswer as fault:
                        raise ConfigError(str(fault)) from None
    parts = [columns_of(p, seeds, *each) for p, each in enumerate(zip(checkpoints, traces, strict=True))]
    columns = ["point", "seed", "replicate", "t", *OUTPUTS]
    return {name: np.concatenate(each) for name, each in zip(columns, zip(*parts, strict=True), strict=True)}


def one_run(player: Any, rounds: Rounds, checkpoints: np.ndarray) -> np.ndarray:
    """Play one run and return its trace, (len(checkpoints), len(OUTPUTS)); raises WrongAnswer like `rounds`."""
    trace, recorded = np.empty((len(checkpoints), len(OUTPUTS))), 0
    for t in range(1, int(checkpoints[-1]) + 1):
        rounds.play(player, t)
        if t == checkpoints[recorded]:
            trace[recorded] = rounds.outputs()
            recorded += 1
    return trace
