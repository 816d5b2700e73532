"""Closed forms of chen2020: their numbers by other ways, and the tables that they make."""

import itertools
import math

import numpy as np
import pytest
from scipy import integrate, optimize

from dpbandits.algorithms.semi_bandit.widths import laplace_sum_bound
from dpbandits.claims.closed_forms.chen2020 import code, coverage, horizons, local_bonus, lower_bounds, tree_noise
from dpbandits.figures.papers import chen2020 as drawings


def values(numbers):
    return [value for _, value in numbers]


def two_digits(value):
    return float(f"{value:.1e}")


# Bonus of the local algorithms against their noise


@pytest.mark.parametrize("eps", [0.1, 1.0, 8.0])
@pytest.mark.parametrize("power", [1, 2])
def test_exponents_are_those_of_a_normal_distribution(eps, power):
    """z^2 / (2 ln T) for a bonus of z standard deviations of a report, at any T."""
    for size in (1, 4, 64):
        sd = math.sqrt(0.25 + 2 * (size / eps) ** 2)
        z = 4 * math.sqrt(2 * size**power * math.log(5000) / eps**2) / sd
        ((_, found),) = local_bonus.failure_exponents([eps], [size], power)
        assert found == pytest.approx(z**2 / (2 * math.log(5000)), rel=1e-12)


def test_exponents_by_hand():
    assert values(local_bonus.failure_exponents([1, 2, 4, 8, 16], [1], 1)) == pytest.approx(
        [7.1, 5.3, 2.7, 0.9, 0.24], abs=0.05
    )
    assert values(local_bonus.failure_exponents([1], [3, 8, 16, 64], 1)) == pytest.approx(
        [8 / 3, 1, 1 / 2, 1 / 8], rel=0.02
    )
    assert values(local_bonus.failure_exponents([1], [8, 64], 2)) == pytest.approx([8, 8], rel=0.01)


@pytest.mark.parametrize("n", [1, 2, 5, 40])
def test_tail_of_a_laplace_sum_from_its_characteristic_function(n):
    """P(S > x) = 1/2 - integral of sin(t x) / (pi t (1 + t^2)^n)."""

    def part(t, x):
        return math.sin(t * x) / t / (1 + t * t) ** n

    for x in (0.0, 0.5, 2.0, 6.0):
        value, _ = integrate.quad(part, 1e-12, 60, args=(x,), limit=500, epsabs=1e-12)
        (found,) = local_bonus.laplace_sum_tail(n, np.array([x]))
        assert found == pytest.approx(0.5 - value / math.pi, abs=1e-4 if n == 1 else 1e-7)


def test_tails_of_one_and_two_by_hand():
    x = np.array([0.0, 1.0, 10.0, 50.0])
    assert local_bonus.laplace_sum_tail(1, x) == pytest.approx(0.5 * np.exp(-x), rel=1e-12)
    assert local_bonus.laplace_sum_tail(2, x) == pytest.approx(np.exp(-x) * (2 + x) / 4, rel=1e-12)


def test_failure_of_one_report_by_hand():
    """X + b L > 1/2 + w for b = 3: at w = 2, L > 2.5/3 or 1.5/3; at w = 0.2, L > 0.7/3 or -0.3/3."""
    wide = 0.25 * (math.exp(-2.5 / 3) + math.exp(-1.5 / 3))
    narrow = 0.25 * math.exp(-0.7 / 3) + 0.5 * (1 - 0.5 * math.exp(-0.3 / 3))
    assert local_bonus.failure(1, 3.0, 2.0) == pytest.approx(wide, rel=1e-12)
    assert local_bonus.failure(1, 3.0, 0.2) == pytest.approx(narrow, rel=1e-12)


@pytest.mark.parametrize(("size", "eps", "n"), [(16, 1.0, 1), (16, 1.0, 32), (64, 1.0, 8), (4, 16.0, 20)])
def test_failures_are_as_frequent_as_the_exact_distribution_says(size, eps, n):
    rng, runs, horizon = np.random.default_rng(n), 100000, 1000
    width = 4 * math.sqrt(2 * size * math.log(horizon) / eps**2 / n)
    reports = rng.integers(0, 2, (runs, n)) + rng.laplace(0.0, size / eps, (runs, n))
    frequency = np.mean(reports.mean(axis=1) > 0.5 + width)
    ((_, exponent),) = local_bonus.exact_exponents(horizon, [eps], [size], [n], 1)
    chance = horizon**-exponent
    assert chance * runs > 50
    assert abs(frequency - chance) < 4 * math.sqrt(chance / runs)


