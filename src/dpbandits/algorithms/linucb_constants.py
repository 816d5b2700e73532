"""Constants that the algorithms of `linucb_framework` share: ridge, radius and size of the batches.

Printed (Section 3 and Appendix A of arXiv 2202.05567), with s the standard deviation of the total noise on an entry
after all M batches:

    lambda = max(1, c s (sqrt d + sqrt(ln(M / alpha))))
    beta_m = sqrt(lambda) + sqrt(2 ln(2 / alpha) + d ln(1 + t_m / (d lambda)))

The paper gives lambda as Theta(.) and leaves c and alpha open: c = 2, alpha = 1/T are ours. Released code: the ridge
is twice a Gamma of its own for each algorithm, and the radius, constant in time, sqrt(Gamma d) + sqrt(d ln((1 + T L^2
/ Gamma) T)) / 2 with L the largest norm of a feature.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from dpbandits.algorithms.linucb_framework import Radius
from dpbandits.algorithms.linucb_protocol import Protocol

Setting = Mapping[str, float]


@dataclass(frozen=True)
class Params:
    """Constants of every algorithm of the framework, in the order in which its `run` takes them."""

    batch: int  # B
    ridge: float  # lambda
    radius: Radius
    protocol: Protocol


def batch_of(setting: Setting) -> int:
    """B: `batch`, or the whole number nearest to T^batch_exponent where `batch` is 0."""
    return int(setting["batch"]) or max(1, round(setting["T"] ** setting["batch_exponent"]))


def batches_of(setting: Setting) -> int:
    """M = ceil(T / B)."""
    return math.ceil(setting["T"] / batch_of(setting))


def params_of(setting: Setting, protocol: Protocol, total_sd: float, gamma: float, released_ridge: float) -> Params:
    """Ridge and radius around a protocol, as printed; or as released where the switches of the setting say so.

    Parameters
    ----------
    total_sd : s.
    gamma, released_ridge : the algorithm's Gamma and ridge in the released code.
    """
    d, horizon, norm = setting["dimension"], setting["T"], setting["norm"]
    failure = setting["failure"] or 1.0 / horizon
    spread = math.sqrt(d) + math.sqrt(math.log(batches_of(setting) / failure))
    ridge = max(1.0, setting["ridge_factor"] * total_sd * spread)
    if setting["released_ridge"]:
        ridge = released_ridge
    floor = ridge
    radius = Radius(math.sqrt(ridge), 1.0, 2.0 * math.log(2.0 / failure), 1.0, floor)
    if setting["released_radius"]:
        inside = (1.0 + horizon * norm**2 / gamma) * horizon
        radius = Radius(math.sqrt(gamma * d) + 0.5 * math.sqrt(d * math.log(inside)), 0.0, 0.0, 1.0, 1.0)
    return Params(batch_of(setting), ridge, radius, protocol)
