"""What is proven of shuffled Laplace reports: sums by other means, all pairs of values, small batches, other bounds."""

import math
from itertools import combinations_with_replacement, permutations, product

import numpy as np
import pytest

from dpbandits.privacy.shuffled_laplace import blanket, largest_laplace_budget, shuffled_laplace_delta
from dpbandits.privacy.shuffled_sums import positive_part, tilted
from dpbandits.privacy.shuffling import clone_delta, largest_local_budget

from .laplace_audits import blanket_delta
from .test_shuffling_enumerated import laplace, worst_divergences

# Sums


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_positive_parts_by_enumeration(n):
    """Every sequence of n values; from above, and by little."""
    values, masses = np.array([3.0, 0.4, -1.7, -2.5]), np.array([0.1, 0.2, 0.3, 0.2])
    both = list(zip([*values, 0.0], [*masses, 0.2], strict=True))
    exact = sum(math.prod(p for _, p in each) * max(0.0, sum(z for z, _ in each)) for each in product(both, repeat=n))
    assert exact / n <= positive_part(values, masses, n) <= 1.003 * exact / n


@pytest.mark.parametrize(
    ("n", "local_eps", "eps"),
    [(20, 2.0, 0.3), (1000, 3.0, 0.5), (10**4, 5.47, 1.0), (297171, 8.85, 1.0), (10**7, 7.85, 0.03), (300, 1.0, 0.8)],
)
def test_positive_parts_of_clones(n, local_eps, eps):
    """The clones' divergence has this form too: two values, of probability 1 / (e^eps0 + 1) each."""
    odds = math.exp(local_eps)
    values, masses = np.array([odds - math.exp(eps), 1 - math.exp(eps) * odds]), np.full(2, 1 / (odds + 1))
    exact = clone_delta(eps, local_eps, n) - 1.2e-12
    assert exact * (1 - 1e-4) - 1e-12 <= positive_part(values, masses, n) <= 1.01 * exact + 1e-11


