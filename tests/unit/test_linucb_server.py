"""What the server of LinUCB computes of V and u, against NumPy; sizes beside whole blocks and lanes."""

import numpy as np
import pytest

from dpbandits.algorithms.linucb import protocol, rule
from dpbandits.algorithms.linucb import server as linucb_server
from dpbandits.algorithms.shared.noisy_least_squares import solve_each, solve_shifted
from dpbandits.numerics.linalg import add_multiple, add_multiples

SIZES = [1, 2, 4, 5, 6, 8, 9, 10, 11, 15, 16, 17]


def drawn(d, arms, definite=True):
    """A server with a V and a u of its own, and the matrix, vector and features as they are."""
    rng = np.random.default_rng([d, arms])
    features, root = rng.normal(size=(arms, d)), rng.normal(size=(d, d))
    matrix = root @ root.T + np.eye(d) if definite else root + root.T - 3.0 * np.eye(d)
    server = linucb_server.open_server(features, 2.0, 0)
    server.gram[:] = np.where(np.tri(d) > 0, matrix, np.nan)
    server.target[:] = rng.normal(size=d)
    return server, matrix, features


def agree(server, matrix, features):
    """Estimates and squared widths are those of NumPy."""
    arms, inverse = len(features), np.linalg.inv(matrix)
    np.testing.assert_allclose(server.estimates[:arms], features @ inverse @ server.target, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(server.squared[:arms], np.einsum("ai,ij,aj->a", features, inverse, features), rtol=1e-8)


@pytest.mark.parametrize("arms", [1, 7, 8, 9])
@pytest.mark.parametrize("d", SIZES)
def test_estimates_and_widths_are_numpys(d, arms):
    server, matrix, features = drawn(d, arms)
    for _ in range(2):  # scratch of the first refresh does not show in the second
        assert linucb_server.refresh(server)
        agree(server, matrix, features)


@pytest.mark.parametrize("d", [1, 3, 5, 8])
def test_so_they_are_where_the_matrix_is_not_definite(d):
    server, matrix, features = drawn(d, 6, definite=False)
    assert not linucb_server.refresh(server)
    agree(server, matrix, features)


def test_what_was_not_finite_does_not_stay():
    server, matrix, features = drawn(7, 3)
    server.half[:] = np.nan
    assert linucb_server.refresh(server)
    agree(server, matrix, features)


@pytest.mark.parametrize("d", [1, 4, 7])
def test_the_first_widths_are_those_of_a_refresh(d):
    features = np.random.default_rng(d).normal(size=(5, d))
    opened, fresh = (linucb_server.open_server(features, 2.5, 0) for _ in range(2))
    assert linucb_server.refresh(fresh)
    np.testing.assert_allclose(opened.squared, fresh.squared, rtol=1e-14)
    assert not opened.estimates.any()


@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize("sds", [(0.7, 1.3, 0.4), (0.0, 1.0, 2.0), (1.0, 0.0, 2.0), (1.0, 2.0, 0.0)])
@pytest.mark.parametrize("d", [1, 2, 5, 9])
def test_noisy_messages_are_added_as_in_three_steps(d, sds, batch):
    """The same bits of u and V, and as many draws; upper triangles stay as they are. So for whether V has grown."""
    (server, _, features), (fast, _, _) = drawn(d, 3), drawn(d, 3)
    gram, target, x, noise = fast.gram, fast.target, features[1], np.empty(len(server.noise))
    one, three = np.random.default_rng(d), np.random.default_rng(d)
    linucb_server.compare(server)
    growing = protocol.receive(one, protocol.Gaussians(*sds), fast, x, batch - 1, batch)
    linucb_server.collect(server.gram, server.target, x, batch - 1, batch)
    protocol.draw_noise(three, protocol.Gaussians(*sds), d, np.sqrt(batch), noise)
    linucb_server.add(server.gram, server.target, noise, 1.0)
    np.testing.assert_array_equal(gram, server.gram)
    np.testing.assert_array_equal(target, server.target)
    assert growing == linucb_server.compare(server)
    assert one.random() == three.random()


@pytest.mark.parametrize("d", [1, 3, 6])
def test_rank_one_updates_are_numpys(d):
    features = np.random.default_rng(d).normal(size=(4, d))
    server, matrix = linucb_server.open_server(features, 1.5, 0), 1.5 * np.eye(d)
    for k, batch in enumerate((1, 3, 2, 1)):
        server.target[:] += features[k]
        matrix += batch * np.outer(features[k], features[k])
        linucb_server.rank_one(server, features[k], k, 1.0 / batch)
        agree(server, matrix, features)


@pytest.mark.parametrize("d", [1, 2, 3, 6])
def test_growth_is_what_the_eigenvalues_say(d):
    rng, seen = np.random.default_rng(d), set()
    for _ in range(60):
        before, change = rng.normal(size=(d, d)), rng.normal(size=(d, d))
        change = change @ change.T - rng.uniform(0.0, 0.5) * np.eye(d)
        expected = np.linalg.eigvalsh(change)[0] > 0.0
        assert linucb_server.grew(before + change, before.copy(), np.empty((d, d))) == expected
        seen.add(expected)
    assert seen == {True, False}


@pytest.mark.parametrize("m", range(1, 12))
def test_multiples_at_once_have_the_bits_of_one_after_another(m):
    rng = np.random.default_rng(m)
    rows, factors, x = rng.normal(size=(m, 13)), rng.normal(size=m), rng.normal(size=13)
    one_by_one = x.copy()
    for factor, row in zip(factors, rows, strict=True):
        add_multiple(one_by_one, factor, row)
    add_multiples(x, factors, rows)
    np.testing.assert_array_equal(x, one_by_one)


@pytest.mark.parametrize("d", [2, 5, 9])
def test_arms_solved_side_by_side_are_those_solved_alone(d):
    """One positive definite, one indefinite, one without messages, and one that needs pivoting."""
    rng = np.random.default_rng(d)
    grams, targets = np.zeros((4, d, d)), rng.normal(size=(4, d))
    root = rng.normal(size=(d, d))
    grams[0], grams[1] = root @ root.T, np.diag(np.where(np.arange(d) % 2, 1.0, -2.0)) + 0.1 * (root + root.T)
    grams[3] = np.fliplr(np.eye(d))
    shifts, count = np.array([0.5, 0.1, 0.3, 0.0]), np.array([3, 2, 0, 1])
    theta = np.full((4, d), 7.0)
    found = solve_each(grams, shifts, targets, count, np.empty((4, d, d + 1)), theta)
    assert found == 2, "the second and the last"
    assert np.array_equal(theta[2], np.full(d, 7.0))
    for k in (0, 1, 3):
        alone = np.empty(d)
        solve_shifted(grams[k], shifts[k], targets[k], np.empty((d, d + 1)), alone)
        np.testing.assert_allclose(theta[k], alone, rtol=1e-7, atol=1e-9)


SIZES_OF_INDICES = [1.0, 1e-160, 1e-310, 1e150, 0.0]


def chosen(estimates, squared, beta, recent):
    """What `choose` returns of those, and what it returns where it looks at all arms."""
    arms = len(estimates)
    server = linucb_server.open_server(np.ones((arms, 1)), 1.0, 0)
    server.estimates[:arms], server.squared[:arms], server.recent[:] = estimates, squared, recent
    found = rule.choose.py_func(server, arms, beta)
    assert server.recent[0] == found[0]
    return found, rule.best_of_all(server.estimates, server.squared, server.values, arms, beta)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("size", SIZES_OF_INDICES)
@pytest.mark.parametrize("beta", [0.0, 1e-170, 0.5, 40.0, 1e160, np.inf, np.nan])
def test_arms_that_cannot_win_change_no_choice(beta, size):
    rng = np.random.default_rng(3)
    for arms in (1, 2, 9):
        for _ in range(20):
            estimates = size * rng.integers(-2, 3, arms) * rng.choice([1.0, 1.0 + 1e-12, 1.0 + 1e-11], arms)
            squared = (size * rng.integers(0, 3, arms)) ** 2 * rng.choice([1.0, 1.0 + 1e-11], arms)
            for odd in (None, -1.0, np.nan, np.inf):
                if odd is not None:
                    squared[rng.integers(arms)] = odd
                found, all_arms = chosen(estimates, squared, beta, rng.integers(0, arms, linucb_server.RECENT))
                assert found == all_arms


def test_roots_are_left_out_where_one_arm_is_left():
    looked_at = []

    def best_of_all(*arguments):
        looked_at.append(arguments)
        return rule.best_of_all(*arguments)

    spaced, squared = np.array([0.0, 0.1, 0.7, 0.2]), np.full(4, 0.01)
    choose = type(rule.choose.py_func)(rule.choose.py_func.__code__, {**vars(rule), "best_of_all": best_of_all})
    server = linucb_server.open_server(np.ones((4, 1)), 1.0, 0)
    server.estimates[:4], server.squared[:4] = spaced, squared
    assert [choose(server, 4, 1.0)[0] for _ in range(3)] == [2, 2, 2]
    assert len(looked_at) == 1, "arm 2 is known from the first call on"


def test_the_arms_played_last_come_first():
    recent = np.array([3, 1, 4, 0])
    for arm, expected in ((3, [3, 1, 4, 0]), (4, [4, 3, 1, 0]), (9, [9, 4, 3, 1])):
        rule.move_to_front.py_func(recent, arm)
        assert recent.tolist() == expected