def test_exact_exponents_lie_above_the_proven_ones_and_near_them():
    arguments = (1e6, [0.5, 4], [1, 8, 64], [1, 4, 16, 64], 1)
    for (label, exact), (_, proven) in zip(
        local_bonus.exact_exponents(*arguments), local_bonus.chernoff_exponents(*arguments), strict=True
    ):
        assert proven < exact < proven + 0.4, label


def test_proven_exponents_of_few_reports():
    """Of the noise alone, from its own bound: 1.3, 1.7, 2.3, 2.9 after 1, 2, 4, 8 reports; rewards take a little."""
    width = 4 * math.sqrt(2 * math.log(1e6))
    proven = values(local_bonus.chernoff_exponents(1e6, [1], [1], [1, 2, 4, 8], 1))
    for n, expected, found in zip((1, 2, 4, 8), (1.3, 1.7, 2.3, 2.9), proven, strict=True):
        noise_alone = optimize.brentq(lambda e, n=n: laplace_sum_bound(n, e) - width * math.sqrt(n), 0.1, 100)
        assert noise_alone / math.log(1e6) == pytest.approx(expected, abs=0.05)
        assert 0.95 * noise_alone < found * math.log(1e6) < noise_alone


def test_bonus_in_standard_deviations():
    found = values(local_bonus.bonus_in_sds(1e6, [1, 4, 8, 16, 32, 64]))
    assert found == pytest.approx([14.9, 7.4, 5.3, 3.7, 2.6, 1.9], abs=0.05)


# Bonus of the central algorithm


@pytest.mark.parametrize(
    ("horizon", "printed", "for_printed", "for_least"),
    [(10**4, 9376, 733, 557), (10**5, 18312, 1133, 837), (10**6, 31643, 1621, 1173), (10**7, 50248, 2228, 1659)],
)
def test_bonus_of_the_tree(horizon, printed, for_printed, for_least):
    """The bound on the sum of D Lap(1) by minimization, and not by more than a power of T above the exact quantile."""
    log_T, nodes = math.log(horizon), math.floor(math.log2(horizon)) + 1
    q = optimize.minimize_scalar(
        lambda s: (2 * log_T - nodes * math.log(1 - s * s)) / s, bounds=(1e-3, 0.999), method="bounded"
    ).fun
    needed = (2 * log_T * q, nodes * q)
    assert (12 * log_T**3, *needed) == pytest.approx((printed, for_printed, for_least), abs=0.5)
    ratios = values(tree_noise.tree_bonus_over_needed([horizon]))
    assert ratios == pytest.approx([12 * log_T**3 / each for each in needed], rel=1e-6)
    (chance,) = local_bonus.laplace_sum_tail(nodes, np.array([q]))
    assert horizon**-2.5 < chance < horizon**-2


def test_printed_over_least_is_as_large_as_said():
    horizons = [10**4, 10**5, 10**6, 10**7]
    assert [round(each) for each in values(tree_noise.tree_bonus_over_needed(horizons))[1::2]] == [17, 22, 27, 30]


def test_needed_bonus_grows_like_the_square_of_the_logarithm():
    """The bound of D terms at an exponent in proportion to D is in proportion to D."""
    found = values(tree_noise.needed_bonus_powers([2**k for k in (10, 20, 40, 60)]))
    assert found == pytest.approx([2, 2, 2], abs=0.05)
    assert sorted(found) == found


# Epsilons


def test_layers_of_the_tree():
    horizons = [10**4, 10**5, 10**6, 10**7]
    found = values(tree_noise.tree_epsilon_over_eps("printed", [4], horizons))
    assert found[::2] == pytest.approx([0.76, 0.74, 0.72, 0.74], abs=0.005)
    assert found[1::2] == pytest.approx([0.53, 0.51, 0.50, 0.52], abs=0.005)
    assert values(tree_noise.tree_epsilon_over_eps("certified", [1, 4], [2, 3, *horizons])) == [1.0] * 12


def test_the_natural_logarithm_is_too_little_at_two_and_four_only():
    horizons = list(range(2, 3000))
    found = values(tree_noise.tree_epsilon_over_eps("printed", [1], horizons))[::2]
    assert [T for T, epsilon in zip(horizons, found, strict=True) if epsilon > 1] == [2, 4]
    assert found[0] == pytest.approx(1.44, abs=0.005)
    assert found[2] == pytest.approx(1.08, abs=0.005)


