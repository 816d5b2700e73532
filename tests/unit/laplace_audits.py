"""What the tests of audits with Laplace noise share: settings of the papers, agreement, and counts of reports."""

import math
from pathlib import Path

import numpy as np
import pytest
import yaml
from scipy import stats

from dpbandits.config.values import number_of

PAPERS = Path(__file__).resolve().parents[2] / "config/papers"


def constants_of(paper):
    """Constants of a paper, numbers alone."""
    section = yaml.safe_load((PAPERS / f"{paper}.yaml").read_text(encoding="utf-8"))["constants"]
    return {name: number_of(name, each, {}) for name, each in section.items()}


def agree(release, eps, delta=0.0):
    """Both calculations say the same, low is at most high, and nothing is negative; returns the first."""
    one, other = release.accounted(eps, delta), release.derived(eps, delta)
    assert one.epsilons == pytest.approx(other.epsilons, rel=1e-4, abs=1e-9)
    assert one.deltas == pytest.approx(other.deltas, rel=1e-4, abs=1e-9)
    for low, high in (one.epsilons, one.deltas, other.epsilons, other.deltas):
        assert 0.0 <= low <= high * (1.0 + 1e-8) + 1e-12
    return one


def counted(scale, n):
    """P(N >= k), N the reports of at least 1, for k = 1 to n where the user's reward is 1, and where it is -1."""
    other, k = 0.5 * math.exp(-2.0 / scale), np.arange(1, n + 1)
    at_least, one_less = stats.binom.sf(k - 1, n - 1, other), stats.binom.sf(k - 2, n - 1, other)
    return 0.5 * (at_least + one_less), other * one_less + (1.0 - other) * at_least


def counted_epsilon(scale, n, delta):
    """The epsilon that these events show, all other rewards being -1."""
    high, low = counted(scale, n)
    sure = (high > delta + 1e-12) & (low > 0.0)
    return max([0.0, *np.log((high[sure] - delta) / low[sure])])


def blanket_delta(eps, local_eps, n, points=2**20):
    """(1/n) E (Z_1 + .. + Z_n)+ of the blanket of Laplace reports, by quantiles and one plain transform; within 1 %.

    Z is u - e^eps or 1 - e^eps u with probability e^(-eps0/2)/2 each, P(u > v) = v^(-1/2) up to e^eps0, else 0.
    """
    ranks = (np.arange(200_000) + 0.5) / 200_000
    u, weight = np.minimum(ranks**-2.0, math.exp(local_eps)), 0.5 * math.exp(-0.5 * local_eps) / len(ranks)
    values = np.concatenate([u - math.exp(eps), 1 - math.exp(eps) * u])
    reach = 10 * math.sqrt(n * weight * (values @ values)) + 12 * math.exp(local_eps) + n * (math.exp(eps) - 1)
    step = 2 * reach / points
    place = np.floor(values / step)
    chances = np.zeros(points)
    for where, share in ((place, place + 1 - values / step), (place + 1, values / step - place)):
        chances += np.bincount(where.astype(int) % points, weight * share, points)
    chances[0] += 1 - chances.sum()
    total = np.fft.irfft(np.fft.rfft(chances) ** n, points)[: points // 2]
    return float(total @ np.arange(points // 2)) * step / n
