"""How far apart two messages of LDP-GLOC can be: the steps of `docs/proofs/gloc.md`, and messages of the kernels.

Weights w are the variance of the noise on x x' and (x' theta) x over that on the gradient.
"""

import itertools
import math

import numpy as np
import pytest
from mpmath import iv
from scipy import optimize, special

from dpbandits.algorithms.glm_multi.ldp_gloc_multi import Rules as RulesByArm
from dpbandits.algorithms.glm_multi.ldp_gloc_multi import descend
from dpbandits.algorithms.glm_multi.optimism_by_arm import Server, gather, open_state
from dpbandits.algorithms.glm_single.ldp_gloc_learner import Rules, learn
from dpbandits.environments.contextual.problem import LINEAR, LOGISTIC
from dpbandits.privacy.sensitivities import GLOC_BY_ARM, GLOC_LINEAR, GLOC_LOGISTIC

BARE = Rules(0, 0.0, 0.0, 0.0, 1.0, math.inf, math.inf, 1.0, -1.0, 1.0)  # no noise, steps of length 1, no projection
CONSTANTS = {LINEAR: GLOC_LINEAR, LOGISTIC: GLOC_LOGISTIC}
LEAST = {LINEAR: -1.0, LOGISTIC: 0.0}  # reward
GAP = 1e-4  # by which the squares of the constants are rounded up, at most; stated in the proof
LINKS, WEIGHTS = (LINEAR, LOGISTIC), (0.0, 0.25, 1.0, 4.0)


def rho(link, t):
    """mu(t) less the least reward."""
    return 1.0 + t if link == LINEAR else special.expit(t)


def bound(link, weight, c):
    """S(c) of the proof."""
    return 4 * (1 - c**2) * (3 * c**2 + weight * rho(link, c) ** 2)


def v(link, weight, A, B, p, q, z):
    """V of the proof."""
    m, n = rho(link, p), rho(link, q)
    matrix, vector = A**2 + B**2 - 2 * z**2, p**2 * A + q**2 * B - 2 * p * q * z
    return matrix + vector + weight * (m**2 * A + n**2 * B - 2 * m * n * z)


def message(link, x, r, theta):
    """x x' on and above the diagonal, (x' theta) x and the gradient, without noise; one user a row."""
    z = np.sum(x * theta, axis=-1, keepdims=True)
    rows, columns = np.triu_indices(x.shape[-1])
    mean = z if link == LINEAR else special.expit(z)
    return x[..., rows] * x[..., columns], z * x, (mean - r[..., None]) * x


def squares(link, weight, users, theta):
    """Squared distance of the messages of two users (x, r)."""
    parts = [one - other for one, other in zip(*(message(link, *user, theta) for user in users), strict=True)]
    return sum(w * np.sum(part**2, axis=-1) for w, part in zip((1.0, 1.0, weight), parts, strict=True))


def worst(link, weight, dimension):
    """The pair that attains the bound, and theta along the bisector; both rewards are least."""
    c = optimize.minimize_scalar(lambda c: -bound(link, weight, c), bounds=(0, 1), method="bounded").x
    users, theta = np.zeros((2, dimension)), np.zeros(dimension)
    angle = math.acos(c)
    for user, sign in zip(users, (1, -1), strict=True):
        user[:2] = math.cos(math.pi / 4 + sign * angle), math.sin(math.pi / 4 + sign * angle)
    theta[:2] = math.sqrt(0.5)
    return [(x, np.array(LEAST[link])) for x in users], theta


def in_ball(v):
    """Points of the unit ball for any vectors."""
    return v / np.maximum(1.0, np.linalg.norm(v, axis=-1, keepdims=True))


# The message


@pytest.mark.parametrize("link", LINKS)
def test_the_message_is_that_of_the_kernel(link):
    rng = np.random.default_rng(1)
    for d in (1, 2, 4):
        x, theta = in_ball(rng.normal(size=(2, d)))
        gram, target, moved = np.zeros((d, d)), np.zeros(d), theta.copy()
        rules = BARE._replace(least=LEAST[link])
        learn(rng, link, x.copy(), 0.3, rules, gram, target, moved)
        matrix, vector, gradient = message(link, x, np.array(0.3), theta)
        assert gram.T[np.triu_indices(d)] == pytest.approx(matrix, abs=1e-14)
        assert target == pytest.approx(vector, abs=1e-14)
        assert theta - moved == pytest.approx(gradient, abs=1e-14)


# The steps of the proof