def test_reports_have_the_epsilon_that_they_claim():
    assert set(values(tree_noise.report_epsilon_over_eps([0.1, 1, 4], [1, 3, 64]))) == {1.0}


def test_epsilon_of_a_report_against_random_outputs():
    """No output tells 0 0 0 from 1 1 1 better; some do as well."""
    rng = np.random.default_rng(0)
    y = rng.laplace(0.0, 3.0, (10000, 3))
    ratios = (np.abs(y - 1) - np.abs(y)).sum(axis=1) / 2.0
    assert ratios.max() == pytest.approx(tree_noise.report_epsilon(3, 2.0))


# Horizons


EPS = (0.1, 0.5, 1, 2)
LEARNABLE = {
    (10, 1, 0.2): {"CUCB-LDP2": (1.2e7, 3.7e5, 8.1e4, 1.8e4), "CUCB-DP": (2.8e7, 4.1e6, 1.8e6, 7.8e5), "CUCB": 2.7e3},
    (16, 1, 0.25): {"CUCB-LDP2": (1.3e7, 4.0e5, 8.7e4, 1.9e4), "CUCB-DP": (3.9e7, 5.7e6, 2.5e6, 1.1e6), "CUCB": 2.9e3},
    (32, 4, 0.25): {
        "CUCB-LDP2": (2.4e7, 7.8e5, 1.7e5, 3.8e4),
        "CUCB-LDP1, K^2": (1.1e8, 3.5e6, 7.8e5, 1.7e5),
        "CUCB-DP": (8.2e7, 1.2e7, 5.2e6, 2.2e6),
        "CUCB": 1.2e3,
    },
    (20, 5, 0.1): {
        "CUCB-LDP2": (8.8e7, 2.9e6, 6.4e5, 1.4e5),
        "CUCB-LDP1, K^2": (4.8e8, 1.6e7, 3.6e6, 8.2e5),
        "CUCB-DP": (1.2e8, 1.7e7, 7.6e6, 3.3e6),
        "CUCB": 3.7e3,
    },
    (100, 10, 0.1): {
        "CUCB-LDP2": (5.8e8, 1.9e7, 4.4e6, 9.9e5),
        "CUCB-LDP1, K^2": (6.5e9, 2.2e8, 5.1e7, 1.2e7),
        "CUCB-DP": (9.7e8, 1.5e8, 6.5e7, 2.9e7),
        "CUCB": 1.3e4,
    },
}


@pytest.mark.parametrize("setting", LEARNABLE)
def test_smallest_horizons_to_two_digits(setting):
    found = dict(horizons.learnable_horizons(*setting, list(EPS)))
    for name, expected in LEARNABLE[setting].items():
        for k, eps in enumerate(EPS):
            value = expected if isinstance(expected, float) else expected[k]
            assert two_digits(found[f"smallest T of {name} at eps = {eps:g}"]) == value, (name, eps)


@pytest.mark.parametrize("setting", LEARNABLE)
def test_local_algorithms_coincide_in_linear_paths(setting):
    """n plays: K n / K updates with sqrt K, or n updates with sqrt K in the bonus; with K = 1 all three coincide."""
    first, second, third = (
        horizons.learnable_horizon(name, *setting, 1) for name in ("CUCB-LDP2", "CUCB-LDP1", "CUCB-LDP1, K^2")
    )
    assert first == pytest.approx(second, rel=1e-9)
    assert (third == pytest.approx(first, rel=1e-9)) == (setting[1] == 1)


def path_bonus(name, plays, horizon, arms, size, eps):
    """Sum of the bonuses of a path's arms after so many plays, from the formulas as printed."""
    log_T = math.log(horizon)
    if name == "CUCB-LDP2":
        return size * 4 * math.sqrt(2 * log_T / (eps**2 * (plays / size)))
    if name in ("CUCB-LDP1", "CUCB-LDP1, K^2"):
        inside = size if name == "CUCB-LDP1" else size**2
        return size * 4 * math.sqrt(2 * inside * log_T / (eps**2 * plays))
    if name == "CUCB":
        return size * math.sqrt(1.5 * log_T / plays)
    return size * (math.sqrt(4 * math.log(arms * horizon) / plays) + 12 * size * log_T**3 / (plays * eps))


