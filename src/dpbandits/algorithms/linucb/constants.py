"""Constants shared by every LinUCB of this family: ridge, radius and batch size.

Printed (Section 3 and Appendix A of arXiv 2202.05567), with s the standard deviation of the total noise on an entry
after all M batches:

    lambda = max(1, c s (sqrt d + sqrt(ln(M / alpha))))
    beta_m = sqrt(lambda) + sqrt(2 ln(2 / alpha) + d ln(1 + t_m / (d lambda)))

The paper gives lambda as Theta(.) and leaves c and alpha open; c = 2 and alpha = 1/T are our choices. In the released
code the ridge is 2 Gamma, with a separate Gamma for each algorithm. Its radius is constant in time,
sqrt(Gamma d) + sqrt(d ln((1 + T L^2 / Gamma) T)) / 2, with L the largest norm of a feature.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from dpbandits.algorithms.linucb.protocol import Gaussians, gaussian
from dpbandits.algorithms.linucb.rule import Radius

Setting = Mapping[str, float]


@dataclass(frozen=True)
class Params:
    """Constants of every LinUCB, in the order of the arguments of `run`."""

    batch: int  # B
    ridge: float  # lambda
    radius: Radius  # beta


@dataclass(frozen=True)
class ReportParams(Params):
    """Constants of an algorithm whose users add Gaussian noise to their own messages."""

    protocol: Gaussians  # sigma


def batch_of(setting: Setting) -> int:
    """B: `batch`, or T^batch_exponent rounded to the nearest integer if `batch` is null, represented by 0."""
    return int(setting["batch"]) or max(1, round(setting["T"] ** setting["batch_exponent"]))


def batches_of(setting: Setting) -> int:
    """M = ceil(T / B)."""
    return math.ceil(setting["T"] / batch_of(setting))


def params_of(setting: Setting, total_sd: float, gamma: float, released_ridge: float) -> Params:
    """Batch size, ridge and radius as printed, or as released if the switches of the setting say so.

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
    return Params(batch_of(setting), ridge, radius)


def report_params(setting: Setting, sd: float) -> ReportParams:
    """All constants, for fresh Gaussian noise with standard deviation `sd` on every entry of every message."""
    gamma = sd * math.sqrt(setting["T"] * setting["dimension"])
    found = params_of(setting, sd * math.sqrt(setting["T"]), gamma, 2.0 * gamma)
    beside = math.sqrt(0.5) if setting["released_symmetry"] else 1.0
    return ReportParams(**vars(found), protocol=gaussian(sd, beside=beside))
