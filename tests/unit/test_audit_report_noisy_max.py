"""The audited leader: chances to lead against quadrature and draws, the pair against all others of a small epoch."""

import math
from itertools import product

import numpy as np
import pytest
from scipy import stats

from dpbandits.audits.mechanisms.report_noisy_max import ReportNoisyMax, log_lead, log_lead_by_quadrature
from dpbandits.figures.papers.hu2021 import epsilon_of_the_leader

from .laplace_audits import agree


@pytest.mark.parametrize("gap", [0.0, 0.1, 1.0, 7.0, 64.0, 4096.0])
def test_chance_of_two(gap):
    """P(L - L' > g) = e^-g (1 + g/2) / 2."""
    assert log_lead(gap, 2) == pytest.approx(math.log1p(0.5 * gap) - gap - math.log(2.0), rel=1e-12)


@pytest.mark.parametrize("arms", [2, 3, 5, 40])
def test_chance_of_several(arms):
    assert log_lead(0.0, arms) == pytest.approx(-math.log(arms), rel=1e-12)  # all equal
    for gap in (0.01, 0.5, 3.0, 30.0, 800.0):
        assert log_lead(gap, arms) == pytest.approx(log_lead_by_quadrature(gap, arms), abs=1e-9)


@pytest.mark.parametrize(
    ("scale", "rounds", "epsilon"), [(1.0, 2, 1.307), (1.0, 64, 1.969), (10.0, 64, 0.176), (10.0, 4096, 0.1995)]
)
def test_printed_witnesses(scale, rounds, epsilon):
    """Sums (0, 2) and (1, 1) after two rounds with Lap(1): 2 - ln 2; and the like."""
    found = agree(ReportNoisyMax(scale, rounds), 1.0 / scale)
    assert found.epsilons == pytest.approx((epsilon, 2.0 / scale), abs=6e-4)
    assert found.epsilons[0] > 1.0 / scale
    assert found.deltas[0] > 0.0


def test_witnesses_with_twice_the_noise():
    """Never above eps, and close to it: 0.9995 after 4096 rounds at eps = 1."""
    found = agree(ReportNoisyMax(2.0, 4096), 1.0)
    assert found.epsilons == pytest.approx((1.0 + math.log(1.0 - 1.0 / 2050.0), 1.0), abs=1e-6)
    assert found.deltas == pytest.approx((0.0, 0.0), abs=1e-12)


@pytest.mark.parametrize("eps", [0.1, 0.5, 1.0])
@pytest.mark.parametrize("rounds", [2, 5, 64])
def test_no_other_gap_is_worse_for_two(eps, rounds):
    """Of all differences of two sums, each 2 more on the other input, all by closed form; the figure draws the same."""
    behind = [-gap * eps + math.log1p(0.5 * gap * eps) - math.log(2.0) for gap in range(rounds + 1)]
    logs = [*behind[::-1], *(math.log1p(-math.exp(each)) for each in behind[1:])]
    worst = max(abs(after - before) for before, after in zip(logs, logs[2:], strict=False))
    release = ReportNoisyMax(1.0 / eps, rounds)
    assert release.derived(eps, 0.0).epsilons[0] == pytest.approx(worst, rel=1e-9)
    assert release.loss == pytest.approx(worst, rel=1e-12)
    assert epsilon_of_the_leader("printed", eps, rounds) == pytest.approx(worst, rel=1e-12)


def test_epsilons_of_the_figure_by_hand():
    """Two rounds, eps = 1: sums (0, 2) to (1, 1), P = e^-2 (1 + 1) / 2 to 1/2. The others are known values."""
    assert epsilon_of_the_leader("printed", 1.0, 2) == pytest.approx(math.log(0.5 / math.exp(-2.0)), rel=1e-12)
    assert epsilon_of_the_leader("printed", 0.1, 4096) == pytest.approx(0.1995, abs=5e-5)
    # scale 2, differences -4096 to -4094: e^-2048 (1 + 1024) / 2 to e^-2047 (1 + 1023.5) / 2
    assert epsilon_of_the_leader("certified", 1.0, 4096) == pytest.approx(1.0 - math.log(1025 / 1024.5), rel=1e-9)


