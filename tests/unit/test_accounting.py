"""Privacy of Laplace noise, plain (closed forms by hand, inverses, an independent accountant) and shuffled."""

import math
from dataclasses import asdict

import numpy as np
import pytest
from dp_accounting import gaussian_mechanism
from dp_accounting.pld import privacy_loss_distribution
from scipy import integrate

from dpbandits.privacy.accounting import (
    laplace_delta,
    laplace_scale,
    least_noise,
    report_noisy_max_scale,
    shuffled_laplace_scale,
)
from dpbandits.privacy.mechanisms import NoiseRequest, VectorSumRequest
from dpbandits.privacy.shuffled_laplace import largest_laplace_budget, shuffled_laplace_delta

GRID = [(s, eps, delta) for s in (0.5, 1.0, 2.0) for eps in (0.01, 0.3, 1.0, 5.0) for delta in (0.0, 1e-9, 1e-3, 0.4)]
STEP = 1e-4  # of the accountant's privacy losses


def hockey_stick(sensitivity, scale, eps):
    """Integral of max(0, p(x) - e^eps p(x - s)), p the density of Lap(scale)."""

    def excess(x):
        p = math.exp(-abs(x) / scale)
        return max(0.0, p - math.exp(eps - abs(x - sensitivity) / scale)) / (2 * scale)

    kink = (sensitivity - eps * scale) / 2
    return integrate.quad(excess, -60 * scale, sensitivity, points=[0.0, kink], limit=200)[0]


@pytest.mark.parametrize(
    ("sensitivity", "scale", "eps"), [(1, 1, 0.5), (2, 1, 1), (2, 5, 0.1), (0.5, 0.1, 3), (2, 1, 2)]
)
def test_delta_is_the_hockey_stick_divergence(sensitivity, scale, eps):
    assert laplace_delta(sensitivity, scale, eps) == pytest.approx(hockey_stick(sensitivity, scale, eps), abs=1e-9)


def test_delta_by_hand():
    """1 - e^{-1/2} = 0.3934693 for s = 2, b = 1, eps = 1; nothing is left at eps = s / b."""
    assert laplace_delta(2.0, 1.0, 1.0) == pytest.approx(0.39346934, abs=1e-8)
    assert laplace_delta(1.0, 1.0, 0.0) == pytest.approx(0.39346934, abs=1e-8)  # total variation distance
    assert laplace_delta(2.0, 1.0, 2.0) == 0.0
    assert laplace_delta(2.0, 1.0, 3.0) == 0.0


def test_scale_by_hand():
    """Pure: s / eps. With delta = 1 - e^{-1/2}: 2 / (1 + 2 * 1/2) = 1."""
    assert laplace_scale(2.0, 0.5, 0.0) == 4.0
    assert laplace_scale(2.0, 1.0, -math.expm1(-0.5)) == pytest.approx(1.0, rel=1e-15)


@pytest.mark.parametrize("eps", [0.01, 0.1, 1.0, 10.0])
def test_printed_scale_is_twice_as_leaky_as_claimed(eps):
    """Lap(1/eps) at sensitivity 2 (rewards in [-1, 1]): 2 eps-DP, and delta = 1 - e^{-eps/2} at the claimed eps."""
    printed = 1 / eps
    assert laplace_delta(2.0, printed, 2 * eps) == pytest.approx(0.0, abs=1e-15)
    assert laplace_delta(2.0, printed, 2 * eps * (1 - 1e-6)) > 0.0
    assert laplace_delta(2.0, printed, eps) == pytest.approx(1 - math.exp(-eps / 2), rel=1e-12)
    assert laplace_scale(2.0, eps, 0.0) == 2 * printed


@pytest.mark.parametrize(("sensitivity", "eps", "delta"), GRID)
def test_scale_and_delta_invert_each_other(sensitivity, eps, delta):
    scale = laplace_scale(sensitivity, eps, delta)
    assert laplace_delta(sensitivity, scale, eps) == pytest.approx(delta, rel=1e-6, abs=1e-15)
    assert laplace_delta(sensitivity, 0.999 * scale, eps) > delta
    assert laplace_delta(sensitivity, 1.001 * scale, eps) <= delta
    assert least_noise(NoiseRequest("laplace", sensitivity, eps, delta, 1)) == scale


@pytest.mark.parametrize(("sensitivity", "scale"), [(1.0, 1.0), (2.0, 1.0), (2.0, 4.0), (2.0, 0.5)])
def test_delta_and_eps_agree_with_an_independent_accountant(sensitivity, scale):
    """The accountant rounds privacy losses up to multiples of its step: never below the truth, by less than a step."""
    loss = privacy_loss_distribution.from_laplace_mechanism(
        scale, sensitivity=sensitivity, value_discretization_interval=STEP
    )
    for eps in np.linspace(0, 0.99 * sensitivity / scale, 7):
        delta = laplace_delta(sensitivity, scale, eps)
        assert -1e-12 <= loss.get_delta_for_epsilon(eps) - delta <= STEP
        assert laplace_scale(sensitivity, max(eps, 0.01), delta) <= scale * (1 + 1e-12)
        if delta < 0.5:
            assert -1e-9 <= loss.get_epsilon_for_delta(delta) - eps <= 2 * STEP
    assert loss.get_epsilon_for_delta(1e-9) == pytest.approx(sensitivity / scale, abs=2 * STEP)


