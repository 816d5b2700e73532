"""The screen of LinUCB's arms in single precision: its error is bounded, and no choice differs from `choose`."""

import numpy as np
import pytest

from dpbandits.algorithms.linucb import rule
from dpbandits.algorithms.linucb import screen as linucb_screen
from dpbandits.algorithms.linucb import server as linucb_server

DIMENSIONS = [1, 2, 4, 5, 6, 10, 11, 15]


def state(rng, features, ridge, noise):
    """A server with a positive definite V and a u of its own; its screen, and what is found of V."""
    arms, d = features.shape
    server, screen = linucb_server.open_server(features, ridge, 0), linucb_screen.open_screen(features)
    root = noise * rng.normal(size=(d, d))
    server.gram[:] = ridge * (np.eye(d) + root @ root.T)
    server.target[:] = np.sqrt(ridge) * rng.normal(size=d)
    server.recent[:] = rng.integers(0, arms, len(server.recent))
    found = linucb_screen.factorize_for(screen, server)
    assert found.definite
    return server, screen, found


def of_all(server, arms, beta):
    """What `best_of_all` chooses by the indices in double precision."""
    linucb_server.score(server)
    return rule.best_of_all(server.estimates, server.squared, server.values, arms, beta)


@pytest.mark.parametrize("noise", [0.0, 0.1, 1.0, 10.0])
@pytest.mark.parametrize("d", DIMENSIONS)
def test_the_bound_of_the_error_holds(d, noise):
    rng, used = np.random.default_rng(d), 0
    for _ in range(40):
        features = rng.normal(size=(20, d))
        server, screen, found = state(rng, features, 10.0 ** rng.integers(-3, 6), noise)
        arm = linucb_screen.only_arm(server, screen, found, 20, 1.0)
        _, length, error = found
        if not error < linucb_screen.WORST:
            assert arm == -1
            continue
        used += 1
        linucb_server.score(server)
        widths, roots = (np.sqrt(each[:20].astype(float)) for each in (server.squared, screen.squared))
        assert (np.abs(widths - roots) <= error * roots).all()
        apart = np.abs(server.estimates[:20] - screen.estimates[:20])
        assert (apart <= error * length * roots).all()
    assert used > 20 or noise > 1.0


def near_ties(rng, d, arms, apart):
    """Features of which each is so far from one of three."""
    features = rng.normal(size=(3, d))[rng.integers(0, 3, arms)]
    return features + apart * rng.normal(size=(arms, d))


@pytest.mark.parametrize("apart", [1.0, 1e-2, 1e-5, 1e-6, 1e-7, 1e-8, 1e-13, 0.0])
@pytest.mark.parametrize("d", DIMENSIONS)
def test_no_choice_differs_from_that_of_all_exact_indices(d, apart):
    rng = np.random.default_rng(d)
    for arms in (1, 3, 8, 9, 30):
        for _ in range(12):
            features = near_ties(rng, d, arms, apart) * 10.0 ** rng.integers(-3, 3)
            server, screen, known = state(rng, features, 10.0 ** rng.integers(-2, 5), rng.choice([0.1, 0.5, 3.0]))
            for beta in (0.0, 0.3, 40.0, 1e4, np.inf, np.nan):
                found = linucb_screen.choose_screened(server, screen, known, arms, beta)
                assert found == of_all(server, arms, beta)
                assert server.recent[0] == found[0]


@pytest.mark.parametrize("size", [1e-310, 1e-160, 1e-44, 1e-30, 1e-12, 1e12, 1e30, 1e39, 1e150])
@pytest.mark.parametrize("side", ["features", "target", "gram"])
def test_nor_does_it_where_numbers_are_too_small_or_large_for_single_precision(side, size):
    rng = np.random.default_rng(5)
    for _ in range(30):
        features = near_ties(rng, 3, 9, 0.1) * (size if side == "features" else 1.0)
        server, screen, _ = state(rng, features, 2.0, 0.3)
        server.target[:] *= size if side == "target" else 1.0
        server.gram[:] *= size if side == "gram" else 1.0
        found = linucb_screen.factorize_for(screen, server)
        if not found.definite:
            continue
        for beta in (0.0, 1e-3, 7.0, 1e12):
            assert linucb_screen.choose_screened(server, screen, found, 9, beta) == of_all(server, 9, beta)


def test_one_arm_that_leads_is_found_without_exact_indices():
    """Also where it was not played lately; two that are equal are left open."""
    features = np.array([[0.5, 0.0], [0.0, 0.9], [1.0, 0.3], [0.2, 0.2], [0.1, 0.1], [0.3, 0.3]])
    server, screen, _ = state(np.random.default_rng(0), features, 4.0, 0.0)
    server.target[:] = [4.0, 0.0]
    found = linucb_screen.factorize_for(screen, server)
    for recent in ([2, 0, 1, 3], [0, 1, 3, 4]):
        server.recent[:] = recent
        assert linucb_screen.only_arm(server, screen, found, 6, 0.5) == 2
    assert not server.estimates.any(), "nothing was scored in double precision"
    twice = np.concatenate([features, features[2:3]])
    server, screen, _ = state(np.random.default_rng(0), twice, 4.0, 0.0)
    server.target[:] = [4.0, 0.0]
    found = linucb_screen.factorize_for(screen, server)
    assert linucb_screen.only_arm(server, screen, found, 7, 0.5) == -1
    assert linucb_screen.choose_screened(server, screen, found, 7, 0.5) == (2, False)


def test_scores_that_are_there_are_used_where_the_matrix_is_not_definite():
    features = np.eye(3)
    server, screen = linucb_server.open_server(features, 1.0, 0), linucb_screen.open_screen(features)
    server.gram[:] = np.diag([1.0, -1.0, 1.0])
    found = linucb_screen.factorize_for(screen, server)
    assert not found.definite
    assert linucb_screen.choose_screened(server, screen, found, 3, 1.0) == (1, True)


@pytest.mark.parametrize("d", DIMENSIONS)
def test_the_factor_has_the_bits_of_the_one_that_other_algorithms_use(d):
    """Also where V is not positive definite: then the indices by its inverse are those of `factorize`."""
    rng, seen = np.random.default_rng(d), set()
    for _ in range(30):
        features = rng.normal(size=(7, d))
        one, other = (linucb_server.open_server(features, 2.0, 0) for _ in range(2))
        noise = rng.choice([0.1, 1.0]) / np.sqrt(d) * rng.normal(size=(d, d))
        for server in (one, other):
            server.gram[:] += 3.0 * (noise + noise.T)
            server.target[:] = noise[0]
        found = linucb_screen.factorize_for(linucb_screen.open_screen(features), one)
        assert found.definite == linucb_server.factorize(other)
        of = "solved" if found.definite else "squared"
        np.testing.assert_array_equal(*(np.tril(np.atleast_2d(getattr(each, of))) for each in (one, other)))
        seen.add(found.definite)
    assert seen == {True, False}
