"""LDP-SGD with a parameter for every arm: greedy choices, with gradient messages to all arms.

Han, Liang, Wang and Zhang (arXiv 2106.03365), Algorithm 2 with the gradient messages.

Pseudo-code. K arms; user t has the context X_t, ||X_t|| <= 1, and the reward r_t; g_i(x, r) = (mu(x' theta_i) - r) x;
Psi of `l2_ball` makes eps-LDP vectors of one norm, and Psi(0) is uniform on the sphere:

    L1  theta_i = 0 for every arm i
    L2  for t = 1, 2, ...:
    L3      if t <= warm_up: a_t = (t mod K) + 1, and arm a_t alone gets Psi(g_i(X_t, r_t))
    L4      else: kept = {i : X_t' frozen_i > max_j X_t' frozen_j - h / 2}, frozen the estimates after the warm-up
    L5          a_t = argmax over kept of X_t' theta_i; arm a_t gets Psi(g_i(X_t, r_t)), every other arm Psi(0)
    L6      theta_i = theta_i - eta_n Psi for every arm i that got a message, n the messages of arm i

Calibrations:
    printed     Psi with eps / 2 and R = 2; eta_n = c' K / (curvature n), curvature = zeta kappa_l p'. The printed step
                has K and curvature interchanged.
    released    Other rounds: see `ldp_sgd_multi_released`.
    certified   Psi with eps and R = 2. Contexts and rewards are clipped to 1, and estimates are projected on the unit
                ball. `tuned`: R = 1 and eta_n = 5 / n.

The factor kappa_l p' depends on the distribution of contexts and is given.

Privacy: local. Neighboring datasets differ in one user's context and reward, which are replaced. From Psi(g) to Psi(0),
densities change by a factor of at most 2 e^eps / (1 + e^eps), and from Psi(0) to Psi(g') by at most (1 + e^eps) / 2,
together e^eps. So the K messages of a user are eps-LDP, and eps / 2 is not needed.

Choices that the paper leaves open:
    long gradient  A gradient longer than R is projected, which is still private but biased. The trace counts such
                   rounds.

Cost: O(K d) per round.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.base import POSITIVE, SWITCH, Algorithm, Guarantee, Look
from dpbandits.algorithms.glm_multi import by_arm
from dpbandits.algorithms.glm_multi import ldp_sgd_multi_released as program
from dpbandits.algorithms.glm_multi.by_arm import (
    CLIPPED,
    ELIMINATED,
    INDEFINITE,
    answer,
    count_regret,
    greedy,
    opened,
    record,
    shorten,
)
from dpbandits.algorithms.glm_multi.by_arm_literal import Recorder, rounds, shown
from dpbandits.algorithms.glm_multi.gradient_messages_multi import fill_gradient
from dpbandits.algorithms.shared.contextual_literal import shorter
from dpbandits.algorithms.shared.entries_glm import (
    ALL,
    MESSAGES,
    SCHEME,
    SHARED_SPHERE,
    WARM_UP,
    WARMED_UP,
    on_contexts,
)
from dpbandits.base.jit import kernel, round_step
from dpbandits.environments.base import SHARED
from dpbandits.environments.contextual.distributions import mean_reward, offer
from dpbandits.environments.contextual.problem import Problem
from dpbandits.numerics.linalg import project
from dpbandits.privacy.l2_ball import L2_BALL_NOISE, Ball, keep_probability, l2_ball, sphere_radius
from dpbandits.privacy.mechanisms import GAUSSIAN_NOISE, NoiseRequest

Array = np.ndarray

OUTPUTS = by_arm.GREEDY
"""Outputs of `by_arm`; arms whose estimate at the end of a warm-up by least squares came from a matrix that was not
positive definite; mean number of arms eliminated per round after the warm-up; rounds in which the context, the reward
or the gradient was clipped."""
BOUND = 2.0  # R = 2 c_r C_B
TUNED_BOUND = 1.0  # source: released code
TUNED_STEP = 5.0  # source: released code, which multiplies it by K


class Rules(NamedTuple):
    """Constants of the rounds.

    Attributes
    ----------
    warm_up : number of rounds in which the arms take turns.
    threshold : h; infinite for no elimination.
    clip : bound on contexts and rewards; infinite for no clipping.
    """

    warm_up: int
    threshold: float
    clip: float


class Step(NamedTuple):
    """eta_n = size / n, and the radius of the ball on which estimates are projected; infinite for no projection."""

    size: float
    norm: float


@dataclass(frozen=True)
class Params:
    """Arguments of `run`: the constants of the rounds above, or of the released rounds."""

    rules: Rules | program.Released
    ball: Ball
    step: Step | program.ReleasedStep


ALGORITHM = Algorithm(
    label="LDP-SGD with a parameter for every arm",
    short="LDP-SGD",
    reference="Han et al. 2021, Algorithm 2",
    trust_model="local",
    noise=(L2_BALL_NOISE, GAUSSIAN_NOISE),
    guarantee=Guarantee(
        "the messages of a round to all arms are eps-LDP", "one user's context and reward are replaced"
    ),
    parameters={
        **MESSAGES,
        **WARM_UP,
        "scheme": SCHEME,
        "step": POSITIVE,
        "curvature": POSITIVE,
        "tuned": SWITCH,
    },
    arms=SHARED,
    grid=("eps",),
    outputs=OUTPUTS,
    calibrations=ALL,
    examples=on_contexts({**WARMED_UP, "scheme": 1.0, "step": 1.1, "curvature": 0.3, "tuned": 0.0}, {}, SHARED_SPHERE),
    agrees="stream",
    look=Look("o", "-"),
    looks={"tuned_step": Look("P", "--")},
)


def requests(setting: Mapping[str, float]) -> dict[str, NoiseRequest]:
    """No requests: the sphere mechanism has a closed form."""
    return {}


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one grid point.

    Reads from the setting: eps, arms, dimension, warm_up, threshold, step (c'), curvature, tuned (certified); and what
    `ldp_sgd_multi_released` reads.
    """
    if calibration == "released":
        return Params(*program.params_of(setting))
    certified = calibration == "certified"
    tuned = certified and setting["tuned"]
    eps, bound = setting["eps"] if certified else 0.5 * setting["eps"], TUNED_BOUND if tuned else BOUND
    ball = Ball(bound, keep_probability(eps), sphere_radius(eps, int(setting["dimension"]), bound))
    size = TUNED_STEP if tuned else setting["step"] * int(setting["arms"]) / setting["curvature"]
    limit = 1.0 if certified else math.inf
    rules = Rules(int(setting["warm_up"]), setting["threshold"] or math.inf, limit)
    return Params(rules, ball, Step(size, limit))


