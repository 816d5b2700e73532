"""LDP-GLOC: Algorithm 3 of Han, Liang, Wang and Zhang (arXiv 2106.03365), the baseline of Zheng et al. (2006.00701).

    V = 0, u = 0, theta~ = theta^ = 0;   in every round t
        play a_t = argmax_a x_a' theta~ + beta_{t-1} sqrt(x_a' (V + c_{t-1} I)^-1 x_a)
        the user sends x x' + W_t and (x' theta^) x + xi_t, standard deviation sigma (W_t symmetric), and
            (mu(x' theta^) - r) x with standard deviation C sigma
        V, u += the first two;   theta~ = (V + c_t I)^-1 u
        theta^ is moved by -zeta times the third and projected on the unit ball

sigma = 6 sqrt(2 ln(3.75 / delta)) / eps; c_t = 2 Upsilon_t (`local_scales`); beta_t^2 = (sigma / m) sqrt(d t),
whose constant is that of the released code; zeta = `rate_factor` / sqrt(T). t = 1 stands for t = 0 in c and beta.
`slope` = m, the least of mu' on [-1, 1]: 1 linear, e^-1 / (1 + e^-1)^2 logistic, e^-1 Poisson. `loss_bound` = C bounds
|mu - r|: 2 linear, 1 logistic, whose rewards lie in [0, 1]. A setting does not tell the link otherwise.

    calibration   adds
    released      by its switches: users take 2.5 for 3.75, as LDP-UCB, and sigma for C sigma (`released_noise`), half
                  of that for the loans (`half_noise`); x' theta^ in mu is cut to [-5, 5] and theta^ not projected
                  (`released_gradient`); random unit theta~ and theta^ (`released_start`); the bonus is beta ||x||
                  (`broken_bonus`) and zeta is K d / sqrt(T) for the larger problem
    certified     the least sigma, on all that is sent and wherever sigma stands, with which a message is proven
                  (eps, delta)-LDP; contexts longer than 1 are shortened and rewards cut to [-1, 1], or to [0, 1] for
                  C <= 1, whose noise is for logistic links alone

Privacy, certified: two messages differ by at most GLOC_LINEAR, or GLOC_LOGISTIC for C <= 1 (`sensitivities`),
||theta^|| <= 1 being known to the user; Poisson rewards have no such bound. A link that is not the one that the noise
is for is refused. Printed, released: the baseline's proof is not repeated here.
Cost of a round: K d^2 + d^3.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms import contextual, contextual_literal
from dpbandits.algorithms.contextual import add, errors, first_best, shortfall
from dpbandits.algorithms.contextual_literal import gaussian, literal, root, shorter, symmetric
from dpbandits.algorithms.noisy_gradient import residual
from dpbandits.algorithms.noisy_least_squares import ellipsoid, receive, widths
from dpbandits.contexts.laws import offer, on_sphere, reward
from dpbandits.contexts.problem import LINEAR, LOGISTIC, LOGISTIC_MEAN, Problem, world
from dpbandits.jit import kernel
from dpbandits.linalg import dot, project
from dpbandits.privacy.local_scales import baseline_sd, spread
from dpbandits.privacy.mechanisms import NoiseRequest
from dpbandits.privacy.sensitivities import GLOC_LINEAR, GLOC_LOGISTIC

OUTPUTS = (*contextual.OUTPUTS, "decision_error", "indefinite")
"""Those of `contextual` for theta^; the error of theta~; rounds after which V + c_t I was not positive definite."""
LARGEST = 5.0  # |x' theta^|, where it is cut; source: authors' code
RANGES = {LINEAR: -1.0, LOGISTIC: 0.0, LOGISTIC_MEAN: 0.0}  # least reward for which noise is certified, by link


@dataclass(frozen=True)
class Params:
    """Constants of the algorithm, in the order in which `run` takes them."""

    random_start: int
    server_sd: float  # sigma of the server
    user_sd: float  # of the first two parts of a message
    gradient_sd: float
    growth: float  # c_1
    slope: float
    rate: float  # zeta
    largest: float  # to which |x' theta^| is cut in mu
    projected: int
    broken_bonus: int
    cut: int  # 1 where contexts and rewards are cut
    least: float  # rewards are cut to [least, 1]


def bounded(setting: Mapping[str, float]) -> bool:
    """Whether the noise is for rewards in [0, 1] with a logistic link; else for those in [-1, 1] with a linear one."""
    return setting["loss_bound"] <= 1.0


def requests(setting: Mapping[str, float]) -> dict[str, NoiseRequest]:
    """The noise of a message."""
    sensitivity = GLOC_LOGISTIC if bounded(setting) else GLOC_LINEAR
    return {"sd": NoiseRequest("gaussian", sensitivity, setting["eps"], setting["delta"], 1)}


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one point of a grid."""
    eps, delta, certified = setting["eps"], setting["delta"], calibration == "certified"
    server = user = baseline_sd(eps, delta, 3)
    gradient = setting["loss_bound"] * user
    if certified:
        server = user = gradient = noise["sd"]
    elif setting["released_noise"]:
        user = gradient = baseline_sd(eps, delta, 2) * (0.5 if setting["half_noise"] else 1.0)
    free = bool(setting["released_gradient"]) and not certified
    return Params(
        int(setting["released_start"]),
        server,
        user,
        gradient,
        2.0 * server * spread(setting["dimension"], setting["T"], setting["failure"]),
        setting["slope"],
        setting["rate_factor"] / math.sqrt(setting["T"]),
        LARGEST if free else math.inf,
        int(not free),
        int(setting["broken_bonus"]),
        int(certified),
        0.0 if bounded(setting) else -1.0,
    )