def chances(sums, scale):
    """Who leads, on a fine grid of the leader's noisy sum."""
    x, step = np.linspace(-40.0 * scale, 40.0 * scale, 20001, retstep=True)
    densities = [stats.laplace.pdf(x, each, scale) for each in sums]
    below = [stats.laplace.cdf(x, each, scale) for each in sums]
    others = [math.prod(below[j] for j in range(len(sums)) if j != i) for i in range(len(sums))]
    return np.array([np.sum(f * g) * step for f, g in zip(densities, others, strict=True)])


@pytest.mark.parametrize("scale", [1.0, 4.0])
def test_no_pair_of_three_actions_is_worse(scale):
    """All sums of two rounds of 0/1 rewards, all replaced vectors, all sets of leaders."""
    rounds, table, worst = 2, {}, 0.0
    for sums in product(range(rounds + 1), repeat=3):
        table[sums] = chances(sums, scale)
        assert table[sums].sum() == pytest.approx(1.0, abs=1e-5)
    for sums, distribution in table.items():
        for moves in product((-1, 0, 1), repeat=3):
            other = table.get(tuple(s + m for s, m in zip(sums, moves, strict=True)))
            if other is not None:
                for event in ([0], [1], [2], [0, 1], [0, 2], [1, 2]):
                    worst = max(worst, math.log(distribution[event].sum() / other[event].sum()))
    found = ReportNoisyMax(scale, rounds, 3).derived(1.0, 0.0).epsilons
    assert worst <= found[1]
    assert worst == pytest.approx(found[0], abs=1e-4)


def test_bounds_of_any_pure_mechanism():
    """Randomized response with loss 2: at epsilon 1 delta is (e^2 - e) / (e^2 + 1); at delta 0.1 epsilon is lower."""
    found = agree(ReportNoisyMax(1.0, 2), 1.0, 0.1)
    assert found.deltas[1] == pytest.approx((math.e**2 - math.e) / (math.e**2 + 1.0))
    assert found.epsilons[1] == pytest.approx(math.log(math.e**2 - 0.1 * (1.0 + math.e**2)))
    p, q = 0.5, math.exp(-2.0)  # who is two behind leads with e^-2 (1 + 1) / 2
    assert found.epsilons[0] == pytest.approx(math.log((p - 0.1) / q), abs=1e-6)
    assert found.deltas[0] == pytest.approx(p - math.e * q, abs=1e-6)


def test_events_rarer_than_delta_show_nothing():
    """After 64 rounds the first leads with chance e^-64, and the others all but always, on either input."""
    assert agree(ReportNoisyMax(1.0, 64), 1.0, 0.01).epsilons[0] == 0.0
    assert agree(ReportNoisyMax(1.0, 4096), 1.0).epsilons[0] == pytest.approx(2.0, abs=5e-4)  # e^-4096 is no number


@pytest.mark.parametrize(("rounds", "arms"), [(1, 2), (2, 1)])
def test_there_are_two_rounds_and_sums(rounds, arms):
    with pytest.raises(ValueError, match=f"no leader of {arms} sums over {rounds} rounds"):
        ReportNoisyMax(1.0, rounds, arms)


@pytest.mark.parametrize("arms", [2, 3, 5])
def test_drawn_leaders_and_their_scores(arms):
    release = ReportNoisyMax(1.5, 3, arms)
    views = [release.draw(np.random.default_rng(side), side, 20000) for side in (0, 1)]
    chance = [math.exp(log_lead(gap / 1.5, arms)) for gap in (3.0, 1.0)]
    for view, p in zip(views, chance, strict=True):
        assert view.shape == (20000, 1)
        assert stats.binomtest(int((view == 0.0).sum()), 20000, p).pvalue > 1e-3
        others = np.bincount(view[view > 0.0].astype(int), minlength=arms)[1:]
        assert stats.chisquare(others).pvalue > 1e-3 if arms > 2 else others.sum() > 0
    scores = release.scores(np.arange(float(arms))[:, None])
    assert scores[0] == pytest.approx(math.log(chance[1] / chance[0]))
    assert scores[1:] == pytest.approx([math.log((1.0 - chance[1]) / (1.0 - chance[0]))] * (arms - 1))
    assert release.halved() == ReportNoisyMax(0.75, 3, arms)
