"""The noise of the messages of han2021 by calibration, taken from the algorithms, and its excess over the least."""

import math
from types import ModuleType
from typing import Any

from dpbandits.algorithms.glm_multi import ldp_ols_multi, ldp_sgd_multi
from dpbandits.algorithms.glm_single import ldp_ols, ldp_ucb
from dpbandits.claims.closed_form_types import Numbers
from dpbandits.privacy.accounting import least_noise
from dpbandits.privacy.local_scales import ALPHA
from dpbandits.privacy.mechanisms import NoiseRequest
from dpbandits.privacy.sensitivities import JOINT_SENSITIVITY

SETTING = {
    **{"T": 1e6, "arms": 10.0, "dimension": 2.0, "failure": ALPHA, "warm_up": 3000.0, "lazy": 200.0, "scheme": 1.0},
    **dict.fromkeys(("regularization", "bound"), 2.0),
    **dict.fromkeys(("regularization_divisor", "bonus", "step", "offset", "curvature", "slope"), 1.0),
    **dict.fromkeys(("nonprivate", "gaussian", "schedule", "penalty", "threshold", "stacked", "tuned"), 0.0),
}
"""Settings that the algorithms need besides eps and delta; the noise of a message does not depend on them."""
DELTA = 0.01  # for messages of the gradient, which do not depend on it
RELEASED = ("released_noise", "released_start", "released_gradient")


def constants(module: ModuleType, calibration: str, eps: float, delta: float, **others: float) -> Any:
    """Params of an algorithm; certified ones with the least noise that it requests."""
    switches = dict.fromkeys(RELEASED, float(calibration == "released"))
    setting = {**SETTING, **switches, **others, "eps": eps, "delta": delta}
    asked = module.requests(setting) if calibration == "certified" else {}
    return module.params(calibration, setting, {name: least_noise(request) for name, request in asked.items()})


def message_sds(calibration: str, delta: float, eps: float) -> tuple[float, float]:
    """Noise sds of x x' and of r x in the least-squares message."""
    found = constants(ldp_ols, calibration, eps, delta)
    return found.matrix_sd, found.vector_sd


def tuple_sds(calibration: str, delta: float, eps: float) -> tuple[float, float]:
    """Noise sds of x x' and of r x in every message of the tuple of Algorithm 2."""
    rules = constants(ldp_ols_multi, calibration, eps, delta).rules
    return rules.matrix_sd, rules.vector_sd


def tuple_ball_eps(calibration: str, eps: float) -> float:
    """Log-odds of the half around the gradient in every message of the tuple of Algorithm 2."""
    return log_odds(constants(ldp_sgd_multi, calibration, eps, DELTA).ball.keep)


def log_odds(chance: float) -> float:
    """ln(p / (1 - p))."""
    return math.log(chance) - math.log1p(-chance)


def ldp_ucb_sd(calibration: str, delta: float, eps: float) -> float:
    """Noise sd of both parts of the message of LDP-UCB; printed uses the constants of the authors' code."""
    return float(constants(ldp_ucb, calibration, eps, delta).sigma)


def least_sd(delta: float, eps: float) -> float:
    """Least noise sd if both parts have the same."""
    return least_noise(NoiseRequest("gaussian", JOINT_SENSITIVITY, eps, delta, 1))


def noise_over_least(calibration: str, delta: list[float], eps: list[float]) -> Numbers:
    """Section 2: noise sds of both parts of the least-squares message over the least common sd."""
    found = []
    for d in delta:
        for each in eps:
            for name, sd in zip(("x x'", "r x"), message_sds(calibration, d, each), strict=True):
                found.append(
                    (f"noise of {name} over the least at eps = {each:g}, delta = {d:g}", sd / least_sd(d, each))
                )
    return found
