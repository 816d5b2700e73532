"""LDP-GLOC: optimism on least squares whose rewards are the predictions of an online learner.

Han, Liang, Wang and Zhang (arXiv 2106.03365), Algorithm 3, the baseline of Zheng et al. (arXiv 2006.00701).

Pseudo-code. mu the link, x the context of the arm played, r its reward; theta~ decides, theta^ learns online:

    L1  V = 0, u = 0, theta~ = theta^ = 0; random unit vectors with `released_start`
    L2  for t = 1, 2, ...:
    L3      play a_t = argmax_a x_a' theta~ + beta_{t-1} sqrt(x_a' (V + c_{t-1} I)^-1 x_a)
    L4      the user sends x x' + W_t and (x' theta^) x + xi_t, W_t symmetric, standard deviation sigma
    L5      the user sends (mu(x' theta^) - r) x + rho_t, standard deviation C sigma
    L6      V and u += the two messages of L4
    L7      theta^ = theta^ - zeta times the message of L5, projected on the unit ball
    L8      theta~ = (V + c_t I)^-1 u

Here sigma = 6 sqrt(2 ln(3.75 / delta)) / eps, c_t = 2 Upsilon_t (`local_scales`) and beta_t^2 = (sigma / m) sqrt(d t),
whose constant is that of the released code. zeta = `rate_factor` / sqrt(T). In c and beta, t = 1 replaces t = 0.
`slope` = m is the least mu' on [-1, 1]: 1 linear, e^-1 / (1 + e^-1)^2 logistic, e^-1 Poisson. `loss_bound` = C bounds
|mu - r|: 2 linear, 1 logistic, whose rewards lie in [0, 1]. Poisson has no bound and takes 2. A setting does not name
the link in any other way.

Calibrations:
    printed     As above.
    released    By its switches: users take 2.5 for 3.75, as LDP-UCB, and sigma for C sigma (`released_noise`), and half
                of that for the loans (`half_noise`); x' theta^ in mu is cut to [-5, 5] and theta^ is not projected
                (`released_gradient`); `released_start`. For the larger problem zeta is K d / sqrt(T), and
                `broken_bonus` has other rounds: see the module `ldp_gloc_broken_bonus`.
    certified   The least sigma, on all messages and wherever sigma appears, for which a message is proven
                (eps, delta)-LDP. Contexts longer than 1 are shortened. Rewards are cut to [-1, 1], or to [0, 1] for
                C <= 1, whose noise is for logistic links alone.

Privacy: local. Neighboring datasets differ in one user's context and reward, which are replaced. Certified: two
messages differ by at most GLOC_LINEAR, or GLOC_LOGISTIC for C <= 1 (`sensitivities`), where the user knows theta^ and
||theta^|| <= 1. The bound holds for all users and all such theta^ (`docs/proofs/gloc.md`). Poisson rewards have no
such bound. A link other than the one for which the noise is made raises an error. For printed and released noise, the
proof of the baseline is not repeated here.

Cost: O(K d^2 + d^3) per round.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.base import POSITIVE, SWITCH, Algorithm, Guarantee, Look
from dpbandits.algorithms.glm_single import ldp_gloc_broken_bonus
from dpbandits.algorithms.glm_single.ldp_gloc_broken_bonus import BrokenBonus
from dpbandits.algorithms.glm_single.ldp_gloc_learner import Rules, learn, record
from dpbandits.algorithms.shared import contextual, contextual_literal
from dpbandits.algorithms.shared.contextual import add, first_best, shortfall
from dpbandits.algorithms.shared.contextual_literal import gaussian, literal, root, shorter, symmetric
from dpbandits.algorithms.shared.entries_glm import ALL, GLOC, MESSAGES, START, USER, on_contexts
from dpbandits.algorithms.shared.noisy_least_squares import ellipsoid, widths
from dpbandits.base.jit import kernel
from dpbandits.environments.base import CONTEXTS
from dpbandits.environments.contextual.distributions import offer, on_sphere, reward
from dpbandits.environments.contextual.problem import LINEAR, LOGISTIC, LOGISTIC_MEAN, Problem, instance_stream
from dpbandits.numerics.linalg import dot
from dpbandits.privacy.local_scales import baseline_sd, spread
from dpbandits.privacy.mechanisms import GAUSSIAN_NOISE, NoiseRequest
from dpbandits.privacy.sensitivities import GLOC_LINEAR, GLOC_LOGISTIC

Array = np.ndarray

OUTPUTS = (*contextual.OUTPUTS, "decision_error", "indefinite")
"""Outputs of `contextual` for theta^; the error of theta~; rounds after which V + c_t I was not positive definite."""
LARGEST = 5.0  # bound at which |x' theta^| is clipped; source: authors' code
RANGES = {LINEAR: -1.0, LOGISTIC: 0.0, LOGISTIC_MEAN: 0.0}  # smallest reward for which noise is certified, by link


class Bonus(NamedTuple):
    """The bonus of L3: beta_t^2 = squared sqrt(d t)."""

    squared: float


@dataclass(frozen=True)
class Params:
    """Arguments of `run`."""

    rules: Rules
    bonus: Bonus | BrokenBonus


ALGORITHM = Algorithm(
    label="LDP-GLOC",
    short="LDP-GLOC",
    reference="Han et al. 2021, Algorithm 3",
    trust_model="local",
    noise=(GAUSSIAN_NOISE,),
    guarantee=Guarantee("a message is (eps, delta)-LDP", f"{USER}, or in [0, 1] with a logistic link, are replaced"),
    parameters={
        **MESSAGES,
        **START,
        "slope": POSITIVE,
        "loss_bound": POSITIVE,
        "rate_factor": POSITIVE,
        "released_noise": SWITCH,
        "released_gradient": SWITCH,
        "half_noise": SWITCH,
        "broken_bonus": SWITCH,
    },
    arms=CONTEXTS,
    grid=("eps",),
    outputs=OUTPUTS,
    calibrations=ALL,
    examples=on_contexts(GLOC, {"sd": 0.5}),
    agrees="stream",
    look=Look("D", "--", "dark"),
)


def bounded(setting: Mapping[str, float]) -> bool:
    """Whether the noise is for rewards in [0, 1] with a logistic link; otherwise for [-1, 1] with a linear link."""
    return setting["loss_bound"] <= 1.0


def requests(setting: Mapping[str, float]) -> dict[str, NoiseRequest]:
    """Request for the noise on a message."""
    sensitivity = GLOC_LOGISTIC if bounded(setting) else GLOC_LINEAR
    return {"sd": NoiseRequest("gaussian", sensitivity, setting["eps"], setting["delta"], 1)}


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one grid point."""
    eps, delta, certified = setting["eps"], setting["delta"], calibration == "certified"
    server = user = baseline_sd(eps, delta, 3)
    gradient = setting["loss_bound"] * user
    if certified:
        server = user = gradient = noise["sd"]
    elif setting["released_noise"]:
        user = gradient = baseline_sd(eps, delta, 2) * (0.5 if setting["half_noise"] else 1.0)
    free = bool(setting["released_gradient"]) and not certified
    rules = Rules(
        random_start=int(setting["released_start"]),
        user_sd=user,
        gradient_sd=gradient,
        shift=2.0 * server * spread(setting["dimension"], setting["T"], setting["failure"]),
        rate=setting["rate_factor"] / math.sqrt(setting["T"]),
        largest=LARGEST if free else math.inf,
        norm=math.inf if free else 1.0,
        clip=1.0 if certified else math.inf,
        least=(0.0 if bounded(setting) else -1.0) if certified else -math.inf,
        most=1.0 if certified else math.inf,
    )
    return Params(rules, (BrokenBonus if setting["broken_bonus"] else Bonus)(server / setting["slope"]))


