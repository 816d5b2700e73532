"""Small problems with a parameter for every arm, and runs of the algorithms on them; not a test."""

import sys
from dataclasses import fields

import numpy as np

from dpbandits.base.registry import ALGORITHMS
from dpbandits.environments.contextual.distributions import offer, reward
from dpbandits.environments.contextual.problem import GAUSSIAN, INTERCEPT, SPHERE, instance_stream, problem
from dpbandits.privacy.accounting import least_noise

LEAST_SQUARES, GRADIENT = "ldp_ols_multi", "ldp_sgd_multi"
UCB, GLOC = "ldp_ucb_multi", "ldp_gloc_multi"
GREEDY, RIVALS = (LEAST_SQUARES, GRADIENT), (UCB, GLOC)
NAMES = (*GREEDY, *RIVALS)
CALIBRATIONS = ("printed", "released", "certified")
SETTING = {
    **{"eps": 1.0, "delta": 0.1, "failure": 0.1, "warm_up": 30.0, "threshold": 0.0, "scheme": 1.0},
    **{"step": 1.1, "curvature": 0.3, "tuned": 0.0},
    **{"bonus": 1.0, "lazy": 200.0, "broadcast": 0.0},
}
DISTRIBUTIONS = {"sphere": (SPHERE, ()), "gaussian": (GAUSSIAN, (1.0,)), "intercept": (INTERCEPT, ())}


def drawn(distribution="sphere", seed=1, d=3, arms=3, noise=0.05, length=1.0):
    """Parameters uniform on the sphere of that radius."""
    rng = np.random.default_rng([seed, d, arms])
    theta = rng.normal(size=(arms, d))
    kind, numbers = DISTRIBUTIONS[distribution]
    theta *= length / np.linalg.norm(theta, axis=1)[:, None]
    return problem(rng, kind, theta, arms, noise=noise, numbers=numbers)


def module(name):
    return ALGORITHMS.module(name)


def params(name, calibration, instance, horizon, **changes):
    """What `run` takes between the problem and the checkpoints."""
    arms, d = instance.theta.shape
    setting = {**SETTING, "T": float(horizon), "arms": float(arms), "dimension": float(d), **changes}
    algorithm = module(name)
    noise = {key: least_noise(request) for key, request in algorithm.requests(setting).items()}
    found = algorithm.params(calibration, setting, noise)
    return [getattr(found, field.name) for field in fields(found)]


def rounds_of(name, constants):
    """The module whose kernel plays with these constants: that of their class, since released rounds have their own."""
    return sys.modules[type(constants[0]).__module__] if isinstance(constants[0], tuple) else module(name)


def trace(name, seed, instance, rounds, calibration="printed", **changes):
    """(checkpoints, outputs)"""
    constants = params(name, calibration, instance, rounds[-1], **changes)
    return module(name).run(np.random.default_rng(seed), instance, *constants, np.array(rounds))


def literal(name, seed, instance, rounds, calibration="printed", **changes):
    """The same by the transcription."""
    constants = params(name, calibration, instance, rounds[-1], **changes)
    return module(name).run_literal(np.random.default_rng(seed), instance, *constants, np.array(rounds))


def column(name, found, output):
    """One output of a trace."""
    return found[:, module(name).OUTPUTS.index(output)]


def random_play(instance, rounds, first=0):
    """Expected regret of uniform play in the rounds after `first`, over the contexts that the algorithms face."""
    stream, lost = instance_stream(instance), 0.0
    X, means = np.empty((1, instance.theta.shape[1])), np.empty(instance.arms)
    for now in range(rounds):
        offer(stream, instance, now, X, means)
        reward(stream, instance, now, means[0])
        lost += (means.max() - means.mean()) * (now >= first)
    return lost