def test_the_lattice_keeps_the_mean_and_raises_the_variance_by_little():
    values, masses = blanket(0.5, 4.0)
    one = tilted(values, masses, 50)
    size = len(one.masses)
    places = one.step * np.where(np.arange(size) < (size + 1) // 2, np.arange(size), np.arange(size) - size)
    untilted = one.masses * np.exp(one.log_factor - one.tilt * places)
    assert untilted.sum() == pytest.approx(1.0, rel=1e-9)
    assert untilted @ places == pytest.approx(values @ masses, rel=1e-9)
    assert values**2 @ masses <= untilted @ places**2 <= 1.01 * (values**2 @ masses)
    assert one.masses.sum() == pytest.approx(1.0, rel=1e-12)
    assert one.masses @ places == pytest.approx(0.0, abs=0.02 * math.sqrt(one.masses @ places**2))


# The blanket


def ratios(x, y, scale):
    """Density of a report of the value x over the least density of all values in [-1, 1], at y."""
    return np.exp((1 + np.abs(y) - np.abs(y - x)) / scale)


@pytest.mark.parametrize("local_eps", [0.3, 2.0, 5.0])
@pytest.mark.parametrize("share", [0.0, 0.2, 0.7])
def test_the_ends_of_the_interval_show_most(local_eps, share):
    """For all pairs of values E (Z - k)+ is at most that of the ends, for all k: the order of convex functions."""
    scale, factor = 2 / local_eps, math.exp(share * local_eps)
    y = np.concatenate([[-1.5], -1 + 2 * (np.arange(2000) + 0.5) / 2000, [1.5]])
    tail = math.exp(-2 / scale) / 2
    mass = np.concatenate([[tail], np.exp(-(1 + np.abs(y[1:-1])) / scale) / (2 * scale) * 1e-3, [tail]])

    def excesses(one, other):
        z = ratios(one, y.clip(-1, 1), scale) - factor * ratios(other, y.clip(-1, 1), scale)
        return np.maximum(z - k[:, None], 0.0) @ mass

    k = np.concatenate(
        [np.linspace(1 - factor * math.exp(local_eps), math.exp(local_eps), 150), np.linspace(-5, 5, 60)]
    )
    most = excesses(1.0, -1.0)
    for one, other in permutations(np.linspace(-1, 1, 9), 2):
        assert (excesses(one, other) <= most * (1 + 1e-6) + 2e-6 * math.exp(local_eps / 2)).all()


@pytest.mark.parametrize("local_eps", [0.5, 2.0, 5.0])
def test_the_values_of_the_blanket(local_eps):
    """Z has mean 1 - e^eps; V is as often above v as v^(-1/2), but for cells that are 1 % wide."""
    values, masses = blanket(0.3, local_eps)
    assert values @ masses == pytest.approx(1 - math.exp(0.3), rel=1e-10)
    assert masses.sum() == pytest.approx(math.exp(-0.5 * local_eps), rel=1e-12)
    v, chances = values[: len(values) // 2] + math.exp(0.3), 2 * math.exp(0.5 * local_eps) * masses[: len(values) // 2]
    assert np.cumsum(chances[::-1])[::-1] == pytest.approx(v**-0.5, rel=0.01)


@pytest.mark.parametrize("local_eps", [0.5, 2.0, 5.0])
def test_no_small_batch_shows_more(local_eps):
    """Reports seen in intervals, all values of the others that are tried, every pair of values."""
    budgets = [share * local_eps for share in (0.0, 0.1, 0.4, 0.8)]
    for edges in ((-1.0, 1.0), (-1.0, -0.3, 0.3, 1.0), (-0.9, -0.5, 0.6)):
        for n in (1, 2, 3, 4):
            found = worst_divergences(laplace(local_eps, edges), n, budgets)
            assert (found <= [shuffled_laplace_delta(eps, local_eps, n) + 1e-13 for eps in budgets]).all()


def test_a_report_alone_shows_all_that_is_proven():
    """Intervals fine enough leave little of the gap; n = 2 with the other user at an end."""
    rows = laplace(2.0, tuple(np.linspace(-1, 1, 61)))[[0, -1]]
    assert worst_divergences(laplace(2.0, (-1.0, 0.0, 1.0)), 1, [0.5])[0] > 0.85 * shuffled_laplace_delta(0.5, 2.0, 1)
    for eps, least in ((0.0, 0.85), (0.5, 0.6), (1.5, 0.1)):
        exact = np.maximum(rows[1] - math.exp(eps) * rows[0], 0.0).sum()
        assert exact <= shuffled_laplace_delta(eps, 2.0, 1) <= 1.01 * exact
        pairs = list(combinations_with_replacement(range(rows.shape[1]), 2))
        two = [
            [row[a] * rows[0][b] + (row[b] * rows[0][a] if a != b else 0.0) for a, b in pairs]
            for row in (rows[1], rows[0])
        ]
        shown = np.maximum(np.array(two[0]) - math.exp(eps) * np.array(two[1]), 0.0).sum()
        assert least * shuffled_laplace_delta(eps, 2.0, 2) <= shown <= shuffled_laplace_delta(eps, 2.0, 2)


# What is certified


@pytest.mark.parametrize(
    ("eps", "n"), [(0.05, 30), (0.2, 3000), (1.0, 20), (1.0, 10**4), (0.05, 10**5), (2.0, 3 * 10**5)]
)
def test_the_largest_budget_is_proven_and_no_larger_one(eps, n):
    found = largest_laplace_budget(eps, n, 1e-6)
    assert shuffled_laplace_delta(eps, found, n) <= 1e-6 < shuffled_laplace_delta(eps, found * (1 + 1e-5), n)
    assert found >= largest_local_budget(eps, n, 1e-6)
    assert blanket_delta(eps, found, n) == pytest.approx(1e-6, rel=0.05)


def test_laplace_noise_needs_less_than_reports_of_any_kind():
    gains = [
        largest_laplace_budget(eps, 10**4, 1e-6) / largest_local_budget(eps, 10**4, 1e-6) for eps in (0.1, 1.0, 5.0)
    ]
    assert gains == pytest.approx([1.134, 1.086, 1.396], abs=0.005)
    assert largest_laplace_budget(1000.0, 10**4, 1e-6) == 1000.0


@pytest.mark.parametrize(("eps", "n", "delta"), [(0.0, 10, 1e-6), (1.0, 0, 1e-6), (1.0, 10, 1.0), (math.nan, 10, 1e-6)])
def test_impossible_guarantees_are_refused(eps, n, delta):
    with pytest.raises(ValueError, match="local epsilon: eps must"):
        largest_laplace_budget(eps, n, delta)