def run(
    rng: Generator,
    problem: Problem,
    random_start: int,
    server_sd: float,
    user_sd: float,
    gradient_sd: float,
    growth: float,
    slope: float,
    rate: float,
    largest: float,
    projected: int,
    broken_bonus: int,
    cut: int,
    least: float,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """One run; see the module. Returns the trace (len(checkpoints), len(OUTPUTS)).

    Raises
    ------
    ValueError
        The noise is certified for another link.
    """
    if cut and RANGES.get(problem.link) != least:
        raise ValueError(f"no certified noise of gloc for the link {problem.link} and rewards in [{least:g}, 1]")
    constants = (random_start, server_sd, user_sd, gradient_sd, growth, slope, rate, largest)
    return play(rng, world(problem), problem, *constants, projected, broken_bonus, cut, least, checkpoints)


@kernel
def play(
    rng: Generator,
    stream: Generator,
    problem: Problem,
    random_start: int,
    server_sd: float,
    user_sd: float,
    gradient_sd: float,
    growth: float,
    slope: float,
    rate: float,
    largest: float,
    projected: int,
    broken_bonus: int,
    cut: int,
    least: float,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """As `run`, for contexts and rewards from `stream`."""
    arms, d = problem.arms, problem.theta.shape[1]
    contexts, means, indices, wide = np.empty((arms, d)), np.empty(arms), np.empty(arms), np.empty(arms)
    gram, target, work, room = np.zeros((d, d)), np.zeros(d), np.empty((d, d)), np.empty((2, d, arms))
    learned, decided = np.zeros(d), np.zeros(d)  # theta^, theta~
    trace = np.empty((len(checkpoints), 5))
    lost, indefinite, at = np.zeros(2), 0, 0
    definite = ellipsoid(gram, growth, target, work, decided)
    if random_start:
        on_sphere(rng, 1.0, learned)
        on_sphere(rng, 1.0, decided)
    for t in range(1, checkpoints[-1] + 1):
        offer(stream, problem, t - 1, contexts, means)
        beta = math.sqrt(server_sd / slope * math.sqrt(d * max(t - 1, 1)))
        if not broken_bonus:
            widths(contexts, work, definite, room, wide)
        for k in range(arms):
            x = contexts[k]
            if broken_bonus:
                wide[k] = math.sqrt(dot(x, x))
            indices[k] = dot(x, decided) + beta * wide[k]
        arm = first_best(indices)
        r, x = reward(stream, problem, means[arm]), contexts[arm]
        add(lost, shortfall(means, arm))
        if cut:
            project(x, 1.0)
            r = min(max(r, least), 1.0)
        receive(rng, x, dot(x, learned), user_sd, user_sd, gram, target)
        size = residual(problem.link, x, learned, r, largest)
        for i in range(d):
            learned[i] -= rate * (size * x[i] + gradient_sd * rng.standard_normal())
        if projected:
            project(learned, 1.0)
        definite = ellipsoid(gram, growth * math.sqrt(t), target, work, decided)
        if not definite:
            indefinite += 1
        if t == checkpoints[at]:
            error, direction = errors(learned, problem.theta[0])
            decision_error, _ = errors(decided, problem.theta[0])
            trace[at, 0], trace[at, 1], trace[at, 2] = lost[0], error, direction
            trace[at, 3], trace[at, 4] = decision_error, indefinite
            at += 1
    return trace


def run_literal(
    rng: Generator,
    problem: Problem,
    random_start: int,
    server_sd: float,
    user_sd: float,
    gradient_sd: float,
    growth: float,
    slope: float,
    rate: float,
    largest: float,
    projected: int,
    broken_bonus: int,
    cut: int,
    least: float,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """The same, round by round; returns regret, error and direction at the checkpoints, (len(checkpoints), 3)."""
    d = problem.theta.shape[1]
    V, u, theta_hat, theta_tilde = np.zeros((d, d)), np.zeros(d), np.zeros(d), np.zeros(d)
    if random_start:
        theta_hat, theta_tilde = contextual_literal.unit(rng, d), contextual_literal.unit(rng, d)

    def choose(t: int, contexts: np.ndarray) -> int:
        n = max(t - 1, 1)
        beta = (server_sd / slope * (d * n) ** 0.5) ** 0.5
        inverse = np.eye(d) if broken_bonus else np.linalg.inv(V + growth * n**0.5 * np.eye(d))
        widths = root(np.einsum("ai,ij,aj->a", contexts, inverse, contexts))
        return contextual_literal.first_best(contexts @ theta_tilde + beta * widths)

    def learn(t: int, x: np.ndarray, r: float) -> np.ndarray:
        nonlocal V, u, theta_hat, theta_tilde
        if cut:
            x, r = shorter(x, 1.0), float(np.clip(r, least, 1.0))
        z = x @ theta_hat
        V = V + np.outer(x, x) + symmetric(rng, user_sd, d)
        u = u + z * x + gaussian(rng, user_sd, d)
        theta_tilde = np.linalg.solve(V + growth * t**0.5 * np.eye(d), u)
        slope_of_loss = contextual_literal.link(problem.link, float(np.clip(z, -largest, largest))) - r
        theta_hat = theta_hat - rate * (slope_of_loss * x + gaussian(rng, gradient_sd, d))
        theta_hat = shorter(theta_hat, 1.0) if projected else theta_hat
        return theta_hat

    return literal(problem, choose, learn, checkpoints)