@pytest.mark.parametrize(
    ("sensitivity", "eps", "delta"),
    [
        *[(0.0, 1.0, 0.0), (-1.0, 1.0, 0.0), (1.0, 0.0, 0.0), (1.0, -1.0, 0.1), (1.0, 1.0, 1.0), (1.0, 1.0, -0.1)],
        *[(math.nan, 1.0, 0.0), (1.0, math.nan, 0.0), (1.0, 1.0, math.nan)],
    ],
)
def test_impossible_requests_are_refused(sensitivity, eps, delta):
    with pytest.raises(ValueError, match="Laplace noise: sensitivity and eps must be > 0"):
        laplace_scale(sensitivity, eps, delta)


# The place of the largest of several noisy sums


def chance_of_the_first(lead, scale):
    """That the first of two sums, `lead` ahead, is the larger one with Lap(`scale`) on each, in closed form.

    The difference of the noises exceeds x >= 0 with probability exp(-x / scale) (1 + x / (2 scale)) / 2.
    """
    x = abs(lead) / scale
    tail = math.exp(-x) * (1 + x / 2) / 2
    return tail if lead < 0 else 1 - tail


def loss_of_the_place(scale, lead, sensitivity=1.0):
    """ln of the ratio of chances, with either sum moved by the sensitivity, towards and away from the other."""
    return math.log(chance_of_the_first(lead + 2 * sensitivity, scale) / chance_of_the_first(lead, scale))


def test_chance_of_the_first_by_simulation():
    rng = np.random.default_rng(1)
    first, second = rng.laplace(0, 1.5, (2, 200_000))
    for lead in (-4.0, -1.0, 0.0, 2.0):
        assert np.mean(lead + first > second) == pytest.approx(chance_of_the_first(lead, 1.5), abs=5e-3)


@pytest.mark.parametrize("eps", [0.05, 0.5, 1.0, 8.0])
@pytest.mark.parametrize("sensitivity", [0.5, 1.0])
def test_scale_of_the_noisy_maximum_is_enough_and_the_least(eps, sensitivity):
    """Two sums that move against each other lose nearly eps where they are far apart, and never more."""
    scale = report_noisy_max_scale(sensitivity, eps, 0.0)
    assert scale == pytest.approx(2 * sensitivity / eps, rel=1e-15)
    assert least_noise(NoiseRequest("report_noisy_max", sensitivity, eps, 0.0, 1)) == scale
    leads = -np.geomspace(0.1, 600, 60) * scale
    losses = [loss_of_the_place(scale, lead, sensitivity) for lead in leads]
    assert max(losses) <= eps
    assert max(losses) > 0.995 * eps
    assert max(loss_of_the_place(0.99 * scale, lead, sensitivity) for lead in leads) > eps


@pytest.mark.parametrize(
    ("eps", "rounds", "loss"), [(1.0, 2, 1.307), (1.0, 64, 1.969), (0.1, 64, 0.176), (0.1, 4096, 0.1995)]
)
def test_the_textbook_scale_loses_up_to_twice_the_budget_on_vectors(eps, rounds, loss):
    """Lap(1 / eps); the sums 0 and `rounds` become 1 and `rounds` - 1."""
    assert loss_of_the_place(1 / eps, -float(rounds)) == pytest.approx(loss, abs=6e-4)


