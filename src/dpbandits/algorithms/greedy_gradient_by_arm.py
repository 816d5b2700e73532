"""Greedy gradient steps with a parameter for every arm: Algorithm 2 (LDP-SGD) of Han et al., arXiv 2106.03365.

    theta_i = 0 for every arm i; user t has the context X_t, ||X_t|| <= 1; g_i(x, r) = (mu(x' theta_i) - r) x
    L1  t <= warm_up: a_t = (t mod K) + 1, and arm a_t alone gets Psi(g_i(X_t, r_t))
    L2  kept = {i: X_t' frozen_i > max_j X_t' frozen_j - h / 2}, frozen the estimates at the end of the warm-up
    L3  a_t = argmax over kept of X_t' theta_i; the arm a_t gets Psi(g_i(X_t, r_t)), every other arm Psi(0)
    L4  theta_i = theta_i - eta_n Psi, n the messages of arm i

Psi of `l2_ball` makes eps-locally private vectors of one norm; Psi(0) is uniform on the sphere.

printed    Psi with eps / 2 and R = 2, eta_n = c' K / (curvature n), curvature = zeta kappa_l p'; the step as printed
           has K and curvature upside down
released   the warm-up by least squares as in the released LDP-OLS: messages of sd s = 6 sqrt(2 ln(2.5 / delta)) / eps,
           shift 2 s sqrt(t) (4 sqrt d + 2 ln(2 T / failure)) for every arm; then one Psi of eps and R = 1 for the
           gradients of all arms together, in K d dimensions, but on the sphere of d dimensions, and in round t
           theta = theta - eta (Psi + 0.05 theta), eta = 5 K / t; with scheme 2 eta = sqrt(K) d / (200 t) and no 0.05;
           random starts; no elimination
certified  Psi with eps and R = 2; contexts and rewards are clipped to 1, estimates projected on the unit ball. `tuned`:
           R = 1 and eta_n = 5 / n

Beyond R a gradient is projected, which is still private but biased; it is counted. kappa_l p' hangs on the law of
contexts and is given.

Privacy: from Psi(g) to Psi(0) densities change by at most 2 e^eps / (1 + e^eps), from Psi(0) to Psi(g') by at most
(1 + e^eps) / 2, together e^eps: so the K messages of a user are eps-locally private, and eps / 2 is not needed. The
released warm-up is (eps, delta)-locally private for contexts and rewards up to 1, which are not clipped.
Cost: O(K d) a round.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.by_arm import COMMON, answer, count_regret, greedy, opened, record, shorten
from dpbandits.algorithms.by_arm_literal import Diary, rounds, shown
from dpbandits.algorithms.contextual_literal import gaussian, shorter, symmetric, unit
from dpbandits.algorithms.gradient_messages_by_arm import Ball, Step, move, send
from dpbandits.algorithms.noisy_least_squares import receive, solve_each
from dpbandits.contexts.laws import mean_reward, offer, on_sphere
from dpbandits.contexts.problem import Problem
from dpbandits.jit import kernel
from dpbandits.linalg import dot
from dpbandits.privacy.l2_ball import keep_probability, l2_ball, sphere_radius
from dpbandits.privacy.local_scales import baseline_sd, spread
from dpbandits.privacy.mechanisms import NoiseRequest

Array = np.ndarray

OUTPUTS = (*COMMON, "indefinite", "eliminated", "clipped")
"""Those of `by_arm`; arms whose estimate at the end of a warm-up by least squares came from a matrix that was not
positive definite; mean number of arms eliminated in a round after the warm-up; rounds in which the context, the reward
or the gradient was clipped."""
INDEFINITE, ELIMINATED, CLIPPED = range(len(COMMON), len(OUTPUTS))
BOUND = 2.0  # R = 2 c_r C_B
TUNED_BOUND = 1.0  # released code
TUNED_STEP = 5.0  # released code, times K there
PENALTY = 0.05  # released code, scheme 1
SLOW_STEP = 1.0 / 200.0  # released code, scheme 2


class Rules(NamedTuple):
    """Constants of the algorithm.

    Attributes
    ----------
    warm_up : rounds in which the arms take turns.
    threshold : h; infinite for no elimination.
    least_squares : 1 where the warm-up is by least squares.
    sd, shift : of its messages, and of a matrix in round t over sqrt t.
    start : 1 for random starts.
    clip : 1 where contexts and rewards are clipped.
    """

    warm_up: int
    threshold: float
    least_squares: int
    sd: float
    shift: float
    start: int
    clip: int


@dataclass(frozen=True)
class Params:
    """What `run` takes."""

    rules: Rules
    ball: Ball
    step: Step


def requests(setting: Mapping[str, float]) -> dict[str, NoiseRequest]:
    """None: the sphere has a closed form."""
    return {}


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one point of a grid.

    Of the setting: eps, delta, failure, T (the three for released), arms, dimension, warm_up, threshold, step (c'),
    curvature, scheme (1 or 2, released), tuned (certified).
    """
    eps, d, arms, warm_up = setting["eps"], int(setting["dimension"]), int(setting["arms"]), int(setting["warm_up"])
    released, certified = calibration == "released", int(calibration == "certified")
    used = 0.5 * eps if calibration == "printed" else eps
    tuned = certified and setting["tuned"]
    bound = TUNED_BOUND if released or tuned else BOUND
    ball = Ball(bound, keep_probability(used), sphere_radius(used, d, bound), int(released))
    if released:
        sd = baseline_sd(eps, setting["delta"], 2)
        shift = 2.0 * sd * spread(d, setting["T"], setting["failure"])
        step = Step(TUNED_STEP * arms, 0, PENALTY, 0)
        if setting["scheme"] == 2:
            step = Step(SLOW_STEP * math.sqrt(arms) * d, 0, 0.0, 0)
        return Params(Rules(warm_up, math.inf, 1, sd, shift, 1, 0), ball, step)
    size = TUNED_STEP if tuned else setting["step"] * arms / setting["curvature"]
    rules = Rules(warm_up, setting["threshold"] or math.inf, 0, 0.0, 0.0, 0, certified)
    return Params(rules, ball, Step(size, 1, 0.0, certified))


