"""What the adversary computes for a pair of inputs, against independent values; and what its domains hold."""

import itertools
import math

import numpy as np
import pytest
from scipy import integrate, stats

from dpbandits.privacy.gaussian import gaussian_eps
from dpbandits.privacy.l2_ball import keep_probability, l2_ball, sphere_radius
from dpbandits.privacy.vector_sum import sums_eps

from . import ball, bits, leaders, messages, nodes, rewards, shuffled
from .search import largest


def random():
    """A generator with the seed of these tests."""
    return np.random.default_rng(11)


def test_the_search_finds_a_corner_and_a_point_inside():
    found, point = largest(lambda p: p.sum(axis=0), 5)
    assert found == pytest.approx(5.0)
    found, point = largest(lambda p: -((p - 0.3) ** 2).sum(axis=0), 5)
    assert point == pytest.approx(np.full(5, 0.3), abs=1e-4)


@pytest.mark.parametrize(("mu", "delta"), [(0.1, 1e-5), (1.0, 0.1), (1.0, 1e-9), (7.0, 0.01), (60.0, 0.1)])
def test_epsilon_of_normal_distributions(mu, delta):
    assert messages.gaussian_epsilon(mu, delta) == pytest.approx(gaussian_eps(mu, delta), rel=1e-8)


def test_epsilon_of_normal_distributions_at_its_ends():
    assert messages.gaussian_epsilon(0.0, 0.1) == messages.gaussian_epsilon(0.1, 0.1) == 0.0
    assert messages.gaussian_epsilon(math.inf, 0.1) == math.inf


def test_users_are_in_their_domains():
    points = random().uniform(-1.0, 1.0, (40, 200))
    first, second = messages.features(5, False).pair(points[:12])
    assert max(np.linalg.norm(each[:5], axis=0).max() for each in (first, second)) <= 1.0 + 1e-12
    released = messages.feature_message(5, True)(points[:5])
    assert released[-1] == pytest.approx(np.ones(200))  # the last feature squared
    assert released[[5, 7, 10, 14]].sum(axis=0) == pytest.approx(np.ones(200))  # |z|^2
    assert set(np.unique(np.round(released[4], 9))) == {0.0, 1.0}  # y
    for values in rewards.outcomes(4, 4).pair(points[:9]):
        assert values.min() >= 0.0
        assert values.max() <= 1.0