@pytest.mark.parametrize("name", horizons.WIDTHS)
def test_from_the_smallest_horizon_on_every_path_can_be_dropped(name):
    """All suboptimal paths share T plays; their bonuses are below the gap for larger horizons, and not for smaller."""
    for (m, K, gap), eps in itertools.product(LEARNABLE, (0.1, 2)):
        smallest = horizons.learnable_horizon(name, m, K, gap, eps)
        for factor, enough in ((0.999, False), (1.001, True), (2, True), (100, True), (1e9, True)):
            T = factor * smallest
            assert (path_bonus(name, T / (m / K - 1), T, m, K, eps) <= K * gap) == enough


@pytest.mark.parametrize(
    ("name", "arms", "size", "eps", "expected"),
    [
        ("CUCB-LDP2", 16, 1, 1, 870),
        ("CUCB-LDP2", 16, 1, 0.1, 1.5e5),
        ("CUCB-DP", 16, 1, 1, 2.8e4),
        ("CUCB-DP", 32, 4, 1, 1.8e5),
        ("CUCB-DP", 100, 10, 1, 5.7e5),
        ("CUCB-DP", 32, 4, 0.1, 3.3e6),
    ],
)
def test_horizons_before_which_all_indices_are_one(name, arms, size, eps, expected):
    found = dict(horizons.informed_horizons(arms, size, 0.5, [eps]))
    T = found[f"smallest T of {name} with an index below 1 at eps = {eps:g}"]
    assert two_digits(T) == expected
    updates = T * size if name == "CUCB-LDP2" else T  # of one arm in T rounds, as plays of its path
    assert path_bonus(name, updates, T, arms, size, eps) == pytest.approx(0.5 * size)


def test_where_there_is_no_horizon_a_play_of_each_will_do():
    assert horizons.learnable_horizon("CUCB", 8, 1, 5.0, 1) == 8
    assert horizons.informed_horizon("CUCB-LDP2", 8, 1, 0.5, 100) == 2
    with pytest.raises(ValueError, match=r"no horizon below 1e\+60"):
        horizons.learnable_horizon("CUCB-LDP2", 8, 1, 0.1, 1e-30)


# Coverage


def test_coverage_is_the_expected_number_of_covered_vertices():
    """Over all outcomes of seven edges of three vertices."""
    right, means = np.array([0, 0, 0, 1, 1, 2, 2]), np.array([0.1, 0.5, 0.9, 0.3, 1.0, 0.0, 0.7])
    expected = 0.0
    for outcome in itertools.product((0, 1), repeat=7):
        shown = np.array(outcome)
        chance = np.prod(np.where(shown == 1, means, 1 - means))
        expected += chance * len(set(right[shown == 1]))
    assert coverage.covered(means, right) == pytest.approx(expected, rel=1e-12)


def test_the_derivative_of_coverage_is_its_difference_quotient():
    """Means up to 1, where dividing by 1 - mu would fail; coverage is linear in every mean."""
    right, means = np.array([0, 0, 0, 1, 1, 2]), np.array([0.1, 0.5, 1.0, 0.3, 1.0, 0.25])
    for edge, found in enumerate(coverage.covering(means, right)):
        low, high = means.copy(), means.copy()
        low[edge], high[edge] = 0.0, 1.0
        assert found == pytest.approx(coverage.covered(high, right) - coverage.covered(low, right), abs=1e-12)


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (0.1, 0.5)])
@pytest.mark.parametrize(("right", "seen"), [(5, 1), (3, 3), (1, 6)])
def test_smoothness_is_the_slope_at_the_lowest_means(right, seen, low, high):
    """Each of s edges of a vertex has the derivative (1 - mu)^(s - 1); no random pair of means does better."""
    edges = coverage.edges_of(right, seen)
    found = coverage.smoothness(edges, low, high)
    assert found == pytest.approx(right * seen * (1 - low) ** (seen - 1), rel=1e-3)
    rng = np.random.default_rng(seen)
    for _ in range(200):
        t = rng.uniform(1e-3, high - low)
        mu = rng.uniform(low, high - t, right * seen)
        assert (coverage.covered(mu + t, edges) - coverage.covered(mu, edges)) / t <= found * (1 + 1e-3)


def test_the_search_finds_it_on_uneven_neighborhoods():
    edges = np.array([0, 0, 0, 1, 1, 2, 3, 3, 3, 3])
    assert coverage.smoothness(edges, 0.0, 1.0) == pytest.approx(10, rel=1e-3)
    assert coverage.smoothness(edges, 0.2, 0.6) == pytest.approx(3 * 0.64 + 2 * 0.8 + 1 + 4 * 0.512, rel=1e-3)


