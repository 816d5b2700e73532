"""Evaluate theoretical bounds on the instances that the experiment's algorithms play."""

import numpy as np

from dpbandits.base.registry import BOUNDS
from dpbandits.config.curves import Curve
from dpbandits.environments.instances import draw_instances


def evaluate(curve: Curve, root_seed: int, seeds: range) -> list[np.ndarray]:
    """Values of a bound at the checkpoints, for every point of the curve: (seeds, checkpoints)."""
    regret = BOUNDS.module(curve.algorithm).regret
    found = []
    for point, setting in zip(curve.points, curve.settings(), strict=True):
        name, rounds = curve.instance_name(point), curve.rounds_at(point)
        instances = draw_instances(curve.environment_at(point), name, root_seed, seeds)
        found.append(np.array([regret(instance, setting, rounds) for instance in instances]))
    return found