def run(rng: Generator, problem: Problem, rules: Rules, ball: Ball, step: Step, checkpoints: Array) -> Array:
    """One run; see the module. Returns the trace (len(checkpoints), len(OUTPUTS))."""
    return simulate(rng, opened(problem), problem, rules, ball, step, checkpoints)


@kernel
def simulate(
    rng: Generator, world: Generator, problem: Problem, rules: Rules, ball: Ball, step: Step, checkpoints: Array
) -> Array:
    """As `run`, with the stream of contexts and rewards."""
    arms, d = problem.theta.shape
    contexts, means = np.empty((1, d)), np.empty(arms)
    theta, frozen, count = np.zeros((arms, d)), np.zeros((arms, d)), np.zeros(arms, np.int64)
    squares = arms if rules.least_squares else 0
    gram, target, work = np.zeros((squares, d, d)), np.zeros((squares, d)), np.empty((squares, d, d + 1))
    gradients, message = np.zeros((arms, d)), np.empty((arms, d))
    lost, trace = np.zeros((2, 2)), np.empty((len(checkpoints), 7))
    indefinite, eliminated, clipped, row = 0, 0, 0, 0
    if rules.start:
        for k in range(arms):
            on_sphere(rng, 1.0, theta[k])
    for now in range(checkpoints[-1]):
        t, warm = now + 1, now < rules.warm_up
        offer(world, problem, now, contexts, means)
        x = contexts[0]
        cut = shorten(x, rules.clip)
        arm = t % arms  # L1
        if not warm:
            arm, gone = greedy(x, theta, frozen, rules.threshold)  # L2
            eliminated += gone
        value, large = answer(world, problem, means[arm], rules.clip)
        count_regret(lost, means, arm, not warm)
        cut = cut or large
        if warm and rules.least_squares:
            receive(rng, x, value, rules.sd, rules.sd, gram[arm], target[arm])
            count[arm] += 1
            if t == rules.warm_up or t == checkpoints[row]:
                shifts = np.full(arms, rules.shift * math.sqrt(t))
                indefinite = solve_each(gram, shifts, target, count, work, theta)
        else:
            slope = mean_reward(problem.link, dot(x, theta[arm])) - value
            for i in range(d):
                gradients[arm, i] = slope * x[i]
            if dot(gradients[arm], gradients[arm]) > ball.bound * ball.bound:
                cut = True
            send(rng, gradients, arm, warm, ball, message)  # L3
            gradients[arm] = 0.0
            for k in range(arms):  # L4
                if k == arm or not warm:
                    count[k] += 1
                    move(theta[k], message[k], step, count[k] if step.own else t)
        clipped += cut
        if t == rules.warm_up:
            frozen[:] = theta
        if t == checkpoints[row]:
            record(trace[row], lost, t - rules.warm_up, theta, problem.theta)
            trace[row, INDEFINITE] = indefinite
            trace[row, ELIMINATED] = eliminated / max(1, t - rules.warm_up)
            trace[row, CLIPPED] = clipped
            row += 1
    return trace


