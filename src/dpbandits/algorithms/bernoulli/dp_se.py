"""DP-SE: private successive elimination, with one noisy mean per arm and epoch.

Sajed and Sheffet (ICML 2019), Algorithm 2.

Pseudo-code. K arms, horizon T, failure probability beta (null: 1 / T), active set S, epoch e:

    L1  S = all arms, e = 0
    L2  while |S| > 1:
    L3      e += 1; D = 2^-e
    L4      R = ceil(max(32 ln(8 |S| e^2 / beta) / D^2, 8 ln(4 |S| e^2 / beta) / (eps D)) + 1)
    L5      pull every arm of S R times, in turn
    L6      h = sqrt(ln(8 |S| e^2 / beta) / (2 R)); c = ln(4 |S| e^2 / beta) / (R eps)
    L7      for j in S: m_j = mean of the R rewards of this epoch + Lap(1 / (eps R)), independently over j
    L8      drop every j in S with max m - m_j > 2 h + 2 c
    L9  play the arm that is left

Doubling trick, for an unknown T: for k = 1, 2, ..., restart all lines with the assumed horizon h_k and play h_k rounds.
`restarts: doubling` takes h_k = 2^k and `restarts: squaring` takes h_k = 2^(2^k). With `restarts: none`, T is known.
If beta is null, it is one over the assumed horizon.

Privacy: central. Neighboring streams of rewards differ in the reward vector of one round. This changes one mean of one
epoch by at most 1/R, so the sequence of arms is eps-DP. Every reward counts in one epoch only. Printed and certified
noise coincide.

Choices that the paper leaves open:
    rounding    The paper does not say how to round R. Here it is rounded up.
    |S|         In L6, |S| is the same as in L4.
    last round  An epoch that the horizon cuts releases nothing.

Cost: O(K ln T) for one horizon. Skipping rounds is exact: inside an epoch the order of pulls is fixed, no reward is
read before its end, and one binomial draw gives the sum.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.base import Algorithm, Choice, Example, Look, Range
from dpbandits.algorithms.bernoulli.private_means import noised_mean
from dpbandits.algorithms.shared.entries_bandits import COINCIDE, EQUAL, REPLACED_VECTOR
from dpbandits.algorithms.shared.play import OUTPUTS as OUTPUTS
from dpbandits.algorithms.shared.play import Play, decided, open_play, pull, pull_in_turn, released
from dpbandits.base.jit import formula, kernel
from dpbandits.environments.base import MEANS
from dpbandits.privacy.mechanisms import LAPLACE_NOISE, laplace


@dataclass(frozen=True)
class Params:
    """Constants of the algorithm, in the order in which `run` takes them."""

    eps: float
    beta: float  # 0 (null in the configuration): 1 / the horizon, or the assumed one
    restarts: int  # index of the word in `RESTARTS`


RESTARTS = Choice({"none": 0.0, "doubling": 1.0, "squaring": 2.0})

ALGORITHM = Algorithm(
    label="DP-SE",
    short="DP-SE",
    reference="Sajed and Sheffet 2019",
    trust_model="central",
    noise=(LAPLACE_NOISE,),
    guarantee=REPLACED_VECTOR,
    parameters={"beta": Range(0.0, 0.5, closed=True, null=0.0), "restarts": RESTARTS},
    arms=MEANS,
    grid=("eps",),
    outputs=OUTPUTS,
    calibrations=COINCIDE,
    examples=(
        Example(EQUAL, {"eps": 0.07, "beta": 0.5, "restarts": 0.0}, 5000),
        Example(EQUAL, {"eps": 0.1, "beta": 0.5, "restarts": 0.0}, 5000),
    ),
    look=Look("^", "-", "dark"),
)


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one grid point."""
    return Params(setting["eps"], setting["beta"], int(setting["restarts"]))


@formula
def log_terms(arms: int, epoch: int, beta: float) -> tuple[float, float]:
    """ln(8 |S| e^2 / beta), for the rewards, and ln(4 |S| e^2 / beta), for the noise."""
    return math.log(8.0 * arms * epoch * epoch / beta), math.log(4.0 * arms * epoch * epoch / beta)


@formula
def epoch_length(arms: int, epoch: int, beta: float, eps: float) -> float:
    """R of L4, a whole number."""
    of_rewards, of_noise = log_terms(arms, epoch, beta)
    gap = 0.5 ** float(epoch)  # L3
    return np.ceil(max(32.0 * of_rewards / (gap * gap), 8.0 * of_noise / (eps * gap)) + 1.0)  # L4


