"""What shuffling proves, against exact divergences of small batches: every data set of the others, every multiset."""

import functools
import math
from itertools import combinations, combinations_with_replacement, permutations

import numpy as np
import pytest
from scipy import stats

from dpbandits.privacy.shuffling import clone_delta, failing_clone_delta

ROUNDING = 1e-13  # of the exact divergences


def randomized_response(local_eps, values):
    """Rows: distribution of the report of every input; the true value is e^eps0 times as likely as each other."""
    found = np.ones((values, values)) + (math.exp(local_eps) - 1) * np.eye(values)
    return found / found.sum(axis=1, keepdims=True)


def three_valued(local_eps, share):
    """Inputs 0 and 1 have a value of their own each, of probability e^eps0 p and p; the rest is a third value."""
    p, e = share / (math.exp(local_eps) + 2), math.exp(local_eps)
    rest = 1 - (e + 1) * p
    return np.array([[e * p, p, rest], [p, e * p, rest], [p, p, 1 - 2 * p]])


def subset_selection(local_eps, values, size):
    """Reports are sets of `size` values, e^eps0 times as likely if the true value is among them."""
    sets = list(combinations(range(values), size))
    found = np.array([[math.exp(local_eps) if x in each else 1.0 for each in sets] for x in range(values)])
    return found / found.sum(axis=1, keepdims=True)


def laplace(local_eps, edges):
    """Inputs in [-1, 1], Lap(2/eps0) on them, seen in intervals."""
    ends = np.concatenate([[-np.inf], edges, [np.inf]])
    return np.array([np.diff(stats.laplace.cdf(ends, loc=x, scale=2 / local_eps)) for x in (-1.0, 0.0, 0.5, 1.0)])


def gaussian(mu, edges):
    """Inputs in [0, mu], N(0, 1) on them, seen in intervals."""
    ends = np.concatenate([[-np.inf], edges, [np.inf]])
    return np.array([np.diff(stats.norm.cdf(ends, loc=x)) for x in (0.0, 0.5 * mu, mu)])


def random_randomizer(seed, local_eps):
    """Probabilities between the ends of a random interval of logarithms, shrunk until it is eps0-LDP."""
    logs = np.random.default_rng(seed).choice([0.0, 0.5, 1.0], (4, 4))
    low, high = 0.0, 4.0 * local_eps
    for _ in range(60):
        middle = 0.5 * (low + high)
        found = np.exp(middle * logs)
        found /= found.sum(axis=1, keepdims=True)
        low, high = (middle, high) if largest_ratio(found) <= local_eps else (low, middle)
    found = np.exp(low * logs)
    return found / found.sum(axis=1, keepdims=True)


def largest_ratio(rows):
    return float(np.log(rows.max(axis=0) / rows.min(axis=0)).max())


def multisets(rows):
    """Distribution of how many reports have each value, one axis for each value, for independent reports."""
    values, n = len(rows[0]), len(rows)
    found = np.zeros((n + 1,) * values)
    found[(0,) * values] = 1.0
    for row in rows:
        found = sum(p * np.roll(found, 1, axis) for axis, p in enumerate(row))
    return found


def worst_divergences(randomizer, n, budgets):
    """At every epsilon the largest hockey-stick divergence, over the user's two inputs and all inputs of the others."""
    worst = np.zeros(len(budgets))
    for others in combinations_with_replacement(randomizer, n - 1):
        crowd = [multisets([*others, row]) for row in randomizer]
        for first, second in permutations(crowd, 2):
            found = [np.maximum(first - math.exp(eps) * second, 0.0).sum() for eps in budgets]
            worst = np.maximum(worst, found)
    return worst


RANDOMIZERS = {
    "binary": lambda e: randomized_response(e, 2),
    "three": lambda e: randomized_response(e, 3),
    "four": lambda e: randomized_response(e, 4),
    "third value of 10 %": lambda e: three_valued(e, 0.9),
    "third value of 60 %": lambda e: three_valued(e, 0.4),
    "pairs of four": lambda e: subset_selection(e, 4, 2),
    "pairs of three": lambda e: subset_selection(e, 3, 2),
    "laplace": lambda e: laplace(e, (-1.0, -0.3, 0.3, 1.0)),
    "laplace ends": lambda e: laplace(e, (-1.0, 1.0)),
    **{f"random {seed}": functools.partial(random_randomizer, seed) for seed in range(6)},
}


@pytest.mark.parametrize("name", RANDOMIZERS)
@pytest.mark.parametrize("local_eps", [0.2, 1.0, 2.5, 5.0])
def test_no_randomizer_shows_more_than_the_clones_prove(name, local_eps):
    randomizer = RANDOMIZERS[name](local_eps)
    assert largest_ratio(randomizer) <= local_eps * (1 + 1e-12)
    budgets = [share * local_eps for share in (0.0, 0.05, 0.2, 0.5, 0.8, 0.99)]
    for n in (1, 2, 3, 4 if randomizer.shape[1] <= 5 else 3):
        found = worst_divergences(randomizer, n, budgets)
        assert (found <= [clone_delta(eps, local_eps, n) + ROUNDING for eps in budgets]).all(), n


