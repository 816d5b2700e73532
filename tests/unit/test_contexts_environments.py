"""Instances of contextual bandits: shapes, distributions of the parameters, what is offered, errors."""

import math

import numpy as np
import pytest
from scipy import stats

from dpbandits.base.registry import ENVIRONMENTS
from dpbandits.environments.contextual import distributions as distributions
from dpbandits.environments.contextual.problem import (
    CORNER,
    DIRECTION,
    GAUSSIAN,
    INTERCEPT,
    LINEAR,
    LOGISTIC,
    MARGIN,
    POISSON,
    SPHERE,
    instance_stream,
)
from dpbandits.numerics.statistics import holm

SIGNIFICANCE = 1e-3
RUNS = 1500
SPHERE_OF = {"arms": 10, "dimension": 3}
DRAWS = {  # environment, arguments, and what they come to: distribution, link, arms, shape of theta, noise, numbers
    "linear": (
        "sphere_contexts",
        {**SPHERE_OF, "link": "linear", "noise": 0.2},
        (SPHERE, LINEAR, 10, (1, 3), 0.2, []),
    ),
    "logistic": (
        "sphere_contexts",
        {**SPHERE_OF, "link": "logistic", "noise": 0},
        (SPHERE, LOGISTIC, 10, (1, 3), 0.0, []),
    ),
    "poisson": (
        "sphere_contexts",
        {**SPHERE_OF, "link": "poisson", "noise": 0.0},
        (SPHERE, POISSON, 10, (1, 3), 0.0, []),
    ),
    "gaussian": (
        "gaussian_contexts",
        {"arms": 2, "dimension": 4, "norm": 0.3, "noise": 1.0},
        (GAUSSIAN, LINEAR, 2, (1, 4), 1.0, [0.5]),
    ),
    "margin": (
        "margin_contexts",
        {"dimension": 5, "beta": 0.25, "noise": 0.1},
        (MARGIN, LINEAR, 2, (1, 5), 0.1, [0.25]),
    ),
    "corner": ("corner_contexts", {"rounds": 10_000, "noise": 0.1}, (CORNER, LINEAR, 2, (1, 3), 0.1, [])),
    "diverse": ("diverse_contexts", {"rounds": 10_000, "noise": 0.1}, (SPHERE, LINEAR, 2, (1, 3), 0.1, [])),
    "one": ("one_direction", {"dimension": 2, "scale": 1.0, "noise": 0.1}, (DIRECTION, LINEAR, 1, (1, 2), 0.1, [])),
    "all": ("all_directions", {"dimension": 2, "scale": 0.5, "noise": 0.1}, (SPHERE, LINEAR, 1, (1, 2), 0.1, [])),
    "shared": ("shared_sphere", {"arms": 3, "dimension": 5, "noise": 0.05}, (SPHERE, LINEAR, 3, (3, 5), 0.05, [])),
    "shared, normal": (
        "shared_gaussian",
        {"arms": 3, "dimension": 20, "noise": 0.05},
        (GAUSSIAN, LINEAR, 3, (3, 20), 0.05, [1.0]),
    ),
    "shared, intercept": (
        "shared_intercept",
        {"arms": 3, "dimension": 5, "noise": 0.05},
        (INTERCEPT, LINEAR, 3, (3, 5), 0.05, []),
    ),
}
NORMS = {"gaussian": 0.3}
FIXED = {"corner": [5.04, 3.0, 5.0], "diverse": [5.04, 3.0, 5.0], "one": [1.0, 1.0], "all": [0.5, 0.5]}
RANDOM = [name for name in DRAWS if name not in FIXED]
every = pytest.mark.parametrize("name", DRAWS)


def one(module, seed=0, **arguments):
    (problem,) = ENVIRONMENTS.module(module).draw(np.random.default_rng(seed), **arguments)
    return problem


def drawn(name, seed=0):
    module, arguments, _ = DRAWS[name]
    return one(module, seed, **arguments)


def offered(problem, rounds):
    """Contexts and means."""
    stream, shape = instance_stream(problem), (1 if problem.shared else problem.arms, problem.theta.shape[1])
    contexts, means = np.empty((rounds, *shape)), np.empty((rounds, problem.arms))
    for t in range(rounds):
        distributions.offer(stream, problem, t, contexts[t], means[t])
    return contexts, means


@every
def test_instances_are_as_stated(name):
    _, _, expected = DRAWS[name]
    found = drawn(name)
    assert (
        found.distribution,
        found.link,
        found.arms,
        found.theta.shape,
        found.noise,
        found.numbers.tolist(),
    ) == expected
    assert found.shared == name.startswith("shared")
    assert found.theta.dtype == np.float64
    assert np.isfinite(offered(found, 3)[1]).all()


@every
def test_instances_depend_on_their_seed_alone(name):
    first, again, other = drawn(name), drawn(name), drawn(name, 1)
    assert np.array_equal(first.theta, again.theta)
    assert first.stream == again.stream != other.stream
    assert np.array_equal(first.theta, other.theta) == (name in FIXED)


@pytest.mark.parametrize("name", FIXED)
def test_fixed_parameters(name):
    """5 + 4 / sqrt(10^4) = 5.04."""
    assert drawn(name).theta[0] == pytest.approx(FIXED[name], rel=1e-15)