def run(rng: Generator, problem: Problem, rules: Rules, bonus: Bonus | BrokenBonus, checkpoints: Array) -> Array:
    """Play one run of the algorithm above; return the trace (len(checkpoints), len(OUTPUTS)).

    Raises
    ------
    ValueError
        The noise is certified for a different link.
    """
    if math.isfinite(rules.least) and RANGES.get(problem.link) != rules.least:
        raise ValueError(
            f"no certified noise of ldp_gloc for the link {problem.link} and rewards in [{rules.least:g}, 1]"
        )
    rounds = ldp_gloc_broken_bonus.play if isinstance(bonus, BrokenBonus) else play
    return rounds(rng, instance_stream(problem), problem, rules, bonus, checkpoints)


@kernel
def play(rng: Generator, stream: Generator, problem: Problem, rules: Rules, bonus: Bonus, checkpoints: Array) -> Array:
    """Same as `run` with the bonus of L3, with contexts and rewards from `stream`."""
    arms, d = problem.arms, problem.theta.shape[1]
    contexts, means, indices, wide = np.empty((arms, d)), np.empty(arms), np.empty(arms), np.empty(arms)
    gram, target, work, room = np.zeros((d, d)), np.zeros(d), np.empty((d, d)), np.empty((2, d, arms))  # L1
    learned, decided = np.zeros(d), np.zeros(d)  # L1: theta^, theta~
    trace, regret_sum, indefinite, at = np.empty((len(checkpoints), 5)), np.zeros(2), 0, 0
    definite = ellipsoid(gram, rules.shift, target, work, decided)
    if rules.random_start:
        on_sphere(rng, 1.0, learned)  # L1
        on_sphere(rng, 1.0, decided)  # L1
    for t in range(1, checkpoints[-1] + 1):  # L2
        offer(stream, problem, t - 1, contexts, means)
        beta = math.sqrt(bonus.squared * math.sqrt(d * max(t - 1, 1)))
        widths(contexts, work, definite, room, wide)
        for k in range(arms):
            indices[k] = dot(contexts[k], decided) + beta * wide[k]  # L3
        arm = first_best(indices)  # L3
        r = reward(stream, problem, t - 1, means[arm])
        add(regret_sum, shortfall(means, arm))
        learn(rng, problem.link, contexts[arm], r, rules, gram, target, learned)  # L4, L5, L6, L7
        definite = ellipsoid(gram, rules.shift * math.sqrt(t), target, work, decided)  # L8
        indefinite += not definite
        if t == checkpoints[at]:
            record(trace[at], regret_sum, learned, decided, problem.theta[0], indefinite)
            at += 1
    return trace