def test_nodes_that_hold_a_leaf():
    horizon = 45
    starts = [(size * k + 1, size * (k + 1)) for size in (1, 2, 4, 8, 16, 32) for k in range(horizon // size)]
    leaves = np.arange(1, horizon + 1)
    held = [sum(first <= leaf <= last for first, last in starts) for leaf in leaves]
    assert rewards.nodes_of(leaves.astype(float), horizon).tolist() == held

    def is_released(first: int, last: int) -> bool:
        return (first - 1) // (last - first + 1) % 2 == 0

    best = max(
        sum(sum(first <= leaf <= last for leaf in rounds) ** 2 for first, last in starts if is_released(first, last))
        for rounds in itertools.combinations(range(1, 20), 3)
    )
    assert nodes.largest_squares(horizon, 3) == best
    assert nodes.noise_stays(10)


@pytest.mark.parametrize("length", [0.0, 0.4, 1.0])
def test_density_of_the_ball(length):
    """Shares of the outputs of the shipped mechanism on the side of a vector."""
    keep, trials, out = keep_probability(1.3), 20_000, np.empty(3)
    x = np.array([length, 0.0, 0.0])
    rng, count = random(), 0
    for _ in range(trials):
        l2_ball(rng, x, 1.0, keep, sphere_radius(1.3, 3, 1.0), out)
        count += out[0] > 0.0
    near = 0.5 * math.exp(ball.log_density(x[:, None], np.array([[1.0], [0.2], [0.0]]), keep)[0])
    assert count / trials == pytest.approx(near, abs=5.0 * math.sqrt(0.25 / trials))
    far = 0.5 * math.exp(ball.log_density(x[:, None], np.array([[-1.0], [0.2], [0.0]]), keep)[0])
    assert near + far == pytest.approx(1.0)


def test_chance_to_lead():
    """(1 + g/2) e^-g / 2 for two sums g apart, in the text of Report Noisy Max; and for four sums by quadrature."""
    for gap in (0.0, 0.7, 5.0, 3000.0):
        found = leaders.log_lead(np.array([[0.0], [gap]]))[0]
        assert found == pytest.approx(math.log(0.5 * (1.0 + 0.5 * gap)) - gap, rel=1e-7)
    scores = [1.0, 2.5, -3.0, 2.2]

    def density(x):
        return stats.laplace.pdf(x - scores[0]) * math.prod(stats.laplace.cdf(x - each) for each in scores[1:])

    exact = integrate.quad(density, -40.0, 40.0, points=scores, limit=200)[0]
    assert leaders.log_lead(np.array(scores)[:, None])[0] == pytest.approx(math.log(exact), rel=1e-7)


def test_tails_of_counts():
    for k in range(8):
        above, below = shuffled._binomial_tails(6, np.array([0.3]), np.array([float(k)]))
        assert (above[0], below[0]) == pytest.approx((stats.binom.sf(k - 1, 6, 0.3), stats.binom.cdf(k - 1, 6, 0.3)))
    chances = np.array([0.2, 0.5, 0.9])
    outcomes = list(itertools.product((0, 1), repeat=3))
    for k in range(5):
        exact = sum(np.prod(np.where(each, chances, 1.0 - chances)) for each in outcomes if sum(each) >= k)
        above, below = shuffled._sum_tails(chances[:, None], np.array([k]))
        assert (above[0], below[0]) == pytest.approx((exact, 1.0 - exact))


def test_a_report_alone_and_the_largest_of_several():
    """Without other users the shuffler hides nothing, from thresholds to normal scores."""
    found = shuffled.gaussian_reports(1.5, 1, 1, 0.01)
    assert found == pytest.approx(gaussian_eps(1.5, 0.01), rel=1e-6)
    threshold, mu, n = 2.0, 3.0, 5
    some = 1.0 - stats.norm.cdf(threshold) ** np.array([n, n - 1]) * np.array([1.0, stats.norm.cdf(threshold - mu)])
    found = shuffled._extreme(np.array([threshold]), mu, n, 0.01)[0]
    assert found == pytest.approx(math.log((some[1] - 0.01) / some[0]))


def test_a_soft_count_is_what_it_is_for_two_reports():
    """One other user at 0, levels by Monte Carlo: the same distributions of the count give the same epsilon."""
    mu, trials = 2.0, 400_000
    point = np.array([0.1, -1.0, -1.0, 1.0])
    middle = 0.5 * mu + 0.4
    z = random().standard_normal((2, trials))

    def counts(place):
        soft = 1.0 / (1.0 + np.exp(-mu * (z + np.array([[0.0], [place]]) - middle)))
        return np.bincount(np.round(soft * shuffled.LEVELS).astype(int).sum(axis=0), minlength=2 * shuffled.LEVELS + 1)

    first, second = (counts(place) / trials for place in (0.0, mu))
    drawn = max(shuffled._of_tails(*pair, 0.1) for pair in ((first, second), (second, first)))
    assert shuffled._counted(point, mu, 2, 0.1) == pytest.approx(drawn, rel=0.1)


@pytest.mark.parametrize("number", [1, 3])
def test_epsilon_of_bits(number):
    """Against the package's own privacy losses of the pair, both ends of which hold it."""
    how = bits.Randomizer(2, False, 20, 40, 9.0, 1.0, number)
    first, second, others = bits.worst_users(how)
    pair = tuple(np.tile(each / 9.0 - 1.0, number) for each in (first, second))
    crowd = np.tile(others / 9.0 - 1.0, (19, number))
    low, high = (sums_eps(*pair, 0.1, 800.0, 9.0, others=crowd, upwards=up) for up in (False, True))
    found = bits.epsilon(how, 0.1)
    assert low * 0.995 <= found <= high * (1.0 + 1e-9)
