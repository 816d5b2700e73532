"""What the tests of contextual bandits with one parameter share: problems, settings and runs by name."""

import functools
from dataclasses import fields

import numpy as np

from dpbandits.base.registry import ALGORITHMS
from dpbandits.environments.contextual.problem import GAUSSIAN, MARGIN, SPHERE, problem
from dpbandits.privacy.accounting import least_noise

DISTRIBUTIONS = {"sphere": (SPHERE, ()), "gaussian": (GAUSSIAN, (0.9,)), "margin": (MARGIN, (1.0,))}
SWITCHES = ("nonprivate", "gaussian", "penalty", "half_noise", "broken_bonus")
RELEASED = ("released_noise", "released_start", "released_gradient")
SETTING = {
    **dict.fromkeys((*SWITCHES, *RELEASED), 0.0),
    "eps": 1.0,
    "delta": 0.01,
    "failure": 0.1,
    "regularization": 2.0,
    "regularization_divisor": 1.0,
    "bonus": 1.0,
    "bound": 2.0,
    "schedule": 0.0,
    "step": 1.5,
    "offset": 1.0,
    "curvature": 0.04,
    "slope": 1.0,
    "loss_bound": 2.0,
    "rate_factor": 1.0,
}
"""As printed."""
AS_RELEASED = {**dict.fromkeys(RELEASED, 1.0), "regularization": 0.0, "bound": 1.0, "schedule": 1.0, "step": 5.0}
LINKS = {
    "linear": (1.0, 2.0),
    "logistic": (0.1966, 1.0),
    "poisson": (0.3679, 1.0),
    "logistic_mean": (0.1966, 1.0),
}
"""Slope and bound of the loss."""


def of_link(link):
    slope, loss_bound = LINKS[link]
    return {"slope": slope, "loss_bound": loss_bound}


def module(name):
    return ALGORITHMS.module(name)


def drawn(seed=0, d=2, arms=4, link="linear", distribution="sphere", noise=0.0, size=1.0):
    """An instance with a random parameter of norm `size`."""
    rng = np.random.default_rng([7, seed])
    theta = rng.normal(size=d)
    number, numbers = DISTRIBUTIONS[distribution]
    return problem(rng, number, size * theta / np.linalg.norm(theta), arms, link, noise, numbers)


def setting_of(instance, horizon, calibration, changes):
    (d,), arms = instance.theta[0].shape, instance.arms
    base = AS_RELEASED if calibration == "released" else {}
    return {**SETTING, **base, "dimension": float(d), "arms": float(arms), "T": float(horizon), **changes}


noise_of = functools.cache(least_noise)


def params(name, calibration, setting):
    noise = {}
    if calibration == "certified" and hasattr(module(name), "requests"):
        noise = {key: noise_of(request) for key, request in module(name).requests(setting).items()}
    return module(name).params(calibration, setting, noise)


def constants(name, instance, horizon, calibration="printed", **changes):
    """What `run` takes between the problem and the checkpoints."""
    found = params(name, calibration, setting_of(instance, horizon, calibration, changes))
    return tuple(getattr(found, field.name) for field in fields(found))


def trace(name, seed, instance, rounds, calibration="printed", run="run", horizon=None, **changes):
    given = constants(name, instance, horizon or rounds[-1], calibration, **changes)
    return getattr(module(name), run)(np.random.default_rng(seed), instance, *given, np.array(rounds))


def column(name, found, output):
    return found[:, module(name).OUTPUTS.index(output)]