def run_literal(
    rng: Generator, problem: Problem, rules: Rules, bonus: Bonus | BrokenBonus, checkpoints: Array
) -> Array:
    """Same as `run`, round by round; returns regret, error and direction at the checkpoints, (len(checkpoints), 3)."""
    d = problem.theta.shape[1]
    V, u, theta_hat, theta_tilde = np.zeros((d, d)), np.zeros(d), np.zeros(d), np.zeros(d)
    if rules.random_start:
        theta_hat, theta_tilde = contextual_literal.unit(rng, d), contextual_literal.unit(rng, d)

    def choose(t: int, contexts: Array) -> int:
        n = max(t - 1, 1)
        beta = (bonus.squared * (d * n) ** 0.5) ** 0.5
        broken = isinstance(bonus, BrokenBonus)
        inverse = np.eye(d) if broken else np.linalg.inv(V + rules.shift * n**0.5 * np.eye(d))
        widths = root(np.einsum("ai,ij,aj->a", contexts, inverse, contexts))
        return contextual_literal.first_best(contexts @ theta_tilde + beta * widths)

    def learn(t: int, x: Array, r: float) -> Array:
        nonlocal V, u, theta_hat, theta_tilde
        x, r = shorter(x, rules.clip), float(np.clip(r, rules.least, rules.most))
        z = x @ theta_hat
        V = V + np.outer(x, x) + symmetric(rng, rules.user_sd, d)
        u = u + z * x + gaussian(rng, rules.user_sd, d)
        theta_tilde = np.linalg.solve(V + rules.shift * t**0.5 * np.eye(d), u)
        slope_of_loss = contextual_literal.link(problem.link, float(np.clip(z, -rules.largest, rules.largest))) - r
        theta_hat = theta_hat - rules.rate * (slope_of_loss * x + gaussian(rng, rules.gradient_sd, d))
        theta_hat = shorter(theta_hat, rules.norm)
        return theta_hat

    return literal(problem, choose, learn, checkpoints)
