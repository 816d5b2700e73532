"""Distributions of actions, and epsilons of two distributions: against brute force and other libraries."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from dpbandits.audits.actions import action_distributions
from dpbandits.audits.actions import anytime_lazy_ucb as anytime_lazy_ucb_actions
from dpbandits.audits.actions.linucb import integrated_positive, positive
from dpbandits.claims.closed_forms.hu2021 import functions as hu2021

from . import audit_actions as shipped

GAPS = [-3.0, -0.4, 0.0, 0.7, 2.0, 11.0]
GRID = (0.1, 0.5, 1.0, 2.0, 4.0)
PURE = {
    "elimination, printed": lambda eps: shipped.elimination(eps, "printed"),
    "elimination": shipped.elimination,
    "leader, printed": lambda eps: shipped.leader(eps, "printed"),
    "leader": shipped.leader,
    "successive elimination": shipped.dp_se,
    "lazy UCB": shipped.anytime_lazy_ucb,
    "lazy Thompson sampling": shipped.lazy_dp_ts,
    "tree UCB": shipped.dp_ucb,
    "tree UCB, split": lambda eps: shipped.dp_ucb(eps, 1.0),
    "CUCB": shipped.cucb,
    "CUCB, printed": lambda eps: shipped.cucb(eps, "printed"),
}


def random_distributions(seed):
    distributions = np.random.default_rng(seed).dirichlet(np.ones(5), size=2)
    if seed % 2:
        distributions[0, 2] = 0.0
        distributions[0] /= distributions[0].sum()
    return distributions


def sets_of(distributions):
    """P(S), Q(S) for all sets and both orders."""
    for p, q in (distributions, distributions[::-1]):
        for chosen in itertools.product((False, True), repeat=distributions.shape[1]):
            yield p[list(chosen)].sum(), q[list(chosen)].sum()


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("delta", [0.0, 0.05, 0.3])
def test_the_best_set_is_found(seed, delta):
    distributions = random_distributions(seed)
    epsilons = [
        math.log((p - delta) / q) if q > 1e-15 else math.inf for p, q in sets_of(distributions) if p - delta > 1e-15
    ]
    assert action_distributions.attained_epsilon(distributions, delta) == pytest.approx(max(0.0, *epsilons), rel=1e-12)
    for eps in (0.0, 0.4, 2.0):
        largest = max(p - math.exp(eps) * q for p, q in sets_of(distributions))
        assert action_distributions.attained_delta(distributions, eps) == pytest.approx(max(0.0, largest), abs=1e-14)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("delta", [0.0, 0.05, 0.3])
def test_dp_accounting_finds_the_same(seed, delta):
    distributions = random_distributions(seed)
    epsilon, at_eps = action_distributions.accounted_epsilon(distributions, 0.4, delta)
    assert epsilon == pytest.approx(
        action_distributions.attained_epsilon(distributions, delta), abs=2 * action_distributions.LOSS_STEP
    )
    assert epsilon <= action_distributions.attained_epsilon(distributions, delta) + 1e-9
    assert at_eps == pytest.approx(
        action_distributions.attained_delta(distributions, 0.4), abs=2 * action_distributions.LOSS_STEP
    )


@pytest.mark.parametrize("gap", GAPS)
@pytest.mark.parametrize("scale", [0.05, 1.0, 20.0])
def test_laplace_tails(gap, scale):
    expected = stats.laplace.sf(gap, scale=scale)
    assert action_distributions.exceeds(gap, scale) == pytest.approx(expected, rel=1e-12)
    assert action_distributions.integrated_exceeds(gap, scale) == pytest.approx(expected, rel=1e-9)
    assert action_distributions.laplace_density(gap, scale) == pytest.approx(
        stats.laplace.pdf(gap, scale=scale), rel=1e-12
    )


@pytest.mark.parametrize("gap", GAPS)
@pytest.mark.parametrize("scale", [0.05, 1.0, 20.0])
def test_differences_of_laplace_numbers(gap, scale):
    """P(L - L' > g) = (1/2 + g/(4b)) e^(-g/b) for g >= 0."""
    z = abs(gap) / scale
    tail = (0.5 + z / 4) * math.exp(-z)
    expected = tail if gap >= 0 else 1 - tail
    assert action_distributions.differs(gap, scale) == pytest.approx(expected, rel=1e-12)
    assert action_distributions.integrated_differs(gap, scale) == pytest.approx(expected, rel=1e-9)


def test_normal_signs():
    for mean, sd in itertools.product((-3.0, -0.2, 0.0, 1.0, 90.0), (0.5, 2.0)):
        expected = stats.norm.sf(0.0, loc=mean, scale=sd)
        assert positive(mean, sd) == pytest.approx(expected, rel=1e-12)
        assert integrated_positive(mean, sd) == pytest.approx(expected, abs=1e-11)


def test_log_ratios_of_outcomes():
    distributions = np.array([[0.25, 0.75, 0.0], [0.5, 0.25, 0.25]])
    found = action_distributions.log_ratios(distributions, np.array([0.0, 1.0, 2.0, 0.0]))
    np.testing.assert_allclose(found, [math.log(2), -math.log(3), math.inf, math.log(2)])


@pytest.mark.parametrize("eps", [0.25, 1.0, 4.0])
@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("total", [0, 2])
def test_five_rounds_of_anytime_lazy_ucb(eps, first, total):
    """The same as a calculation that was written for a claim, and by hand where the bonus decides nothing."""
    release = shipped.anytime_lazy_ucb(eps)
    bonus = [math.sqrt(2 * math.log(5) / n) + 3 * math.log(5) / (eps * n) for n in (1, 2)]
    expected = hu2021.sequence_distribution(first, 1, total, eps)
    for distribution in (anytime_lazy_ucb_actions.by_pieces, anytime_lazy_ucb_actions.by_quadrature):
        found = distribution(float(first), 1.0, float(total), bonus[0] - bonus[1], release.scale)
        assert found == pytest.approx(expected, rel=1e-8)
        assert sum(found) == pytest.approx(action_distributions.differs(1.0 - first, release.scale), rel=1e-9)


def test_sequences_of_anytime_lazy_ucb_have_all_the_probability():
    distributions = shipped.anytime_lazy_ucb(1.0).distributions(anytime_lazy_ucb_actions.by_pieces)
    np.testing.assert_allclose(distributions.sum(axis=1), 1.0, rtol=1e-12)
    assert set(np.flatnonzero(distributions[0])) == {0b01000, 0b01001, 0b01110, 0b01111}


@pytest.mark.parametrize("eps", GRID)
@pytest.mark.parametrize("name", PURE)
def test_two_calculations_agree(name, eps):
    for release in (PURE[name](eps), PURE[name](eps).halved()):
        accounted, derived = release.accounted(eps, 0.0), release.derived(eps, 0.0)
        np.testing.assert_allclose(accounted.epsilons, derived.epsilons, rtol=1e-3)
        np.testing.assert_allclose(accounted.deltas, derived.deltas, atol=1e-6)
        for truth in (accounted, derived):
            assert 0.0 <= truth.epsilons[0] <= truth.epsilons[1]
            assert 0.0 <= truth.deltas[0] <= truth.deltas[1] <= 1.0


@pytest.mark.parametrize("eps", [0.2, 1.0, 4.0])
@pytest.mark.parametrize("calibration", ["printed", "certified"])
def test_two_calculations_agree_where_delta_is_positive(calibration, eps):
    for release in (shipped.linucb(eps, calibration), shipped.linucb(eps, calibration).halved()):
        accounted, derived = release.accounted(eps, 0.1), release.derived(eps, 0.1)
        np.testing.assert_allclose(accounted.epsilons, derived.epsilons, rtol=1e-3)
        np.testing.assert_allclose(accounted.deltas, derived.deltas, atol=1e-6)


@pytest.mark.parametrize("eps", GRID)
def test_what_is_attained_by_hand(eps):
    """One tail of a Laplace number, and differences of two: the logarithms of ratios of their closed forms."""
    assert shipped.elimination(eps).derived(eps, 0.0).epsilons == pytest.approx((eps, eps))
    assert shipped.elimination(eps, "printed").derived(eps, 0.0).epsilons == pytest.approx((2 * eps, 2 * eps))
    printed = 2 * eps - math.log((4 + 2 * eps) / 4)
    certified = eps - math.log((6 + 2 * eps) / 6)
    assert shipped.leader(eps, "printed").derived(eps, 0.0).epsilons == pytest.approx((printed, 2 * eps))
    assert shipped.leader(eps).derived(eps, 0.0).epsilons == pytest.approx((certified, eps))
    single = eps - math.log((3 + eps) / 3)
    assert shipped.dp_se(eps).derived(eps, 0.0).epsilons == pytest.approx((single, eps))
    assert shipped.cucb(eps).derived(eps, 0.0).epsilons == pytest.approx((eps / 2, eps))
    printed = eps / (2 * math.log(3))
    assert shipped.cucb(eps, "printed").derived(eps, 0.0).epsilons == pytest.approx((printed, 2 * printed))


@pytest.mark.parametrize("eps", GRID)
def test_copies_with_half_of_the_noise_that_no_audit_can_find(eps):
    """The tree with a budget for each arm: they keep the claim. CUCB-DP: what is seen of a leaf is one node of two."""
    assert shipped.dp_ucb(eps, 1.0).halved().derived(eps, 0.0).epsilons[1] == pytest.approx(eps)
    for calibration in ("printed", "certified"):
        assert 2.0 / shipped.cucb(eps, calibration).noise <= eps * (1 + 1e-12)


def test_certified_linucb_claims_what_its_nodes_give_away():
    for eps in (0.2, 1.0, 4.0):
        assert shipped.linucb(eps).derived(eps, 0.1).epsilons[1] == pytest.approx(eps)
        assert shipped.linucb(eps, "printed").halved().derived(eps, 0.1).epsilons[1] < 0.1 * eps + 1e-9


def test_noise_drawn_once_is_no_noise():
    """Where the event of one input alone has more than delta; with less of a budget it has less."""
    for eps in (0.2, 1.0, 4.0):
        for truth in (shipped.frozen_linucb(eps).accounted(eps, 0.1), shipped.frozen_linucb(eps).derived(eps, 0.1)):
            assert truth.epsilons == (math.inf, math.inf)
            assert 0.1 < truth.deltas[0] <= truth.deltas[1] == 1.0
    none = shipped.frozen_linucb(0.02).derived(0.02, 0.1)
    assert none.epsilons == (0.0, math.inf)