def run(
    rng: Generator,
    problem: Problem,
    rules: Rules | program.Released,
    ball: Ball,
    step: Step | program.ReleasedStep,
    checkpoints: Array,
) -> Array:
    """Play one run of the algorithm above; return the trace (len(checkpoints), len(OUTPUTS))."""
    play = program.simulate if isinstance(rules, program.Released) else simulate
    return play(rng, opened(problem), problem, rules, ball, step, checkpoints)


@kernel
def simulate(
    rng: Generator, stream: Generator, problem: Problem, rules: Rules, ball: Ball, step: Step, checkpoints: Array
) -> Array:
    """Same as `run`, given the stream of contexts and rewards."""
    arms, d = problem.theta.shape
    contexts, means = np.empty((1, d)), np.empty(arms)
    theta, frozen, count = np.zeros((arms, d)), np.zeros((arms, d)), np.zeros(arms, np.int64)  # L1
    gradients, message = np.zeros((arms, d)), np.empty(d)
    regret_sum, trace = np.zeros((2, 2)), np.empty((len(checkpoints), 7))
    eliminated, clipped, row = 0, 0, 0
    for now in range(checkpoints[-1]):  # L2
        t, warm = now + 1, now < rules.warm_up
        offer(stream, problem, now, contexts, means)
        x = contexts[0]
        long = shorten(x, rules.clip)
        arm = t % arms  # L3
        if not warm:
            arm, gone = greedy(x, theta, frozen, rules.threshold)  # L4, L5
            eliminated += gone
        value, large = answer(stream, problem, now, means[arm], rules.clip)
        count_regret(regret_sum, means, arm, not warm)
        steep = fill_gradient(problem.link, x, theta[arm], value, ball.bound, gradients[arm])
        clipped += long or large or steep
        for k in range(arms):
            if k == arm or not warm:
                l2_ball(rng, gradients[k], ball.bound, ball.keep, ball.radius, message)  # L3 or L5
                count[k] += 1
                move(theta[k], message, step, count[k])  # L6
        gradients[arm] = 0.0
        if t == rules.warm_up:
            frozen[:] = theta  # L4
        if t == checkpoints[row]:
            record(trace[row], regret_sum, t - rules.warm_up, theta, problem.theta)
            trace[row, INDEFINITE] = 0.0
            trace[row, ELIMINATED] = eliminated / max(1, t - rules.warm_up)
            trace[row, CLIPPED] = clipped
            row += 1
    return trace


@round_step
def move(theta: Array, message: Array, step: Step, n: int) -> None:
    """L6 for one arm, given its n-th message."""
    eta = step.size / n
    for i in range(len(theta)):
        theta[i] -= eta * message[i]
    if step.norm < np.inf:
        project(theta, step.norm)


def run_literal(
    rng: Generator,
    problem: Problem,
    rules: Rules | program.Released,
    ball: Ball,
    step: Any,
    checkpoints: Array,
) -> Array:
    """Same as `run`, in NumPy; returns the trace."""
    if isinstance(rules, program.Released):
        return program.run_literal(rng, problem, rules, ball, step, checkpoints)
    arms, d = problem.theta.shape
    theta, n = np.zeros((arms, d)), np.zeros(arms)
    frozen, recorder, psi = np.zeros((arms, d)), Recorder(problem, rules.warm_up), np.empty(d)
    for t, X, means, pay in rounds(problem, checkpoints[-1]):
        warm = t <= rules.warm_up
        x, long = shown(X, rules.clip)
        kept = frozen @ x > np.max(frozen @ x) - rules.threshold / 2
        arm = t % arms if warm else int(np.argmax(np.where(kept, theta @ x, -np.inf)))
        r = pay(arm)
        value = max(-rules.clip, min(rules.clip, r))
        g, theta = np.zeros((arms, d)), theta.copy()
        g[arm] = (mean_reward(problem.link, x @ theta[arm]) - value) * x
        for i in [arm] if warm else range(arms):
            n[i] += 1
            l2_ball(rng, g[i], ball.bound, ball.keep, ball.radius, psi)
            theta[i] = shorter(theta[i] - step.size / n[i] * psi, step.norm)
        cut = long or value != r or bool(np.linalg.norm(g) > ball.bound)
        frozen = theta if t == rules.warm_up else frozen
        recorder.write(means, arm, theta, 0, 0 if warm else arms - kept.sum(), cut)
    trace = recorder.trace(checkpoints)
    trace[:, ELIMINATED] /= np.maximum(1, checkpoints - rules.warm_up)
    return trace