def run_literal(rng: Generator, problem: Problem, rules: Rules, ball: Ball, step: Step, checkpoints: Array) -> Array:
    """The same in NumPy; returns the trace."""
    arms, d = problem.theta.shape
    M, u, n = np.zeros((arms, d, d)), np.zeros((arms, d)), np.zeros(arms)
    theta = np.array([unit(rng, d) for _ in range(arms)]) if rules.start else np.zeros((arms, d))
    frozen, diary, indefinite = np.zeros((arms, d)), Diary(problem, rules.warm_up), 0

    def psi(g: Array) -> Array:
        out = np.empty(len(g))
        l2_ball(rng, g, ball.bound, ball.keep, ball.radius, out)
        return out

    for t, X, means, pay in rounds(problem, checkpoints[-1]):
        warm = t <= rules.warm_up
        x, long = shown(X, rules.clip)
        kept = frozen @ x > np.max(frozen @ x) - rules.threshold / 2
        arm = t % arms if warm else int(np.argmax(np.where(kept, theta @ x, -np.inf)))
        r = pay(arm)
        value = max(-1.0, min(1.0, r)) if rules.clip else r
        g, theta = np.zeros((arms, d)), theta.copy()
        g[arm] = (mean_reward(problem.link, x @ theta[arm]) - value) * x
        found = 0
        if warm and rules.least_squares:
            M[arm] += np.outer(x, x) + symmetric(rng, rules.sd, d)
            u[arm] += value * x + gaussian(rng, rules.sd, d)
            n[arm] += 1
            shift = rules.shift * np.sqrt(t) * np.eye(d)
            theta[n > 0] = [np.linalg.solve(M[i] + shift, u[i]) for i in range(arms) if n[i]]
            found = sum(np.linalg.eigvalsh(M[i] + shift)[0] <= 0 for i in range(arms) if n[i])
            g[arm] = 0.0
        else:
            if ball.stacked and not warm:
                z = psi(g.ravel()).reshape(arms, d)
            else:
                z = np.array([psi(g[i]) if i == arm or not warm else g[i] for i in range(arms)])
            for i in [arm] if warm else range(arms):
                n[i] += 1
                theta[i] -= step.size / (n[i] if step.own else t) * (z[i] + step.penalty * theta[i])
                theta[i] = shorter(theta[i], 1.0) if step.project else theta[i]
        cut = long or value != r or bool(np.linalg.norm(g) > ball.bound)
        frozen = theta if t == rules.warm_up else frozen
        diary.write(means, arm, theta, found - indefinite if warm else 0, 0 if warm else arms - kept.sum(), cut)
        indefinite = found if warm else indefinite
    trace = diary.trace(checkpoints)
    trace[:, ELIMINATED] /= np.maximum(1, checkpoints - rules.warm_up)
    return trace