@pytest.mark.parametrize(
    ("sensitivity", "eps", "delta"), [(0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (1.0, 1.0, 1e-6), (math.nan, 1.0, 0.0)]
)
def test_impossible_requests_of_the_noisy_maximum_are_refused(sensitivity, eps, delta):
    with pytest.raises(ValueError, match="report noisy max: sensitivity and eps must be > 0"):
        report_noisy_max_scale(sensitivity, eps, delta)


# Shuffled reports


@pytest.mark.parametrize("n", [1, 30, 3000, 297171])
@pytest.mark.parametrize("eps", [0.05, 1.0, 8.0])
def test_shuffled_scale_times_local_epsilon_is_the_sensitivity(eps, n):
    """Lap(b) on values that differ by s is s/b-LDP, no less; that epsilon is the largest one that is proven."""
    for sensitivity in (1.0, 2.0):
        scale = shuffled_laplace_scale(sensitivity, eps, 1e-6, n)
        assert scale * largest_laplace_budget(eps, n, 1e-6) == pytest.approx(sensitivity, rel=1e-15)
        assert least_noise(NoiseRequest("shuffled_laplace", sensitivity, eps, 1e-6, n)) == scale
        epsilon = sensitivity / scale
        assert (
            laplace_delta(sensitivity, scale, epsilon * (1 + 1e-9))
            == 0.0
            < laplace_delta(sensitivity, scale, 0.999 * epsilon)
        )
        assert shuffled_laplace_delta(eps + 1e-9 * (1 + eps), epsilon, n) <= 1e-6
        assert shuffled_laplace_delta(eps, sensitivity / (0.999 * scale), n) > 1e-6


@pytest.mark.parametrize(("eps", "delta"), [(0.05, 1e-6), (1.0, 1e-6), (1.0, 1e-3)])
def test_shuffled_reports_need_less_noise_the_more_there_are_and_never_more_than_local_ones(eps, delta):
    scales = [shuffled_laplace_scale(2.0, eps, delta, n) for n in (1, 10, 100, 10**4, 10**6)]
    assert scales == sorted(scales, reverse=True)
    assert scales[0] <= laplace_scale(2.0, eps, 0.0)
    assert scales[0] == pytest.approx(2.0 / (eps - 2 * math.log1p(-delta)), rel=1e-5)
    assert scales[-1] < 0.2 * scales[0]


@pytest.mark.parametrize(
    ("eps", "delta", "n"), [(0.0, 1e-6, 10), (1.0, 0.0, 10), (1.0, 1.0, 10), (1.0, 1e-6, 0), (math.nan, 1e-6, 10)]
)
def test_impossible_requests_of_shuffled_noise_are_refused(eps, delta, n):
    with pytest.raises(ValueError, match="local epsilon: eps must"):
        least_noise(NoiseRequest("shuffled_laplace", 2.0, eps, delta, n))


@pytest.mark.parametrize("mechanism", ["gauss", "shuffled", ""])
def test_unknown_mechanism_is_refused(mechanism):
    with pytest.raises(ValueError, match=f"cannot scale the noise of the mechanism {mechanism}"):
        least_noise(NoiseRequest(mechanism, 1.0, 1.0, 1e-6, 10))


# Gaussian noise


@pytest.mark.parametrize("sensitivity", [0.5, math.sqrt(4.5), 8.0])
@pytest.mark.parametrize(("eps", "delta"), [(0.2, 0.1), (1.0, 1e-5), (10.0, 0.1)])
def test_gaussian_sd_is_that_of_an_independent_calibration(sensitivity, eps, delta):
    sd = least_noise(NoiseRequest("gaussian", sensitivity, eps, delta, 1))
    assert sd == pytest.approx(sensitivity * gaussian_mechanism.get_sigma_gaussian(eps, delta, tol=1e-9), rel=1e-6)


def test_certified_noise_of_chowdhury2022():
    """Sds of local reports and of nodes of a tree of 15 epsilons, at eps = 0.2, 1, 10 and delta = 0.1."""
    alone = [least_noise(NoiseRequest("gaussian", math.sqrt(4.5), eps, 0.1, 1)) for eps in (0.2, 1.0, 10.0)]
    nodes = [least_noise(NoiseRequest("gaussian", math.sqrt(4.5 * 15), eps, 0.1, 1)) for eps in (0.2, 1.0, 10.0)]
    assert alone == pytest.approx([2.299 * 2.1213, 1.0859 * 2.1213, 0.2818 * 2.1213], rel=2e-4)
    assert nodes == pytest.approx([18.9, 8.92, 2.32], rel=3e-3)


def test_shuffled_gaussian_sd():
    """As much as a report alone in a batch of 20 at eps = 1; 1.12 and 1.68 times less at eps = 0.2, in 20 and 100."""

    def saved(eps, n):
        alone = least_noise(NoiseRequest("gaussian", 2.0, eps, 0.1, 1))
        return alone / least_noise(NoiseRequest("shuffled_gaussian", 2.0, eps, 0.1, n))

    assert saved(1.0, 20) == 1.0
    assert [saved(0.2, 20), saved(0.2, 100)] == pytest.approx([1.12, 1.68], abs=0.01)


@pytest.mark.parametrize("mechanism", ["gaussian", "shuffled_gaussian"])
@pytest.mark.parametrize(
    ("sensitivity", "eps", "delta"), [(0.0, 1.0, 0.1), (-1.0, 1.0, 0.1), (1.0, 1.0, 0.0), (math.nan, 1.0, 0.1)]
)
def test_impossible_requests_of_gaussian_noise_are_refused(mechanism, sensitivity, eps, delta):
    with pytest.raises(ValueError, match="Gaussian noise"):
        least_noise(NoiseRequest(mechanism, sensitivity, eps, delta, 10))


def test_requests_of_either_kind_are_told_apart_in_results():
    """The names stand in results: a change of them would orphan what was computed."""
    assert list(asdict(NoiseRequest("laplace", 2.0, 1.0, 0.0, 1))) == ["mechanism", "sensitivity", "eps", "delta", "n"]
    asked = asdict(VectorSumRequest("vector_sum", 1.0, 0.1, 20, 5, 1))
    assert list(asked) == ["mechanism", "eps", "delta", "n", "dimension", "batches"]
    with pytest.raises(ValueError, match="cannot scale the noise of the mechanism vector_sum"):
        least_noise(NoiseRequest("vector_sum", 1.0, 1.0, 0.1, 20))
