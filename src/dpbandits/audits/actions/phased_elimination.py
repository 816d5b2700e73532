"""Phased elimination with two actions, +1 and -1 on a line: how much the played actions reveal about one reward.

The core set is +1 alone. After batch i the action +1 is eliminated if the noisy sum of its rewards is below -n gamma_i;
then -1 is played. The audited batch is the first with gamma_i <= 1, the first that rewards can decide. All rewards
before it are 0. One of its rewards is -1 or +1. The others, all equal, put the sum at the threshold or 2 above it. So
-1 is played in the next batch with probability 1/2 or exp(-2/b) / 2, which exactly attains 2/b, the epsilon of the
noisy sum.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.phased_elimination import batches
from dpbandits.algorithms.phased_elimination.batches import Reading
from dpbandits.algorithms.phased_elimination.phased_elimination_central import Params
from dpbandits.audits.actions import action_distributions
from dpbandits.audits.mechanisms.laplace import Laplace
from dpbandits.audits.release import Array, Truth
from dpbandits.base.jit import kernel
from dpbandits.privacy.mechanisms import add_laplace

ACTIONS = np.array([[1.0], [-1.0]])
SHIFT = 2.0  # of a reward in [-1, 1]


@dataclass(frozen=True)
class EliminationActions:
    """Attributes: `params` of the algorithm; `horizon`; `scale` of the Laplace noise that is added."""

    params: Params
    horizon: int
    scale: float

    @property
    def noise(self) -> float:
        """Scale of the noise."""
        return self.scale

    @property
    def mechanism(self) -> Laplace:
        """The mechanism: the noisy sum that contains the reward."""
        return Laplace(self.scale, (SHIFT,))

    def accounted(self, eps: float, delta: float) -> Truth:
        """Bounds from closed-form tails of the Laplace distribution."""
        first, second = (action_distributions.exceeds(gap, self.scale) for gap in (SHIFT, 0.0))
        return action_distributions.accounted_truth(
            self.mechanism, action_distributions.of_events((first, second)), eps, delta
        )

    def derived(self, eps: float, delta: float) -> Truth:
        """Bounds from tails by quadrature."""
        first, second = (action_distributions.integrated_exceeds(gap, self.scale) for gap in (SHIFT, 0.0))
        return action_distributions.derived_truth(
            self.mechanism, action_distributions.of_events((first, second)), eps, delta
        )

    def draw(self, rng: Generator, side: int, trials: int) -> Array:
        """Draw views (trials, 1): the action of every batch, 1 for -1, as binary digits of a number."""
        reading, factor, assumed = self.params.reading, self.params.core_factor, self.params.noise_scale
        pulls, widths = schedule(self.horizon, reading, factor, assumed)
        sums = sums_of_batches(pulls, widths, side)
        return play(rng, reading, self.horizon, pulls, widths, sums, self.scale, trials)

    def scores(self, views: Array) -> Array:
        """1 if -1 is played at the end, else 0."""
        last: Array = views[:, 0] % 2.0
        return last

    def halved(self) -> "EliminationActions":
        """A copy with half the noise and the same thresholds."""
        return replace(self, scale=0.5 * self.scale)


def sums_of_batches(pulls: Array, widths: Array, side: int) -> Array:
    """Sum of the rewards of +1 in every batch up to the audited one.

    Raises
    ------
    ValueError
        Rewards can decide no batch.
    """
    decisive = np.flatnonzero(widths <= 1.0)
    if len(decisive) == 0:
        raise ValueError("no batch has a width of at most 1: the horizon is too short for this noise")
    sums = np.zeros(decisive[0] + 1)
    n, threshold = pulls[decisive[0]], -pulls[decisive[0]] * widths[decisive[0]]
    others = np.full(n - 1, (threshold + 1.0) / (n - 1))  # in [-1, 1]
    sums[-1] = others.sum() + (1.0 if side == 0 else -1.0)
    return sums


@kernel
def width(reading: Reading, core_factor: float, noise_scale: float, nominal: float, horizon: int) -> float:
    """gamma_i for two actions in one dimension (L1)."""
    log_term = batches.log_confidence(2, horizon)
    bias = (2.0 * core_factor + 2.0 * log_term) * noise_scale / nominal
    return reading.width * (math.sqrt(4.0 * log_term / nominal) + bias)


@kernel
def schedule(horizon: int, reading: Reading, core_factor: float, noise_scale: float) -> tuple[Array, Array]:
    """Pulls of the core set and gamma_i, (L,) each, for every batch while both actions are active."""
    q, last = batches.batch_schedule(horizon)
    pulls, widths = np.empty(last, np.int64), np.empty(last)
    coordinates = batches.coordinates_of(ACTIONS, np.arange(2))
    for i in range(1, last + 1):
        core, each = batches.core_set(coordinates, q ** float(i), reading.tolerance)
        pulls[i - 1] = each[0]
        widths[i - 1] = width(reading, core_factor, noise_scale, q ** float(i), horizon)
    return pulls, widths


@kernel
def play(
    rng: Generator, reading: Reading, horizon: int, pulls: Array, widths: Array, sums: Array, scale: float, trials: int
) -> Array:
    """Views (trials, 1) of runs with these sums of rewards of +1, (batches,); one more batch is observed."""
    views = np.empty((trials, 1))
    both, core = np.arange(2), np.zeros(1, np.int64)
    coordinates = batches.coordinates_of(ACTIONS, both)
    progress = batches.start(ACTIONS, np.zeros(1), reading, np.full(1, horizon))
    for trial in range(trials):
        code, active = 0, both
        for i in range(len(sums)):
            code = 2 * code + active[0]
            if len(active) == 2:
                noised = np.full(1, add_laplace(rng, sums[i], scale))
                _, active = batches.eliminate(progress, active, coordinates, core, pulls[i : i + 1], noised, widths[i])
        views[trial, 0] = 2 * code + active[0]
    return views