def test_the_parameter_of_the_corner_moves_with_the_horizon():
    for module in ("corner_contexts", "diverse_contexts"):
        assert one(module, rounds=4, noise=0.1).theta.tolist() == [[7.0, 3.0, 5.0]]


@pytest.mark.parametrize("name", RANDOM)
def test_random_parameters_are_uniform_on_their_sphere(name):
    """Coordinates, and cosines between two, follow the beta distribution; one arm with an intercept is fixed."""
    thetas = np.array([drawn(name, seed).theta for seed in range(RUNS)]) / NORMS.get(name, 1.0)
    np.testing.assert_allclose(np.linalg.norm(thetas, axis=2), 1.0, rtol=1e-14)
    free = thetas if name != "shared, intercept" else np.array([np.delete(each, special(each), 0) for each in thetas])
    d = thetas.shape[2]
    distribution = stats.beta(0.5 * (d - 1), 0.5 * (d - 1), loc=-1.0, scale=2.0).cdf
    samples = [free[:, k, i] for k in range(free.shape[1]) for i in (0, d // 2, d - 1)]
    samples += [free[:, k].sum(axis=1) / math.sqrt(d) for k in range(free.shape[1])]
    if free.shape[1] > 1:
        samples.append((free[:, 0] * free[:, 1]).sum(axis=1))
    samples.append((free[1::2, 0] * free[:-1:2, 0]).sum(axis=1))
    p_values = [stats.kstest(sample, distribution).pvalue for sample in samples]
    assert min(holm(p_values)) > SIGNIFICANCE, p_values


def special(theta):
    """The arm whose constant coordinate is given: -0.9, which no other arm has."""
    (place,) = np.flatnonzero(theta[:, 0] == -0.9)
    return int(place)


def test_one_arm_with_an_intercept_is_hardly_ever_best():
    """Its constant coordinate is -0.9; the others keep a uniform direction."""
    problems = [drawn("shared, intercept", seed) for seed in range(RUNS)]
    places = np.array([special(each.theta) for each in problems])
    rest = np.array([each.theta[k, 1:] for each, k in zip(problems, places, strict=True)]) / math.sqrt(0.19)
    distribution = stats.beta(1.5, 1.5, loc=-1.0, scale=2.0).cdf
    p_values = [stats.kstest(rest[:, i], distribution).pvalue for i in range(4)]
    assert min(holm(p_values)) > SIGNIFICANCE, p_values
    best = np.array([offered(each, 20)[1].argmax(axis=1) for each in problems])
    assert 0.0 < (best == places[:, None]).mean() < 0.03
    first, second = ((best == ((places + k) % 3)[:, None]).mean() for k in (1, 2))
    assert first == pytest.approx(second, abs=0.05)


def test_which_arm_with_an_intercept_it_is_differs_between_instances():
    """Each of the three as often; for its instance it stays the same."""
    places = [special(drawn("shared, intercept", seed).theta) for seed in range(RUNS)]
    assert stats.chisquare(np.bincount(places, minlength=3)).pvalue > SIGNIFICANCE
    assert places[:20] == [special(drawn("shared, intercept", seed).theta) for seed in range(20)]
    many = [special(one("shared_intercept", seed, arms=10, dimension=2, noise=0.0).theta) for seed in range(RUNS)]
    assert stats.chisquare(np.bincount(many, minlength=10)).pvalue > SIGNIFICANCE


@pytest.mark.parametrize("name", ["linear", "margin", "all", "shared", "shared, intercept"])
def test_contexts_have_norms_of_at_most_one(name):
    contexts, means = offered(drawn(name), 300)
    assert np.linalg.norm(contexts, axis=2).max() <= 1.0 + 1e-12
    assert np.abs(means).max() <= (math.sqrt(2.0) if name == "all" else 1.0)


@pytest.mark.parametrize(("name", "expected"), [("gaussian", 1.0), ("shared, normal", 20.0)])
def test_norms_of_normal_contexts(name, expected):
    """N(0, I / d) has mean square 1; N(0, I) has d."""
    squares = (offered(drawn(name), 3000)[0] ** 2).sum(axis=2)
    assert squares.mean() == pytest.approx(expected, rel=0.05)


def test_which_arm_of_the_corner_is_best_depends_on_the_context():
    """E max(5.04 U + 3 U', 5) is above both: greedy play must learn all three coordinates."""
    _, means = offered(drawn("corner"), 2000)
    first = 5.04 * np.random.default_rng(0).random(10**5) + 3.0 * np.random.default_rng(1).random(10**5)
    assert (means[:, 0] > 5.0).mean() == pytest.approx((first > 5.0).mean(), abs=0.04)
    assert (means[:, 1] == 5.0).all()


@pytest.mark.parametrize(
    ("module", "arguments", "said"),
    [
        ("sphere_contexts", {**SPHERE_OF, "link": "logistic", "noise": 0.1}, "logistic rewards take no `noise`"),
        ("sphere_contexts", {**SPHERE_OF, "link": "poisson", "noise": 1.0}, "poisson rewards take no `noise`"),
        ("margin_contexts", {"dimension": 1, "beta": 1.0, "noise": 0.0}, "needs two dimensions or more"),
        ("shared_intercept", {"arms": 2, "dimension": 1, "noise": 0.0}, "need two dimensions or more"),
    ],
)
def test_impossible_arguments_are_refused(module, arguments, said):
    with pytest.raises(ValueError, match=said):
        one(module, **arguments)
