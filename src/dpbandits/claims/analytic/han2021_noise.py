"""The noise of the messages of han2021 by calibration, and how much of it is more than needed."""

from dpbandits.claims.analytic.kinds import Numbers
from dpbandits.privacy.accounting import least_noise
from dpbandits.privacy.local_scales import baseline_sd, printed_sd
from dpbandits.privacy.mechanisms import NoiseRequest
from dpbandits.privacy.sensitivities import JOINT_SENSITIVITY


def message_sds(calibration: str, delta: float, eps: float) -> tuple[float, float]:
    """Sds of x x' and of r x in the message for least squares."""
    if calibration == "printed":
        return 2.0 * printed_sd(eps, delta), printed_sd(eps, delta)
    sd = baseline_sd(eps, delta, 2) if calibration == "released" else least_sd(delta, eps)
    return sd, sd


def rival_sd(calibration: str, delta: float, eps: float) -> float:
    """Sd of both parts of the message of LDP-UCB; as printed it has the constants of the authors' code."""
    return least_sd(delta, eps) if calibration == "certified" else baseline_sd(eps, delta, 2)


def least_sd(delta: float, eps: float) -> float:
    """Least sd of both parts."""
    return least_noise(NoiseRequest("gaussian", JOINT_SENSITIVITY, eps, delta, 1))


def noise_over_least(calibration: str, delta: list[float], eps: list[float]) -> Numbers:
    """Section 2: sds of both parts of the message for least squares over the least sd that both can have."""
    found = []
    for d in delta:
        for each in eps:
            for name, sd in zip(("x x'", "r x"), message_sds(calibration, d, each), strict=True):
                found.append(
                    (f"noise of {name} over the least at eps = {each:g}, delta = {d:g}", sd / least_sd(d, each))
                )
    return found
