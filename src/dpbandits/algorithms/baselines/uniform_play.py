"""Uniform play: no learning, the reference against which regret is measured.

Pseudo-code. K arms, the trace is the expected regret:

    L1  for t = 1, 2, ...:
    L2      play an arm drawn uniformly; its expected regret is the mean gap

Privacy: not needed, since the arms depend on no data.

Cost: O(K), for any horizon. The kernel draws no arms: the expected pseudo-regret of T rounds is T times the mean gap.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.base import Algorithm, Example, Guarantee, Look
from dpbandits.base.jit import kernel
from dpbandits.environments.base import BINARY

OUTPUTS = ("regret",)


@dataclass(frozen=True)
class Params:
    """There are no constants."""


ALGORITHM = Algorithm(
    label="Uniform play",
    short="uniform",
    reference="does not learn; a reference for large regret",
    trust_model="none",
    guarantee=Guarantee("none: the actions use no data", ""),
    parameters={},
    arms=BINARY,
    grid=(),
    outputs=OUTPUTS,
    calibrations={"printed": "printed", "released": "released", "certified": "printed"},
    examples=tuple(
        Example({"family": "bernoulli_linear", "arms": 5, "dimension": 3}, {}, 50, calibration)
        for calibration in ("printed", "released")
    ),
    agrees="mean",
    look=Look("x", ":"),
)


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Return the empty constants."""
    return Params()


@kernel
def run(rng: Generator, features: np.ndarray, theta: np.ndarray, checkpoints: np.ndarray) -> np.ndarray:
    """The expected regret at the checkpoints, (len(checkpoints), 1)."""
    means = np.zeros(len(features))
    for a in range(len(features)):
        for i in range(len(theta)):
            means[a] += features[a, i] * theta[i]
    gap = np.max(means) - np.mean(means)  # L2
    return (checkpoints * gap).reshape(-1, 1)  # L1


def run_literal(rng: Generator, features: np.ndarray, theta: np.ndarray, checkpoints: np.ndarray) -> np.ndarray:
    """The regret of arms drawn round by round, (len(checkpoints),)."""
    means = features @ theta
    arms = rng.integers(len(means), size=int(checkpoints[-1]))
    return np.concatenate([[0.0], np.cumsum(means.max() - means[arms])])[checkpoints]