def test_the_enumeration_is_close_to_what_is_proven():
    """Binary randomized response alone has it all; of two reports, the others' input unknown, most of it."""
    budgets = [0.0, 0.5, 1.5]
    proven = [[clone_delta(eps, 2.0, n) for eps in budgets] for n in (1, 2, 3)]
    found = [worst_divergences(randomized_response(2.0, 2), n, budgets) for n in (1, 2, 3)]
    assert found[0] == pytest.approx(proven[0], abs=1e-11)
    assert (found[1] > 0.9 * np.array(proven[1])).all()
    assert (found[2] > 0.8 * np.array(proven[2])).all()


# The three kinds of clones


def kinds(local_eps, p, n):
    """Distributions of the counts of three kinds and of the other reports, for the user's two inputs."""
    e = math.exp(local_eps)
    common = 1 - (e + 1) * p
    other = [p, p, common / e, 1 - 2 * p - common / e]
    users = [e * p, p, common, 0.0], [p, e * p, common, 0.0]
    return [multisets([user] + [other] * (n - 1)) for user in users]


@pytest.mark.parametrize("local_eps", [0.2, 1.0, 3.0])
@pytest.mark.parametrize("n", [1, 2, 5, 9])
def test_the_counts_of_three_kinds_tell_most_where_there_is_no_third(local_eps, n):
    """Their divergence increases in p, up to that of the clones at p = 1 / (e^eps0 + 1); either way."""
    largest = 1 / (math.exp(local_eps) + 1)
    for eps in (0.0, 0.1 * local_eps, 0.5 * local_eps, 0.9 * local_eps):
        curve = []
        for p in largest * np.linspace(0.0, 1.0, 11):
            first, second = kinds(local_eps, p, n)
            curve.append(np.maximum(first - math.exp(eps) * second, 0.0).sum())
            back = np.maximum(second - math.exp(eps) * first, 0.0).sum()
            assert back == pytest.approx(curve[-1], abs=1e-13)
        assert (np.diff(curve) >= -1e-14).all()
        assert clone_delta(eps, local_eps, n) - 2e-12 <= curve[-1] <= clone_delta(eps, local_eps, n)


def test_the_third_kind_must_not_be_hidden_in_the_crowd():
    """Counts of the first two kinds alone would prove less than what three-valued reports show."""
    local_eps, n = 2.0, 3
    randomizer = three_valued(local_eps, 0.4)
    first, second = (each.sum(axis=2) for each in map(first_two, kinds(local_eps, randomizer[0, 1], n)))
    budgets = [0.5, 1.0, 1.5]
    hidden = [np.maximum(first - math.exp(eps) * second, 0.0).sum() for eps in budgets]
    assert (worst_divergences(randomizer, n, budgets) > hidden).any()


def first_two(counts):
    """The fourth count is what is left: summed away, then the third."""
    return counts.sum(axis=3)


@pytest.mark.parametrize("n", [2, 3, 10, 300])
def test_fewer_clones_prove_less(n):
    """C ~ Bin(n - 1, e^-eps0), as in "Hiding among the clones", never has a smaller divergence."""
    for local_eps in (0.1, 0.5, 1.0, 2.0, 4.0, 8.0):
        likely = 1 / (1 + math.exp(-local_eps))
        for eps in (0.0, 0.1 * local_eps, 0.5 * local_eps):
            total = 0.0
            for clones, mass in enumerate(stats.binom.pmf(np.arange(n), n - 1, math.exp(-local_eps))):
                heads = stats.binom.pmf(np.arange(-1, clones + 2), clones, 0.5)
                one = likely * heads[:-1] + (1 - likely) * heads[1:]
                total += mass * np.maximum(one - math.exp(eps) * one[::-1], 0.0).sum()
            assert clone_delta(eps, local_eps, n) <= total + 2e-12


# Reports that may fail


def failure(randomizer, local_eps):
    """The least delta0 with which every pair of inputs is (eps0, delta0)-DP."""
    return max(np.maximum(one - math.exp(local_eps) * other, 0.0).sum() for one, other in permutations(randomizer, 2))


def leaking(local_eps, chance):
    """Randomized response that with a small chance says the input in clear."""
    return np.hstack([(1 - chance) * randomized_response(local_eps, 3), chance * np.eye(3)])


FAILING = {
    "leaking rarely": leaking(1.0, 0.001),
    "leaking": leaking(1.5, 0.03),
    "gaussian 1": gaussian(1.0, (-1.0, 0.0, 1.0, 2.0)),
    "gaussian 3": gaussian(3.0, (0.0, 1.0, 2.0, 3.0)),
}


@pytest.mark.parametrize("name", FAILING)
def test_no_failing_randomizer_shows_more_than_is_proven(name):
    randomizer = FAILING[name]
    for n in (1, 2, 3):
        for local_eps in (0.3, 1.0, 1.5, 2.0, 3.0):
            budgets = [share * local_eps for share in (0.0, 0.3, 0.7, 1.0, 1.2)]
            local_delta = failure(randomizer, local_eps)
            proven = [failing_clone_delta(eps, local_eps, local_delta, n) for eps in budgets]
            assert (worst_divergences(randomizer, n, budgets) <= np.array(proven) + ROUNDING).all()
