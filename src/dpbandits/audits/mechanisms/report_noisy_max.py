"""Report noisy max: the index of the largest of several sums, each with Lap(b) noise.

The sums are over n rounds, with rewards in [0, 1]. In every round of input 0, the first action has reward 0 and all
others have reward 1; input 1 swaps this in one round. Let P(g) be the probability that the first action leads if it is
g behind the others, which are equal. If the first leads, the loss is ln P(n - 2) - ln P(n).

The epsilon of all neighbors is at most 2/b (`accounting.report_noisy_max_scale`), so the worst pure mechanism of that
epsilon, randomized response, bounds them all. The loss of the pair tends to 2/b as n grows.
"""

import math
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy import integrate

from dpbandits.algorithms.shared.ties import largest_of
from dpbandits.audits.release import Array, Truth
from dpbandits.base.jit import kernel
from dpbandits.privacy.mechanisms import LAPLACE_NOISE, Noise

PARTS = 1e7  # number of the accountant's steps in a loss of 1; source: our choice
CUTOFF = 60.0  # noise beyond this many scales has negligible mass; source: our choice


@dataclass(frozen=True)
class ReportNoisyMax:
    """Attributes: `scale`, b, of the noise from `added`; `rounds`, n, of the sums; `arms`, the number of sums.

    Raises
    ------
    ValueError
        There are fewer than two rounds or fewer than two sums.
    """

    scale: float
    rounds: int
    arms: int = 2
    added: Noise = field(default=LAPLACE_NOISE, compare=False)

    def __post_init__(self) -> None:
        if self.rounds < 2 or self.arms < 2:
            raise ValueError(f"no leader of {self.arms} sums over {self.rounds} rounds")

    @property
    def noise(self) -> float:
        """Scale of the noise."""
        return self.scale

    @property
    def shifts(self) -> tuple[float, ...]:
        """The differences of the sums."""
        return (1.0,) + (-1.0,) * (self.arms - 1)

    @property
    def behind(self) -> tuple[float, float]:
        """How far the first action is behind the others on each input, in scales."""
        return self.rounds / self.scale, (self.rounds - 2) / self.scale

    @property
    def loss(self) -> float:
        """Largest loss of the pair, which occurs if the first action leads."""
        before, after = (log_lead(gap, self.arms) for gap in self.behind)
        return after - before

    def accounted(self, eps: float, delta: float) -> Truth:
        """Bounds by dp-accounting, from the leader's closed-form distributions and from pure epsilon 2/b."""
        from dp_accounting.pld import privacy_loss_distribution as pld
        from dp_accounting.pld.common import DifferentialPrivacyParameters

        distributions = [self._distribution(log_lead(gap, self.arms)) for gap in self.behind]
        pair = pld.from_two_probability_mass_functions(
            *distributions, value_discretization_interval=1.0 / PARTS, symmetric=False, pessimistic_estimate=False
        )
        bound = 2.0 / self.scale
        any_pair = pld.from_privacy_parameters(
            DifferentialPrivacyParameters(bound), value_discretization_interval=bound / math.ceil(PARTS)
        )
        both = pair, any_pair
        least, most = (float(each.get_epsilon_for_delta(delta)) for each in both)
        low, high = (float(each.get_delta_for_epsilon(eps)) for each in both)
        return Truth((least, most), (low, high), "privacy loss distribution of the leader, of randomized response")

    def derived(self, eps: float, delta: float) -> Truth:
        """Bounds from the leader's distributions by quadrature and from randomized response in closed form."""
        before, after = (self._distribution(log_lead_by_quadrature(gap, self.arms)) for gap in self.behind)
        bound = math.exp(2.0 / self.scale)
        most = math.log(max(1.0, bound - delta * (1.0 + bound)))
        least, low = 0.0, 0.0
        for log_p, log_q in ((after[0], before[0]), (before[1], after[1])):  # events that are likelier on one input
            p = math.exp(log_p)
            if p > delta or delta == 0.0:
                least = min(most, max(least, log_p + (math.log1p(-delta / p) if delta > 0.0 else 0.0) - log_q))
            low = max(low, p - math.exp(eps + log_q))
        high = max(0.0, (bound - math.exp(eps)) / (1.0 + bound))
        return Truth((least, most), (low, high), "quadrature, closed form of randomized response")

    @staticmethod
    def _distribution(log_first: float) -> dict[int, float]:
        """Log-probabilities that the first action leads and that another one leads."""
        return {0: log_first, 1: math.log1p(-math.exp(log_first))}

    def draw(self, rng: Generator, side: int, trials: int) -> Array:
        """Draw the index of the leader."""
        return leaders(self.added.add, rng, self.behind[side] * self.scale, self.scale, self.arms, trials)

    def scores(self, views: Array) -> Array:
        """The two values of the log-ratio; all other leaders have the same one."""
        before, after = (self._distribution(log_lead(gap, self.arms)) for gap in self.behind)
        return np.where(views[:, 0] == 0.0, after[0] - before[0], after[1] - before[1])

    def halved(self) -> "ReportNoisyMax":
        """A copy with half the scale."""
        return replace(self, scale=0.5 * self.scale)


def log_lead(gap: float, arms: int) -> float:
    """ln P(first leads) for a first sum `gap` >= 0 scales behind m = arms - 1 equal sums.

    Let y be the largest noise of the others, with distribution F^m. The first sum needs more noise than gap + y. The
    three terms are for y below -gap, in between, and above 0. For two arms the total is e^-g (1 + g/2) / 2.
    """
    m = arms - 1
    below = 0.5**m * math.exp(-(m - 1) * gap) * (1.0 - 0.5 * m / (m + 1))
    between = m * 0.5 ** (m + 1) * (gap if m == 1 else -math.expm1(-(m - 1) * gap) / (m - 1))
    above = (1.0 - 0.5**m) - m / (m + 1) * (1.0 - 0.5 ** (m + 1))
    return math.log(below + between + above) - gap


def log_lead_by_quadrature(gap: float, arms: int) -> float:
    """As `log_lead`, by integrating f(x) F(x - gap)^(arms - 1) over the noise x of the first sum, times e^gap."""

    def density(x: float) -> float:
        y = x - gap
        log_below = y - math.log(2.0) if y < 0.0 else math.log1p(-0.5 * math.exp(-y))
        return 0.5 * math.exp(gap - abs(x) + (arms - 1) * log_below)

    ends = [-CUTOFF, 0.0, max(0.0, gap - CUTOFF), gap, gap + CUTOFF]
    parts = [integrate.quad(density, a, b, epsabs=0.0, epsrel=1e-10)[0] for a, b in pairwise(ends) if b > a]
    return math.log(math.fsum(parts)) - gap


@kernel
def leaders(add: Any, rng: Generator, behind: float, scale: float, arms: int, trials: int) -> Array:
    """Rows (trials, 1): the leader if the first sum is `behind` the others."""
    views, sums = np.empty((trials, 1)), np.empty(arms)
    for i in range(trials):
        for j in range(arms):
            sums[j] = add(rng, 0.0 if j == 0 else behind, scale)
        views[i, 0] = largest_of(rng, sums)
    return views