@formula
def threshold(arms: int, epoch: int, beta: float, eps: float, pulls: float) -> float:
    """2 h + 2 c of L6 and L8."""
    of_rewards, of_noise = log_terms(arms, epoch, beta)
    return 2.0 * math.sqrt(of_rewards / (2.0 * pulls)) + 2.0 * of_noise / (pulls * eps)  # L6


@kernel
def noised_means(rng: Generator, means: np.ndarray, active: np.ndarray, pulls: int, eps: float) -> np.ndarray:
    """m_j of L7 for the active arms."""
    noised = np.empty(len(active))
    for k in range(len(active)):
        noised[k] = noised_mean(rng, means[active[k]], pulls, eps)  # L7
    return noised


@kernel
def assumed_horizon(known: int, before: float, restarts: int) -> float:
    """The assumed horizon after `before`, which is 1 for the first; the known horizon if there are no restarts."""
    if restarts == 0:
        return float(known)
    if restarts == 1:
        return 2.0 * before
    return 4.0 if before == 1.0 else before * before


@kernel
def sweep(rng: Generator, play: Play, means: np.ndarray, eps: float, beta: float, now: int, end: int) -> int:
    """Run the algorithm for the rounds after `now` up to `end`; return the last round played."""
    active, epoch = np.arange(len(means)), 0  # L1
    while now < end and len(active) > 1:  # L2
        epoch += 1  # L3
        width = len(active)
        length = epoch_length(width, epoch, beta, eps)  # L4
        decided(play)
        if length * width > end - now:  # cut: play the whole turns that fit, then the first arms once more
            turns = (end - now) // width
            now = pull_in_turn(play, active, turns, now)
            return pull_in_turn(play, active[: end - now], 1, now)
        now = pull_in_turn(play, active, int(length), now)  # L5
        noised = noised_means(rng, means, active, int(length), eps)  # L7
        released(play, width)
        active = active[np.max(noised) - noised <= threshold(width, epoch, beta, eps, length)]  # L6, L8
    if now < end:
        decided(play)
        now = pull(play, active[0], end - now, now)  # L9
    return now


@kernel
def run(
    rng: Generator, means: np.ndarray, eps: float, beta: float, restarts: int, checkpoints: np.ndarray
) -> np.ndarray:
    """Play one run of the algorithm above; return the trace (len(checkpoints), len(OUTPUTS))."""
    horizon = checkpoints[-1]
    play = open_play(means, checkpoints)
    now, assumed = 0, 1.0
    while now < horizon:
        assumed = assumed_horizon(horizon, assumed, restarts)
        end = now + int(min(assumed, float(horizon - now)))
        now = sweep(rng, play, means, eps, beta if beta > 0.0 else 1.0 / assumed, now, end)
    return play.trace


def run_literal(
    rng: Generator, means: np.ndarray, eps: float, beta: float, restarts: int, checkpoints: np.ndarray
) -> np.ndarray:
    """Same as `run`, round by round; returns the regret at the checkpoints, (len(checkpoints),)."""
    horizon, gaps = int(checkpoints[-1]), (means.max() - means).tolist()
    regrets, regret = [], 0.0

    def pull_once(arm: int) -> float:
        nonlocal regret
        regret += gaps[arm]
        regrets.append(regret)
        return float(rng.random() < means[arm])

    def play_for(rounds: int, failure: float) -> None:
        last = min(horizon, len(regrets) + rounds)
        s, e = list(range(len(means))), 0  # L1
        while len(s) > 1:  # L2
            e += 1
            size, d = len(s), 1 / 2**e  # L3
            first, second = math.log(8 * size * e**2 / failure), math.log(4 * size * e**2 / failure)
            r = math.ceil(max(32 * first / d**2, 8 * second / (eps * d)) + 1)  # L4
            total = dict.fromkeys(s, 0.0)
            for _ in range(r):  # L5
                for j in s:
                    if len(regrets) == last:
                        return
                    total[j] += pull_once(j)
            m = {j: total[j] / r + laplace(rng, 1 / (eps * r)) for j in s}  # L7
            allowed = 2 * math.sqrt(first / (2 * r)) + 2 * second / (r * eps)  # L6
            s = [j for j in s if max(m.values()) - m[j] <= allowed]  # L8
        while len(regrets) < last:  # L9
            pull_once(s[0])

    k = 0
    while len(regrets) < horizon:
        k += 1
        rounds = {0: horizon, 1: 2**k, 2: 2 ** (2**k)}[restarts]
        play_for(rounds, beta or 1 / rounds)
    return np.array(regrets)[checkpoints - 1]
