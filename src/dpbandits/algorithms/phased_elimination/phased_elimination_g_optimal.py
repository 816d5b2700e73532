"""Phased elimination with G-optimal exploration, without privacy.

Lattimore and Szepesvari (Bandit Algorithms, 2020), chapter 22. Hanna et al. (arXiv 2207.03445) cite it for the
non-private line of their figures.

Pseudo-code. Horizon T, K actions, dimension d, active set A_l of phase l, e_l = 2^-l. For l = 1, 2, ... until the
horizon:

    L1  pi_l = near-optimal design on A_l
    L2  pull each a in its support ceil((2 d pi_l(a) / e_l^2) ln(K l (l + 1) / delta)) times, delta = 1 / T
    L3  theta_l = V^-1 sum_a s_a a, s_a the sum of the rewards of a, V = sum_a n_a a a'
    L4  A_{l+1} = {a in A_l : max over b in A_l of <b - a, theta_l> <= 2 e_l}

The width e_l is about half of sqrt(4 d Lg / q^i) for a batch of equal length. So the algorithm drops actions earlier
and has less regret than any curve of Hanna et al., and no private algorithm converges to it.

Privacy: none.

Choices that the book leaves open:
    last phase  A phase that the horizon cuts is played in random order up to the horizon, and not estimated.
    width       Multiplies e_l in L4, as it multiplies gamma_i in the other phased eliminations. Our other choices for
                the algorithms of Hanna et al. apply as well, except `extra_batches`, which has no meaning here.

Cost: about log4(T) designs. Skipping rounds is exact (see `batches`).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.base import NO_PRIVACY, Algorithm, Look
from dpbandits.algorithms.phased_elimination import batches, batches_literal
from dpbandits.algorithms.phased_elimination.batches import OUTPUTS as OUTPUTS
from dpbandits.algorithms.phased_elimination.batches import Reading, reading_of
from dpbandits.algorithms.phased_elimination.entries import NOT_PRIVATE, READING, example
from dpbandits.base.jit import kernel
from dpbandits.environments.base import SIGNED


@dataclass(frozen=True)
class Params:
    """Constants of the algorithm, in the order in which `run` takes them."""

    reading: Reading


ALGORITHM = Algorithm(
    label="Phased elimination, G-optimal (no privacy)",
    short="G-optimal",
    reference="Lattimore and Szepesvari 2020, chapter 22",
    trust_model="none",
    guarantee=NO_PRIVACY,
    parameters=READING,
    arms=SIGNED,
    grid=(),
    outputs=OUTPUTS,
    calibrations=NOT_PRIVATE,
    examples=(example({"width": 0.1}), example({"width": 0.2}, "tuned")),
    look=Look("", ":"),
)


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one grid point; there is no noise to calibrate."""
    return Params(reading=reading_of(setting))


@kernel
def run(
    rng: Generator, actions: np.ndarray, theta: np.ndarray, reading: Reading, checkpoints: np.ndarray
) -> np.ndarray:
    """Play one run of the algorithm above; return the trace (len(checkpoints), len(OUTPUTS))."""
    horizon = checkpoints[-1]
    arms, d = actions.shape
    progress = batches.start(actions, theta, reading, checkpoints)
    active = np.arange(arms)
    now, phase = 0, 1
    while now < horizon:
        accuracy = 2.0 ** float(-phase)
        coordinates = batches.coordinates_of(actions, active)
        length = 2.0 * d / accuracy**2 * (math.log(arms * phase * (phase + 1.0)) + math.log(horizon))
        core, pulls = batches.core_set(coordinates, length, reading.tolerance)  # L1, L2
        now = batches.play(rng, progress, active, core, pulls, reading.width * accuracy, 0.0, now)
        if now < horizon:
            sums = batches.reward_sums(rng, progress, active, core, pulls)  # L3
            _, active = batches.eliminate(
                progress, active, coordinates, core, pulls, sums, reading.width * accuracy
            )  # L3, L4
        phase += 1
    return progress.trace


def run_literal(
    rng: Generator, actions: np.ndarray, theta: np.ndarray, reading: Reading, checkpoints: np.ndarray
) -> np.ndarray:
    """Same as `run`, round by round; returns the regret at the checkpoints, (len(checkpoints),)."""
    horizon = int(checkpoints[-1])
    arms, d = actions.shape
    means = actions @ theta
    active = list(range(arms))
    regret = np.zeros(horizon + 1)
    t = 0
    for phase in range(1, horizon + 1):
        accuracy = 2.0**-phase
        u = batches_literal.design(actions[active])
        confidence = math.log(arms * phase * (phase + 1) * horizon)
        pulls = {a: math.ceil(2 * d * p / accuracy**2 * confidence) for a, p in zip(active, u, strict=True) if p > 0}
        order = [a for a, count in pulls.items() for _ in range(count)]
        sums = dict.fromkeys(pulls, 0.0)
        for k in rng.permutation(len(order)):
            a = order[k]
            if reading.reward_sd > 0:
                sums[a] += rng.normal(means[a], reading.reward_sd)
            else:
                sums[a] += 1.0 if rng.random() < (1 + means[a]) / 2 else -1.0
            t += 1
            regret[t] = regret[t - 1] + means.max() - means[a]
            if t == horizon:
                return regret[checkpoints]
        V = sum(count * np.outer(actions[a], actions[a]) for a, count in pulls.items())
        estimate = np.linalg.pinv(V, rcond=1e-12) @ sum(sums[a] * actions[a] for a in pulls)
        values = actions[active] @ estimate
        best = active[int(np.argmax(values))]
        top = (actions @ estimate).max() if reading.whole_maximum else values.max()
        kept = [a for a, value in zip(active, values, strict=True) if top - value <= 2 * reading.width * accuracy]
        active = kept or [best]
    return regret[checkpoints]
