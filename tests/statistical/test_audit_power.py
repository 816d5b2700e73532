"""What an audit finds: half of the noise, and noise for half of the sensitivity, of repetitions at its default size.

Fixed seeds. One in fifty repetitions may miss. Either fault makes the epsilon twice that claimed, or, of a Gaussian,
the shift. The bound is that of `epsilon_bound` unless it says Gaussian.
"""

import math

import numpy as np
import pytest

from dpbandits.audits.learned import learned_scores
from dpbandits.privacy.auditing import ALPHA, epsilon_bound, gaussian_bound
from dpbandits.privacy.gaussian import gaussian_mu

pytestmark = pytest.mark.slow

REPETITIONS, ENOUGH = 50, 49
TRIALS, TRIALS_SMALL, PER_ODDS = 20_000, 200_000, 20  # by default; for small eps; times e^eps at least
NOISE, SENSITIVITY = "half of the noise", "half of the sensitivity"


def laplace(rng, eps, fault, n):
    """A sum that moves by 1, scored by the log-likelihood ratio of the distribution that it has."""
    scale, shift = (0.5 / eps, 1.0) if fault == NOISE else (1 / eps, 2.0)
    return [np.abs(z) - np.abs(z - shift) for z in (rng.laplace(0, scale, n), rng.laplace(shift, scale, n))]


def laplace_seen(rng, eps, fault, n):
    """The same, scored by the sum itself."""
    scale, shift = (0.5 / eps, 1.0) if fault == NOISE else (1 / eps, 2.0)
    return rng.laplace(0, scale, n), rng.laplace(shift, scale, n)


def geometric(rng, eps, fault, n):
    """A count that moves by 3, with two-sided geometric noise."""
    p, shift = (1 - math.exp(-2 * eps / 3), 3) if fault == NOISE else (1 - math.exp(-eps / 3), 6)
    noise = rng.geometric(p, (2, n)) - rng.geometric(p, (2, n))
    return noise[0], noise[1] + shift


def randomized_response(rng, eps, fault, n):
    """A bit with odds e^(2 eps)."""
    lie = 1 / (1 + math.exp(2 * eps))
    return rng.random(n) < lie, rng.random(n) >= lie


def gaussian(rng, eps, delta, n):
    return rng.normal(size=n), rng.normal(2 * gaussian_mu(eps, delta), size=n)


def actions(rng, eps, fault, n):
    """Which of two noised sums is larger, four times over, coded in one number.

    The inputs differ in the third pair: one sum falls from 2 to 1 above the other, which rises by as much. The noise
    Lap(1/eps) would do for one sum that moves. By P(Lap - Lap' > g) = (1/2 + g/(4b)) e^(-g/b) the epsilon is
    2 eps - ln((2 + 3 eps) / (2 + eps)).
    """
    sums = rng.laplace(0.0, 1 / eps, (2, n, 4, 2))
    sums[0, :, 2] += [3.0, 0.0]
    sums[1, :, 2] += [2.0, 1.0]
    codes = (sums[..., 1] > sums[..., 0]) @ (2.0 ** np.arange(4))
    return learned_scores(codes[0][:, None], codes[1][:, None])


def found(draw, eps, delta, fault, bound, seed, trials):
    """How many repetitions have a bound above the claim."""
    rng = np.random.default_rng(seed)
    return sum(bound(*draw(rng, eps, fault, trials), delta, ALPHA) > eps for _ in range(REPETITIONS))


def general(first, second, delta, alpha):
    return epsilon_bound(first, second, delta, alpha).epsilon


@pytest.mark.parametrize("fault", [NOISE, SENSITIVITY])
@pytest.mark.parametrize("eps", [0.5, 1.0, 3.0, 6.0])
@pytest.mark.parametrize("draw", [laplace, laplace_seen, geometric, randomized_response])
def test_faults_are_found_at_the_default_size(draw, eps, fault):
    trials = max(TRIALS, math.ceil(PER_ODDS * math.exp(eps)))
    assert found(draw, eps, 0.0, fault, general, 1, trials) >= ENOUGH


@pytest.mark.parametrize("draw", [laplace, laplace_seen, geometric, randomized_response])
def test_faults_are_found_for_small_eps_with_more_runs(draw):
    assert found(draw, 0.1, 0.0, NOISE, general, 2, TRIALS_SMALL) >= ENOUGH


@pytest.mark.parametrize("eps", [0.5, 1.0, 3.0])
def test_gaussian_faults_are_found(eps):
    """At delta 0.1 by either bound; at 1e-5 by the one that assumes a Gaussian."""

    def draws(delta):
        return lambda rng, epsilon, _, n: gaussian(rng, epsilon, delta, n)

    assert found(draws(0.1), eps, 0.1, NOISE, general, 3, TRIALS) >= ENOUGH
    assert found(draws(0.1), eps, 0.1, NOISE, gaussian_bound, 3, TRIALS) >= ENOUGH
    assert found(draws(1e-5), eps, 1e-5, NOISE, gaussian_bound, 4, TRIALS) >= ENOUGH
    assert found(draws(1e-5), eps, 1e-5, NOISE, general, 4, TRIALS) < REPETITIONS / 2


@pytest.mark.parametrize("eps", [1.0, 2.0])
def test_a_fault_is_found_in_actions(eps):
    """Scores are learned from a quarter of the runs, and what is seen of the noise is a comparison."""
    assert found(actions, eps, 0.0, SENSITIVITY, general, 5, TRIALS) >= ENOUGH