def draw_pairs(link, dimension, count):
    """Pairs of users and theta, a third of them with unit lengths and a third close to the worst pair."""
    rng = np.random.default_rng(dimension)
    vectors = in_ball(rng.normal(size=(3, count, dimension)) * rng.uniform(0, 3, (3, count, 1)))
    rewards = rng.uniform(LEAST[link], 1.0, (2, count))
    third = count // 3
    vectors[:, :third] /= np.linalg.norm(vectors[:, :third], axis=-1, keepdims=True)
    if dimension > 1:
        users, theta = worst(link, 1.0, dimension)
        for k, each in enumerate((users[0][0], users[1][0], theta)):
            vectors[k, -third:] = in_ball(each + rng.normal(size=(third, dimension)) * rng.exponential(0.1, (third, 1)))
        rewards[:, -third:] = np.where(rng.random((2, third)) < 0.7, LEAST[link], rewards[:, -third:])
    return [(vectors[k], rewards[k]) for k in (0, 1)], vectors[2]


@pytest.mark.parametrize(("link", "dimension"), list(itertools.product(LINKS, (1, 2, 3, 6))))
def test_steps_hold_for_every_pair(link, dimension):
    """Message <= V of steps 1 and 2 <= V at unit lengths <= S: every inequality, pair by pair."""
    users, theta = draw_pairs(link, dimension, 30000)
    (x, _), (y, _) = users
    A, B, z0 = np.sum(x * x, axis=1), np.sum(y * y, axis=1), np.sum(x * y, axis=1)
    for weight in WEIGHTS:
        reached = np.zeros(len(x))
        for one, other in itertools.product((1, -1), repeat=2):  # x or -x, y or -y: rewards at either end
            p, q, z = one * np.sum(x * theta, axis=1), other * np.sum(y * theta, axis=1), one * other * z0
            given, unit = (v(link, weight, *squared, p, q, z) for squared in ((A, B), (1.0, 1.0)))
            assert np.all(p**2 + q**2 - 2 * p * q * z <= 1 - z**2 + 1e-12)  # step 3
            assert np.all(given <= unit + 1e-12)  # step 3
            assert np.all(unit <= bound(link, weight, np.sqrt(0.5 * (1 + z))) + 1e-12)  # step 4
            reached = np.maximum(reached, given)
        assert np.all(squares(link, weight, users, theta) <= reached + 1e-12)  # steps 1 and 2


@pytest.mark.parametrize("link", LINKS)
def test_step_4_by_itself(link):
    """All c and (p, q) of the ellipse, on a grid: U, D, and the bracket; k = 1/4 is what the logistic slope allows."""
    k = 1.0 if link == LINEAR else 0.25
    c, radius, angle = np.meshgrid(np.linspace(0, 1, 101), np.linspace(0, 1, 41), np.linspace(0, 2 * np.pi, 121))
    s = np.sqrt(1 - c**2)
    u, v = c * radius * np.cos(angle), s * radius * np.sin(angle)
    U, D = (0.5 * (rho(link, u + v) + sign * rho(link, u - v)) for sign in (1, -1))
    assert np.all((U >= -1e-15) & (rho(link, np.abs(u)) + 1e-15 >= U))
    assert np.all(np.abs(D) <= k * np.abs(v) + 1e-15)
    assert np.all(s**2 * U**2 + c**2 * D**2 <= s**2 * rho(link, c) ** 2 + 1e-14)
    if link == LOGISTIC:
        assert pytest.approx(U, abs=1e-15) == 0.5 * (1 + np.sinh(u) / (np.cosh(u) + np.cosh(v)))
        assert special.expit(1) ** 2 * special.expit(-1) == pytest.approx(0.1437, abs=1e-4)


@pytest.mark.parametrize(("link", "weight"), list(itertools.product(LINKS, WEIGHTS)))
def test_the_bound_has_one_maximum_and_is_attained(link, weight):
    """On a grid; the root of the cubic; in two dimensions and more, and not in one."""
    values = bound(link, weight, np.linspace(0, 1, 100001))
    signs = np.sign(np.diff(values))
    assert np.count_nonzero(np.diff(signs)) == 1
    assert (signs[0], signs[-1]) == (1, -1)
    for dimension in (2, 3):
        assert squares(link, weight, *worst(link, weight, dimension)) == pytest.approx(values.max(), rel=1e-9)
    if link == LINEAR:
        roots = np.roots([2 * (3 + weight), 3 * weight, -3, -weight])
        (root,) = roots[(roots.real > 1e-12) & (np.abs(roots.imag) < 1e-12)].real
        assert bound(link, weight, root) == pytest.approx(values.max(), rel=1e-9)


# The maxima


def enclosure(link, ends):
    """S over an interval with w = 1, by interval arithmetic with outward rounding."""
    c = iv.mpf(ends)
    residual = 1 + c if link == LINEAR else 1 / (1 + iv.exp(-c))
    return 4 * (1 - c**2) * (3 * c**2 + residual**2)