def test_slopes_of_smoothness():
    """Means from 0: the number of edges. Divided by the right vertices: how often each of them is seen."""

    def slope(right, seen, low, high, divided):
        return values(coverage.coverage_smoothness_slope(right, seen, low, high, divided))[0]

    growing, fixed = [2, 4, 8, 16], [4] * 4
    for seen in (1, 3):
        assert slope(growing, [seen] * 4, 0, 1, 0) == pytest.approx(1, abs=1e-3)
        assert slope(growing, [seen] * 4, 0.1, 0.5, 0) == pytest.approx(1, abs=1e-3)
        assert slope(growing, [seen] * 4, 0, 1, 1) == pytest.approx(0, abs=1e-3)
    assert slope(fixed, [1, 2, 4, 8], 0, 1, 1) == pytest.approx(1, abs=1e-3)
    edges = np.log([1, 2, 4, 8])
    expected = np.polyfit(edges, edges + np.log(0.9) * (np.array([1, 2, 4, 8]) - 1), 1)[0]
    assert slope(fixed, [1, 2, 4, 8], 0.1, 0.5, 0) == pytest.approx(expected, abs=2e-3)


# Lower bounds


def test_the_weaker_form_is_valid():
    assert values(lower_bounds.squared_loss_over_eps([1e-3, 0.5])) == pytest.approx([1, 1.683], abs=2e-3)
    assert max(values(lower_bounds.squared_loss_over_eps(list(np.linspace(0.01, 0.5, 50))))) <= 1.69


def test_leading_regret_over_lower_bounds():
    """32 / eps^2 over 1 / 64 (e^eps - 1)^2; over 2 / eps^2 where noise is all; over 2 gap^2 / kl where it is none."""
    assert values(lower_bounds.local_regret_over_printed_lower_bound([math.log(3)])) == pytest.approx(
        [32 * 64 * 4 / math.log(3) ** 2], rel=1e-12
    )
    found = values(lower_bounds.local_regret_over_channel_lower_bound(0.25, 0.5, [1e-3, 0.1, 0.25, 0.5, 1]))
    assert found == pytest.approx([16, 15.5, 14.7, 13.4, 11.0], abs=0.05)
    nonprivate_lower_bound = values(lower_bounds.local_regret_over_nonprivate_lower_bound(0.25, 0.5, [8, 16]))
    assert nonprivate_lower_bound == pytest.approx([0.5 / 0.25 / 1.911, 0.125 / 0.25 / 1.911], rel=1e-3)
    assert values(lower_bounds.local_regret_over_channel_lower_bound(0.25, 0.5, [40])) == pytest.approx(
        values(lower_bounds.local_regret_over_nonprivate_lower_bound(0.25, 0.5, [40])), rel=1e-6
    )


# One arm in a super arm


@pytest.mark.parametrize("calibration", ["printed", "tuned", "certified"])
def test_one_arm_a_super_arm_makes_both_local_algorithms_the_same(calibration, monkeypatch):
    assert values(code.identity_of_one(calibration, 5000, 2, [4, 8])) == [0.0, 0.0]
    run = code.cucb_ldp2.run
    monkeypatch.setattr(
        code.cucb_ldp2,
        "run",
        lambda rng, problem, eps, scale, width, *rest: run(rng, problem, eps, 0.99 * scale, width, *rest),
    )
    assert min(values(code.identity_of_one(calibration, 5000, 2, [4, 8]))) > 0.0


# Figure


def test_the_figure_shows_its_rows():
    setting = ([10, 32], [1, 4], [0.2, 0.25], [0.1, 1, 2])
    rows = drawings.learnable_rows("printed", *setting)
    figure = drawings.learnable("printed", *setting, "title", ["note"])
    assert [axes.get_title(loc="left") for axes in figure.axes] == [
        "$m$ = 10, $K$ = 1, gap of an arm 0.2",
        "$m$ = 32, $K$ = 4, gap of an arm 0.25",
    ]
    for axes, arms in zip(figure.axes, setting[0], strict=True):
        assert len(axes.lines) == len(horizons.WIDTHS)
        assert axes.get_xscale() == axes.get_yscale() == "log"
        shown = {(x, y) for line in axes.lines for x, y in zip(*line.get_data(), strict=True)}
        assert shown == {(row["eps"], row["horizon"]) for row in rows if row["arms"] == arms}
    one = next(r for r in rows if (r["arms"], r["eps"], r["algorithm"]) == (32, 1, "CUCB-LDP1, K^2"))
    assert two_digits(one["horizon"]) == 7.8e5
    with pytest.raises(ValueError, match="tuned"):
        drawings.learnable_rows("tuned", *setting)
