"""Gradient steps on noisy gradients: what algorithms with local privacy for generalized linear rewards share.

A user sends a noisy version of (mu(x' theta) - reward) x; the server moves theta by -eta_t times it.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from dpbandits.contexts.laws import mean_reward
from dpbandits.contexts.problem import LINEAR
from dpbandits.jit import kernel
from dpbandits.linalg import dot, project
from dpbandits.privacy.l2_ball import l2_ball

Array = np.ndarray
LARGEST = 20.0  # e^z overflows, so |z| is cut to this where mu is not linear; source: authors' code


class Channel(NamedTuple):
    """How a gradient is sent.

    Attributes
    ----------
    bound : R, to which longer gradients are cut.
    keep, radius : of the mechanism of `l2_ball`; with radius 0 the noise is Gaussian.
    sd : of the Gaussian noise on every coordinate.
    uncut : 1 where Gaussian noise is added to a gradient of any length.
    """

    bound: float
    keep: float
    radius: float
    sd: float
    uncut: int


class Steps(NamedTuple):
    """eta_t = scale / (t - 1 + offset), or over the root of that; in rounds 1, 2, ..."""

    scale: float
    offset: float
    root: int


@kernel
def step_size(steps: Steps, t: int) -> float:
    """eta_t."""
    rounds = t - 1 + steps.offset
    return steps.scale / (math.sqrt(rounds) if steps.root else rounds)


@kernel
def residual(link: int, x: Array, theta: Array, reward: float, largest: float) -> float:
    """mu(x' theta) - reward, where |x' theta| is cut to `largest`."""
    return mean_reward(link, min(max(dot(x, theta), -largest), largest)) - reward


@kernel
def safe(link: int) -> float:
    """What |x' theta| is cut to lest mu overflow."""
    return math.inf if link == LINEAR else LARGEST


@kernel
def send(rng: Generator, gradient: Array, channel: Channel, out: Array) -> bool:
    """Fill `out` with what is sent; whether the gradient was longer than R.

    Draws: those of `l2_ball`, or d normals.
    """
    if channel.radius > 0.0:
        l2_ball(rng, gradient, channel.bound, channel.keep, channel.radius, out)
        return math.sqrt(dot(gradient, gradient)) > channel.bound
    for i in range(len(out)):
        out[i] = gradient[i]
    longer = project(out, channel.bound)
    for i in range(len(out)):
        if channel.uncut:
            out[i] = gradient[i]
        out[i] += channel.sd * rng.standard_normal()
    return longer