def exceeds(link, most, boxes=40000):
    """A point of [0, 1] at which S is above `most` for certain; None if S is below it on all of [0, 1].

    Intervals are bisected until every one is decided; `most` is an interval.
    """
    todo = [(0.0, 1.0)]
    for _ in range(boxes):
        if not todo:
            return None
        low, high = todo.pop()
        middle = 0.5 * (low + high)
        if enclosure(link, [low, high]).b < most.a:
            continue
        if enclosure(link, [middle, middle]).a > most.b:
            return middle
        todo += [(low, middle), (middle, high)]
    raise ArithmeticError(f"not decided after {boxes} intervals")


@pytest.mark.parametrize("link", LINKS)
def test_constants_are_proven_and_no_mutant_is(link):
    """S < constant^2 everywhere on [0, 1]; less than the constant by the stated gap is refuted."""
    square = iv.mpf(CONSTANTS[link]) ** 2
    assert exceeds(link, square) is None
    c = exceeds(link, square - GAP)
    assert c is not None
    assert bound(link, 1.0, c) < CONSTANTS[link] ** 2


@pytest.mark.parametrize(("link", "largest"), [(LINEAR, 9.31842774), (LOGISTIC, 3.93330647)])
def test_the_worst_pair_refutes_a_mutant_constant(link, largest):
    found = squares(link, 1.0, *worst(link, 1.0, 2))
    assert found == pytest.approx(largest, abs=1e-8)
    assert CONSTANTS[link] ** 2 - GAP < found < CONSTANTS[link] ** 2


@pytest.mark.parametrize(("link", "dimension"), list(itertools.product(LINKS, (1, 2, 3))))
def test_searches_find_no_pair_beyond_the_constant(link, dimension):
    """Local searches in all coordinates, lengths and rewards; from two dimensions on they come within the gap."""
    rng, least = np.random.default_rng(20210603), LEAST[link]

    def value(v):
        x, y, theta = in_ball(v[: 3 * dimension].reshape(3, dimension))
        rewards = least + (1.0 - least) * np.sin(v[3 * dimension :]) ** 2
        return -float(squares(link, 1.0, [(x, rewards[0]), (y, rewards[1])], theta))

    starts = rng.normal(size=(12, 3 * dimension + 2))
    found = max(-optimize.minimize(value, start, method="BFGS", options={"gtol": 1e-7}).fun for start in starts)
    assert found <= CONSTANTS[link] ** 2
    assert (found > CONSTANTS[link] ** 2 - GAP) == (dimension > 1)


# A parameter for every arm


def sent_by_arm(x, r, arm, thetas):
    """The message of the kernels with a parameter for every arm, without noise, as one vector."""
    arms, d = thetas.shape
    state, learner = open_state(Server(0.0, 1.0, 0.0, 1.0, 0), arms, d), thetas.copy()
    z = float(x @ thetas[arm])
    gather(state, x, arm, z)
    descend(np.random.default_rng(0), RulesByArm(1.0, 0.0, 1.0, 0.0, math.inf), x, arm, z - r, learner)
    matrix = state.gram[np.tril_indices(arms * d)]
    return np.concatenate([matrix, state.target, (thetas - learner).ravel()])


def test_messages_by_arm():
    """The worst pair attains 12 exactly; random users with two arms, or one, stay below."""
    rng, thetas = np.random.default_rng(2), np.eye(2)
    pair = [sent_by_arm(thetas[arm], -1.0, arm, thetas) for arm in (0, 1)]
    assert np.sum((pair[0] - pair[1]) ** 2) == 12.0 == pytest.approx(GLOC_BY_ARM**2, rel=1e-15)
    for arms in ((0, 1), (1, 1)):
        most = 0.0
        for _ in range(2000):
            thetas = in_ball(rng.normal(size=(2, 2)) * 2)
            users = in_ball(rng.normal(size=(2, 2)) * 2)
            one, other = (sent_by_arm(x, rng.choice([-1, 1]), arm, thetas) for x, arm in zip(users, arms, strict=True))
            most = max(most, np.sum((one - other) ** 2))
        assert 6.0 < most < (12.0 if arms == (0, 1) else GLOC_LINEAR**2)


@pytest.mark.parametrize("weight", WEIGHTS)
def test_two_arms_are_farther_apart_than_one(weight):
    """4 + 8 w with two arms, by a grid over length, x' theta and reward; S <= 3 + 6.75 w is less."""
    length, cosine, r = np.meshgrid(np.linspace(0, 1, 41), np.linspace(-1, 1, 41), np.linspace(-1, 1, 21))
    p = length * cosine
    one = length**4 + (p * length) ** 2 + weight * ((p - r) * length) ** 2
    assert 2 * one.max() == pytest.approx(4 + 8 * weight, rel=1e-12)
    same = bound(LINEAR, weight, np.linspace(0, 1, 10001)).max()
    assert same <= 3 + 6.75 * weight < 4 + 8 * weight
