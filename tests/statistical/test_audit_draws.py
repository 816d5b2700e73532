"""What audits draw, and how they score it: expectations under either input, tied by the likelihood ratio.

For a score s that is the log-likelihood ratio of input 1 to input 0, the mean of e^s over any event {s <= c} under
input 0 is the chance of the event under input 1, and that of e^-s over {s >= c} the other way round.
"""

import numpy as np
import pytest

from dpbandits.algorithms.shared.tree_noise import PREFIX_SUMS_OVER_ROUNDS
from dpbandits.audits.mechanisms.laplace import Laplace
from dpbandits.audits.mechanisms.laplace_tree import LaplaceTree
from dpbandits.audits.mechanisms.report_noisy_max import ReportNoisyMax
from dpbandits.audits.mechanisms.shuffled_laplace import ShuffledLaplace

TRIALS = 20000
RELEASES = {
    "one number": Laplace(0.8, (2.0,)),
    "five numbers": Laplace(3.0, (1.0, -1.0, -1.0, 1.0, 1.0)),
    "trees": LaplaceTree(12.0, 3, 20),
    "trees over rounds": LaplaceTree(4.0, 1, 30, PREFIX_SUMS_OVER_ROUNDS),
    "leader of two": ReportNoisyMax(1.0, 2),
    "leader of four": ReportNoisyMax(2.0, 3, 4),
    "three shuffled reports": ShuffledLaplace((1.0,), (3,), 1e-6),
    "thirty shuffled reports": ShuffledLaplace((0.5,), (30,), 1e-6),
}


@pytest.mark.parametrize("name", RELEASES)
def test_scores_are_likelihood_ratios_of_what_is_drawn(name):
    release = RELEASES[name]
    none, one = (release.scores(release.draw(np.random.default_rng([2022, side]), side, TRIALS)) for side in (0, 1))
    for cut in np.quantile(np.concatenate([none, one]), [0.2, 0.5, 0.8, 1.0]):
        for here, there in ((none, one), (-one, -none)):
            limit = cut if here is none else -cut
            weighted, event = np.where(here <= limit, np.exp(np.minimum(here, limit)), 0.0), there <= limit
            error = np.sqrt((weighted.var() + event.var()) / TRIALS)
            assert abs(weighted.mean() - event.mean()) <= 5.0 * error + 1e-12


@pytest.mark.parametrize("name", RELEASES)
def test_frequencies_do_not_exceed_the_epsilon(name):
    """No event {s <= c} or {s >= c} is more frequent under one input than e^epsilon times as much under the other."""
    release = RELEASES[name]
    delta = release.delta if isinstance(release, ShuffledLaplace) else 0.0
    epsilon = release.derived(1.0, delta).epsilons[1]
    none, one = (release.scores(release.draw(np.random.default_rng([2023, side]), side, TRIALS)) for side in (0, 1))
    for cut in np.quantile(np.concatenate([none, one]), [0.05, 0.2, 0.5, 0.8, 0.95]):
        for p, q in ((one >= cut, none >= cut), (none <= cut, one <= cut)):
            error = np.sqrt((p.var() + np.exp(2.0 * epsilon) * q.var()) / TRIALS)
            assert p.mean() <= np.exp(epsilon) * q.mean() + delta + 5.0 * error


@pytest.mark.parametrize("name", ["one number", "five numbers", "trees", "three shuffled reports"])
def test_half_the_noise_shows(name):
    """The mean score moves further apart."""
    gaps = []
    for release in (RELEASES[name], RELEASES[name].halved()):
        none, one = (release.scores(release.draw(np.random.default_rng([2024, side]), side, TRIALS)) for side in (0, 1))
        gaps.append((one.mean() - none.mean()) / np.sqrt((one.var() + none.var()) / TRIALS))
    assert gaps[1] > gaps[0] + 5.0
