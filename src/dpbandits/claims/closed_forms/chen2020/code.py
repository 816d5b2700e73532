"""A check of chen2020 that runs its algorithms: equal traces at K = 1."""

from dataclasses import astuple
from types import ModuleType

import numpy as np

from dpbandits.algorithms.semi_bandit import cucb_ldp1, cucb_ldp2
from dpbandits.base.checkpoints import log_spaced
from dpbandits.claims.closed_form_types import Numbers
from dpbandits.environments.combinatorial import disjoint_sets
from dpbandits.privacy.accounting import least_noise

BAD_ARMS, GAP = 7, 0.25  # of the bandit on which two algorithms are compared
PER_DECADE = 20  # checkpoints at which two runs are compared


def identity_of_one(calibration: str, horizon: int, seeds: int, eps: list[float]) -> Numbers:
    """Section 3.2: largest difference between the traces of Algorithms 1 and 2 for K = 1 with the same generators."""
    (problem,) = disjoint_sets.draw(np.random.default_rng(0), BAD_ARMS, 1, GAP, "linear")
    rounds = log_spaced(horizon, PER_DECADE)
    found = []
    for each in eps:
        width = 0.5 if calibration == "tuned" else 1.0
        setting = {"eps": each, "T": float(horizon), "width": width, "k_squared": 0.0, "fallback": 0.0}
        differences = []
        for seed in range(seeds):
            one, other = (
                algorithm.run(np.random.default_rng(seed), problem, *constants, rounds)
                for algorithm in (cucb_ldp1, cucb_ldp2)
                for constants in [constants_of(algorithm, calibration, setting)]
            )
            differences.append(np.max(np.abs(one - other)))
        found.append((f"largest difference at eps = {each:g}", float(np.max(differences))))
    return found


def constants_of(algorithm: ModuleType, calibration: str, setting: dict[str, float]) -> tuple[float, ...]:
    """Constants of an algorithm in the order of the arguments of its `run`."""
    noise = {name: least_noise(request) for name, request in algorithm.requests(setting).items()}
    return astuple(algorithm.params(calibration, setting, noise))
